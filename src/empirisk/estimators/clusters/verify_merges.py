"""The certificate of merges, computed once more from the rows, with all that is read off the tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.sparse.csgraph import connected_components

from empirisk.estimators.clusters.base import first_seen
from empirisk.estimators.clusters.height_unit import HeightUnit, weights_for
from empirisk.estimators.clusters.merged_rows import graph_for, rows_for
from empirisk.estimators.clusters.stopping import check_rule_and_linkage, threshold_of
from empirisk.estimators.stated import disputed
from empirisk.linkage import MergeTree
from empirisk.linkage.plain_greedy import check_merges
from empirisk.results import Certificate, Kind
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["no_tree", "verify_merges"]


def no_tree(matrix: Any, leaves: int) -> Certificate | None:
    """Return why a linkage matrix is not a tree over so many leaves, or None where it is one."""
    given = np.asarray(matrix)
    if given.shape != (leaves - 1, 4):
        return unconfirmed(f"linkage_matrix_ has the shape {given.shape}, not {(leaves - 1, 4)}")
    if not leaves > 1:
        return None
    whole = np.array_equal(given[:, :2], np.floor(given[:, :2])) and np.isfinite(given).all()
    if not whole or not is_valid_linkage(given.astype(np.float64)):
        return unconfirmed("linkage_matrix_ is no tree: a merge takes clusters that are not there")
    return None


def verify_merges(model: Any, X: Array, weight: Array) -> Certificate:
    """Return what these rows prove of the merges of a fitted AgglomerativeClustering, and of its cut.

    Parameters
    ----------
    model : AgglomerativeClustering
    X : array, shape (n, p)
    weight : array, shape (n,)
    """
    linkage, metric = check_rule_and_linkage(model)
    if len(X) != len(model.labels_):
        return unconfirmed(f"the fit had {len(model.labels_)} rows, and these are {len(X)}")
    leaves = np.flatnonzero(weight > 0.0)
    if not np.array_equal(leaves, model.leaves_):
        return unconfirmed("other rows have weight than in the fit")
    odd = no_tree(model.linkage_matrix_, len(leaves))
    if odd is not None:
        return odd
    matrix = np.asarray(model.linkage_matrix_, dtype=np.float64)
    present = X[np.ix_(leaves, leaves)] if metric == "precomputed" else X[leaves]
    graph = graph_for(model.connectivity, len(X), leaves)
    differs = disputed(model, _read_off(model, matrix, present, leaves, graph), tol=1e-6)
    if differs is not None:
        return differs
    n = len(leaves)
    if n == 1:
        return Certificate(Kind.EXACT, 0.0, 1.0, "one row is one cluster, and nothing was merged")
    rows, exponent = rows_for(present, metric, leaves)
    mass, factor = weights_for(weight[leaves], linkage, leaves)
    unit = HeightUnit(exponent, factor)
    scaled = matrix.copy()
    scaled[:, 2] = unit.of_loops(matrix[:, 2])
    seen = check_merges(rows, linkage, metric, mass, MergeTree(scaled), graph)
    top = float(scaled[:, 2].max()) or 1.0
    if not seen.height <= 1e-6 * top:
        return unconfirmed(
            f"a merge is {seen.height / top:.3g} of the largest height away from the distance of its "
            "clusters in these rows"
        )
    said = f"{seen.merges:,} of {n - 1:,} merges were made again and join a closest pair"
    if seen.merges < n - 1:
        said = f"the heights of {seen.merges:,} of {n - 1:,} merges are those of the definition"
    excess = float(unit.of_rows(np.array([seen.excess]))[0]) if np.isfinite(seen.excess) else seen.excess
    return Certificate(Kind.EXACT, excess, float(matrix[:, 2].max()) or 1.0, said)


def _read_off(model: Any, matrix: Array, present: Array, leaves: IndexArray, graph: Any) -> dict[str, Any]:
    """Return the attributes that follow from the tree and the rule where to stop."""
    tree, height = MergeTree(matrix), None
    if model.n_clusters is None:
        height = threshold_of(model, present, model.metric)
    labels = tree.clusters(int(model.n_clusters)) if height is None else tree.below(height)
    every = np.full(len(model.labels_), -1, dtype=np.intp)
    every[leaves] = first_seen(labels)[0]
    free = 0 if graph is None else connected_components(graph, directed=False)[0] - 1
    return {
        "children_": matrix[:, :2].astype(np.intp),
        "distances_": matrix[:, 2],
        "threshold_": height,
        "labels_": every,
        "n_clusters_": int(labels.max()) + 1,
        "free_merges_": free,
    }
