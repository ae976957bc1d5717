"""Rows of target 0 under a log link: can their means be driven to 0 while the other rows stand still?

A row with ``y > 0`` resists in both directions (its loss grows without bound), a row with ``y = 0`` only
upwards: its loss falls for ever as the score falls.  Without a penalty there is no minimiser exactly when
some direction moves no row with ``y > 0``, no row with ``y = 0`` upwards, and one of them downwards.  Where
a family allows ``y < 0`` such rows fall as those of 0 do; its rows with ``y > 0`` do not resist for ever, so
that the direction proves that there is no minimiser, and none proves nothing.
Correia, Guimaraes & Zylkin 2019, "Verifying the existence of maximum likelihood estimates for generalized
linear models".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import svd
from scipy.optimize import linprog

from empirisk.data.threads import one_thread
from empirisk.problems.linear_objective import LinearObjective
from empirisk.problems.separation.plain import plain_problem
from empirisk.problems.separation.words import listing
from empirisk.typing import Array, IndexArray

__all__ = ["only_zeros", "zeros_run_off"]

# Directions that move standardised rows by less than this share of their size stand still.
STILL = 1e-9
MOST_ENTRIES = 5_000_000  # numbers that are held at once: 40 MB


def only_zeros(problem: LinearObjective) -> str:
    """Return a sentence when a free intercept has only targets of 0 to fit, which no penalty changes; else
    "".
    """
    problem = plain_problem(problem)
    present = problem.data.y[problem.data.weight > 0.0]
    if not problem.intercept or len(present) == 0 or np.any(present > 0.0):
        return ""
    return (
        "no finite minimiser: every target is 0, so that the intercept falls without end (no penalty holds "
        "it: leave it out, or predict 0)"
    )


def zeros_run_off(problem: LinearObjective, names: Sequence[str] | None = None) -> str:
    """A sentence that says why there is no minimiser, or "" when there is one (or it is too dear to know).

    A sample of the rows with ``y > 0`` that has as many independent rows as there are parameters settles it;
    otherwise the directions that the sample leaves free are tried on all rows, and the sample grows.
    `names` are those of the columns.
    """
    problem = plain_problem(problem)
    y, s = problem.data.y, problem.data.weight
    positive, zero = np.flatnonzero((y > 0.0) & (s > 0.0)), np.flatnonzero((y <= 0.0) & (s > 0.0))
    if len(zero) == 0 or problem.n_params == 0:
        return ""
    if len(positive) == 0 and problem.intercept:
        return only_zeros(problem)
    with one_thread():  # small factorisations between passes over the rows
        free = _free_directions(problem, positive)
        if free.shape[1] == 0 or len(zero) * free.shape[1] > MOST_ENTRIES:
            return ""
        return _push_down(problem, zero, free, names)


def _rows(problem: LinearObjective, index: IndexArray) -> Array:
    """Return the standardised rows, with the constant as the last column."""
    block = problem.design.rows(index).X
    dense = np.asarray(block.toarray() if problem.design.sparse else block, dtype=np.float64)
    mean, variance = problem.moments
    scale = np.sqrt(np.where(variance > 0.0, variance, 1.0))
    out = (dense - mean) / scale
    return np.column_stack([out, np.ones(len(out))]) if problem.intercept else out


def _movement(problem: LinearObjective, index: IndexArray, directions: Array) -> Array:
    """Return what directions (standardised) do to the scores of rows, in blocks: sparse rows stay few at a
    time.
    """
    size = max(1, MOST_ENTRIES // max(problem.n_params, 1))
    parts = [_rows(problem, index[i : i + size]) @ directions for i in range(0, len(index), size)]
    return np.concatenate(parts) if parts else np.zeros((0, directions.shape[1]))


def _free_directions(problem: LinearObjective, positive: IndexArray) -> Array:
    """Orthonormal basis of the directions that move no row with a positive target."""
    m = problem.n_params
    spread = np.linspace(0, len(positive) - 1, min(4 * m, len(positive))).astype(np.intp)
    chosen = positive[spread]
    while True:
        basis = _null_space(_rows(problem, chosen), m)
        if basis.shape[1] == 0 or len(chosen) == len(positive):
            return basis
        moved = np.abs(_movement(problem, positive, basis)).max(axis=1)
        farthest = np.argsort(-moved, kind="stable")[: 2 * m]
        grown = np.union1d(chosen, positive[farthest[moved[farthest] > STILL]])
        if len(grown) == len(chosen):
            return basis
        chosen = grown


def _null_space(A: Array, m: int) -> Array:
    if len(A) == 0:
        return np.eye(m)
    _, values, Vt = svd(A, full_matrices=True)
    rank = int((values > STILL * max(float(values[0]), 1e-300)).sum())
    return np.asarray(Vt[rank:].T)


def _push_down(problem: LinearObjective, zero: IndexArray, free: Array, names: Sequence[str] | None) -> str:
    """Return the linear programme: the farthest total fall of the zero rows over a box of free directions."""
    T = _movement(problem, zero, free)
    T[np.abs(T) <= STILL] = 0.0
    T = np.unique(T, axis=0)
    T = T[np.any(T != 0.0, axis=1)]
    if len(T) == 0:
        return ""
    found = linprog(T.sum(axis=0), A_ub=T, b_ub=np.zeros(len(T)), bounds=(-1.0, 1.0), method="highs")
    if not found.success or found.x is None:
        return ""
    fall = T @ found.x
    if fall.min() > -1e-6 * np.abs(T).max() or fall.max() > 1e-9 * np.abs(T).max():
        return ""
    still = _movement(problem, zero, free @ found.x[:, None])[:, 0]
    count = int((still < -1e-6 * np.abs(still).max()).sum())
    rows = "1 row" if count == 1 else f"{count} rows"
    p = problem.data.n_cols
    size = np.abs(free @ found.x)[:p]
    used = np.flatnonzero(size > 1e-6 * size.max(initial=0.0))
    labels = [f"x{j}" if names is None else str(names[int(j)]) for j in used]
    return (
        f"no finite minimiser: {listing(labels) if labels else 'the constant'} can tell {rows} of target "
        f"{'0' if problem.data.y.min() >= 0.0 else '<= 0'} from all rows with a positive target, so that the "
        "means of these rows fall to 0 without end"
    )
