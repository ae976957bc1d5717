"""Keep the models of all folds and let them vote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin, is_classifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.offered import offered
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.log_probabilities import LogProbabilities
from empirisk.estimators.training import release
from empirisk.evaluation.cross import CrossEvaluation, run
from empirisk.evaluation.evaluate import Metrics
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import encode
from empirisk.evaluation.rows import table_and_target
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.tags import inherit

VOTES = ("hard", "soft")


def _classifies(self: Any) -> bool:
    return bool(is_classifier(self.estimator))


def _gives_probabilities(self: Any) -> bool:
    return _classifies(self) and self.vote == "soft" and hasattr(self.estimator, "predict_proba")


class CrossValidatedEnsemble(LogProbabilities, MetaEstimatorMixin, Estimator):
    """The K models of a cross-validation, kept: classes by vote, numbers by averaging.

    ``f(x) = (1/K) sum_k f_k(x)``, ``f_k`` fitted without fold k; for classes the majority of the K votes.

    A model refitted on all rows is another model than those that were scored; these are the ones.

    Parameters
    ----------
    estimator : estimator
        Classifier, regressor or pipeline; a search chooses its settings in each fold anew.
    cv : optional
        Folds, as in :func:`empirisk.cross_evaluate` (5 by default).
    repeats : int or None, default 1
        Repeats of the folds; K models each.
    vote : {"hard", "soft"}, default "hard"
        One vote for each model (ties go to the class with the larger mean probability where the models
        give one, then to the first), or the mean of the probabilities.
    metrics : optional
        What to score the members by, as in :func:`empirisk.cross_evaluate`.
    level : float, default 0.95
        Nominal coverage.
    random_state : int, Generator, RandomState or None, default None
        Seed of the folds.

    Attributes
    ----------
    members_ : list of estimators
    evaluation_ : CrossEvaluation
        Out-of-fold scores. They are those of the members, each trained on n(K-1)/K rows, not of the
        ensemble: no row was held out from all of them. Averaging does not raise a convex loss above the
        members' mean, but that is all that these rows say about the ensemble.
    classes_ : array

    Notes
    -----
    Cost: K fits, and K predictions a row.

    References
    ----------
    Breiman 1996 (Machine Learning 24, bagging); Krogh & Vedelsby 1995 (NIPS 7) on averaged cross-validation
    models.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3)); y = X[:, 0] + rng.normal(size=100)
    >>> model = er.selection.CrossValidatedEnsemble(er.Ridge(), random_state=0).fit(X, y)
    >>> len(model.members_), model.predict(X).shape
    (5, (100,))
    >>> bool(np.allclose(model.predict(X), np.mean([m.predict(X) for m in model.members_], axis=0)))
    True
    """

    members_: list[Any]
    evaluation_: CrossEvaluation
    classes_: NDArray[Any]

    def __init__(
        self,
        estimator: Any,
        *,
        cv: Any = None,
        repeats: int | None = 1,
        vote: str = "hard",
        metrics: Metrics | None = None,
        level: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> Self:
        """Fit one model for each split and keep it.

        Parameters
        ----------
        X, y, groups
            As in :func:`empirisk.cross_evaluate`.

        Returns
        -------
        self
        """
        if self.vote not in VOTES:
            raise ValueError(f'vote must be "hard" or "soft", got {self.vote!r}.')
        if self.vote == "soft" and _classifies(self) and not hasattr(self.estimator, "predict_proba"):
            raise ValueError(f'vote="soft" needs probabilities, and {self.estimator!r} has no predict_proba.')
        with as_before(self):
            X, y = table_and_target(type(self).__name__, X, y)
            sample = Sample.of(self.estimator, X, y, groups)
            own = self.cv is None or isinstance(self.cv, int | np.integer)
            plan = sample.plan(self.cv, self.repeats if own else None, self.random_state)
            found = run(self.estimator, sample, plan, self.metrics, self.level, keep=release)
            about = f"the mean score of one member, trained on about {plan.n_train:,} rows, on new rows"
            estimates = {k: replace(e, target=about) for k, e in found.items()}
            title = f"Members of the ensemble, not the ensemble itself: {found.title}"
            lean = replace(found.fitted, kept=())
            self.members_ = list(found.fitted.kept)
            self.evaluation_ = CrossEvaluation(
                estimates, title, lean, found.out_of_fold, found.held_out, found.metrics
            )
            self.__dict__.pop("classes_", None)  # of an earlier fit
            if sample.classes is not None:
                self.classes_ = sample.classes
            self._learn_columns(self.members_[0])
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the majority class, or the mean prediction.

        Parameters
        ----------
        X : table of shape (n, p)
            Rows.

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self, "members_")
        if not hasattr(self, "classes_"):
            return np.asarray(np.mean([m.predict(X) for m in self.members_], axis=0))
        if self.vote == "soft":
            return np.asarray(self.classes_[self._mean_probabilities(X).argmax(axis=1)])
        votes = self.votes(X).astype(np.float64)
        tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
        if tied.any() and all(hasattr(m, "predict_proba") for m in self.members_):
            votes[tied] += 0.5 * self._mean_probabilities(X)[tied]  # below one vote: breaks ties only
        return np.asarray(self.classes_[votes.argmax(axis=1)])

    @offered(_classifies)
    def votes(self, X: Any) -> NDArray[np.intp]:
        """Return how many members vote for each class, shape (n, C)."""
        check_is_fitted(self, "members_")
        codes = np.stack([encode(np.asarray(m.predict(X)), self.classes_) for m in self.members_])
        return np.stack([(codes == k).sum(axis=0) for k in range(self.classes_.size)], axis=1)

    @offered(_gives_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Return the mean of the members' probabilities, shape (n, C); a member gives 0 to a class it never
        saw.
        """
        check_is_fitted(self, "members_")
        return self._mean_probabilities(X)

    def _mean_probabilities(self, X: Any) -> Floats:
        total = np.zeros((1, self.classes_.size))
        for m in self.members_:
            given = np.asarray(m.predict_proba(X), dtype=np.float64)
            table = np.zeros((given.shape[0], self.classes_.size))
            table[:, encode(np.asarray(m.classes_), self.classes_)] = given
            total = total + table
        return np.asarray(total / len(self.members_))

    def score(self, X: Any, y: Any) -> float:
        """Return the accuracy or R2 of the ensemble."""
        from sklearn.metrics import accuracy_score, r2_score

        return float((accuracy_score if _classifies(self) else r2_score)(y, self.predict(X)))

    def __sklearn_tags__(self) -> Tags:
        return inherit(super().__sklearn_tags__(), get_tags(self.estimator))
