"""The lower half of a kernel matrix in tiles, and products with the whole of it.

``K v`` takes each part below the diagonal twice, ``K_IJ v_J`` for the rows I and ``K_IJ' v_I`` for the rows
J, while it lies in the processor's cache: memory and kernel values are those of half the matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.kernels.base import Kernel
from empirisk.typing import Array

__all__ = ["Tiles"]

# Rows and columns of what is multiplied at once: in float32 it takes 1 MB, which the second look finds in the
# cache.
SIDE = 512
# Columns of a tile: making it is worth the start of all threads.
WIDE = 16 * SIDE


class Tiles:
    """Products with the matrix of a kernel on some rows, of which as many tiles are stored as a limit allows.

    Parameters
    ----------
    kernel : Kernel
        With numbers in place of words.
    X
        Its n rows.
    limit : float
        Bytes for stored tiles; tiles beyond it are made anew for each product.
    dtype : dtype
        Format of the stored tiles, in which their products are summed, tile by tile.
    size : float
        What the values are divided by, so that they stay in the range of the format.

    Notes
    -----
    All tiles of float32 take about ``2 n^2`` bytes.  Which tiles are stored depends on n and the limit alone:
    they are the first ones, because a product meets all tiles in turn, and the tile that was not used for the
    longest time is then the one that comes next.
    """

    def __init__(self, kernel: Kernel, X: Any, limit: float, dtype: Any, size: float = 1.0) -> None:
        self.kernel, self.X, self.size = kernel, X, size
        self.dtype = np.dtype(dtype)
        self.n = int(X.shape[0])
        self.limit = limit
        self.bytes = 0
        self._stored: dict[tuple[int, int], Array] = {}

    def product(self, v: Array) -> Array:
        """Return ``K v / size`` for v of shape (n,), in float64 between the tiles."""
        out = np.zeros(self.n)
        rounded = np.ascontiguousarray(v, dtype=self.dtype)
        for first in range(0, self.n, SIDE):
            rows = slice(first, min(first + SIDE, self.n))
            for start in range(0, rows.stop, WIDE):
                tile = self._tile(rows, slice(start, min(start + WIDE, rows.stop)))
                for at in range(0, tile.shape[1], SIDE):
                    part = tile[:, at : at + SIDE]
                    columns = slice(start + at, start + at + part.shape[1])
                    out[rows] += part @ rounded[columns]
                    if columns.start != first:
                        out[columns] += part.T @ rounded[rows]
        return out

    def _tile(self, rows: slice, columns: slice) -> Array:
        """Return a tile that is stored, or make it, and keep it where there is room."""
        at = rows.start, columns.start
        found = self._stored.get(at)
        if found is not None:
            return found
        centres = self.kernel.centres(self.X, np.arange(columns.start, columns.stop))
        made = self.kernel.block(self.X[rows], centres)
        if self.size != 1.0:
            made = made / self.size
        tile: Array = np.ascontiguousarray(made, dtype=self.dtype)
        if self.bytes + tile.nbytes <= self.limit:
            self._stored[at] = tile
            self.bytes += tile.nbytes
        return tile
