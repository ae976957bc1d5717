"""The logarithmic barrier of a set's inequalities, and a point inside where it can start."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import linprog

from empirisk.penalties.inequalities import Inequalities
from empirisk.typing import Array

__all__ = ["interior", "log_barrier"]


def log_barrier(s: Inequalities, w: Array) -> tuple[float, Array, Array]:
    """``-sum log slack``, its gradient and its Hessian; +inf outside."""
    slack, p, m = s.slacks(w), len(w), len(s.b)
    if not np.all(slack > 0.0):
        return math.inf, np.zeros(p), np.zeros((p, p))
    rows = s.A / slack[:m, None]
    grad, H = rows.sum(axis=0), rows.T @ rows
    for left in slack[m:]:
        grad = grad + 2.0 * w / left
        H = H + 2.0 * np.eye(p) / left + 4.0 * np.outer(w, w) / left**2
    return -float(np.log(slack).sum()), grad, H


def interior(s: Inequalities, size: Array | None = None) -> Array | None:
    """Return a point with every inequality strict; None when none is found.

    Of the points around which a ball of half the largest possible radius (at most 1) fits, one with the least
    sum of absolute values: two linear programmes, for the coefficients times `size` (spreads of the columns),
    so that no score is far out.  Balls about the origin are replaced by the boxes inside them, so that a thin
    set may be missed.
    """
    p = s.A.shape[1]
    unit = np.ones(p) if size is None else size
    A, b = [s.A], [s.b]
    for r in s.radii:
        A += [np.eye(p), -np.eye(p)]
        b += [np.full(2 * p, r / math.sqrt(p))]
    rows, ends, E = np.vstack(A) / unit, np.concatenate(b), s.E / unit
    norms = np.linalg.norm(rows, axis=1)
    free = [(None, None)] * p
    widest = _programme(np.append(np.zeros(p), -1.0), rows, norms[:, None], ends, E, s.f, [*free, (0.0, 1.0)])
    if widest is None:
        return None
    ends = ends - 0.5 * widest[-1] * norms
    both = np.vstack([rows, np.eye(p), -np.eye(p)])
    extra = np.vstack([np.zeros((len(rows), p)), -np.eye(p), -np.eye(p)])  # |u_j| <= t_j
    ends = np.concatenate([ends, np.zeros(2 * p)])
    near = _programme(np.repeat([0.0, 1.0], p), both, extra, ends, E, s.f, [*free, *free])
    if near is None:
        return None
    w = near[:p] / unit
    return w if np.all(s.slacks(w) > 0.0) else None  # the programme's own tolerance may exceed a thin set


def _programme(
    cost: Array, rows: Array, extra: Array, ends: Array, E: Array, f: Array, bounds: list[Any]
) -> Array | None:
    """``min cost.(u, t)`` such that ``rows u + extra t <= ends``, ``E u = f``; None when the solver of linear
    programmes fails.
    """
    width = len(cost) - E.shape[1]
    found = linprog(
        cost,
        A_ub=np.hstack([rows, extra]),
        b_ub=ends,
        A_eq=np.hstack([E, np.zeros((len(f), width))]) if len(f) else None,
        b_eq=f if len(f) else None,
        bounds=bounds,
        method="highs",
    )
    return np.asarray(found.x) if found.status == 0 else None
