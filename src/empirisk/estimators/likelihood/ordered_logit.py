"""Ordered logistic regression: the odds of a higher class, proportional over all cut points.

McCullagh, Journal of the Royal Statistical Society B 42 (1980).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.caller_line import caller_level
from empirisk.data.design import Design
from empirisk.data.frames import like_input
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.row_scores import row_scores
from empirisk.estimators.documented import documented
from empirisk.estimators.label_codes import encode_labels, plain_label, refuse_mixed
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.estimators.likelihood.centred import centred
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.estimators.log_probabilities import LogProbabilities
from empirisk.inference import Summary
from empirisk.losses import Logistic
from empirisk.penalties import Zero
from empirisk.problems.likelihood import LikelihoodProblem
from empirisk.problems.likelihoods.ordered import LINKS, Ordered, class_slopes, log_chances
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import find_separation
from empirisk.problems.separation.words import listing
from empirisk.typing import Array

__all__ = ["AlphabeticalOrderWarning", "OrderedLogit"]


class AlphabeticalOrderWarning(UserWarning):
    """ER006: labels of text came without an order, and were taken by the alphabet."""


@documented(FactorColumns)
class OrderedLogit(LogProbabilities, ClassifierMixin, LikelihoodEstimator):
    """Classes with an order: one score and cut points, ``P(y <= class k | x) = F(c_k - x.w)``.

    ``min_{w, c} -(1/S) sum_i s_i log(F(c_{y_i} - x_i.w) - F(c_{y_i - 1} - x_i.w)) + (alpha/2) ||w||^2``

    with ``c_1 < ... < c_{K-1}``, ``c_0 = -inf`` and ``c_K = inf``.  For the logistic F one more unit of a
    column multiplies the odds of being above any cut point by ``exp(w_j)`` (proportional odds).

    Parameters
    ----------
    link : {"logit", "probit"}, default "logit"
        F is the logistic or the normal distribution.
    alpha : float >= 0 or "1/n", default 0.0
        Strength on the mean-loss scale, on w alone; 0 is maximum likelihood, for which :meth:`summary` has
        standard errors.
    order : sequence of labels, optional
        The classes from low to high.  Without one: the order of an ordered categorical of pandas or an Enum
        of polars, else the sorted labels.
    tol : float, default 1e-12
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 200
        Step limit of Newton's method.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels; the columns of :meth:`predict_proba`.
    order_ : array, shape (K,)
        The labels from low to high.
    coef_ : array, shape (p,)
    cutpoints_ : array, shape (K - 1,)
        Increasing.
    log_likelihood_ : float
        ``sum_i s_i log P(y_i | x_i)``.
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        For the logit link a proved bound on ``F - min F`` by the curvature around the fit; for probit the
        gradient, of an objective that is convex as well.
    solution_ : Solution
        Status, steps, trace.

    Raises
    ------
    AlphabeticalOrderWarning
        ER006, for labels of text in three classes or more that come without an order.
    SeparationError
        With alpha = 0, where columns put the classes in order without an error.
    ValueError
        For fewer than two classes, a class without weight, and labels that `order` does not name.

    Notes
    -----
    O(n (p + K)^2) per Newton step, 4 to 10 steps.  Whether the odds are proportional is an assumption;
    compare the coefficients with those of :class:`LogisticRegression` on ``y > class`` for each cut point.

    References
    ----------
    P. McCullagh, "Regression models for ordinal data", JRSS B 42 (1980).  J. W. Pratt, "Concavity of the log
    likelihood", JASA 76 (1981).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> dose = np.repeat([0.0, 1.0, 2.0], 4)[:, None]
    >>> pain = ["none", "none", "mild", "bad", "none", "none", "mild", "none", "none", "none", "none", "mild"]
    >>> model = er.OrderedLogit(order=["none", "mild", "bad"]).fit(dose, pain)
    >>> model.coef_.round(2), model.cutpoints_.round(2), model.certificate_.within(1e-8)
    (array([-0.73]), array([-0.02,  1.78]), True)
    """

    classes_: Any
    order_: Any
    cutpoints_: Array

    def __init__(
        self,
        link: str = "logit",
        *,
        alpha: float | str = 0.0,
        order: Sequence[Any] | None = None,
        tol: float = 1e-12,
        max_iter: int = 200,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Minimise the objective of the class docstring.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; float32 stays float32, other numbers become float64.
        y : array, shape (n,)
            Labels, whose order is that of `order`.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a weight of 2 equals the row twice, 0 equals its absence.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def problem(self, X: Any, y: Any, sample_weight: Any = None) -> LikelihoodProblem:
        """Return the optimisation problem that ``fit`` solves on these data, for inspection.

        Dense columns are moved to their means, which moves the cut points and nothing else.
        """
        return self._problem(X, y, sample_weight)

    # -- the problem --------------------------------------------------------------------------------

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)

    def _read_targets(self, y: Any, fitting: bool, n: int, **more: Any) -> Array:
        known = None if fitting else self.classes_
        self.classes_, codes = encode_labels(y, known)
        if fitting:
            self.order_ = self._ordered(more.get("dtype"))
            count = np.bincount(codes, more["weight"], len(self.classes_))
            if (count <= 0.0).any():
                empty = plain_label(self.classes_[int(np.argmin(count))])
                raise ValueError(
                    f"the class {empty!r} has no row with positive sample_weight, so that its cut points "
                    "have no estimate: leave out its rows"
                )
        return np.asarray(self._columns_of_classes()[codes], dtype=np.float64)

    def _ordered(self, dtype: Any) -> Any:
        """Return the classes from low to high."""
        given = self.order
        if given is None:
            ordered = getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum"  # polars
            told = getattr(dtype, "categories", None) if ordered else None
            if told is None:
                if len(self.classes_) > 2 and self.classes_.dtype.kind in "OUS":
                    shown = " < ".join(str(plain_label(c)) for c in self.classes_[:8])
                    warnings.warn(
                        "ER006: y holds text without an order, so that its classes are taken by the "
                        f"alphabet, {shown}: give order=, from low to high, or an ordered categorical",
                        AlphabeticalOrderWarning,
                        stacklevel=caller_level(),
                    )
                return self.classes_.copy()
            given = [c for c in np.asarray(told) if c in self.classes_]
        labels = list(given)
        missing = [plain_label(c) for c in self.classes_ if c not in labels]
        unknown = [c for c in labels if c not in self.classes_]
        if missing or unknown or len(set(labels)) < len(labels):
            what = f"lacks {missing[0]!r}" if missing else f"names {unknown[0]!r}" if unknown else "repeats"
            shown = ", ".join(repr(plain_label(c)) for c in self.classes_[:12])
            raise ValueError(f"order must name each class of y once, but it {what}; the classes are {shown}")
        return self.classes_[[int(np.flatnonzero(self.classes_ == c)[0]) for c in labels]]

    def _pose(self, design: Design, targets: Array, weight: Array, alpha: float) -> LikelihoodProblem:
        if self.link not in LINKS:
            raise ValueError(f"link must be one of {LINKS}, got {self.link!r}")
        X, self._mean = centred(design, weight)
        model = Ordered(X, targets.astype(np.intp), weight, len(self.classes_), self.link)
        return LikelihoodProblem(model, alpha)

    def _no_maximum(self, why: str) -> ValueError:
        return SeparationError(why)

    def _why_not(self, problem: LikelihoodProblem, w: Array, ok: bool) -> str:
        """Return which columns order the classes, found as the separation of the ends of all intervals."""
        if ok or problem.alpha > 0.0:
            return ""
        model: Any = problem.likelihood
        live = np.flatnonzero(model.weight > 0.0)
        codes, k = model.codes[live], model.n_classes - 1
        low, high = live[codes < k], live[codes > 0]
        index = np.concatenate([low, high])
        cut = np.concatenate([codes[codes < k], codes[codes > 0] - 1])
        cuts = np.eye(k)[cut]
        X = model.X[index]
        parts: Any = [X, -cuts]
        stacked = sp.hstack(parts).tocsr() if sp.issparse(X) else np.hstack(parts)
        labels = np.concatenate([np.full(len(low), -1.0), np.full(len(high), 1.0)])
        rows = ArrayBlocks(Design(stacked), labels, np.ones(len(labels)))
        names = [*self._terms_of(model.p), *(f"cut point {j + 1}" for j in range(k))]
        found = find_separation(LinearProblem(Logistic(), Zero(), rows, False, 1.0, 0), names)
        if not found.separable:
            return ""
        used = [names[j] for j in found.columns if j < model.p] or names[: model.p]
        ties = "" if found.kind == "complete" else ", but for ties"
        return (
            f"the likelihood has no maximum: a combination of {listing(used)} puts the rows in the order of "
            f"their classes{ties}; add a penalty (alpha > 0), or drop the columns that do so"
        )

    # -- public numbers -----------------------------------------------------------------------------

    def _set_numbers(self, problem: LikelihoodProblem, w: Array, dtype: Any) -> None:
        p = len(self._mean)
        self.coef_ = w[:p].astype(dtype)
        self.cutpoints_ = (w[p:] + self._mean @ w[:p]).astype(dtype)

    def _pack(self, problem: LikelihoodProblem) -> Array:
        coef = np.asarray(self.coef_, dtype=np.float64)
        return np.concatenate([coef, np.asarray(self.cutpoints_, dtype=np.float64) - self._mean @ coef])

    def _public(self, problem: LikelihoodProblem) -> tuple[list[str], Array, Array]:
        p, k = len(self.coef_), len(self.cutpoints_)
        jacobian = np.eye(p + k)
        jacobian[p:, :p] = self._mean
        coef = np.concatenate([self.coef_, self.cutpoints_]).astype(np.float64)
        return [*self._terms_of(p), *self._cut_names()], coef, jacobian

    def _cut_names(self) -> list[str]:
        """Return a name for each cut point: the classes on its two sides."""
        return [f"{a}|{b}" for a, b in zip(self.order_[:-1], self.order_[1:], strict=True)]

    def _about(self) -> dict[str, Any]:
        low, high = plain_label(self.order_[0]), plain_label(self.order_[-1])
        logit = self.link == "logit"
        scale = "log odds of a higher class" if logit else "latent score, in deviations of its normal noise"
        note = f"coefficients are changes of the {scale}; classes go from {low} up to {high}"
        return {
            "title": f"Ordered {'logistic' if logit else 'probit'} regression",
            "notes": (note,), "constants": tuple(self._cut_names()), "loss": "ordered",
            "ratio": "odds ratio" if logit else "",
        }  # fmt: skip

    def _null(self, problem: LikelihoodProblem) -> tuple[float, int]:
        return self._log_likelihood(problem, problem.start()), len(self.cutpoints_)

    # -- answers ------------------------------------------------------------------------------------

    @like_input
    def summary(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
    ) -> Summary:
        """Coefficients and cut points with standard errors, tests and intervals.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit, other rows are refused.  They may be left out while the estimator keeps them
            (up to 32 MiB; never in a pickle or copy).
        level : float, default 0.95
            Confidence level.
        covariance : str, default "classical"
            ``"classical"`` (observed information), ``"HC0"`` or ``"HC1"`` (rows whose law is another one),
            ``"cluster"`` (CR1) or ``"CR0"``, with `groups`.
        groups : array, shape (n,), optional
            Group of each row.
        weights : {"frequency", "sampling", "precision"}, optional
            What the row weights are, as for the other linear models.

        Returns
        -------
        empirisk.inference.Summary
        """
        return self._summary(self._fitted_problem(X, y, sample_weight), level, covariance, groups, weights)

    def predict_linear(self, X: Any) -> Array:
        """Return the score ``x.w`` of each row, shape (m,); a higher score means higher classes."""
        check_is_fitted(self, "coef_")
        X = self._design(X)
        return row_scores(X, self.coef_.astype(X.dtype, copy=False))

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithm of :meth:`predict_proba`, exact far into the tails."""
        z = self.predict_linear(X)
        found = log_chances(self.cutpoints_.astype(np.float64), z.astype(np.float64), self.link)
        return np.asarray(found[:, self._columns_of_classes()], dtype=z.dtype)

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, shape (m, K), columns in the order of ``classes_``."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row, shape (m,)."""
        chance = self.predict_proba(X)
        return self.classes_[chance.argmax(axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where the labels have no order along a line
        return tags

    def _averages(self, X: Any, shares: Array, **rows: Any) -> tuple[Array, Array]:
        """Return averages (G, K) of the probabilities by the shares (G, n), and gradients in the terms."""
        D, chance, by_score, by_cut = self._chances(X, **rows)
        K, p = chance.shape[1], D.shape[1]
        gradient = np.zeros((len(shares), K, p + K - 1))
        for g, share in enumerate(shares):
            gradient[g, :, :p] = np.asarray(D.T @ (share[:, None] * by_score)).T
            gradient[g, :, p:] = np.einsum("i,ikc->kc", share, by_cut)
        at = self._columns_of_classes()
        return (shares @ chance)[:, at], gradient[:, at]

    def _means(self, X: Any, **rows: Any) -> tuple[Array, Array]:
        """Return the probabilities (n, K) of the rows, and their derivatives (n, K, m) in the terms."""
        D, chance, by_score, by_cut = self._chances(X, **rows)
        dense = np.asarray(D.toarray() if hasattr(D, "toarray") else D)
        at = self._columns_of_classes()
        gradient = np.concatenate([by_score[:, :, None] * dense[:, None, :], by_cut], axis=2)
        return chance[:, at], gradient[:, at]

    def _chances(self, X: Any, **rows: Any) -> tuple[Any, Array, Array, Array]:
        """Return the columns, the probabilities from low to high, and their slopes in score and cuts."""
        if rows:
            raise TypeError(f"{type(self).__name__} has no {', '.join(rows)}")
        check_is_fitted(self, "coef_")
        D = self._design(X).astype(np.float64)
        z = np.asarray(D @ self.coef_.astype(np.float64))
        cuts = self.cutpoints_.astype(np.float64)
        return D, np.exp(log_chances(cuts, z, self.link)), *class_slopes(cuts, z, self.link)

    def _columns_of_classes(self) -> Array:
        """Return where each of ``classes_`` stands among the classes from low to high."""
        return np.array([int(np.flatnonzero(self.order_ == c)[0]) for c in self.classes_])
