"""A regression tree: questions about single columns, and means or medians in the leaves.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from empirisk.estimators.trees.decision_tree import DecisionTree
from empirisk.estimators.trees.tree_base import TreeRegressor
from empirisk.trees.criteria import Criterion
from empirisk.trees.criteria.choices import needs_non_negative
from empirisk.typing import Array

__all__ = ["DecisionTreeRegressor"]


class DecisionTreeRegressor(DecisionTree, TreeRegressor):
    """``f(x)`` = mean (or median) of y in the leaf of x: grown by greedy splits, then pruned.

    Each split minimises ``W_L h_L + W_R h_R`` over all cuts of all columns; then the subtree T is taken that
    minimises ``R(T) + alpha |leaves|``, with alpha chosen by cross-validation (Breiman et al. 1984).

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default "squared_error"
        Heterogeneity h that a split makes smaller, and the mean loss R of pruning: variance, mean absolute
        deviation from the median (leaves then predict medians), Poisson deviance (y >= 0).
    alpha : "cv", float or None, default "cv"
        Strength of pruning, on the scale of the mean loss: the tree minimises mean loss + alpha x leaves
        among all prunings of the grown one.  "cv" chooses it by cross-validation; None keeps the tree as it
        grew; 0 is the smallest tree of the same training loss.  A tree that grows until its leaves are pure
        repeats the noise, so pruning is the default; it costs about `cv` more growths, and None is right
        inside ensembles.
    cv : int, splitter or list of (train, test), default 10
        Folds; an int deals the rows out by their content: a row with all its weight and all its copies.
    rule : {"one_se", "min"}, default "one_se"
        The smallest tree within one standard error of the smallest held-out risk, or that of the smallest.
    max_depth : int, optional
        Edges from root to leaf.
    min_samples_split : int or float, default 2
        Rows of a node that may be split; a float is a share of the rows.
    min_samples_leaf : int or float, default 1
        Rows of each child.
    min_weight_fraction_leaf : float in [0, 0.5], default 0.0
        Least share of the total weight in each child.
    max_features : "sqrt", "log2", int, float or None, optional
        Columns that a node looks at, drawn anew at each node; a float is a share, None means all.
    max_leaf_nodes : int, optional
        Leaves, grown by the largest gain first.
    min_impurity_decrease : float, default 0.0
        Least decrease of the heterogeneity by a split, per unit of total weight.
    monotonic_cst : dict or list, optional
        -1 (falling), 0, +1 (rising) for columns by name or number, or a list of p of them.
    categorical_features : "from_dtype", list or None, default "from_dtype"
        Columns that hold categories: by the type of a frame's columns, by name or by number.
    max_bins : int, optional
        Sort each column into so many bins (2 to 255) and cut between bins only: quick for millions of rows.
        None looks at every cut.
    optimal : {1, 2, 3}, optional
        The best of all trees of this depth, in place of greedy splits: it minimises mean squared error +
        alpha x leaves ("cv" counts as 0 there), over numeric columns without missing values.
    time_limit : float, default 60.0
        Seconds for `optimal`; the certificate then says how far from the best the tree can be.
    random_state : int, optional
        Seed of the draws of columns and of the folds; None is 0.

    Attributes
    ----------
    tree_ : Trees
        The tree, in flat arrays.
    sequence_ : PruningSequence
        The grown tree with all its prunings; `prune` reads it.
    path_ : CostComplexityPath
        Strengths, leaves and risks of the prunings; with held-out risks after ``alpha="cv"``.
    alpha_ : float or None
        Strength used.
    feature_importances_ : array, shape (p,)
        Shares in the decrease of the criterion, biased towards columns with many values.
    n_features_in_ : int
        Columns.
    columns_ : ColumnCoder
        Which columns are categories.
    solution_ : Solution
        How the tree came about.
    certificate_ : Certificate
        NONE (greedy splits; the held-out risk of the chosen size), EXACT or a gap for `optimal`.

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
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.alpha = alpha
        self.cv = cv
        self.rule = rule
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.optimal = optimal
        self.time_limit = time_limit
        self.random_state = random_state

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
