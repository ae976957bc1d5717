"""The design matrix: one interface over dense arrays of any layout, CSR and CSC."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.typing import Array, IndexArray

__all__ = ["Design", "as_design"]


@dataclass(frozen=True, eq=False, repr=False)
class Design(Brief):
    """Products with X, its columns and its Gram matrix, without ever densifying or copying X.

    Parameters
    ----------
    X : ndarray or CSR/CSC array, shape (n, p)
        float32 or float64, any memory order, may be read-only.

    Notes
    -----
    Products are in the precision of X; means and norms are accumulated in float64.
    """

    X: Any

    @cached_property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of columns."""
        n, p = self.X.shape
        return int(n), int(p)

    @cached_property
    def dtype(self) -> np.dtype:
        """The number format of X, which is float32 or float64."""
        dtype: np.dtype = np.dtype(self.X.dtype)
        return dtype

    @cached_property
    def sparse(self) -> bool:
        """Whether X is CSR or CSC."""
        return bool(sp.issparse(self.X))

    @property
    def size(self) -> int:
        """How many numbers are stored: all of a dense X, only the non-zero ones of a sparse X."""
        return int(self.X.nnz if self.sparse else self.X.size)

    def matvec(self, w: Array) -> Array:
        """``X w``, w of shape (p,) or (p, k)."""
        return np.asarray(_loops.matvec(self.X, w))

    def rmatvec(self, u: Array) -> Array:
        """``X' u``, u of shape (n,) or (n, k)."""
        if not self.sparse and self.X.strides[0] == self.X.itemsize:
            # Whole columns one after the other: many times the speed of row blocks when p is large.
            products = [_loops.columns_rmatvec(self.X, None, column) for column in np.atleast_2d(u.T)]
            return products[0] if u.ndim == 1 else np.stack(products, axis=1)
        return np.asarray(_loops.rmatvec(self.X, u))

    def rows(self, index: IndexArray) -> Design:
        """Return the design that consists of the rows that are named, in their order."""
        X = self.X.tocsr() if self.sparse and self.X.format == "csc" else self.X
        return Design(X[index])

    def columns(self, index: IndexArray) -> Array:
        """Return the named columns as a dense Fortran-ordered copy in the precision of X."""
        if self.sparse:
            return np.asfortranarray(self.csc[:, index].toarray())
        return np.asfortranarray(self.X[:, index])

    @cached_property
    def csc(self) -> Any:
        """X as CSC (X itself when it is one already)."""
        return self.X if self.X.format == "csc" else self.X.tocsc()

    def moments(self, weight: Array) -> tuple[Array, Array]:
        """Return the weighted means and weighted mean squares about them, both (p,) in float64."""
        total = float(weight.sum(dtype=np.float64))
        p = self.shape[1]
        if total == 0.0:
            return np.zeros(p), np.zeros(p)
        mean, centred_squares = _loops.col_moments(self.X, weight)
        return mean, centred_squares / total

    @cached_property
    def finite(self) -> bool:
        """Whether all stored numbers are finite."""
        data = self.X.data if self.sparse else self.X
        # A sum is finite unless some entry is not (or it overflows, which the slow path then settles); of
        # float32 as float32, because NumPy converts slowly.
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(data.sum())) or bool(np.isfinite(data).all())


def as_design(X: Any) -> Design:
    """Wrap an array or sparse matrix that has been validated."""
    return X if isinstance(X, Design) else Design(X)
