"""Linear classification by stochastic gradients, in memory or in a stream.

Robbins and Monro, Annals of Mathematical Statistics 22 (1951).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from empirisk.data.offered import offered
from empirisk.estimators.agreement import agreeing, largest
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.log_probabilities import LogProbabilities, one_against_rest_logs
from empirisk.estimators.stochastic.stochastic import StochasticEstimator
from empirisk.estimators.streamed_labels import StreamedLabels
from empirisk.losses import REGISTRY as LOSSES
from empirisk.losses import Loss, OneVersusRest
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["SGDClassifier"]


def _asked(est: Any) -> Any:
    """Return the loss of an estimator as an object; None where its name is no loss."""
    kind = LOSSES.get(est.loss) if isinstance(est.loss, str) else est.loss
    # An answer is asked of an object: on the class it would be the property itself, which is always true.
    return kind() if isinstance(kind, type) else kind


def _gives_probabilities(est: Any) -> bool:
    if getattr(_asked(est), "tells_probability", False):
        return True
    raise AttributeError(
        f"predict_proba needs the logistic or the modified Huber loss, got loss={est.loss!r}, whose scores "
        "are "
        'no log-odds; calibrate them, or use loss="logistic"'
    )


def _shared(p: Array) -> Array:
    """Return probabilities of separate problems as those of classes, shape (n, K).

    One column is the probability of the second of two classes; of more each row is divided by its sum, and
    classes of which no problem says anything but 0 are equally likely.
    """
    if p.ndim == 1:
        return np.column_stack([1.0 - p, p])
    total = p.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, p / np.where(total > 0.0, total, 1.0), p.dtype.type(1.0 / p.shape[1]))


@documented(FactorColumns)
class SGDClassifier(LogProbabilities, StreamedLabels, StochasticEstimator):
    """Linear classification by stochastic gradient descent, with a certificate.

    ``min_{w,b} (1/S) sum_i s_i loss(y_i, x_i.w + b) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

    by steps along the gradient of one random row after the other.  Columns need no scaling: steps are taken
    in the coordinates of centred and scaled columns, which leaves the problem as it is.  More than two
    classes are one problem per class against the rest.

    Parameters
    ----------
    loss : str or Loss, default "hinge"
        "hinge" (linear SVM), "logistic", "squared_hinge" and "modified_huber" (both with a factor 1/2),
        "perceptron", "exponential".
    alpha : float or "1/n", default 1e-4
        Strength on the mean-loss scale, as in scikit-learn's SGDClassifier (for "squared_hinge" and
        "modified_huber" half of the number there); "1/n" is 1/S.
    l1_ratio : float, default 0.0
        r, in [0, 1]: 0 is L2, 1 is L1, between them elastic net.  With an L1 part coefficients are exactly 0
        after ``fit``, where the optimum has zeros and the steps came near it; see the notes.
    fit_intercept : bool or "auto", default "auto"
        Whether b is free (else 0); it is never penalised.  "auto" is True (False with "pegasos").
    class_weight : dict, "balanced" or None, default None
        Factors on the weights of the rows of each class; "balanced" gives every class weight S/K.
    schedule : str or Schedule, default "cosine"
        Step sizes: "cosine" (falls to 0 over the run), "constant", "inverse_time" (``step / t``),
        "strongly_convex" (``1 / (alpha t)``), "pegasos" (the same sizes, with the settings of the notes
        below), "step_decay", or an object of ``er.optimizers``.
    step : float or "auto", default "auto"
        First step, > 0; "auto" is 1 over the smoothness of the longest row, shorter for runs of more than
        1e5 steps and where that leads away.
    output : {"auto", "suffix", "average", "last", "best"}, default "auto"
        Mean of the iterates of the last half of the run, of all, the last one, or the best end of an epoch.
        "auto" is "suffix" ("average" with "pegasos").
    n_epochs : int or "auto", default "auto"
        Passes over the rows; "auto" makes a hundred thousand steps, in 5 to 1000 passes.
    batch_size : int, default 1
        Rows a step.
    momentum : float, default 0.0
        Share of the last step that is kept, in [0, 1); dense X only.
    sampling : {"auto", "permutation", "replacement", "given"}, default "auto"
        A fresh random order each epoch (of blocks of 8 neighbouring rows where X exceeds the caches),
        independent draws, or the order of the data.  "auto" is "permutation" ("replacement" with "pegasos").
    precondition : bool or "auto", default "auto"
        Whether steps are taken in the coordinates of centred and scaled columns: "auto" is True (False with
        "pegasos").
    tol : float or None, default None
        With a number, epochs with reduced variance follow until the certificate over its scale is at most
        this (losses without kinks; the others warn when they miss it).  None takes the epochs and says how
        good the result is.
    max_iter : int, default 1000
        Limit of those epochs.
    warm_start : bool, default False
        Begin each fit at the coefficients of the fit before, if that had the same classes and columns.
    random_state : int, Generator, RandomState or None, default None
        Seed of the order of the rows; None is 0.  Equal seeds give equal bits.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    coef_ : array, shape (1, p) or (K, p)
    intercept_ : array, shape (1,) or (K,)
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap on the training rows: true, and loose while steps are noisy and alpha is small.  After
        ``partial_fit`` there is none, and the claim says so.
    solution_ : Solution
        Status, steps, passes.
    t_ : int
        Steps taken.

    Raises
    ------
    ValueError
        On labels that ``partial_fit`` was not told of, a step that is not positive, unknown losses.

    Notes
    -----
    O(stored numbers) per epoch, without copies of X but for CSC and column-major arrays (one copy by rows).
    A step that is too long ends with status DIVERGED and the sentence by how much.

    Every step truncates coefficients of an L1 part, but neither the last iterate nor a mean of iterates has
    the zeros of the optimum, since the next row lifts some off again.  So the output, averaged or not, takes
    truncated steps along the gradient of all rows, none of which raises the objective, until one leaves the
    same zeros: a few passes more.  After ``partial_fit``, whose rows are gone, few coefficients are exactly
    0.

    ``SGDClassifier("hinge", alpha, schedule="pegasos")`` is SGD for soft-margin machines as textbooks do:
    ``theta_1 = 0``, ``w_t = theta_t / (alpha t)``, a row i drawn at random, ``theta += y_i x_i`` where
    ``y_i w_t.x_i < 1``; the output is the mean of ``w_1 ... w_T``, T = ``t_``.  Its lambda is alpha where the
    objective is ``lambda/2 ||w||^2 + mean hinge``, and ``alpha = 2 lambda`` where it is ``lambda ||w||^2 +
    mean hinge``.  An intercept would take the same steps, which do not shrink it: no theorem covers that, and
    it stays far off for long.  Give X a column of ones for one that is penalised.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter 2011 (Pegasos); Rakhlin, Shamir & Sridharan 2012 (suffix
    averages); Johnson & Zhang 2013 (reduced variance).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = er.SGDClassifier("logistic", alpha=0.1, tol=1e-6).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[2.5]]), model.certificate_.within(1e-6)
    (array(['yes'], dtype='<U3'), True)
    """

    classes_: Any

    def __init__(
        self,
        loss: Any = "hinge",
        alpha: float | str = 1e-4,
        *,
        l1_ratio: float = 0.0,
        fit_intercept: bool | str = "auto",
        class_weight: Any = None,
        schedule: Any = "cosine",
        step: float | str = "auto",
        output: str = "auto",
        n_epochs: int | str = "auto",
        batch_size: int = 1,
        momentum: float = 0.0,
        sampling: str = "auto",
        precondition: bool | str = "auto",
        tol: float | None = None,
        max_iter: int = 1_000,
        warm_start: bool = False,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with the rows of one block, each once.

        Coordinates and step come from the first block; "cosine" and "step_decay", which need to know the end,
        become a constant step.  A block may lack classes.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features, the same columns in every block.
        y : array, shape (n,)
            Labels among `classes`.
        classes : array, shape (K,), optional
            All labels that can come; needed at the first call, may be repeated later.
        sample_weight : array, shape (n,), optional
            Weights >= 0, relative to the mean weight of the first block.

        Returns
        -------
        self
        """
        return self._with_classes(X, y, classes, sample_weight)

    # -- the problem ------------------------------------------------------------------------------

    def _loss_of(self, y: Array) -> tuple[Loss, int]:
        k, base = len(self.classes_), self._base_loss()
        return (base, 0) if k == 2 else (OneVersusRest(base, k), k)

    def _unpack(self, problem: LinearProblem, w: Array) -> None:
        coef, b = problem.split(w)
        dtype = problem.design.dtype
        self.coef_ = np.ascontiguousarray(np.atleast_2d(coef.T), dtype=dtype)
        self.intercept_ = np.atleast_1d(np.asarray(b, dtype=dtype))

    def _pack(self, problem: LinearProblem) -> Array:
        return self._packed(problem, self.coef_, self.intercept_)

    @staticmethod
    def _packed(problem: LinearProblem, coef: Array, intercept: Array) -> Array:
        coef, b = np.asarray(coef, dtype=np.float64).T, np.asarray(intercept, dtype=np.float64)
        return problem.join(coef, b) if problem.n_outputs else problem.join(coef[:, 0], b[0])

    # -- predictions ------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """Return the scores ``x.w + b``: shape (n,) for two classes, (n, K) for more."""
        z = self._scores(X)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Any:
        """Return the class of the largest score, shape (n,)."""
        z = self.decision_function(X)
        return self.classes_[largest(z)]

    @property
    def probabilities_open(self) -> bool:
        """Whether no class that occurs can get probability 0, as behind a logistic link."""
        loss = _asked(self)
        return not getattr(loss, "tells_probability", False) or loss.log_odds

    @offered(_gives_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Probability of each class, shape (n, K), for the logistic and the modified Huber loss.

        ``1 / (1 + exp(-z))``, and ``(1 + z) / 2`` within [0, 1] (Zhang 2004), which may be exactly 0.  For
        more than two classes those of the separate problems, divided by their sum; classes are equally likely
        where all of them are 0.
        """
        z, loss = self.decision_function(X), _asked(self)
        found = np.exp(one_against_rest_logs(z)) if loss.log_odds else _shared(loss.mean(z))
        return agreeing(np.asarray(found), z)

    def _log_probabilities(self, X: Any) -> Array:
        if not _asked(self).log_odds:
            return super()._log_probabilities(X)
        return one_against_rest_logs(self.decision_function(X))
