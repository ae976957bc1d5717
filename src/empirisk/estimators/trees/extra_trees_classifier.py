"""Extremely randomised trees for classes: the cuts are drawn at random, and the trees are averaged.

Geurts, Ernst and Wehenkel, Machine Learning 63 (2006).
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.documented import documented
from empirisk.estimators.trees.forest_classifier import ForestClassifier
from empirisk.estimators.trees.random_forest_classifier import RandomForestClassifier

__all__ = ["ExtraTreesClassifier"]


@documented(RandomForestClassifier)
class ExtraTreesClassifier(ForestClassifier):
    """``p(c | x) = (1/T) sum_t`` (share of class c in the leaf of x in tree t).

    Every node looks at one random cut of each of a few columns drawn at random, and takes the best of these.
    The trees differ more than those of a random forest, so that all can see all rows; single trees are worse.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in :class:`RandomForestClassifier`.
    max_features, max_leaf_nodes, min_impurity_decrease
        As in :class:`RandomForestClassifier`.
    bootstrap : bool, default False
        Whether each tree draws its rows, with replacement and in proportion to their weights; without, there
        is nothing out-of-bag.
    max_samples, class_weight, monotonic_cst, categorical_features, max_bins, smoothing, n_jobs
        As in :class:`RandomForestClassifier`.
    random_state, warm_start, targets
        As in :class:`RandomForestClassifier`.

    Attributes
    ----------
    trees_, n_estimators_, oob_decision_function_, oob_risk_, oob_risks_, monte_carlo_error_
        As in :class:`RandomForestClassifier`.
    feature_importances_, classes_, n_features_in_, columns_, solution_, certificate_
        As in :class:`RandomForestClassifier`.

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
    P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = er.ExtraTreesClassifier(bootstrap=True).fit(X, y)
    >>> model.oob_risk_.high < 0.25, model.predict_proba(X).shape
    (True, (500, 2))
    """

    _random_cuts = True

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
        bootstrap: bool = False,
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
