"""Extremely randomised trees for numbers: the cuts are drawn at random, and the trees are averaged.

Geurts, Ernst and Wehenkel, Machine Learning 63 (2006).
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.documented import documented
from empirisk.estimators.trees.forest_regressor import ForestRegressor
from empirisk.estimators.trees.random_forest_regressor import RandomForestRegressor

__all__ = ["ExtraTreesRegressor"]


@documented(RandomForestRegressor)
class ExtraTreesRegressor(ForestRegressor):
    """``f(x) = (1/T) sum_t`` (mean of y in the leaf of x in tree t).

    Every node looks at one random cut of each of a few columns drawn at random, and takes the best of these.
    The trees differ more than those of a random forest, so that all can see all rows; single trees are worse.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in :class:`RandomForestRegressor`.
    max_features : "sqrt", "log2", int, float or None, default 1.0
        Columns that a node looks at, drawn anew at each node among those that are not constant in it; a float
        is a share, None means all.  The default takes all of them, as in scikit-learn:
        often the most accurate for numbers, and the most expensive.
    max_leaf_nodes, min_impurity_decrease
        As in :class:`RandomForestRegressor`.
    bootstrap : bool, default False
        Whether each tree draws its rows, with replacement and in proportion to their weights; without, there
        is nothing out-of-bag.
    max_samples, monotonic_cst, categorical_features, max_bins, n_jobs, random_state, warm_start, targets
        As in :class:`RandomForestRegressor`.

    Attributes
    ----------
    trees_, n_estimators_, oob_prediction_, oob_risk_, oob_risks_, monte_carlo_error_
        As in :class:`RandomForestRegressor`.
    feature_importances_, n_features_in_, columns_, solution_, certificate_
        As in :class:`RandomForestRegressor`.

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
    P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=500)
    >>> model = er.ExtraTreesRegressor(bootstrap=True).fit(X, y)
    >>> model.oob_risk_.high < 0.5, model.predict(X).shape
    (True, (500,))
    """

    _random_cuts = True

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
        bootstrap: bool = False,
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
