"""AdaBoost for numbers: the weighted median of regressors, each fitted to rows that those before missed.

Drucker, "Improving regressors using boosting techniques", ICML 14 (1997), the algorithm AdaBoost.R2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import r2_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from empirisk.data.columns import Table
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_choice, check_count, check_flag, check_number
from empirisk.estimators.training import release
from empirisk.estimators.trees.decision_tree_regressor import DecisionTreeRegressor
from empirisk.estimators.trees.forest_members import as_tree
from empirisk.estimators.trees.member_access import MemberAccess
from empirisk.estimators.trees.tree_base import TreeRegressor, dense, greedy
from empirisk.estimators.trees.vote_members import mean_importances
from empirisk.results import TracePoint
from empirisk.trees.criteria import SquaredError
from empirisk.trees.exact import ExactLimits, grow_exact
from empirisk.trees.median_vote import LOSSES, MedianRound, exceedance_bound, median_round, weighted_median
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["AdaBoostRegressor"]


class AdaBoostRegressor(MemberAccess, TreeRegressor):
    """``f(x)`` = the median of ``h_1(x), ..., h_T(x)`` by weights ``log(1/beta_t)``: AdaBoost.R2.

    Rows start with equal weights w.  Round t fits a member h_t to the weighted rows, takes the losses ``L_i =
    loss(|y_i - h_t(x_i)| / D)``, D the largest error of the round, their weighted mean ``e_t`` and ``beta_t =
    e_t / (1 - e_t)``, and multiplies the weight of row i by ``beta_t^(1 - L_i)``: rows that it hits count
    less in the next round.

    Parameters
    ----------
    n_estimators : int, default 100
        Rounds, unless a member with ``e_t >= 1/2`` or one without error ends them before.
    loss : {"linear", "square", "exponential"}, default "linear"
        ``u``, ``u^2`` or ``1 - exp(-u)`` of the error u as a share of the largest one.
    max_depth : int, default 3
        Depth of the members, which are trees grown for the squared error.
    learning_rate : float > 0, default 1.0
        Factor on ``log(beta_t)`` in the weights of rows and members.
    estimator : regressor, optional
        Members of another kind (`max_depth` then has no meaning).
    resample : bool, default False
        Whether a member is fitted to n rows drawn in proportion to the weights, as in the paper, in the place
        of the weighted rows.  An `estimator` without sample_weight is fitted so in any case.
    categorical_features : "from_dtype", None or list, default "from_dtype"
        Columns of categories: those of a frame with a type of categories or text, none, or names, numbers or
        flags.
    n_jobs : int, optional
        Threads; default all that OpenMP has.  The result does not depend on it.
    random_state : int, Generator, RandomState or None, default None
        Seed of the draws and of an `estimator` with seeds; None is 0.

    Attributes
    ----------
    estimators_ : list
        The members; trees are made when they are asked for.  ``len(model)``, ``model[3]`` and ``for member in
        model`` work.
    estimator_weights_, estimator_errors_, largest_errors_ : array, shape (T,)
        ``learning_rate log(1/beta_t)``, ``e_t`` and D.
    n_estimators_ : int
        Rounds kept.
    feature_importances_ : array, shape (p,)
        Mean of those of the members by their weights.
    n_features_in_ : int
        Columns.
    solution_ : Solution
        With a trace of the rounds (`objective`: ``e_t``), and why they ended.
    certificate_ : Certificate
        NONE: the rounds minimise no function that is known; the claim has what is proved about the training
        rows (see :meth:`exceedance_bound`).

    Raises
    ------
    ValueError
        Parameters out of range, targets that are no finite numbers, text in columns that are not categories.
    TypeError
        An `estimator` that is a classifier.

    Notes
    -----
    The largest error D of a round is that of one row: an outlier in y makes all other losses small, and rows
    of noise gain weight.  With long tails gradient boosting of the absolute loss is steadier.  Without
    `resample` weights of rows are repetitions.  A round costs what its member costs.

    References
    ----------
    Drucker 1997; Freund & Schapire 1997, Journal of Computer and System Sciences 55.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 2))
    >>> y = np.sin(6.0 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=300)
    >>> model = er.AdaBoostRegressor(50).fit(X[:200], y[:200])
    >>> tree = er.DecisionTreeRegressor(max_depth=3, alpha=None).fit(X[:200], y[:200])
    >>> model.score(X[200:], y[200:]) > tree.score(X[200:], y[200:])
    True
    >>> model.estimator_errors_.shape == model.estimator_weights_.shape == (len(model),)
    True
    """

    largest_errors_: Array

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        loss: str = "linear",
        max_depth: int = 3,
        learning_rate: float = 1.0,
        estimator: Any = None,
        resample: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    # -- fitting ------------------------------------------------------------------------------------

    def _grow(self, table: Table, targets: Array, weight: Array) -> None:
        n_rounds = check_count("n_estimators", self.n_estimators, 1)
        loss = check_choice("loss", self.loss, LOSSES)
        rate = check_number("learning_rate", self.learning_rate, 0.0, closed=False)
        depth, drawn = check_count("max_depth", self.max_depth, 1), self._draws()
        table, live = dense(table), np.flatnonzero(weight > 0.0)
        table, y = Table(table.X[live], table.n_categories, table.names), targets[live]
        rng = np.random.default_rng(check_seed(self.random_state))
        w = weight[live] / weight[live].sum()
        members: list[Any] = []
        rounds: list[MedianRound] = []
        note = ""
        for t in range(n_rounds):
            seed = int(rng.integers(2**31 - 1))
            member, said = self._member_of(table, y, w, depth, rng if drawn else None, seed)
            found, w = median_round(np.abs(y - said), w, loss, rate)
            if found.vote == math.inf:
                members, rounds = [member], [found]
                note = f"member {t} makes no error on the training rows, and outvotes all others"
                break
            if found.vote == 0.0:
                why = f"the mean loss of the next member is {found.loss:.3g}, not below 1/2"
                note = f"ended after {t} rounds: {why}"
                if not members:
                    members, rounds = [member], [found]
                break
            members.append(member)
            rounds.append(found)
        self._learn(members, rounds, float(np.ptp(y)), note)

    def _draws(self) -> bool:
        """Return whether members are fitted to draws; refuse an estimator that is no regressor."""
        drawn = check_flag("resample", self.resample)
        if self.estimator is None:
            return drawn
        if is_classifier(self.estimator) or not hasattr(self.estimator, "predict"):
            raise TypeError(f"estimator must be a regressor, got {type(self.estimator).__name__}")
        return drawn or not has_fit_parameter(self.estimator, "sample_weight")

    def _member_of(
        self, table: Table, y: Array, w: Array, depth: int, rng: np.random.Generator | None, seed: int
    ) -> tuple[Any, Array]:
        """Return a member fitted to the weighted rows, or to a draw of them, and what it says of all."""
        n = len(y)
        times = w * n if rng is None else np.bincount(rng.choice(n, n, p=w), minlength=n).astype(np.float64)
        if self.estimator is None:
            tree = grow_exact(table, SquaredError(), y, times, ExactLimits(max_depth=depth))
            return tree, tree.predict(table.X)[:, 0]
        member = clone(self.estimator)
        if "random_state" in member.get_params(deep=False):
            member.set_params(random_state=seed)
        try:
            if rng is None:
                member.fit(table.X, y, sample_weight=times)
            else:
                rows = np.repeat(np.arange(n), times.astype(np.intp))
                member.fit(table.X[rows], y[rows])
            return release(member), np.asarray(member.predict(table.X), dtype=np.float64)
        except Exception as e:
            e.add_note(f"while fitting a member of the vote, a {type(member).__name__}")
            raise

    def _learn(self, members: list[Any], rounds: list[MedianRound], spread: float, note: str) -> None:
        """Set the members, what their rounds measured, and what is proved."""
        self._parts: Any = members if self.estimator is not None else Trees.concatenate(members)
        self._rounds, self.n_estimators_ = rounds, len(members)
        votes = np.array([r.vote for r in rounds])
        self.estimator_weights_ = votes if 0.0 < votes[0] < math.inf else np.ones(1)
        self.estimator_errors_ = np.array([r.loss for r in rounds])
        self.largest_errors_ = np.array([r.largest for r in rounds])
        tau = 0.5 * spread
        share = self._exceedance(tau)
        known = (
            f"no more than {100.0 * share:.3g} % of the training weight is missed by {tau:.3g} or more"
            if share < 1.0
            else "nothing is proved about the training rows either"
        )
        trace = tuple(TracePoint(t + 1, r.loss, r.loss, t + 1.0) for t, r in enumerate(rounds))
        claim = f"the rounds of AdaBoost.R2 minimise no known function; {known}"
        claim = f"{claim}; {note}" if note else claim
        self.solution_ = greedy(claim, self.n_estimators_, trace, solver="adaboost.r2")

    def _exceedance(self, tau: float) -> float:
        return exceedance_bound(self._rounds, tau, LOSSES[self.loss])

    def exceedance_bound(self, tau: float) -> float:
        """Return what the weighted share of training rows that are missed by `tau` or more is at most.

        ``prod_t Z_t beta_t^(-(1 - r/2))``: arithmetic about the training rows, true for any of them, and
        often 1, which says nothing.  It falls with the mean losses ``e_t``, which small members do not make
        small.

        Parameters
        ----------
        tau : float > 0
            An absolute error, in the unit of y.
        """
        check_is_fitted(self, "n_estimators_")
        return self._exceedance(check_number("tau", tau, 0.0, closed=False))

    # -- the median ---------------------------------------------------------------------------------

    def _by_member(self, X: Any) -> Array:
        """Return what each member says of new rows, shape (m, T)."""
        check_is_fitted(self, "n_estimators_")
        table = dense(self._table(X))
        if self.estimator is not None:
            return np.column_stack([np.asarray(m.predict(table.X), dtype=np.float64) for m in self._parts])
        leaf: IndexArray = self._parts.apply(table.X)
        return np.asarray(self._parts.value[leaf + self._parts.start[:-1], 0], dtype=np.float64)

    def predict(self, X: Any) -> Array:
        """Return the weighted median of the members, shape (n,)."""
        return weighted_median(self._by_member(X), self.estimator_weights_)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Return the predictions after each round, as an iterator."""
        said, votes = self._by_member(X), self.estimator_weights_
        return (weighted_median(said[:, :t], votes[:t]) for t in range(1, len(votes) + 1))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Return R2 after each round, as an iterator.

        Parameters
        ----------
        X, y : as in ``fit``
        sample_weight : array, shape (n,), optional
            Weights >= 0.
        """
        for said in self.staged_predict(X):
            yield float(r2_score(y, said, sample_weight=sample_weight))

    # -- members ------------------------------------------------------------------------------------

    def _member(self, number: int) -> Any:
        part = self._parts[number]
        return part if self.estimator is not None else as_tree(self, DecisionTreeRegressor, part)

    @property
    def estimators_(self) -> list[Any]:
        """The members in the order of their rounds, trees as unpruned ``DecisionTreeRegressor``."""
        return list(self)

    @property
    def feature_importances_(self) -> Array:
        """Mean of the members' importances by their weights, shape (p,)."""
        return mean_importances(self.estimators_, self.estimator_weights_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags.allow_nan = tags.input_tags.sparse = False
        return tags
