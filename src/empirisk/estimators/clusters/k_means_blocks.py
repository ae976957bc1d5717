"""K-means of rows that are read block by block: seeds by k-means||, then the one loop on the problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.clustering.assign import middle, nearest
from empirisk.clustering.seedings import KMeansParallel, KMeansPlusPlus, Seeding
from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.problems.kmeans import KMeansProblem
from empirisk.results import Certificate, Solution
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["BlocksFit", "fit_blocks"]


@dataclass(frozen=True)
class BlocksFit:
    """The best of some starts.

    Parameters
    ----------
    centers : array, shape (K, p)
        In the number format of the rows, in the order of their first rows.
    certificate : Certificate
        Of these centres.
    inertia : float
        ``sum_i s_i ||x_i - c||^2``.
    objectives : array, shape (n_init,)
        Inertia of each start.
    n_iter : int
        Steps of the best start.
    """

    centers: Array
    certificate: Certificate
    inertia: float
    objectives: Array
    n_iter: int


def fit_blocks(
    rows: RowBlocks, seeding: Seeding, n_clusters: int, n_init: int, tol: float, max_iter: int, seed: int
) -> BlocksFit:
    """Return the best of some starts on row blocks.

    Parameters
    ----------
    rows : RowBlocks
    seeding : Seeding
        k-means|| or k-means++ (in whose place k-means|| draws), or given centres.
    n_clusters, n_init, max_iter, seed : int
    tol : float
        Of the certificate.

    Raises
    ------
    ValueError
        For a seeding that needs all rows in memory.
    """
    rng = np.random.default_rng(seed)
    best: Solution | None = None
    objectives = np.empty(n_init)
    for r in range(n_init):
        problem = KMeansProblem(rows, _seeds(seeding, rows, n_clusters, rng))
        found = solve(problem, "lloyd", tol=tol, max_steps=max_iter)
        objectives[r] = found.state.evaluation.loss
        if best is None or objectives[r] < best.state.evaluation.loss:
            best = found
    assert best is not None
    weight = rows.total_weight
    centers = _in_order(rows, best.w)
    dtype = next(iter(rows)).design.dtype
    certificate = best.certificate
    return BlocksFit(
        centers.astype(dtype),
        certificate,
        float(objectives.min()) * weight,
        objectives * weight,
        best.n_steps,
    )


def _seeds(seeding: Seeding, rows: RowBlocks, k: int, rng: np.random.Generator) -> Array:
    if isinstance(seeding, KMeansPlusPlus):
        seeding = KMeansParallel()
    if isinstance(seeding, KMeansParallel):
        return seeding.from_blocks(rows, k, rng)
    if seeding.draws:
        raise ValueError(
            f"init={seeding.name!r} reads the rows K times: give 'k-means||' or an array of centres for rows "
            "in blocks"
        )
    return seeding.centers(np.empty((0, rows.n_cols)), None, k, rng)


def _in_order(rows: RowBlocks, centers: Array) -> Array:
    """The centres in the order of the first rows of positive weight of their clusters."""
    first = np.full(len(centers), np.inf)

    def see(block: Block) -> int:
        X: Any = block.design.X
        label = nearest(X, centers, middle(X, centers))
        live = np.flatnonzero(np.asarray(block.weight) > 0.0)
        where = np.full(len(centers), np.inf)
        np.minimum.at(where, label[live], live + block.start)
        np.minimum(first, where, out=first)
        return 0

    rows.map_sum(see)
    return centers[np.argsort(first, kind="stable")]
