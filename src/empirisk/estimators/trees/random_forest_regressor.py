"""A random forest for numbers: trees on bootstrap samples that look at few columns at each node, averaged.

Breiman, Machine Learning 45 (2001).
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.documented import documented
from empirisk.estimators.trees.forest_regressor import ForestRegressor
from empirisk.estimators.trees.random_forest_classifier import RandomForestClassifier

__all__ = ["RandomForestRegressor"]


@documented(RandomForestClassifier)
class RandomForestRegressor(ForestRegressor):
    """``f(x) = (1/T) sum_t`` (mean, or median, of y in the leaf of x in tree t).

    Every tree sees a bootstrap sample of the rows, and every node looks for its best cut among a few columns
    drawn at random.  Averaging lowers the variance of the trees; the draws make them differ, so that it
    lowers it more.

    Parameters
    ----------
    n_estimators : int or "auto", default 100
        Trees T; "auto" grows them until the Monte-Carlo error of the out-of-bag squared error is a quarter of
        its standard error over rows (at most 1000), and needs `bootstrap`.
    criterion : {"squared_error", "absolute_error", "poisson"}, default "squared_error"
        What a split makes smaller.  With "absolute_error" the leaves are medians (weighted: the middle of
        their interval), and a node costs a factor O(log rows) more.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in :class:`RandomForestClassifier`.
    max_features : "sqrt", "log2", int, float or None, default 1.0
        Columns that a node looks at, drawn anew at each node among those that are not constant in it; a float
        is a share, None means all.  The default takes all of them, as in scikit-learn, so that only
        the rows differ from tree to tree: often the most accurate for numbers, and the most expensive;
        Hastie et al. recommend a third.
    max_leaf_nodes, min_impurity_decrease, bootstrap, max_samples
        As in :class:`RandomForestClassifier`.
    monotonic_cst : dict or list, optional
        -1 (falling), 0, +1 (rising) for columns by name or number, or a list of p of them.
    categorical_features, max_bins, n_jobs, random_state, warm_start
        As in :class:`RandomForestClassifier`.
    targets : {"each", "together"}, default "each"
        For y of shape (n, k): a forest of its own for each target, whose splits are the best for that target
        alone, or one that grows once and whose splits all share: they make the mean of the squared errors
        smaller, as in scikit-learn.  Divide targets of different units by their spread, or the largest
        decides.  Leaves, risks and intervals stand in ``by_target_`` either way.  "together" takes squared
        errors alone, and no monotonic columns, "auto" and warm starts.

    Attributes
    ----------
    trees_, n_estimators_
        As in :class:`RandomForestClassifier`.
    oob_prediction_ : array, shape (n,)
        Means by the trees that did not see the row; NaN where all did, or the weight is 0.
    oob_risk_ : Estimate
        Squared error of the out-of-bag predictions, with a 95 % interval.  Long tails make it too short:
        with lognormal noise and 250 rows it held the risk of 85 % of simulated random forests (of the
        absolute error 91 %), and its `reason` spoke of the tail.
    oob_score_ : float
        R2 out-of-bag: one minus the squared error over the variance of the targets.
    estimators_, estimators_samples_ : list
        The trees as unpruned ``DecisionTreeRegressor``, made when asked for; the rows of each, as often as
        drawn.  ``len(forest)``, ``forest[3]`` and ``for tree in forest`` work.
    oob_risks_ : dict
        The same of "squared error" and "absolute error".
    monte_carlo_error_ : float or None
        Standard deviation of the out-of-bag squared error over seeds; None with too few trees to tell.
    feature_importances_, n_features_in_, columns_, solution_, certificate_
        As in :class:`RandomForestClassifier`.

    Raises
    ------
    ValueError
        Parameters out of range; targets that are not finite; infinite numbers, text that is no category,
        by name.
    MemoryError
        For a forest that would not fit into memory, before it is grown.

    Notes
    -----
    Columns are cut into at most 255 bins of equal weight once; missing values are tried on both sides of
    every cut.  O(T n log(n) `max_features`) time, n p bytes for the bins and at most 65 bytes a node.

    References
    ----------
    L. Breiman, "Random forests", Machine Learning 45 (2001).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=500)
    >>> model = er.RandomForestRegressor().fit(X, y)
    >>> model.oob_risk_.high < 0.5, model.predict(X).shape
    (True, (500,))
    """

    def __init__(
        self,
        n_estimators: Any = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int = 255,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        targets: str = "each",
    ) -> None:
        self._set(locals())
