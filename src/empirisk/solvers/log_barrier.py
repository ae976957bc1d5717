"""The logarithmic barrier of a set's inequalities, and a point inside where it can start."""

from __future__ import annotations

import math

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


def interior(s: Inequalities) -> Array | None:
    """A point with every inequality strict: the centre of a large ball inside; None when none is found.

    Balls about the origin are replaced by the boxes inside them, so that a thin set may be missed.
    """
    p = s.A.shape[1]
    A, b = [s.A], [s.b]
    for r in s.radii:
        A += [np.eye(p), -np.eye(p)]
        b += [np.full(2 * p, r / math.sqrt(p))]
    rows, ends = np.vstack(A), np.concatenate(b)
    if len(ends) == 0:
        return np.linalg.lstsq(s.E, s.f, rcond=None)[0] if len(s.f) else np.zeros(p)
    found = linprog(
        np.append(np.zeros(p), -1.0),
        A_ub=np.column_stack([rows, np.linalg.norm(rows, axis=1)]),
        b_ub=ends,
        A_eq=np.column_stack([s.E, np.zeros(len(s.f))]) if len(s.f) else None,
        b_eq=s.f if len(s.f) else None,
        bounds=[(None, None)] * p + [(0.0, 1.0)],
        method="highs",
    )
    if found.status != 0 or found.x is None or found.x[-1] <= 1e-9:
        return None
    return np.asarray(found.x[:p])
