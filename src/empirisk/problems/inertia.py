"""How many eigenvalues of a symmetric matrix lie below a level, by the signs of a factor of A - level I.

Sylvester's law of inertia: ``L D L'`` has as many negative eigenvalues as D has negative entries.  What is
factored is not A but a matrix near it; how near is bounded by the sizes of the factors (Higham 2002, Accuracy
and Stability of Numerical Algorithms, theorem 9.3; Rump 2006, BIT 46, for Cholesky's factor), and the level
is lowered by that bound, so that the count is proved (Weyl's inequality).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dpotrf
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from empirisk.data.sparse_cells import is_sparse
from empirisk.data.threads import one_thread
from empirisk.typing import Array

__all__ = ["Below", "Cost", "below", "forecast"]

UNIT = 2.0**-53
# Sparse matrices of so many rows are made dense.
SMALL = 500
# What a count costs, in multiplications of a sparse factor (1.5e-10 processor seconds each): those, 750 for
# each entry of L and 2500 for each of A, since short columns cost their list and not their products; a
# dense factor takes a tenth of n^3.  `python -m bench.inertia` shows what that says beside seconds.
FILL, READ, DENSE = 750.0, 2500.0, 0.1
# Shares of the rows whose factors forecast that of all, and the fewest rows that tell anything.
SHARES, FEWEST = (64, 16, 8, 4), 125


@dataclass(frozen=True)
class Below:
    """At most `count` eigenvalues lie below `level`.

    Parameters
    ----------
    count : int
    level : float
        Proved, with all rounding errors.
    """

    count: int
    level: float


@dataclass(frozen=True)
class Cost:
    """What a count would take.

    Parameters
    ----------
    work : float
        In multiplications of a sparse factor that take as long.
    memory : float
        Gigabytes.
    """

    work: float
    memory: float


def below(A: Any, level: float, V: Array, bound: float) -> Below | str:
    """Return how many eigenvalues of A are below about a level at most, or why that is not proved.

    Parameters
    ----------
    A : array or csr_array, shape (n, n)
        Symmetric; each entry is right to rounding.
    level : float
        The level; that of the answer is a little lower.
    V : array, shape (n, k)
        Vectors of the eigenvalues that are expected below the level; no property of theirs is taken for
        granted.
    bound : float
        No eigenvalue is larger in size.

    Examples
    --------
    >>> found = below(np.diag([0.0, 1.0, 3.0]), 2.0, np.eye(3)[:, :2], 3.0)
    >>> found.count, round(found.level, 6)
    (2, 2.0)
    """
    with one_thread():
        if not is_sparse(A):
            return _by_cholesky(A, level, V, bound)
        if A.shape[0] <= SMALL:
            return _by_cholesky(A.toarray(), level, V, bound)
        return _by_signs(sp.csr_array(A), level, bound)


def _by_cholesky(A: Array, level: float, V: Array, bound: float) -> Below | str:
    """Count by ``A - level I + t V V'``: where it is positive definite, at most k eigenvalues are below."""
    n, k = V.shape
    lift = 2.0 * bound + abs(level)
    B = (lift * V) @ V.T
    B += A
    B[np.diag_indices(n)] -= level
    trace = float(np.trace(B))
    _, info = dpotrf(B, lower=1, overwrite_a=1, clean=0)
    if info != 0:
        return f"more than {k} eigenvalues may lie below {level:.4g}"
    share = (n + 2) * UNIT / (1.0 - 2.0 * (n + 2) * UNIT)
    square = float((V * V).sum())
    error = share * trace + UNIT * ((k + 4) * lift * square + (n + 10) * (bound + abs(level)))
    return Below(k, level - error)


def _by_signs(A: Any, level: float, bound: float) -> Below | str:
    """Count the negative pivots of the sparse factor ``L D L'`` of ``A - level I`` without row exchanges."""
    n = A.shape[0]
    factor = _factor(A, level)
    if factor is None or not np.array_equal(factor.perm_r, factor.perm_c):
        return f"the factor at {level:.4g} needs an exchange of rows"
    L, U = sp.csc_array(factor.L), sp.csr_array(factor.U)
    D, ones = U.diagonal(), np.ones(n)
    size = abs(L)
    terms = float(np.bincount(L.indices, minlength=n).max()) + 2.0
    sizes = size @ (abs(U) @ ones)
    # U is D L' but for rounding; D L' is what has the signs of D.
    off = size @ (_apart(U, D, L) @ ones)
    again = size @ (np.abs(D) * (size.T @ ones))
    share = terms * UNIT / (1.0 - terms * UNIT)
    entries = (float(np.diff(A.indptr).max()) + 10.0) * UNIT * (bound + abs(level))
    error = float((share * sizes + (1.0 + share) * off + 4.0 * UNIT * again).max()) + entries
    if not math.isfinite(error):
        return f"the factor at {level:.4g} grows beyond all numbers"
    return Below(int((D < 0.0).sum()), level - 1.01 * error)


def _apart(U: Any, D: Array, L: Any) -> Any:
    """Return the sizes of the entries of ``U - D L'``, for U by rows and L by columns."""
    L.sort_indices()
    U.sort_indices()
    if not (np.array_equal(U.indptr, L.indptr) and np.array_equal(U.indices, L.indices)):
        return abs(U - sp.diags_array(D) @ L.T)
    # Mostly the two have entries at the same places, and no sum of two patterns needs to be made.
    apart = np.abs(U.data - np.repeat(D, np.diff(L.indptr)) * L.data)
    return sp.csr_array((apart, U.indices, U.indptr), shape=U.shape)


def _factor(A: Any, level: float) -> Any:
    """Return SuperLU's factors with pivots of the diagonal alone, or None where one is 0."""
    C = sp.csc_array(A - level * sp.eye_array(A.shape[0]))
    try:
        return splu(C, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # a pivot is 0 to the last bit
        return None


def forecast(A: Any, budget: float = math.inf) -> Cost:
    """Return what a count takes, from the sparse factors of parts of the graph.

    Parameters
    ----------
    A : array or csr_array, shape (n, n)
        As in :func:`below`.
    budget : float, default infinity
        Where even growth like the rows takes more than that, no larger part is tried.

    Examples
    --------
    >>> forecast(np.eye(100)).work
    100000.0
    """
    n = A.shape[0]
    if not is_sparse(A) or n <= SMALL:
        return Cost(DENSE * n**3, 24e-9 * n * n)
    with one_thread():
        return _by_parts(sp.csr_array(A), budget)


def _by_parts(A: Any, budget: float) -> Cost:
    """Return what a sparse factor takes, by those of balls in the graph, each larger than the one before."""
    n = A.shape[0]
    order = reverse_cuthill_mckee(sp.csr_matrix(A), symmetric_mode=True)
    work: list[tuple[int, float, float]] = []
    cost = Cost(READ * A.nnz, 0.0)
    least = cost.work
    for share in (s for s in SHARES if n >= s * FEWEST):
        if least > budget:
            break
        # The first rows in the order by levels are a ball around a vertex at the rim.
        rows = order[: n // share]
        factor = _factor(A[rows][:, rows], -1.0)
        if factor is None:
            return Cost(math.inf, math.inf)
        column = np.diff(sp.csc_array(factor.L).indptr).astype(np.float64)
        work.append((len(rows), float(column @ column), float(column.sum())))
        effort, entries = _extended(work, n)
        cost = Cost(effort + FILL * entries + READ * A.nnz, 80e-9 * entries)
        least = (work[-1][1] + FILL * work[-1][2]) * n / len(rows) + READ * A.nnz
    return cost


def _extended(work: list[tuple[int, float, float]], n: int) -> tuple[float, float]:
    """Return multiplications and entries for n rows, from those of parts, by powers of the number of rows.

    One part alone tells a lower limit: both grow at least like the rows.
    """
    m, effort, entries = work[-1]
    if len(work) == 1:
        return effort * n / m, entries * n / m
    rows, effort_before, entries_before = work[-2]
    steps = math.log(m / rows)
    steep = min(max(math.log(effort / effort_before) / steps, 1.0), 3.0)
    wide = min(max(math.log(entries / entries_before) / steps, 1.0), 2.0)
    return effort * (n / m) ** steep, entries * (n / m) ** wide
