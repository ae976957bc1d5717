"""The trees of a forest as single trees that predict, are read and are pruned."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.trees.decision_tree_classifier import DecisionTreeClassifier
from empirisk.estimators.trees.decision_tree_regressor import DecisionTreeRegressor
from empirisk.estimators.trees.forest_plan import balances_bags
from empirisk.estimators.trees.member_access import MemberAccess
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["ForestMembers", "as_tree", "r2"]

NEVER_SEEN = "needs trees that did not see all rows: fit with bootstrap=True"


class ForestMembers(MemberAccess):
    """The trees of a forest and their draws, made of ``trees_`` and the seed when they are asked for."""

    trees_: Trees
    oob_risk_: Any
    _bag: Any
    _live: IndexArray | None

    @property
    def estimators_(self) -> list[Any]:
        """The trees, each as an unpruned ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``.

        They predict the labels of ``classes_``; ``forest[3]`` makes one alone.
        """
        return list(self)

    @property
    def estimators_samples_(self) -> list[IndexArray]:
        """Rows of each tree, as often as drawn, ascending; drawn again from the seed at each call."""
        check_is_fitted(self)
        live = np.arange(self._bag.n) if self._live is None else self._live
        if not self._bag.draws:
            return [live.copy() for _ in range(len(self))]
        return [np.repeat(live, column) for column in self.bag_counts().T]  # type: ignore[attr-defined]

    @property
    def oob_score_(self) -> float:
        """Score of the out-of-bag predictions, as ``score`` has it: accuracy, or R2 for numbers.

        Rows count by their weights, and those that every tree saw are left out.  The interval is that of
        ``oob_risk_``: the error rate is one minus the accuracy, and R2 one minus the squared error over the
        variance of the targets.  Of several targets it is the mean.
        """
        check_is_fitted(self)
        if models := vars(self).get("by_target_"):
            return float(np.mean([model.oob_score_ for model in models.values()]))
        if not self._bag.draws:
            raise AttributeError(f"oob_score_ {NEVER_SEEN}")
        return self._out_of_bag_score()

    def _out_of_bag_score(self) -> float:
        """Return the score of the predictions out-of-bag; NaN where every tree saw every row."""
        raise NotImplementedError

    def _member(self, number: int) -> Any:
        """Return a tree as an estimator, as if it had been fitted alone, but for the draws behind it."""
        kind: Any = DecisionTreeClassifier if hasattr(self, "classes_") else DecisionTreeRegressor
        return as_tree(self, kind, self.trees_[number])


def as_tree(ensemble: Any, kind: Any, tree: Trees) -> Any:
    """Return one tree of an ensemble as an unpruned estimator with the parameters that both have."""
    made = kind(alpha=None)
    of_ensemble = ensemble.get_params(deep=False)
    made.set_params(**{k: v for k, v in of_ensemble.items() if k in made.get_params() and k != "max_bins"})
    if balances_bags(of_ensemble.get("class_weight")):
        made.set_params(class_weight="balanced")  # which is the same on the rows that the tree drew
    for name in ("classes_", "columns_", "n_features_in_", "feature_names_in_", "_total_weight"):
        if hasattr(ensemble, name):
            setattr(made, name, getattr(ensemble, name))
    return made._take(tree)


def r2(residuals: Array, targets: Array, weight: Array | None) -> float:
    """Return one minus the squared error over the variance, the mean of it where targets have columns.

    Examples
    --------
    >>> r2(np.array([0.0, 1.0, -1.0]), np.array([1.0, 2.0, 3.0]), None)
    0.0
    """
    known = np.isfinite(residuals).reshape(len(residuals), -1).all(axis=1)
    if not known.any():
        return float("nan")
    y, w = targets[known], np.ones(known.sum()) if weight is None else weight[known]
    spread = w @ (y - np.average(y, axis=0, weights=w)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.mean(1.0 - (w @ residuals[known] ** 2) / spread))
