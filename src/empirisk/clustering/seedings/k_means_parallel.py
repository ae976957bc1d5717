"""The k-means|| seeding: many candidates in a few passes over the rows, of which K are chosen.

Bahmani, Moseley, Vattani, Kumar and Vassilvitskii, PVLDB 5(7), 2012, "Scalable k-means++", algorithm 2.
Rows are read block by block, so that it also seeds tables that do not fit into memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk.clustering.assign import middle, nearest
from empirisk.clustering.seedings.base import Seeding, dense_rows, draw_row, too_many
from empirisk.clustering.seedings.k_means_plus_plus import KMeansPlusPlus
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks, RowBlocks
from empirisk.typing import Array

__all__ = ["KMeansParallel"]


@dataclass(frozen=True)
class KMeansParallel(Seeding):
    """``P(row i is taken) = min(1, l s_i min_j ||x_i - c_j||^2 / Q)`` in each of a few rounds.

    Q is the weighted sum of these squared distances.  Each candidate then weighs what its nearest rows do,
    and K of them are chosen by k-means++.

    Parameters
    ----------
    oversampling : float, default 2.0
        ``l / K``.
    n_rounds : int, default 5
        Rounds, each of which reads the rows twice.

    Notes
    -----
    O(n p K oversampling n_rounds^2) time; no array has a number for each row of all blocks.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [9.0]])
    >>> sorted(KMeansParallel().centers(X, None, 2, np.random.default_rng(0)).ravel().round().tolist())
    [0.0, 9.0]
    """

    oversampling: float = 2.0
    n_rounds: int = 5
    name: ClassVar[str] = "k-means||"

    def centers(self, X: Any, weight: Array | None, n_clusters: int, rng: np.random.Generator) -> Array:
        """Return the seeds for rows in memory."""
        weight = np.ones(X.shape[0]) if weight is None else weight
        rows = ArrayBlocks(Design(X), np.broadcast_to(np.zeros(()), X.shape[0]), weight)
        return self.from_blocks(rows, n_clusters, rng)

    def from_blocks(self, rows: RowBlocks, n_clusters: int, rng: np.random.Generator) -> Array:
        """Return the seeds for rows in blocks; how they are cut into blocks does not change what is drawn."""
        found = self._first(rows, rng)
        for _ in range(self.n_rounds):
            found = self._round(rows, found, n_clusters, rng)
        while len(found) < n_clusters:
            more = self._round(rows, found, n_clusters, rng)
            if len(more) == len(found) and not self._quality(rows, found) > 0.0:
                raise too_many(n_clusters, len(found))
            found = more
        mass = rows.map_sum(lambda block: _masses(block, found))
        return KMeansPlusPlus().centers(found, mass, n_clusters, rng)

    @staticmethod
    def _first(rows: RowBlocks, rng: np.random.Generator) -> Array:
        at = rng.random() * rows.total_weight
        last = None
        for block in rows:
            here = float(block.weight.sum(dtype=np.float64))
            if here > 0.0:
                last = block, at
                if at < here:
                    break
            at -= here
        if last is None:
            raise ValueError("the weights are zero for every row; at least one must be positive")
        block, at = last
        return dense_rows(block.design.X, [draw_row(np.asarray(block.weight, dtype=np.float64), at)])

    @staticmethod
    def _quality(rows: RowBlocks, found: Array) -> float:
        return float(rows.map_sum(lambda block: float(block.weight @ _squares(block, found))))

    def _round(self, rows: RowBlocks, found: Array, n_clusters: int, rng: np.random.Generator) -> Array:
        total = self._quality(rows, found)
        rate = self.oversampling * n_clusters / total if total > 0.0 else 0.0
        fresh = [found]
        for block in rows:
            chance = rate * (block.weight * _squares(block, found))
            taken = np.flatnonzero(rng.random(len(chance)) < chance)
            if len(taken):
                fresh.append(dense_rows(block.design.X, taken))
        both = np.concatenate(fresh)
        _, first = np.unique(both + 0.0, axis=0, return_index=True)
        return np.asarray(both[np.sort(first)])


def _squares(block: Any, found: Array) -> Array:
    """Squared distances to the nearest candidate, by differences; exactly 0 for a copy of one."""
    square = np.empty(block.design.shape[0])
    nearest(block.design.X, found, middle(block.design.X, found), square=square)
    return square


def _masses(block: Any, found: Array) -> Array:
    label = nearest(block.design.X, found, middle(block.design.X, found))
    return np.asarray(np.bincount(label, weights=block.weight, minlength=len(found)), dtype=np.float64)
