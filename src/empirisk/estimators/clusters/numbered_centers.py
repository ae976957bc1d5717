"""Centres in the order of the first rows of their clusters, with labels that `predict` gives again."""

from __future__ import annotations

import numpy as np

from empirisk.clustering.assign import assigned, cluster_sums, middle
from empirisk.clustering.lloyd import Lloyd
from empirisk.clustering.restarts import Restarts
from empirisk.estimators.clusters.base import first_seen
from empirisk.typing import Array, IndexArray

__all__ = ["numbered"]

# Another order of the centres may change which of them a tied row goes to, and so the first rows of clusters.
RENUMBERINGS = 5


def numbered(
    lloyd: Lloyd, found: Restarts, tol: float, max_iter: int
) -> tuple[Array, IndexArray, Array, float, int]:
    """Number the clusters by their first rows; returns centres, labels, squares, the next step, and steps.

    Of equally near centres the first is taken, so that another order can move tied rows: where that brings
    the centres away from the means, steps go on.
    """
    run, n_iter = found.best, found.best.n_iter
    for left in range(RENUMBERINGS, -1, -1):
        named, old = first_seen(run.label, lloyd.weight)
        rest = np.setdiff1d(np.arange(len(run.centers)), old)
        centers = run.centers[np.concatenate([old, rest])]
        labels, squares = assigned(lloyd.X, centers)
        step = _step(lloyd, centers, labels)
        if left == 0 or n_iter >= max_iter or step <= tol or np.array_equal(labels, named):
            break
        run = lloyd.run(centers, tol, max_iter - n_iter)
        n_iter += run.n_iter
    return centers, labels, squares, step, n_iter


def _step(lloyd: Lloyd, centers: Array, labels: IndexArray) -> float:
    """How much moving the centres to the means of these rows lowers J."""
    shift = middle(lloyd.X, centers)
    total, mass = cluster_sums(lloyd.X, lloyd.weight, labels.astype(np.int32), shift, len(centers))
    live = mass > 0.0
    ways = total[live] / mass[live, None] - (centers[live] - (0.0 if shift is None else shift))
    return float((mass[live] * (ways**2).sum(axis=1)).sum() / lloyd.total)
