"""The k-means++ seeding: each seed is drawn with a chance that grows with its squared distance to the others.

Arthur and Vassilvitskii, SODA 2007, "k-means++: the advantages of careful seeding": theorem 3.1 with one
candidate a step; the greedy variant with several candidates is that of their section 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk import _loops
from empirisk.clustering.seedings.base import Seeding, dense_rows, draw_row, draw_rows, too_many
from empirisk.typing import Array, IndexArray

__all__ = ["KMeansPlusPlus"]


@dataclass(frozen=True)
class KMeansPlusPlus(Seeding):
    """``P(row i) ~ s_i min_j ||x_i - c_j||^2`` over the seeds so far; the first by its weight alone.

    Parameters
    ----------
    n_candidates : int or None, default None
        Rows that are drawn for each seed, of which the one is taken that leaves the smallest sum of squared
        distances; None: ``2 + floor(log K)``.  With 1 it is the seeding of the theorem.

    Notes
    -----
    O(n K p n_candidates) time, n (1 + n_candidates) numbers of memory.  With one candidate the seeds are in
    expectation within ``8 (log K + 2)`` of the optimum; for more of them, which do better in practice, no
    factor is claimed.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [9.0]])
    >>> sorted(KMeansPlusPlus().centers(X, None, 2, np.random.default_rng(0)).ravel().round().tolist())
    [0.0, 9.0]
    """

    n_candidates: int | None = None
    name: ClassVar[str] = "k-means++"

    def centers(self, X: Any, weight: Array | None, n_clusters: int, rng: np.random.Generator) -> Array:
        """Return the seeds, in the order in which they were drawn."""
        n = X.shape[0]
        count = 2 + int(math.log(n_clusters)) if self.n_candidates is None else int(self.n_candidates)
        if count < 1:
            raise ValueError(f"n_candidates must be at least 1 or None, got {self.n_candidates!r}")
        mass = np.ones(n) if weight is None else weight
        rows = [draw_row(mass, rng.random() * float(mass.sum()))]
        if n_clusters == 1:
            return dense_rows(X, rows)
        square = np.empty((n, count), dtype=X.dtype)
        sums = _loops.seed_step(X, weight, np.array(rows), -1, square)
        taken = 0
        while True:
            totals = np.ascontiguousarray(sums[:, taken])
            if not totals.any():
                raise too_many(n_clusters, len(rows))
            drawn = self._draw(weight, square[:, taken], totals, rng.random(count))
            sums = _loops.seed_step(X, weight, drawn, taken, square)
            taken = int(np.argmin(sums.sum(axis=0)))
            rows.append(int(drawn[taken]))
            if len(rows) == n_clusters:
                return dense_rows(X, rows)

    @staticmethod
    def _draw(weight: Array | None, square: Array, totals: Array, at: Array) -> IndexArray:
        """Draw rows by weight times squared distance; `totals` are the sums of the chunks."""
        if len(totals) == 1:  # few rows, of which many small fits draw: no chunk needs to be found
            few = square.astype(np.float64)
            return draw_rows(few if weight is None else few * weight, at * totals[0])
        before = np.concatenate([[0.0], np.cumsum(totals)])
        level = at * before[-1]
        rows = np.empty(len(at), dtype=np.int64)
        chunks = draw_rows(totals, level)
        for chunk in np.unique(chunks):
            start = chunk * _loops.SEED_CHUNK
            stop = start + _loops.SEED_CHUNK
            mass = square[start:stop].astype(np.float64)
            if weight is not None:
                mass *= weight[start:stop]
            here = chunks == chunk
            rows[here] = start + draw_rows(mass, level[here] - before[chunk])
        return rows

    def factor(self, n_clusters: int) -> float | None:
        """``8 (log K + 2)`` where one candidate is drawn for each seed, and nothing else."""
        return 8.0 * (math.log(n_clusters) + 2.0) if self.n_candidates == 1 else None
