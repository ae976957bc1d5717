"""Interior points: Newton's method on the objective plus a logarithmic barrier of the constraints.

Fiacco and McCormick (1968); Boyd and Vandenberghe, Convex Optimization (2004), section 11.3.
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
from empirisk.solvers.log_barrier import interior, log_barrier
from empirisk.solvers.newton_sum import newton_sum
from empirisk.typing import Array, Capability

__all__ = ["Barrier"]

GROW = 20.0  # factor of the weight of the objective between two centres
LARGEST = 1e15  # of the barrier's inverse weight, relative to the problem's curvature


@dataclass(frozen=True)
class BarrierState(State):
    """The interior point, the inverse weight t of the barrier, and what describes the set."""

    inside: Array | None = None
    t: float = 1.0
    described: Inequalities | None = None
    change: Centred | None = None
    step: float = 1.0
    fresh: bool = True


@dataclass(frozen=True)
class Barrier:
    """``v_t = argmin t F(v) - sum_i log(-g_i(v))`` such that ``E w = f``, for t growing by 20 a step.

    With m inequalities, ``F(v_t) - min F <= m/t``.  The point that is offered is one projected gradient step
    from v_t: it meets the borders that v_t comes near to.

    Notes
    -----
    A step takes Newton's method to the next centre: ``n p^2 + p^3`` each of some 5 to 15 times.  The set
    needs smooth inequalities and an interior point; the L1 ball has kinks and is refused.

    Raises
    ------
    ValueError
        When no interior point is found.

    References
    ----------
    Fiacco & McCormick 1968; Boyd & Vandenberghe 2004, sections 11.2 and 11.3.

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.penalties import Simplex
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(3), [3.0, 2.5, 0.0])
    >>> er.solve(replace(ridge, penalty=Simplex()), "barrier").w.round(6)
    array([0.75, 0.25, 0.  ])
    """

    name = "barrier"
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

    def init(self, problem: LinearProblem, w0: Array | None = None) -> BarrierState:
        null = problem.null if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0 or problem.data.n_cols == 0:
            return BarrierState(problem.null.copy())
        described = problem.penalty.inequalities(problem.data.n_cols)  # type: ignore[attr-defined]
        spread = np.sqrt(problem.moments[1])
        start = interior(described, np.where(spread > 0.0, spread, 1.0))
        if start is None:
            # Two sets that contradict each other are named here.
            problem.penalty.prox(np.zeros(problem.data.n_cols), 0.0)
            raise ValueError(
                f"the set {problem.penalty.name!r} has no interior point that a barrier could start from; "
                'use solver="quadratic_penalty"'
            )
        top = largest_curvature(problem)
        inside = problem.join(start, problem.split(null)[1])
        curvature = float(np.mean(problem.facts.null_curvature)) or 1.0
        change = centred(problem, top)
        offered = change.to_w(prox(problem, change.to_v(null), 0.0))
        t = max(described.count, 1) / max(problem.null_excess, 1e-8 * top)
        return BarrierState(
            offered, problem.evaluate(offered), True, n_passes=28.0, inside=inside, t=t, described=described,
            change=change, step=1.0 / (top * curvature),
        )  # fmt: skip

    def step(self, problem: LinearProblem, state: Any) -> BarrierState:
        if state.inside is None or not math.isfinite(state.evaluation.loss):
            stopped: BarrierState = replace(state, done=True)
            return stopped
        if state.fresh:  # the start may be the answer
            looked: BarrierState = replace(state, fresh=False)
            return looked
        s: Inequalities = state.described
        inside, evaluations = newton_sum(
            problem, lambda w: log_barrier(s, w), s.E, s.f, state.inside, state.t
        )
        change, e = state.change, problem.evaluate(inside)
        v = change.to_v(inside) - state.step * change.grad_to_v(e.grad)
        offered = change.to_w(prox(problem, v, 0.0))
        done = state.t > LARGEST or s.count == 0
        passes = state.n_passes + 2.0 * evaluations + 4.0
        return BarrierState(
            offered, problem.evaluate(offered), True, done, passes, inside=inside, t=state.t * GROW,
            described=s, change=change, step=state.step, fresh=False,
        )  # fmt: skip
