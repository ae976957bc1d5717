"""Bagging: the same learner on many draws of the rows, and the vote or mean of what comes out.

Breiman, Machine Learning 24 (1996).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier
from sklearn.utils.validation import column_or_1d

from empirisk.data.plain_numbers import numbers_only
from empirisk.estimators.checks import check_choice, check_numeric_targets, check_targets_finite
from empirisk.estimators.documented import documented
from empirisk.estimators.label_codes import encode_labels
from empirisk.estimators.log_probabilities import LogProbabilities
from empirisk.estimators.trees.bagging_base import BaggingEnsemble
from empirisk.estimators.trees.decision_tree_classifier import DecisionTreeClassifier
from empirisk.estimators.trees.decision_tree_regressor import DecisionTreeRegressor
from empirisk.estimators.trees.forest_members import r2
from empirisk.results import Estimate
from empirisk.trees.auto_size import ForestSize
from empirisk.typing import Array

__all__ = ["BaggingClassifier", "BaggingRegressor"]


class BaggingClassifier(LogProbabilities, ClassifierMixin, BaggingEnsemble):
    """``f(x) = argmax_c (1/T) sum_t p_t(c | x)``: members fitted to draws of the rows, averaged or polled.

    A draw is n rows with replacement, so that a member misses a share of about 1/e of the rows.  Averaging
    lowers the variance of the learner and keeps its bias: bag learners that vary (deep trees);
    ``er.selection`` has ``bias_variance`` to measure both.

    Parameters
    ----------
    estimator : classifier, optional
        Member: any classifier or pipeline.  Default: an unpruned decision tree.
    n_estimators : int or "auto", default 100
        Members; "auto" grows them until the Monte-Carlo error of the out-of-bag Brier score is a quarter of
        its standard error over rows (at most 1000).
    max_samples : int or float in (0, 1], default 1.0
        Rows that a member draws: a number, or a share of the rows.
    max_features : int or float in (0, 1], default 1.0
        Columns that a member draws, without replacement.
    bootstrap : bool, default True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default False
        Whether columns are drawn with replacement, so that a member may hold one twice (arrays alone).
    vote : {"soft", "majority", "hard"}, default "soft"
        Mean of the members' probabilities, or one vote for each member ("hard" is another name); ties go to
        the first class.  Members without probabilities vote either way, and ``vote_`` says so.
    n_jobs : int, optional
        Processes, as in joblib.  Results do not depend on it.
    random_state : int, Generator, RandomState or None, default None
        Seed; None is 0.  Member b has random numbers of its own, from the seed and b.
    warm_start : bool, default False
        Whether ``fit`` adds members to those of the fit before, on the same rows and with the same parameters
        (but `n_estimators` and `n_jobs`): the result is that of all members at once, bit for bit.

    Attributes
    ----------
    estimators_ : list
        The members, fitted to the codes 0, ..., K - 1 of the classes.
    estimators_samples_, estimators_features_ : list of arrays
        Rows (as often as drawn) and columns of each member.
    n_estimators_ : int
        Members; ``len(model)``, ``model[3]`` and ``for member in model`` work.
    vote_ : str
        "soft" or "majority": how the members are heard.
    oob_score_ : float
        Accuracy out-of-bag, ``1 - oob_risk_.value``.
    oob_proba_ : array, shape (n, K)
        Shares by the members that did not see the row; NaN where all did.
    oob_risk_ : Estimate
        Error rate of the out-of-bag vote, with a 95 % interval.
    oob_brier_ : Estimate
        ``sum_c (share_c - 1[c = y])^2`` of the out-of-bag vote.
    monte_carlo_error_ : float
        Standard deviation of `oob_brier_` over seeds.
    size_ : ForestSize or None
        How "auto" arrived at the number of members.
    classes_ : array, shape (K,)
        Sorted labels.
    n_features_in_ : int
        Columns.
    solution_ : Solution
        With the note of "auto".
    certificate_ : Certificate
        MONTE_CARLO: `monte_carlo_error_` beside the standard error over rows.

    Raises
    ------
    ValueError
        Parameters out of range; fewer than two classes.  What a member raises carries a note with its number.

    Notes ----- Rows drawn several times count as often through sample_weight, or stand several times in X
    where the member takes none.  With weights, rows are drawn in proportion to them, as many as there are
    rows with weight.

    References
    ----------
    Breiman 1996, "Bagging predictors"; Breiman 1996, "Out-of-bag estimation".

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=200) > 0
    >>> model = er.BaggingClassifier(n_estimators=50).fit(X, y)
    >>> model.oob_risk_.low < 0.2, model.predict_proba(X).shape
    (True, (200, 2))
    """

    oob_risk_: Estimate
    size_: ForestSize | None
    _smooth = "Brier score"
    _elsewhere: ClassVar[dict[str, str]] = {
        "class_weight": "the members weigh the classes, each in its own draw: give it to the estimator, as "
        'in BaggingClassifier(DecisionTreeClassifier(alpha=None, class_weight="balanced"))'
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | str = 100,
        *,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        vote: str = "soft",
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
    ) -> None:
        self._set(locals())

    def _default(self) -> Any:
        return DecisionTreeClassifier(alpha=None)

    def _targets(self, y: Any) -> tuple[Any, int]:
        self.classes_, codes = encode_labels(y)
        return codes.astype(np.intp), len(self.classes_)

    def _soft(self, member: Any) -> bool:
        if not is_classifier(member):
            raise TypeError(
                f"estimator must be a classifier, got {type(member).__name__}; take BaggingRegressor"
            )
        wanted = bool(check_choice("vote", self.vote, {"soft": True, "majority": False, "hard": False}))
        soft = wanted and hasattr(member, "predict_proba")
        self.vote_ = "soft" if soft else "majority"
        if wanted and not soft:
            self._unheard = f"one vote for each member: {type(member).__name__} has no predict_proba"
        return soft

    def _smooth_losses(self, said: Array, y: Array) -> Array:
        return np.asarray(((said - np.eye(said.shape[1])[y]) ** 2).sum(axis=1))

    def _out_of_bag(self, said: Array, known: Any, y: Array, weight: Array) -> None:
        self.oob_proba_ = said
        wrong = (said[known].argmax(axis=1) != y[known]).astype(np.float64)
        self.oob_risk_ = self._risk(wrong, known, weight, "error rate")
        self.oob_score_ = 1.0 - float(self.oob_risk_.value)
        self.oob_brier_ = self._risk(self._smooth_losses(said[known], y[known]), known, weight, "Brier score")

    def predict_proba(self, X: Any) -> Array:
        """Return the mean of the members' probabilities, or their shares of the votes, shape (n, K)."""
        return self._mean(X)

    def decision_function(self, X: Any) -> Array:
        """Return what decides: ``p_1 - p_0`` of two classes, shape (n,), else the shares, shape (n, K).

        These are the means of the votes and not those of the members' own scores, whose largest one can name
        another class than :meth:`predict`.
        """
        share = self._mean(X)
        return share[:, 1] - share[:, 0] if share.shape[1] == 2 else share

    def predict(self, X: Any) -> Any:
        """Return the class with the largest share (ties: the first), shape (n,)."""
        share = self._mean(X)
        return self.classes_[share.argmax(axis=1)]


@documented(BaggingClassifier)
class BaggingRegressor(RegressorMixin, BaggingEnsemble):
    """``f(x) = (1/T) sum_t f_t(x)``: members fitted to draws of the rows, averaged.

    A draw is n rows with replacement, so that a member misses a share of about 1/e of the rows.  Averaging
    lowers the variance of the learner and keeps its bias: bag learners that vary (deep trees);
    ``er.selection`` has ``bias_variance`` to measure both.

    Parameters
    ----------
    estimator : regressor, optional
        Member: any regressor or pipeline.  Default: an unpruned decision tree.
    n_estimators : int or "auto", default 100
        Members; "auto" grows them until the Monte-Carlo error of the out-of-bag squared error is a quarter of
        its standard error over rows (at most 1000).
    max_samples, max_features, bootstrap, bootstrap_features, n_jobs, random_state, warm_start
        As in :class:`BaggingClassifier`.

    Attributes
    ----------
    estimators_ : list
        The members.
    estimators_samples_, estimators_features_, n_estimators_
        As in :class:`BaggingClassifier`.
    oob_prediction_ : array, shape (n,)
        Mean of the members that did not see the row; NaN where all did.
    oob_risk_ : Estimate
        Mean squared error of the out-of-bag predictions, with a 95 % interval.  Too short where errors have
        long tails, of which its `reason` speaks.
    monte_carlo_error_ : float
        Standard deviation of `oob_risk_` over seeds.
    size_, n_features_in_, solution_, certificate_
        As in :class:`BaggingClassifier`.

    Raises
    ------
    ValueError
        Parameters out of range; targets that are not finite. What a member raises carries a note with its
        number.

    Notes ----- Rows drawn several times count as often through sample_weight, or stand several times in X
    where the member takes none.  With weights, rows are drawn in proportion to them, as many as there are
    rows with weight.

    References
    ----------
    Breiman 1996, "Bagging predictors"; Breiman 1996, "Out-of-bag estimation".

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.linspace(0.0, 6.0, 100)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=100)
    >>> model = er.BaggingRegressor(n_estimators=30).fit(X, y)
    >>> bool(model.oob_risk_.value < 0.03), model.monte_carlo_error(X).shape
    (True, (100,))
    """

    oob_risk_: Estimate
    size_: ForestSize | None
    _smooth = "squared error"

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | str = 100,
        *,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
    ) -> None:
        self._set(locals())

    def _default(self) -> Any:
        return DecisionTreeRegressor(alpha=None)

    def _targets(self, y: Any) -> tuple[Any, int]:
        check_numeric_targets(y)
        with numbers_only((), y):
            targets = np.asarray(column_or_1d(y, warn=True, dtype=np.float64))
        check_targets_finite(targets)
        return targets, 0

    def _soft(self, member: Any) -> bool:
        if is_classifier(member):
            raise TypeError(
                f"estimator must be a regressor, got {type(member).__name__}; take BaggingClassifier"
            )
        return False

    def _smooth_losses(self, said: Array, y: Array) -> Array:
        return np.asarray((said[:, 0] - y) ** 2)

    def _out_of_bag(self, said: Array, known: Any, y: Array, weight: Array) -> None:
        self.oob_prediction_ = said[:, 0]
        self.oob_score_ = r2(y - said[:, 0], y, weight)
        self.oob_risk_ = self._risk((said[known, 0] - y[known]) ** 2, known, weight, "mean squared error")

    def predict(self, X: Any) -> Array:
        """Return the mean of the members, shape (n,)."""
        return self._mean(X)[:, 0]
