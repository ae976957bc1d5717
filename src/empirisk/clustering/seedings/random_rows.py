"""Seeds that are rows drawn by their weights (Forgy's way), no point twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk.clustering.seedings.base import Seeding, dense_rows, draw_row, too_many
from empirisk.typing import Array

__all__ = ["RandomRows"]


@dataclass(frozen=True)
class RandomRows(Seeding):
    """``P(row i) ~ s_i`` among the rows that are equal to no seed.

    Notes
    -----
    O(n + K^2 p) where most rows are distinct.

    Examples
    --------
    >>> X = np.array([[3.0], [3.0], [3.0], [4.0]])
    >>> sorted(RandomRows().centers(X, None, 2, np.random.default_rng(0)).ravel().tolist())
    [3.0, 4.0]
    """

    name: ClassVar[str] = "random"

    def centers(self, X: Any, weight: Array | None, n_clusters: int, rng: np.random.Generator) -> Array:
        """Return the seeds, in the order in which they were drawn."""
        mass = np.ones(X.shape[0]) if weight is None else weight.copy()
        ends = np.cumsum(mass)
        out = np.empty((n_clusters, X.shape[1]))
        found = missed = 0
        while found < n_clusters:
            if missed > 8 + 2 * found:
                # Most of the mass lies on copies of seeds: they are looked for and leave.
                mass[_copies(X, out[:found])] = 0.0
                ends, missed = np.cumsum(mass), 0
                if not ends[-1] > 0.0:
                    raise too_many(n_clusters, found)
            at = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
            row = at if at < len(ends) else draw_row(mass, float(ends[-1]))
            out[found] = dense_rows(X, [row])[0]
            if (out[:found] == out[found]).all(axis=1).any():
                missed += 1
            else:
                found += 1
        return out


def _copies(X: Any, seeds: Array) -> Array:
    """Whether each row is equal to a seed, block by block so that little memory is used."""
    known = {row.tobytes() for row in seeds + 0.0}
    out = np.zeros(X.shape[0], dtype=bool)
    for start in range(0, X.shape[0], 4096):
        block = dense_rows(X, slice(start, start + 4096)) + 0.0  # -0 becomes 0
        out[start : start + 4096] = [row.tobytes() in known for row in block]
    return out
