"""A kernel whose values are given: the rows of X are rows of the matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.across import unequal_tiles
from empirisk.kernels.algebra import MercerKernel
from empirisk.typing import Array, IndexArray

__all__ = ["Precomputed"]

# Said of fewer rows than columns.
FOLDS = (
    "; whoever deals rows to folds must take the same columns, K[rows][:, rows], as er.cross_evaluate and "
    "scikit-learn do; where that cannot be, give a function that looks values up, "
    "kernel=lambda A, B: K[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))], with numbers of rows as X"
)


@dataclass(frozen=True)
class Precomputed(MercerKernel):
    """``k(x_i, x_j) = X[i, j]``: in a fit X is the (n, n) matrix of the training rows, later (m, n).

    Centres are numbers of training rows, so that ``block(A, centres)`` picks columns of A.  Sparse matrices
    are taken, and their blocks are dense.

    Examples
    --------
    >>> Precomputed().block(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1]))
    array([[1.],
           [2.]])
    """

    name = "precomputed"
    proved = False
    precomputed = True

    def check(self, X: Any) -> None:
        """Refuse a matrix of training rows that is not square or not symmetric."""
        n, m = X.shape
        if n != m:
            raise ValueError(
                "with kernel='precomputed' X is the matrix of kernel values of the training rows, (n, n); "
                f"got {n} x {m}{FOLDS if n < m else ''}"
            )
        if isinstance(X, np.ndarray):
            apart = (float(np.abs(tile - across).max()) for tile, across in unequal_tiles(X))
            worst = max(apart, default=0.0)
        else:
            worst = float(abs(X - X.T).max()) if n else 0.0
        top = float(abs(X).max()) if worst > 0.0 else 0.0
        if worst > 1e-8 * top and not (worst <= 1e-5 * top and _single(X)):
            i, j = (int(v) for v in np.unravel_index(int(abs(X - X.T).argmax()), (n, m)))
            raise ValueError(
                f"the precomputed kernel matrix is not symmetric: K[{i}, {j}] = {X[i, j]:g} and "
                f"K[{j}, {i}] = {X[j, i]:g}, a difference of {worst:.2g}; use (K + K.T) / 2 if that "
                "is rounding"
            )

    def block(self, A: Any, B: Any = None) -> Array:
        """Return A, or its columns at the centres B; what is sparse becomes dense."""
        picked: Any = A if B is None else A[:, B]
        return np.asarray(picked if isinstance(picked, np.ndarray) else picked.toarray())

    def diagonal(self, A: Any) -> Array:
        """Return the diagonal of the matrix of the training rows."""
        return np.asarray(A.diagonal())

    def centres(self, X: Any, rows: IndexArray) -> Any:
        """Return the numbers of the rows."""
        return rows


def _single(X: Any) -> bool:
    """Return whether all numbers are those of float32, in which they may have been computed."""
    values = X if isinstance(X, np.ndarray) else X.data
    with np.errstate(over="ignore"):
        return bool((values.astype(np.float32) == values).all())
