"""Farthest-first seeding (Gonzalez, Theoretical Computer Science 38, 1985).

Each seed is the row that is farthest from the others.
The largest distance of a row to its seed is at most twice the smallest that K centres can have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk import _loops
from empirisk.clustering.seedings.base import Seeding, dense_rows, draw_row, too_many
from empirisk.typing import Array

__all__ = ["FarthestFirst"]


@dataclass(frozen=True)
class FarthestFirst(Seeding):
    """``argmax_i min_j ||x_i - c_j||^2`` over the seeds so far; the first is drawn by its weight.

    Of rows that are equally far the first is taken.  Outliers become seeds.

    Notes
    -----
    O(n K p).

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [9.0], [5.0]])
    >>> FarthestFirst().centers(X, np.array([1.0, 0.0, 1.0, 1.0]), 3, np.random.default_rng(0)).ravel()
    array([9., 0., 5.])
    """

    name: ClassVar[str] = "farthest-first"

    def centers(self, X: Any, weight: Array | None, n_clusters: int, rng: np.random.Generator) -> Array:
        """Return the seeds, in the order in which they were found."""
        mass = np.ones(X.shape[0]) if weight is None else weight
        rows = [draw_row(mass, rng.random() * float(mass.sum()))]
        square = np.empty((X.shape[0], 1), dtype=X.dtype)
        absent = None if weight is None else np.flatnonzero(weight == 0.0)
        while len(rows) < n_clusters:
            _loops.seed_step(X, weight, np.array(rows[-1:]), 0 if len(rows) > 1 else -1, square)
            far = square[:, 0]
            if absent is not None:
                far = far.copy()
                far[absent] = 0.0
            row = int(np.argmax(far))
            if not far[row] > 0.0:
                raise too_many(n_clusters, len(rows))
            rows.append(row)
        return dense_rows(X, rows)
