"""Square matrices tile by tile, each next to the one across the diagonal: what tests of symmetry look at."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from empirisk.typing import Array

__all__ = ["unequal_tiles"]

TILE = 256  # rows and columns of a tile: two tiles of float64 fit into the second cache


def unequal_tiles(A: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the tiles on and above the diagonal that differ from those across it, with the latter turned.

    Parameters
    ----------
    A : array, shape (n, n)
        Any matrix; a symmetric one yields nothing.

    Notes
    -----
    One of the two tiles is read down its columns while it is in the cache.  Columns of the whole matrix touch
    as many pages as there are rows, so that ``A != A.T`` takes many times as long, and memory besides.

    Examples
    --------
    >>> A = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> len(list(unequal_tiles(A)))
    0
    >>> A[0, 1] = 2.0
    >>> [(tile.tolist(), across.tolist()) for tile, across in unequal_tiles(A)]
    [([[0.0, 2.0], [1.0, 0.0]], [[0.0, 1.0], [2.0, 0.0]])]
    """
    for i in range(0, len(A), TILE):
        for j in range(i, len(A), TILE):
            tile, across = A[i : i + TILE, j : j + TILE], A[j : j + TILE, i : i + TILE].T
            if not np.array_equal(tile, across):
                yield tile, across
