"""Constraint sets of the library as inequalities and equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.convex.problem import ConvexProblem
from empirisk.penalties import (
    AffineSet,
    Box,
    HalfSpace,
    Intersection,
    L1Ball,
    L2Ball,
    NonNegative,
    Simplex,
)
from empirisk.penalties.base import ConstraintSet
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["as_convex_problem"]

Parts = tuple[list[Callable[[Array], float]], list[Array], list[float], Array, Array]


def as_convex_problem(problem: LinearProblem) -> ConvexProblem:
    """A linear problem with one score a row as ``min f(w)`` with the constraints of its set written out.

    Parameters
    ----------
    problem : LinearProblem
        Its penalty may be a constraint set; other penalties stay in the objective.

    Returns
    -------
    ConvexProblem
        Over coefficients and, last, the intercept; bounds of boxes and simplices become its domain.

    Examples
    --------
    >>> import empirisk as er
    >>> from dataclasses import replace
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(2), [3.0, 4.0])
    >>> p = as_convex_problem(replace(ridge, penalty=L2Ball(1.0)))
    >>> p.slacks(np.array([0.6, 0.8])).round(12) + 0.0
    array([0.])
    """
    if problem.n_outputs:
        raise ValueError("as_convex_problem takes problems with one score a row")
    p, q = problem.data.n_cols, problem.n_params
    is_set = isinstance(problem.penalty, ConstraintSet)

    def objective(w: Array) -> float:
        loss = problem.mean_loss(problem.scores(w))
        return loss if is_set else loss + problem.penalty.value(w[:p])

    def gradient(w: Array) -> Array:
        return problem.smooth(w)[1]

    g, rows, values, low, high = _parts(problem.penalty, p) if is_set else ([], [], [], *_free(p))
    A = np.array([np.append(row, np.zeros(q - p)) for row in rows]).reshape(len(rows), q)
    return ConvexProblem(
        objective,
        q,
        [_of_coefficients(f, p) for f in g],
        (A, values),
        gradient if is_set else None,
        lower=np.append(low, np.full(q - p, -np.inf)),
        upper=np.append(high, np.full(q - p, np.inf)),
    )


def _of_coefficients(f: Callable[[Array], float], p: int) -> Callable[[Array], float]:
    return lambda w: f(w[:p])


def _free(p: int) -> tuple[Array, Array]:
    return np.full(p, -np.inf), np.full(p, np.inf)


def _parts(s: Any, p: int) -> Parts:
    low, high = _free(p)
    if isinstance(s, L2Ball):
        return [lambda w: float(w @ w) - s.radius**2], [], [], low, high
    if isinstance(s, L1Ball):
        return [lambda w: float(np.abs(w).sum()) - s.radius], [], [], low, high
    if isinstance(s, HalfSpace):
        a = np.asarray(s.normal)
        return [lambda w: float(a @ w) - s.offset], [], [], low, high
    if isinstance(s, NonNegative):
        return [], [], [], np.zeros(p), high
    if isinstance(s, Box):
        return (
            [],
            [],
            [],
            np.broadcast_to(s.lower, (p,)).astype(float),
            np.broadcast_to(s.upper, (p,)).astype(float),
        )
    if isinstance(s, Simplex):
        return [], [np.ones(p)], [s.total], np.zeros(p), high
    if isinstance(s, AffineSet):
        return [], [np.asarray(row, dtype=float) for row in s.matrix], list(s.values), low, high
    if isinstance(s, Intersection):
        parts = [_parts(each, p) for each in s.sets]
        return (
            [f for part in parts for f in part[0]],
            [row for part in parts for row in part[1]],
            [v for part in parts for v in part[2]],
            np.max([part[3] for part in parts], axis=0),
            np.min([part[4] for part in parts], axis=0),
        )
    raise ValueError(f"the set {s.name!r} has no description by inequalities here")
