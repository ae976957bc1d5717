"""Refuse a matrix of kernel values that has a negative eigenvalue, and name the rows that show it.

``K + d I`` with d the rounding of K has a Cholesky factor unless K has an eigenvalue below about -d (Higham
2002, Accuracy and Stability of Numerical Algorithms, theorem 10.7).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, eigh

from empirisk.data.threads import for_rows
from empirisk.kernels.base import Kernel
from empirisk.typing import Array, IndexArray

__all__ = ["refuse_indefinite", "refuse_negative_diagonal"]

# Entries that were rounded to some ten digits are still those of a kernel.
ROUNDED = 1e-9


def refuse_negative_diagonal(kernel: Kernel, diagonal: Array, rows: IndexArray) -> None:
    """Refuse a kernel with ``k(x, x) < 0`` for one of the rows.

    Parameters
    ----------
    kernel : Kernel
    diagonal : array, shape (m,)
    rows : array of int, shape (m,)
        What errors call the rows.

    Raises
    ------
    ValueError
        With the row of the smallest value.
    """
    if len(diagonal) and float(diagonal.min()) < 0.0:
        i = int(diagonal.argmin())
        raise ValueError(
            f"the kernel {kernel.title} is not positive semi-definite: k(i, i) = {float(diagonal[i]):.3g} "
            f"< 0 for row {int(rows[i])}; use a Mercer kernel"
        )


def refuse_indefinite(kernel: Kernel, K: Array, rows: IndexArray, eps: float) -> None:
    """Refuse a kernel whose matrix has an eigenvalue that is negative beyond rounding.

    Parameters
    ----------
    kernel : Kernel
    K : array, shape (m, m)
        Its symmetric matrix, in float64.
    rows : array of int, shape (m,)
        What errors call the rows.
    eps : float
        Rounding of the entries, relative to the largest of them.

    Raises
    ------
    ValueError
        With the smallest eigenvalue, and the rows that its eigenvector weighs most.

    Notes
    -----
    One Cholesky factor, ``m^3/3`` flops; the eigenvector is computed where there is none.

    Examples
    --------
    >>> from empirisk.kernels import Precomputed
    >>> refuse_indefinite(Precomputed(), np.array([[1.0, 2.0], [2.0, 1.0]]), np.arange(2), 1e-16)
    Traceback (most recent call last):
        ...
    ValueError: the kernel precomputed is not positive semi-definite: its matrix of 2 rows has ...
    """
    m = len(K)
    refuse_negative_diagonal(kernel, np.diagonal(K), rows)
    size = max(float(K.max(initial=0.0)), -float(K.min(initial=0.0)))
    if not (size > 0.0 and np.isfinite(size)):
        return
    share = max(10.0 * m * eps, ROUNDED)
    lifted = K / size
    lifted[np.diag_indices_from(lifted)] += share
    with for_rows(m):
        try:
            cholesky(lifted.T, lower=True, overwrite_a=True, check_finite=False)
            return
        except np.linalg.LinAlgError:
            value, vector = eigh(K / size, subset_by_index=(0, 0), check_finite=False)
    if value[0] >= -share:
        return
    witness = vector[:, 0]
    heavy = np.argsort(-np.abs(witness), kind="stable")[:3]
    named = ", ".join(str(int(rows[i])) for i in heavy)
    raise ValueError(
        f"the kernel {kernel.title} is not positive semi-definite: its matrix of {m} rows has the eigenvalue "
        f"{value[0] * size:.3g} beside entries up to {size:.3g}, and its eigenvector weighs rows {named} "
        "most; use a Mercer kernel"
    )
