"""Constraint sets as linear inequalities, balls and equations: what a barrier needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from empirisk.penalties import AffineSet, Box, HalfSpace, Intersection, L2Ball, NonNegative, Simplex
from empirisk.typing import Array

__all__ = ["Inequalities", "inequalities"]


@dataclass(frozen=True, eq=False)
class Inequalities:
    """``A w <= b``, ``||w||^2 <= r^2`` for each r, ``E w = f``.

    Parameters
    ----------
    A, b : arrays, shape (m, p) and (m,)
        Linear inequalities.
    radii : tuple of float
        Of balls about the origin.
    E, f : arrays, shape (k, p) and (k,)
        Equations.
    """

    A: Array
    b: Array
    radii: tuple[float, ...]
    E: Array
    f: Array

    @property
    def count(self) -> int:
        """Number of inequalities: the constant of the barrier's gap."""
        return len(self.b) + len(self.radii)

    def slacks(self, w: Array) -> Array:
        """What is left of each inequality, > 0 inside."""
        return np.concatenate([self.b - self.A @ w, [r**2 - w @ w for r in self.radii]])

    def barrier(self, w: Array) -> tuple[float, Array, Array]:
        """``-sum log slack``, its gradient and its Hessian; +inf outside."""
        slack, p, m = self.slacks(w), len(w), len(self.b)
        if not np.all(slack > 0.0):
            return math.inf, np.zeros(p), np.zeros((p, p))
        rows = self.A / slack[:m, None]
        grad, H = rows.sum(axis=0), rows.T @ rows
        for left in slack[m:]:
            grad = grad + 2.0 * w / left
            H = H + 2.0 * np.eye(p) / left + 4.0 * np.outer(w, w) / left**2
        return -float(np.log(slack).sum()), grad, H

    def interior(self) -> Array | None:
        """A point with every inequality strict: the centre of a large ball inside; None when none is found.

        Balls about the origin are replaced by the boxes inside them, so that a thin set may be missed.
        """
        p = self.A.shape[1]
        A, b = [self.A], [self.b]
        for r in self.radii:
            A += [np.eye(p), -np.eye(p)]
            b += [np.full(2 * p, r / math.sqrt(p))]
        rows, ends = np.vstack(A), np.concatenate(b)
        if len(ends) == 0:
            return np.linalg.lstsq(self.E, self.f, rcond=None)[0] if len(self.f) else np.zeros(p)
        norms = np.linalg.norm(rows, axis=1)
        found = linprog(
            np.append(np.zeros(p), -1.0),
            A_ub=np.column_stack([rows, norms]),
            b_ub=ends,
            A_eq=np.column_stack([self.E, np.zeros(len(self.f))]) if len(self.f) else None,
            b_eq=self.f if len(self.f) else None,
            bounds=[(None, None)] * p + [(0.0, 1.0)],
            method="highs",
        )
        if found.status != 0 or found.x is None or found.x[-1] <= 1e-9:
            return None
        return np.asarray(found.x[:p])


def inequalities(s: Any, p: int) -> Inequalities:
    """The description of a set in R^p; sets with kinks in their border (the L1 ball) have none here."""
    none, no = np.zeros((0, p)), np.zeros(0)
    eye = np.eye(p)
    if isinstance(s, L2Ball):
        return Inequalities(none, no, (s.radius,), none, no)
    if isinstance(s, HalfSpace):
        return Inequalities(np.atleast_2d(np.asarray(s.normal)), np.array([s.offset]), (), none, no)
    if isinstance(s, NonNegative):
        return Inequalities(-eye, np.zeros(p), (), none, no)
    if isinstance(s, Simplex):
        return Inequalities(-eye, np.zeros(p), (), np.ones((1, p)), np.array([s.total]))
    if isinstance(s, AffineSet):
        return Inequalities(
            none, no, (), np.asarray(s.matrix, dtype=float), np.asarray(s.values, dtype=float)
        )
    if isinstance(s, Box):
        return _box(
            np.broadcast_to(s.lower, (p,)).astype(float), np.broadcast_to(s.upper, (p,)).astype(float)
        )
    if isinstance(s, Intersection):
        parts = [inequalities(each, p) for each in s.sets]
        return Inequalities(
            np.vstack([q.A for q in parts]),
            np.concatenate([q.b for q in parts]),
            tuple(r for q in parts for r in q.radii),
            np.vstack([q.E for q in parts]),
            np.concatenate([q.f for q in parts]),
        )
    raise ValueError(f"the set {s.name!r} has no smooth inequalities")


def _box(low: Array, high: Array) -> Inequalities:
    """Bounds that meet are equations."""
    eye, same = np.eye(len(low)), low == high
    below, above = np.isfinite(low) & ~same, np.isfinite(high) & ~same
    A = np.vstack([-eye[below], eye[above]])
    return Inequalities(A, np.concatenate([-low[below], high[above]]), (), eye[same], low[same])
