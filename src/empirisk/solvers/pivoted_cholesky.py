"""A factor of few columns of a positive semi-definite matrix, from some of its columns drawn at random.

Pivots are drawn in proportion to the diagonal of what is still missing, several at a time: Chen, Epperly,
Tropp and Webber 2023 (arXiv:2207.06503), algorithm 2; as a preconditioner of kernel ridge regression Diaz,
Epperly, Frangella, Tropp and Webber 2023 (arXiv:2304.12465).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from empirisk.typing import Array, IndexArray

__all__ = ["LowRank", "pivoted_cholesky"]

# Shares of the rank that are drawn at once: later draws know what the earlier ones left.
ROUNDS = 8
# What is added to the block of the pivots, as a share of its trace: copies of a row make it singular.
JITTER = 1e-13


@dataclass(frozen=True)
class LowRank:
    """``A = F F' + R``, R positive semi-definite.

    Parameters
    ----------
    factor : array, shape (n, m)
        F.
    missing : float
        The trace of R, which is at least its largest eigenvalue.
    """

    factor: Array
    missing: float


def pivoted_cholesky(
    columns: Callable[[IndexArray], Array],
    diagonal: Array,
    rank: int,
    enough: float,
    generator: np.random.Generator,
) -> LowRank:
    """Return a factor of at most `rank` columns.

    Parameters
    ----------
    columns : callable
        From numbers of columns of A to these columns, shape (n, number of columns).
    diagonal : array, shape (n,)
        That of A.
    rank : int
        Most columns.
    enough : float
        Trace of what is missing at which no further column is drawn.
    generator : Generator
        Draws the pivots.

    Notes
    -----
    ``rank`` columns of A and about ``n rank^2`` flops.
    """
    n = len(diagonal)
    factor = np.empty((n, rank))
    left = np.maximum(diagonal, 0.0)
    nothing = 1e-14 * float(left.sum())
    found = 0
    while found < rank and float(left.sum()) > max(enough, nothing):
        count = min(-(-rank // ROUNDS), rank - found, int(np.count_nonzero(left)))
        pivots = np.sort(generator.choice(n, count, replace=False, p=left / left.sum()))
        before = factor[:, :found]
        new = columns(pivots)
        new -= before @ before[pivots].T
        own = 0.5 * (new[pivots] + new[pivots].T)
        own[np.diag_indices_from(own)] += JITTER * max(float(np.trace(own)), nothing)
        try:
            upper = cholesky(own, check_finite=False)
        except np.linalg.LinAlgError:  # roundings have the last word: what was found before is a factor, too
            break
        made = factor[:, found : found + count]
        made[...] = solve_triangular(upper, new.T, trans="T", overwrite_b=True, check_finite=False).T
        left = np.maximum(left - np.einsum("ij,ij->i", made, made), 0.0)
        left[pivots] = 0.0
        found += count
    return LowRank(factor[:, :found], float(left.sum()))
