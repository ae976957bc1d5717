"""scikit-learn's trees and forests as Trees: what is done with trees is tested without our growth."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.trees.structure import Trees

__all__ = ["from_sklearn"]


def from_sklearn(est: Any) -> Trees:
    """The trees of a fitted decision tree or forest; of classifiers the leaves hold class shares."""
    members = getattr(est, "estimators_", None)
    if members is None:
        return _one(est)
    return Trees.concatenate([_one(m) for m in np.ravel(members)])


def _one(est: Any) -> Trees:
    t = est.tree_
    n = t.node_count
    # Breadth first: the two children of a node get adjacent numbers.
    order = [0]
    left = np.full(n, -1, dtype=np.int32)
    for at in range(n):
        node = order[at]
        if t.children_left[node] >= 0:
            left[at] = len(order)
            order += [int(t.children_left[node]), int(t.children_right[node])]
    order_ = np.array(order)
    value = t.value[order_, 0, :].astype(np.float64)
    if hasattr(est, "classes_"):
        value = value / value.sum(axis=1, keepdims=True)
    weight, impurity = t.weighted_n_node_samples[order_], t.impurity[order_]
    cost = weight * impurity
    inner = left >= 0
    gain = np.zeros(n)
    gain[inner] = cost[inner] - cost[left[inner]] - cost[left[inner] + 1]
    heavier = np.zeros(n, dtype=bool)
    heavier[inner] = weight[left[inner]] >= weight[left[inner] + 1]
    learnt = getattr(t, "missing_go_to_left", np.zeros(n))[order_].astype(bool)
    return Trees(
        start=np.array([0, n]),
        feature=np.where(inner, t.feature[order_], -1).astype(np.int32),
        threshold=np.where(inner, t.threshold[order_], 0.0),
        left=left,
        missing_left=learnt if learnt.any() else heavier,
        category_start=np.full(n, -1),
        category_words=np.zeros(0, dtype=np.uint32),
        value=value,
        weight=weight,
        count=t.n_node_samples[order_].astype(np.int64),
        gain=np.maximum(gain, 0.0),
        heterogeneity=impurity,
        n_categories=np.zeros(est.n_features_in_, dtype=np.int64),
    )
