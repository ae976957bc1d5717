"""From an L1 fit on dependent columns to one of the same scores on independent columns, at a smaller penalty.

Where the columns that are not 0 are dependent, w can move along ``X d = 0`` without changing a score, and
the L1 norm changes at a constant rate until a coefficient is 0.  Coordinate steps creep along such directions
when the penalty is weak.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import svd

from empirisk.problems.linear_objective import LinearObjective
from empirisk.typing import Array

__all__ = ["to_vertex"]

MOST_COLUMNS = 500  # each factorisation costs p^3
MOST_WORK = 2e9  # rows * columns^2
RANK = 1e-12  # smaller singular values, relative to the largest, are rounding


def to_vertex(problem: LinearObjective, w: Array) -> Array | None:
    """Parameters of the same scores on independent columns; None where nothing can be moved.

    Parameters
    ----------
    problem : LinearObjective
        One score a row, an L1 penalty without an L2 part.
    w : array
        Parameters near the optimum.
    """
    penalty = problem.penalty
    if problem.n_outputs or penalty.l1 <= 0.0 or penalty.l2 > 0.0 or penalty.positive:
        return None
    coef, b = problem.split(np.array(w, dtype=np.float64))
    support = np.flatnonzero(coef)
    n = problem.design.shape[0]
    if not 1 < len(support) <= MOST_COLUMNS or n * float(len(support)) ** 2 > MOST_WORK:
        return None
    mean, variance = problem.moments
    size = np.sqrt(np.where(variance > 0.0, variance, 1.0))
    shift = mean if problem.intercept else np.zeros_like(mean)
    A = (problem.design.columns(support).astype(np.float64) - shift[support]) / size[support]
    # What is asked below is asked of the triangular factor as well, which has no row for each row of A.
    A = np.asarray(np.linalg.qr(A[problem.data.weight > 0.0], mode="r"))
    before, moved = float(shift @ coef), False
    while len(support) > 1:
        _, singular, Vt = svd(A, full_matrices=True, check_finite=False)
        rank = int((singular > RANK * singular[0]).sum())
        N = Vt[rank:].T
        # Down the L1 norm, in units of the standardised columns.
        d = -N @ (N.T @ (np.sign(coef[support]) / size[support]))
        u = coef[support] * size[support]
        back = d * u < 0.0
        if not N.shape[1] or not back.any() or float(np.abs(d).max()) <= 1e-12 / float(size[support].min()):
            break
        t = np.where(back, -u / np.where(back, d, 1.0), np.inf)
        first = int(np.argmin(t))
        u = u + t[first] * d
        u[first] = 0.0
        coef[support] = u / size[support]
        kept = np.arange(len(support)) != first
        support, A, moved = support[kept], A[:, kept], True
    return problem.join(coef, b + before - float(shift @ coef)) if moved else None
