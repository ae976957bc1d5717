"""What a seeding is, and how rows are drawn by their weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from empirisk.typing import Array, IndexArray
from empirisk.wording import counted

__all__ = ["Seeding", "dense_rows", "draw_row", "draw_rows", "too_many"]


class Seeding(ABC):
    """A way to choose the K centres that Lloyd's steps start from.  Objects are frozen.

    A subclass is a frozen dataclass with a class attribute ``name``, which is its key in REGISTRY.
    """

    name: ClassVar[str]
    # Whether another draw gives other centres, so that restarts make sense.
    draws: ClassVar[bool] = True

    @abstractmethod
    def centers(self, X: Any, weight: Array | None, n_clusters: int, rng: np.random.Generator) -> Array:
        """Return K centres.

        Parameters
        ----------
        X : array of float32 or float64 in C order, or CSR matrix, shape (n, p)
            Rows.
        weight : array, shape (n,), optional
            Weights >= 0; None means ones.  A weight of 2 is the row twice, 0 is absence.
        n_clusters : int
            K >= 1.
        rng : numpy.random.Generator
            What draws.

        Returns
        -------
        centers : array of float64, shape (K, p)

        Raises
        ------
        ValueError
            Where K is more than the number of distinct rows of positive weight, which is named.
        """

    def factor(self, n_clusters: int) -> float | None:
        """``E Q(seeds) <= factor * min Q`` over the draws, or None where no such factor is claimed."""
        return None


def too_many(n_clusters: int, distinct: int) -> ValueError:
    """Return the error for more clusters than there are distinct rows."""
    return ValueError(
        f"n_clusters={n_clusters} is more than the {counted(distinct, 'distinct row')} of positive weight "
        f"that X has; set n_clusters to at most {distinct}"
    )


def dense_rows(X: Any, rows: Any) -> Array:
    """Return some rows as a dense float64 array."""
    chosen: Any = X[rows]
    return np.asarray(chosen.toarray() if sp.issparse(X) else chosen, dtype=np.float64)


def draw_rows(mass: Array, at: Array) -> IndexArray:
    """Return for each number the first row whose cumulated mass exceeds it, and never one without mass.

    Examples
    --------
    >>> draw_rows(np.array([0.0, 2.0, 0.0, 1.0]), np.array([0.0, 2.0, 3.0]))
    array([1, 3, 3])
    """
    found: IndexArray = np.cumsum(mass).searchsorted(at, side="right")
    # Rounding can leave `at` at the end of the sum.
    past = found == len(mass)
    if past.any():
        found[past] = np.flatnonzero(mass > 0.0)[-1]
    return found


def draw_row(mass: Array, at: float) -> int:
    """Return the first row whose cumulated mass exceeds ``at``, and never one without mass."""
    return int(draw_rows(mass, np.array([at]))[0])
