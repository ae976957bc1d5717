"""The scores of rows, by our own loop where threads of BLAS would be in the way of what comes next."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.threads import SERIAL_DOT
from empirisk.typing import Array

__all__ = ["row_scores"]

# Numbers of a table from which the product itself takes longer than a thread of BLAS spins after it.
LARGE = 4_000_000
# Columns up to which our loop is as fast on whole columns as on rows.
NARROW = 1_000


def row_scores(X: Any, coef: Array) -> Array:
    """Return ``X w``, w of shape (p,) or (p, k), in the precision of X.

    The second thread of BLAS spins for milliseconds after a product.  On two cores it takes one from the
    loops of the next fit: a search over 30 strengths of ridge regression on 20,000 rows and 200 columns took
    2.5 times as long.

    Parameters
    ----------
    X : array or sparse matrix, shape (n, p)
    coef : array, shape (p,) or (p, k)
        In the precision of X.

    Notes
    -----
    O(n p k).  The product does not depend on the number of threads.

    Examples
    --------
    >>> row_scores(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([3.0, 1.0]))
    array([5., 1.])
    """
    if isinstance(X, np.ndarray) and coef.ndim == 1 and SERIAL_DOT < X.size < LARGE:
        rows, columns = X.flags.c_contiguous, X.flags.f_contiguous and X.shape[1] <= NARROW
        if rows or columns:
            return np.asarray(_loops.matvec(X, np.ascontiguousarray(coef))).astype(X.dtype, copy=False)
    return np.asarray(X @ coef)
