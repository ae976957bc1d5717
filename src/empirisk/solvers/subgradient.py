"""Projected subgradient descent with averages of iterates and of dual values.

Nesterov, Mathematical Programming 120 (2009), for the averages of dual values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.sums import inner
from empirisk.optimizers import Schedule
from empirisk.penalties import ConstraintSet, L2Ball
from empirisk.problems.intercept import best_intercept
from empirisk.problems.linear import LinearProblem
from empirisk.problems.linear_pass import two_reads
from empirisk.solvers.base import State
from empirisk.solvers.fista import prox
from empirisk.typing import Array, Capability

__all__ = ["Subgradient"]

OUTPUTS = ("average", "suffix", "last", "best")


@dataclass(frozen=True)
class SubgradientState(State):
    """The last iterate, the sums of iterates and dual values (the suffix begins anew), and what was best."""

    at: Array | None = None
    t: int = 0
    total: Array | None = None
    dual: Array | None = None
    count: int = 0
    squares: float = 0.0
    best: float = math.inf
    reach: float = math.inf


@dataclass(frozen=True)
class Subgradient:
    """``w <- P_C(w - g_t q_t)``, q_t a subgradient of F at w; the output is an average of the iterates.

    The certificate comes from the average of the dual values ``-l'(z)`` of the steps: by convexity its gap is
    at most the mean of ``q_t.(w_t - u)`` over the steps, u the worst point, which is what the theorems bound.

    Parameters
    ----------
    schedule : "auto" or Schedule, default "auto"
        Step sizes.  "auto": ``1/(mu t)`` with an L2 penalty of strength mu.  On a set with ``||w|| <= B``,
        ``B/(rho sqrt T)``, rho the Lipschitz constant of the mean loss and T = `n_steps`; where rho is
        infinite ``B / sqrt(sum of ||q||^2 so far)``.  Or an object of :mod:`empirisk.optimizers`.
    output : {"average", "suffix", "last", "best"}, default "average"
        Mean of all iterates, or of those of the second half of the run; the last; the one with the least F.
    n_steps : int, default 1000
        T, the length of the run.

    Notes
    -----
    One evaluation a step.  Without an intercept, from 0, both the error and the gap of the average are at
    most ``B rho / sqrt T`` on a ball, and ``G^2 (1 + log T) / (2 mu T)`` with L2, G the longest subgradient.
    That is slow: 1e-3 of the size of F, not 1e-10.  An intercept is minimised exactly at each step, which
    costs no pass; the dual values are balanced for it.  With L2 the iterates are projected onto a ball that
    holds the minimiser.

    References
    ----------
    Shor 1985; Shalev-Shwartz et al. 2011 (Pegasos); Nesterov 2009, Primal-dual subgradient methods (Math.
    Program. 120); Rakhlin, Shamir & Sridharan 2012 (ICML), suffix averages.

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.losses import Absolute
    >>> from empirisk.penalties import L2Ball
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(2), [3.0, 0.0])
    >>> problem = replace(ridge, loss=Absolute(), penalty=L2Ball(1.0))
    >>> solution = er.solve(problem, Subgradient(n_steps=400), tol=0.02)
    >>> bool(problem.value(solution.w) - 1.0 <= 1.0 * problem.constants.rho.value / 20.0)
    True
    """

    schedule: Any = "auto"
    output: str = "average"
    n_steps: int = 1_000

    name = "subgradient"
    needs = frozenset({Capability.DESIGN, Capability.CONVEX, Capability.CONJUGATE, Capability.CURBED})

    def __post_init__(self) -> None:
        if self.output not in OUTPUTS:
            raise ValueError(f"output must be one of {', '.join(OUTPUTS)}, got {self.output!r}")
        if self.schedule != "auto" and (
            isinstance(self.schedule, str) or not isinstance(self.schedule, Schedule)
        ):
            raise ValueError(f'schedule must be "auto" or a schedule of er.optimizers, got {self.schedule!r}')
        if isinstance(self.n_steps, bool) or self.n_steps < 1:
            raise ValueError(f"n_steps must be an integer >= 1, got {self.n_steps!r}")

    def init(self, problem: LinearProblem, w0: Array | None = None) -> SubgradientState:
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0:
            return SubgradientState(w)
        w = prox(problem, w, 0.0) if isinstance(problem.penalty, ConstraintSet) else w
        zero = np.zeros_like(problem.null_scores)
        reach = radius_of(problem)
        return SubgradientState(w, None, False, at=w, total=np.zeros_like(w), dual=zero, reach=reach)

    def step(self, problem: LinearProblem, state: Any) -> SubgradientState:
        if state.at is None:
            stopped: SubgradientState = replace(state, done=True)
            return stopped
        w, t = state.at, state.t + 1
        coef, b = problem.split(w)
        z = problem.scores(w)
        if problem.intercept:  # at its best: what is left is a function of the coefficients
            best_b = best_intercept(problem.loss, problem.data.y, problem.data.weight, z - b, start=b)
            z, w = z + (best_b - b), problem.join(coef, best_b)
        e = two_reads(problem, z)
        q = e.grad.copy()
        q[len(coef) :] = 0.0
        q[: len(coef)] += problem.penalty.l1 * np.sign(coef) + problem.penalty.l2 * coef
        square = inner(q, q)
        if not (math.isfinite(square) and math.isfinite(e.loss)):
            ended: SubgradientState = replace(
                state, done=True, check=True, diverged=True, note="a step led to infinite numbers"
            )
            return ended
        squares = state.squares + square
        theta = -problem.loss.grad(problem.data.y, e.scores)
        halfway = self.output == "suffix" and t == self.n_steps // 2 + 1
        count, total, dual = (
            (1, w, theta) if halfway else (state.count + 1, state.total + w, state.dual + theta)
        )
        value, best = e.loss + problem.penalty.value(coef), state.best
        if self.output == "best":
            out, best = (w, value) if value < best else (state.w, best)
        else:
            out = w if self.output == "last" else total / count
        moved = w - self._size(problem, state, t, squares) * q
        moved = _inside(problem, moved, state.reach)
        ends = t >= self.n_steps
        return SubgradientState(
            out, None, ends, n_passes=state.n_passes + 2.0, hint=dual / count, complete=ends,
            at=moved, t=t, total=total, dual=dual, count=count, squares=squares, best=best, reach=state.reach,
        )  # fmt: skip

    def _size(self, problem: LinearProblem, state: Any, t: int, squares: float) -> float:
        if self.schedule != "auto":
            return float(self.schedule.at(t))
        if problem.penalty.l2 > 0.0:
            return 1.0 / (problem.penalty.l2 * t)
        rho = problem.constants.rho.value if problem.loss.lipschitz < math.inf else math.inf
        if 0.0 < rho < math.inf:
            return float(state.reach / (rho * math.sqrt(self.n_steps)))
        return float(state.reach / math.sqrt(squares)) if squares > 0.0 else 0.0


def _inside(problem: LinearProblem, w: Array, reach: float) -> Array:
    """Return the projection of the coefficients onto the set, or with L2 onto a ball that holds the
    minimiser.
    """
    if isinstance(problem.penalty, ConstraintSet):
        return prox(problem, w, 0.0)
    coef, b = problem.split(w)
    if problem.penalty.positive:
        coef = np.maximum(coef, 0.0)
    return problem.join(L2Ball(reach).project(coef) if math.isfinite(reach) else coef, b)


def radius_of(problem: LinearProblem) -> float:
    """B with ``||w|| <= B``: of a bounded set its radius, or the far corner of the box around it.

    With L2 the minimiser has ``mu ||w||^2 / 2 <= F(0) - inf loss``.
    """
    penalty: Any = problem.penalty
    if penalty.l2 > 0.0:
        known = math.isfinite(problem.facts.saturated)
        return math.sqrt(2.0 * problem.null_excess / penalty.l2) if known else math.inf
    for name in ("radius", "total"):
        if hasattr(penalty, name):
            return float(getattr(penalty, name))
    p = problem.data.n_cols
    ends = [max(penalty.support(sign * unit) for sign in (1.0, -1.0)) for unit in np.eye(p)]
    return float(np.linalg.norm(ends))
