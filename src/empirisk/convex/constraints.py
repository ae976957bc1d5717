"""Constraint sets of the library as inequalities and equations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.convex.problem import ConvexProblem, Function
from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.inequalities import Inequalities
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array, Capability

__all__ = ["as_convex_problem"]

Pair = tuple[Function, Function | None]


def as_convex_problem(problem: LinearProblem) -> ConvexProblem:
    """Return a linear problem with one score a row as ``min f(w)`` with the constraints of its set written
    out.

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
    >>> p = as_convex_problem(replace(ridge, penalty=er.penalties.L2Ball(1.0)))
    >>> p.slacks(np.array([0.6, 0.8])).round(12) + 0.0
    array([0.])
    """
    if problem.n_outputs:
        raise ValueError("as_convex_problem takes problems with one score a row")
    p, q, penalty = problem.data.n_cols, problem.n_params, problem.penalty
    sets = list(penalty.members) if isinstance(penalty, ConstraintSet) else []
    smooth = bool(sets) or math.isfinite(penalty.smoothness)

    def objective(w: Array) -> float:
        loss = problem.mean_loss(problem.scores(w))
        return loss if sets else loss + penalty.value(w[:p])

    def gradient(w: Array) -> Array:
        out = problem.smooth(w)[1]
        out[:p] += penalty.l2 * w[:p]
        return out

    g, slopes, low, high, E, f = _written_out(sets, p, q)
    given = gradient if smooth and Capability.GRAD in problem.capabilities else None
    m = problem.constants.mu
    return ConvexProblem(
        objective, q, g, (E, f), given, slopes, low, high, strong_convexity=m.value if m.proved else 0.0
    )


def _written_out(sets: list[ConstraintSet], p: int, q: int) -> tuple[Any, ...]:
    """Inequalities with gradients, bounds and equations over q parameters, of which p are coefficients."""
    pairs: list[Pair] = [(_excess(s, p), None) for s in sets if not s.smooth_border]
    smooth = (s.inequalities(p) for s in sets if s.smooth_border)
    s = Inequalities.together([Inequalities.of(p), *smooth])
    pairs += [_ball(r, p, q) for r in s.radii]
    low, high = np.full(q, -np.inf), np.full(q, np.inf)
    for row, end in zip(_wide(s.A, q), s.b, strict=True):
        (held,) = np.nonzero(row)
        if len(held) > 1:
            pairs.append(_half_space(row, float(end)))
        elif row[held[0]] > 0.0:  # a bound
            high[held] = np.minimum(high[held], end / row[held])
        else:
            low[held] = np.maximum(low[held], end / row[held])
    return [g for g, _ in pairs], [slope for _, slope in pairs], low, high, _wide(s.E, q), s.f


def _excess(s: ConstraintSet, p: int) -> Function:
    return lambda w: s.excess(w[:p])


def _ball(radius: float, p: int, q: int) -> Pair:
    return (
        lambda w: float(w[:p] @ w[:p]) - radius**2,
        lambda w: np.append(2.0 * w[:p], np.zeros(q - p)),
    )


def _half_space(normal: Array, offset: float) -> Pair:
    return lambda w: float(normal @ w) - offset, lambda w: normal


def _wide(A: Array, q: int) -> Array:
    """Return the rows over coefficients as rows over all parameters."""
    return np.hstack([A, np.zeros((len(A), q - A.shape[1]))])
