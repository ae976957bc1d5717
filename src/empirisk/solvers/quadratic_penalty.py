"""The penalty method: constraints replaced by the squares of what they are missed by.

Courant (1943); Nocedal and Wright, Numerical Optimization (2006), section 17.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.penalties.inequalities import Inequalities
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.centred import Centred, centred, largest_curvature
from empirisk.solvers.fista import prox
from empirisk.solvers.newton_sum import newton_sum
from empirisk.typing import Array, Capability

__all__ = ["QuadraticPenalty", "missed"]

GROW = 20.0  # factor of the weight of the penalty between two rounds
LARGEST = 1e14  # weight of the squares, relative to the problem's curvature


@dataclass(frozen=True)
class PenaltyState(State):
    """The point outside, the weight of the squares, and what describes the set."""

    outside: Array | None = None
    weight: float = 1.0
    described: Inequalities | None = None
    change: Centred | None = None
    step: float = 1.0
    fresh: bool = True


@dataclass(frozen=True)
class QuadraticPenalty:
    """``v_r = argmin F(v) + (r/2) sum_i dist(v, C_i)^2`` for growing r, C the intersection of the C_i.

    Each C_i is one inequality or equation.  v_r lies outside C, nearer the larger r is: the distance falls as
    1/r, and ``F(v_r) + (r/2) sum_i dist(v_r, C_i)^2 <= min_C F``.  A step multiplies r by 20.  The point that
    is offered is one projected gradient step from v_r, a member of C; the solution's note tells how far
    outside v_r was.

    Notes
    -----
    A step takes Newton's method (semi-smooth: the squares bend at the borders) to the next v_r:
    ``n p^2 + p^3`` each of some 3 to 10 times.  No interior point is needed.  The L1 ball is refused: its
    inequality has kinks.

    Raises
    ------
    ValueError
        When the constraints contradict each other: two of them are named.

    References
    ----------
    Courant 1943; Nocedal & Wright 2006, Numerical Optimization, section 17.1.

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.penalties import Simplex
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(3), [3.0, 2.5, 0.0])
    >>> er.solve(replace(ridge, penalty=Simplex()), "quadratic_penalty").w.round(6)
    array([0.75, 0.25, 0.  ])
    """

    name = "quadratic_penalty"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.GRAD,
            Capability.HESS,
            Capability.SMOOTH_BORDER,
            Capability.CONVEX,
            Capability.SCALAR_SCORE,
        }
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> PenaltyState:
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0 or problem.data.n_cols == 0:
            return PenaltyState(problem.null.copy())
        top = largest_curvature(problem)
        change = centred(problem, top)
        offered = change.to_w(prox(problem, change.to_v(w), 0.0))
        curvature = top * (float(np.mean(problem.facts.null_curvature)) or 1.0)
        return PenaltyState(
            offered, problem.evaluate(offered), True, n_passes=28.0, outside=problem.null.copy(),
            weight=curvature, described=problem.penalty.inequalities(problem.data.n_cols),  # type: ignore[attr-defined]
            change=change, step=1.0 / curvature,
        )  # fmt: skip

    def step(self, problem: LinearProblem, state: Any) -> PenaltyState:
        if state.outside is None or not math.isfinite(state.evaluation.loss):
            stopped: PenaltyState = replace(state, done=True)
            return stopped
        if state.fresh:  # the start may be the answer
            looked: PenaltyState = replace(state, fresh=False)
            return looked
        s: Inequalities = state.described
        free = np.zeros((0, problem.data.n_cols)), np.zeros(0)
        w, evaluations = newton_sum(
            problem, lambda coef: missed(s, coef), *free, state.outside, 1.0 / state.weight
        )
        change, e = state.change, problem.evaluate(w)
        offered = change.to_w(prox(problem, change.to_v(w) - state.step * change.grad_to_v(e.grad), 0.0))
        coef = problem.split(w)[0]
        away = float(np.linalg.norm(coef - problem.penalty.prox(coef, 0.0)))
        return PenaltyState(
            offered, problem.evaluate(offered), True, state.weight * state.step > LARGEST,
            state.n_passes + 2.0 * evaluations + 4.0,
            f"the penalised point lies {away:.2g} outside the set; the answer is its projection",
            outside=w, weight=state.weight * GROW, described=s, change=change, step=state.step, fresh=False,
        )  # fmt: skip


def missed(s: Inequalities, w: Array) -> tuple[float, Array, Array]:
    """``(1/2) sum_i dist(w, C_i)^2`` over the inequalities and equations, its gradient and a Hessian."""
    value, grad, H = 0.0, np.zeros(len(w)), np.zeros((len(w), len(w)))
    for rows, ends, equal in ((s.A, s.b, False), (s.E, s.f, True)):
        size = np.linalg.norm(rows, axis=1)
        live = size > 0.0
        units = rows[live] / size[live, None]
        off = units @ w - ends[live] / size[live]
        if not equal:
            units, off = units[off > 0.0], off[off > 0.0]
        value += 0.5 * float(off @ off)
        grad += off @ units
        H += units.T @ units
    length = float(np.linalg.norm(w))
    for r in s.radii:
        if length > r:
            unit = w / length
            value += 0.5 * (length - r) ** 2
            grad += (length - r) * unit
            H += (1.0 - r / length) * np.eye(len(w)) + (r / length) * np.outer(unit, unit)
    return value, grad, H
