"""The matrix of a kernel on some rows, of which what was asked for is kept within a limit of memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from empirisk.data.memory import refuse_memory
from empirisk.kernels.base import Kernel
from empirisk.typing import Array, IndexArray

__all__ = ["Gram"]


class Gram:
    """``K[i, j] = k(x_i, x_j)``: rows that are made when they are asked for, and kept while there is room.

    Parameters
    ----------
    kernel : Kernel
        Words ("scale", "median") are resolved on X.
    X : array or CSR, shape (n, p)
        Its n rows; with a precomputed kernel the matrix itself.  They are referred to, not copied.
    memory : float, optional
        MB (1e6 bytes) that kept rows, or the kept matrix, may take; where it is not given, what the system
        has free when they are made.
    dtype : dtype, default float64
        Format of what is kept and returned, float32 or float64.  Values are computed in that of X.

    Attributes
    ----------
    shape : tuple of int
    kept : int
        Rows that are kept now; their bytes are :attr:`nbytes`.
    made : int
        Rows that were computed so far, products left out.

    Raises
    ------
    MemoryError
        By :meth:`rows` and :meth:`matrix`, with a forecast, for what does not fit into the limit.

    Notes
    -----
    The rows that leave first are those that were not asked for the longest.  A row costs n kernel values.
    Sequential minimal optimisation has a cache of its own, in compiled code, whose rows lose the columns that
    have left the problem; conjugate gradients read one half of the matrix in tiles.

    Examples
    --------
    >>> from empirisk.kernels import Gaussian, Gram
    >>> X = np.arange(4.0)[:, None]
    >>> gram = Gram(Gaussian(gamma=1.0), X, memory=1e-4)  # 100 bytes: three rows of four numbers
    >>> gram.rows([0, 2]).round(3)
    array([[1.   , 0.368, 0.018, 0.   ],
           [0.018, 0.368, 1.   , 0.368]])
    >>> gram.rows([2, 3]).shape, gram.made, gram.kept
    ((2, 4), 3, 3)
    >>> gram.product([1.0, 0.0, 0.0, 1.0]).round(3)
    array([1.   , 0.386, 0.386, 1.   ])
    >>> gram.matrix()
    Traceback (most recent call last):
        ...
    MemoryError: all 4 rows of the kernel matrix take 0.000128 MB and the limit of this Gram is 0.0001 MB: ...
    """

    def __init__(self, kernel: Kernel, X: Any, memory: float | None = None, dtype: Any = np.float64) -> None:
        if memory is not None and not memory >= 0.0:
            raise ValueError(f"memory must be a number of MB >= 0, or None, got {memory!r}")
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise ValueError(f"dtype must be float32 or float64, got {dtype!r}")
        kernel.check(X)
        self.kernel, self.X, self.memory = kernel.resolved(X), X, memory
        self.made = 0
        self._whole: Array | None = None
        self._rows: OrderedDict[int, Array] = OrderedDict()

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows of X, and again: the matrix is square."""
        n = int(self.X.shape[0])
        return n, n

    @property
    def kept(self) -> int:
        """The number of rows that are kept now."""
        return len(self._rows) if self._whole is None else self.shape[0]

    @property
    def nbytes(self) -> int:
        """The bytes of what is kept now, which never exceed the limit."""
        return self.kept * self._row_bytes

    @property
    def whole(self) -> Array | None:
        """The matrix where it is kept, else None; it is not made."""
        return self._whole

    def rows(self, index: Any) -> Array:
        """Return rows of the matrix, shape (len(index), n), in an array of their own.

        Parameters
        ----------
        index : sequence of int
            Numbers of rows, in any order and repeated or not; negative ones count from the end.
        """
        at = np.arange(self.shape[0])[np.asarray(index, dtype=np.intp)].reshape(-1)
        if self._whole is not None:
            return self._whole[at]
        wanted = dict.fromkeys(at.tolist())
        self._refuse(f"{len(wanted)} rows of the kernel matrix", len(wanted), "ask for fewer rows at once")
        for i in wanted:
            if i in self._rows:
                self._rows.move_to_end(i)
        missing = [i for i in wanted if i not in self._rows]
        self._make_room(len(missing))
        if missing:
            for i, row in zip(missing, self._computed(np.array(missing)), strict=True):
                self._rows[i] = row.copy()  # a view would keep all of its neighbours alive
        return np.stack([self._rows[i] for i in at.tolist()]) if len(at) else np.empty((0, self.shape[1]))

    def matrix(self, advice: str = "read it by rows, or raise memory") -> Array:
        """Return the whole matrix, which is kept from now on, read-only and exactly symmetric.

        Parameters
        ----------
        advice : str
            What the error of a matrix that does not fit tells to do.
        """
        if self._whole is None:
            n = self.shape[0]
            self._refuse(f"all {n} rows of the kernel matrix", n, advice)
            self._rows.clear()
            whole = np.asarray(self.kernel.block(self.X), dtype=self.dtype)
            if whole is self.X:  # a matrix that was given stays writeable to its owner
                whole = whole.view()
            whole.flags.writeable = False
            self._whole, self.made = whole, self.made + n
        return self._whole

    def product(self, v: Any) -> Array:
        """Return ``K v`` in float64, v of shape (n,) or (n, c): kept rows are read, and no others kept."""
        v = np.asarray(v, dtype=np.float64)
        if len(v) != self.shape[0]:
            raise ValueError(f"v must have a number for each of the {self.shape[0]} rows, got {len(v)}")
        if self._whole is not None:
            return np.asarray(self._whole @ v, dtype=np.float64)
        out = np.empty(v.shape)
        for i, row in self._rows.items():
            out[i] = row @ v
        others = np.setdiff1d(np.arange(self.shape[0]), np.fromiter(self._rows, np.intp, len(self._rows)))
        if len(others):
            centres = self.kernel.centres(self.X, np.arange(self.shape[0]))
            out[others] = self.kernel.product(self.X[others], centres, v)
        return out

    # -- what is kept -------------------------------------------------------------------------------

    @property
    def _row_bytes(self) -> int:
        return self.shape[1] * int(self.dtype.itemsize)

    def _computed(self, index: IndexArray) -> Array:
        centres = self.kernel.centres(self.X, np.arange(self.shape[0]))
        self.made += len(index)
        return np.asarray(self.kernel.block(self.X[index], centres), dtype=self.dtype)

    def _make_room(self, count: int) -> None:
        """Forget the rows that were not used for the longest time, until `count` more of them fit."""
        if self.memory is None:
            return
        most = int(1e6 * self.memory / max(self._row_bytes, 1))
        while self._rows and len(self._rows) + count > most:
            self._rows.popitem(last=False)

    def _refuse(self, what: str, count: int, advice: str) -> None:
        """Refuse rows that do not fit into the limit, or into what is free."""
        forecast = float(count) * self._row_bytes
        if self.memory is not None and forecast > 1e6 * self.memory:
            raise MemoryError(
                f"{what} take {forecast / 1e6:.3g} MB and the limit of this Gram is {self.memory:.3g} MB: "
                f"{advice}"
            )
        refuse_memory(f"a Gram with {what}", forecast, advice)
