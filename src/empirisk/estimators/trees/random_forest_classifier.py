"""A random forest for classes: trees on bootstrap samples that look at few columns at each node, averaged.

Breiman, Machine Learning 45 (2001).
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.trees.forest_classifier import ForestClassifier

__all__ = ["RandomForestClassifier"]


class RandomForestClassifier(ForestClassifier):
    """``p(c | x) = (1/T) sum_t`` (share of class c in the leaf of x in tree t).

    Every tree sees a bootstrap sample of the rows, and every node looks for its best cut among a few columns
    drawn at random.  Averaging lowers the variance of the trees; the draws make them differ, so that it
    lowers it more.

    Parameters
    ----------
    n_estimators : int or "auto", default 100
        Trees T; "auto" grows them until the Monte-Carlo error of the out-of-bag Brier score is a quarter of
        its standard error over rows (at most 1000), and needs `bootstrap`.
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default "gini"
        What a split makes smaller; "log_loss" is another name of "entropy".
    max_depth : int, optional
        Edges from root to leaf.
    min_samples_split : int or float, default 2
        Rows of a node that may be split; a float is a share of the rows of the tree.  A row that is drawn
        twice counts as two, here and below.
    min_samples_leaf : int or float, default 1
        Rows of each child.
    min_weight_fraction_leaf : float in [0, 0.5], default 0.0
        Least share of the total weight in each child.
    max_features : "sqrt", "log2", int, float or None, default "sqrt"
        Columns that a node looks at, drawn anew at each node among those that are not constant in it; a float
        is a share, None means all.
    max_leaf_nodes : int, optional
        Leaves of a tree, grown by the largest gain first.
    min_impurity_decrease : float, default 0.0
        Least decrease of the heterogeneity by a split, per unit of the tree's total weight.
    bootstrap : bool, default True
        Whether each tree draws its rows, with replacement and in proportion to their weights; without, there
        is nothing out-of-bag.
    max_samples : int or float in (0, 1], optional
        Rows that each tree draws; default as many as there are.
    class_weight : dict, "balanced" or "balanced_subsample", optional
        Factors of the row weights by class, with which rows are drawn.  "balanced": ``S / (K S_c)``, S_c the
        weight of class c among all rows.  "balanced_subsample": drawn by their own weights, the rows of class
        c count ``m / (K m_c)`` for each draw inside a tree that drew m rows, m_c of them of class c (without
        `bootstrap`: "balanced"); out-of-bag risks do not count these factors.
    monotonic_cst : dict or list, optional
        -1 (falling), 0, +1 (rising) for columns by name or number, or a list of p of them; two
        classes only, and of the share of the second one.
    categorical_features : "from_dtype", list or None, default "from_dtype"
        Columns that hold categories: by the type of a frame's columns (categories and text), by name or by
        number.
    max_bins : int, default 255
        Bins that a column is cut into, 2 to 255; missing values have one more.
    smoothing : float, default 0.0
        Rows s that are added to each class: probabilities are ``(p + s/n) / (1 + s K/n)`` with the mean share
        p, K classes and n the total weight of the training rows (Lidstone; s = 1 is Laplace's rule).  With
        s > 0 no class gets the probability 0, and the log-loss is finite; no split and no predicted class
        depends on it.
    n_jobs : int, optional
        Threads; default all that OpenMP has.  The result does not depend on it.
    random_state : int, Generator, RandomState or None, default None
        Seed; None is 0.  Tree t has random numbers of its own, from the seed and t.
    warm_start : bool, default False
        Whether ``fit`` adds trees to those of the fit before, on the same rows and with the same parameters
        (but `n_estimators`, `n_jobs` and `smoothing`): the result is that of all trees at once, bit for bit.
    targets : {"each", "together"}, default "each"
        For y of shape (n, k): a forest of its own for each target, whose splits are the best for that target
        alone, or one that grows once and whose splits all share: they make the mean of the heterogeneities
        smaller, as in scikit-learn.  Leaves, risks and intervals stand in ``by_target_`` either way.
        "together" takes no class weights, monotonic columns, "auto" and warm starts.

    Attributes
    ----------
    trees_ : Trees
        All trees, in flat arrays.
    n_estimators_ : int
        Trees grown.
    oob_decision_function_ : array, shape (n, K)
        Shares by the trees that did not see the row; NaN where all did, or the weight is 0.
    oob_risk_ : Estimate
        Error rate of the out-of-bag shares, with a 95 % interval.
    oob_score_ : float
        Accuracy out-of-bag, ``1 - oob_risk_.value``.
    estimators_, estimators_samples_ : list
        The trees as unpruned ``DecisionTreeClassifier``, made when asked for; the rows of each, as often as
        drawn.  ``len(forest)``, ``forest[3]`` and ``for tree in forest`` work.
    oob_risks_ : dict
        The same of "error rate", "Brier score" and "log loss" (infinite where a true class got the share 0).
    monte_carlo_error_ : float or None
        Standard deviation of the out-of-bag Brier score over seeds; None with too few trees to tell.
    feature_importances_ : array, shape (p,)
        Shares in the decrease of heterogeneity, biased towards columns with many values: see `importances`.
    classes_ : array, shape (K,)
        Sorted labels.
    n_features_in_ : int
        Columns.
    columns_ : ColumnCoder
        Which columns are categories.
    solution_ : Solution
        Steps, and how the number of trees came about.
    certificate_ : Certificate
        NONE: the splits are greedy and random.

    Raises
    ------
    ValueError
        Parameters out of range; fewer than two classes; infinite numbers, text that is no category, by name.
    MemoryError
        For a forest that would not fit into memory, before it is grown.

    Notes
    -----
    Columns are cut into at most 255 bins of equal weight once; missing values are tried on both sides of
    every cut.  O(T n log(n) `max_features`) time, n p bytes for the bins and at most 73 bytes a node with two
    classes.

    References
    ----------
    L. Breiman, "Random forests", Machine Learning 45 (2001).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = er.RandomForestClassifier().fit(X, y)
    >>> model.oob_risk_.high < 0.25, model.predict_proba(X).shape
    (True, (500, 2))
    """

    def __init__(
        self,
        n_estimators: Any = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: float | None = None,
        class_weight: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int = 255,
        smoothing: float = 0.0,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        targets: str = "each",
    ) -> None:
        self._set(locals())
