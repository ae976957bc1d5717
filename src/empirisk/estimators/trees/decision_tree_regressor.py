"""A regression tree: questions about single columns, and means or medians in the leaves.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from empirisk.estimators.documented import documented
from empirisk.estimators.trees.decision_tree import DecisionTree
from empirisk.estimators.trees.decision_tree_classifier import DecisionTreeClassifier
from empirisk.estimators.trees.tree_base import TreeRegressor
from empirisk.trees.criteria import Criterion
from empirisk.trees.criteria.choices import needs_non_negative
from empirisk.typing import Array

__all__ = ["DecisionTreeRegressor"]


@documented(DecisionTreeClassifier)
class DecisionTreeRegressor(DecisionTree, TreeRegressor):
    """``f(x)`` = mean (or median) of y in the leaf of x: grown by greedy splits, then pruned.

    Each split minimises ``W_L h_L + W_R h_R`` over all cuts of all columns; then the subtree T is taken that
    minimises ``R(T) + alpha |leaves|``, with alpha chosen by cross-validation (Breiman et al. 1984).

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default "squared_error"
        Heterogeneity h that a split makes smaller, and the mean loss R of pruning: variance, mean absolute
        deviation from the median (leaves then predict medians), Poisson deviance (y >= 0).
    alpha, cv, rule, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in :class:`DecisionTreeClassifier`.
    max_features, max_leaf_nodes, min_impurity_decrease
        As in :class:`DecisionTreeClassifier`.
    monotonic_cst : dict or list, optional
        -1 (falling), 0, +1 (rising) for columns by name or number, or a list of p of them.
    categorical_features, max_bins
        As in :class:`DecisionTreeClassifier`.
    optimal : {1, 2, 3}, optional
        The best of all trees of this depth, in place of greedy splits: it minimises mean squared error +
        alpha x leaves ("cv" counts as 0 there), over numeric columns without missing values.
    time_limit, n_jobs, random_state
        As in :class:`DecisionTreeClassifier`.

    Attributes
    ----------
    tree_, sequence_, path_, alpha_, feature_importances_, n_features_in_, columns_, solution_
        As in :class:`DecisionTreeClassifier`.
    certificate_
        As in :class:`DecisionTreeClassifier`.

    Raises
    ------
    ValueError
        Parameters out of range; infinite numbers and text that is no category, by name.

    Notes
    -----
    Growth O(p n log n), pruning O(N log N) for N nodes.  Missing values are tried on both sides of every cut.

    References
    ----------
    Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984), chapters 3 and 8.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.arange(60.0)[:, None]
    >>> y = 5.0 * (X[:, 0] > 29.5) + np.tile([0.0, 1.0], 30)
    >>> model = er.DecisionTreeRegressor().fit(X, y)
    >>> print(model.to_text(feature_names=["age"]))
    root: n = 60, mean 3
    |- age <= 29.5: n = 30, mean 0.5 *
    |- age > 29.5: n = 30, mean 5.5 *
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        alpha: float | str | None = "cv",
        cv: Any = 10,
        rule: str = "one_se",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int | None = None,
        optimal: int | None = None,
        time_limit: float = 60.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = needs_non_negative(self.criterion)
        return tags

    def _criterion(self, targets: Array) -> Criterion:
        criterion = self._loss()
        if criterion.non_negative and (targets.min() < 0.0 or not targets.any()):
            raise ValueError(f'criterion="{criterion.name}" needs targets y >= 0 that are not all zero')
        return criterion

    def _loss(self) -> Criterion:
        loss: Criterion = self._kind()()
        return loss

    def predict(self, X: Any) -> Array:
        """Return the mean (or median) of the leaf, shape (n,)."""
        table = self._table(X)
        return np.asarray(self.tree_.predict(table.X)[:, 0])
