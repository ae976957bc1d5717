"""Accelerated proximal gradients (FISTA) with backtracking and adaptive restart.

Beck and Teboulle, SIAM Journal on Imaging Sciences 2 (2009); the restart is that of O'Donoghue and Candes
(2015).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.sums import inner
from empirisk.problems.base import Evaluated
from empirisk.problems.linear_scores import LinearScores
from empirisk.solvers.base import State
from empirisk.solvers.centred import Centred, centred, largest_curvature
from empirisk.typing import Array, Capability

__all__ = ["FISTA", "ProximalState", "prox_step"]

LONGER = 0.95  # each step tries a slightly smaller L: curvature is local
NOISE = 4e-15  # of the objective: its rounding, which must not shorten steps


@dataclass(frozen=True)
class ProximalState(State):
    """Iterate and look-ahead point in centred variables, momentum and the estimate of L."""

    change: Centred | None = None
    v: Array | None = None
    ahead: Array | None = None
    momentum: float = 1.0
    L: float = 1.0


@dataclass(frozen=True)
class FISTA:
    """``v+ = prox_{P/L}(a - grad f(a) / L)``, then ``a = v+ + (t - 1)/t+ (v+ - v)``, a look-ahead.

    ``t+ = (1 + sqrt(1 + 4 t^2))/2``.  L grows until
    ``f(v+) <= f(a) + grad f(a).(v+ - a) + L ||v+ - a||^2 / 2``; the momentum starts anew when it points
    uphill, ``(a - v+).(v+ - v) > 0``.

    Parameters
    ----------
    accelerate : bool, default True
        False is plain proximal gradient descent (ISTA).
    adaptive : bool, default True
        Let L fall and the momentum start anew: faster, but outside the theorem.  False is the method of Beck
        and Teboulle.

    Notes
    -----
    Any smooth loss, any penalty or set with a prox.  Two evaluations a step.  Not adaptive, with the last L,
    ``F(v_k) - min F <= 2 L ||v_0 - v*||^2 / (k+1)^2``; plain steps ``L ||v_0 - v*||^2 / (2k)``.

    References
    ----------
    Beck & Teboulle 2009 (SIAM J. Imaging Sciences 2); O'Donoghue & Candes 2015 (Found. Comput. Math. 15).

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.penalties import Simplex
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(2), [3.0, 1.0])
    >>> problem = replace(ridge, penalty=Simplex())
    >>> er.solve(problem, "fista").w.round(6)
    array([1., 0.])
    """

    accelerate: bool = True
    adaptive: bool = True

    name = "fista"
    needs = frozenset({Capability.LINEAR, Capability.GRAD})

    def init(self, problem: LinearScores, w0: Array | None = None) -> ProximalState:
        w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0:
            return ProximalState(w)
        top = largest_curvature(problem)
        change = centred(problem, top)
        curvature = float(np.mean(problem.facts.null_curvature))
        L = top * (curvature if curvature > 0.0 else 1.0) + problem.penalty.l2
        v = prox(problem, change.to_v(w), 0.0)
        w = change.to_w(v)
        return ProximalState(
            w, problem.evaluate(w), False, n_passes=26.0, change=change, v=v, ahead=v, momentum=0.0, L=L
        )

    def step(self, problem: LinearScores, state: Any) -> ProximalState:
        if state.v is None:
            stopped: ProximalState = replace(state, done=True)
            return stopped
        at = state.evaluation if state.ahead is state.v else problem.evaluate(state.change.to_w(state.ahead))
        found = prox_step(
            problem, state.change, state.ahead, at, (LONGER if self.adaptive else 1.0) * state.L
        )
        passes = state.n_passes + 2.0 + (0.0 if at is state.evaluation else 2.0)
        if found is None:
            if state.ahead is state.v:
                ended: ProximalState = replace(state, done=True, check=True)
                return ended
            anew: ProximalState = replace(state, ahead=state.v, momentum=1.0)
            return anew
        v, e, L, trials = found
        uphill = self.adaptive and inner(state.ahead - v, v - state.v) > 0.0
        t = (1.0 + math.sqrt(1.0 + 4.0 * state.momentum**2)) / 2.0
        if uphill or not self.accelerate:
            ahead, t = v, 1.0
        else:
            ahead = v + (max(state.momentum - 1.0, 0.0) / t) * (v - state.v)
        w, first = state.change.to_w(v), state.momentum == 0.0
        still = bool(np.array_equal(v, state.v)) and state.ahead is state.v
        return ProximalState(
            w, e, still or first, still, passes + 2.0 * (trials - 1), "", change=state.change, v=v,
            ahead=v if np.array_equal(ahead, v) else ahead, momentum=t, L=L,
        )  # fmt: skip


def prox(problem: LinearScores, v: Array, step: float) -> Array:
    """Return the prox of the penalty; the intercept is free."""
    if not problem.intercept:
        return np.asarray(problem.penalty.prox(v, step))
    return np.concatenate([problem.penalty.prox(v[:-1], step), v[-1:]])


def prox_step(
    problem: LinearScores, change: Centred, a: Array, at: Evaluated, L: float
) -> tuple[Array, Evaluated, float, int] | None:
    """``v+`` from a, its evaluation, the L that was accepted, and the trials; None when no L helps."""
    grad = change.grad_to_v(at.grad)
    if not (math.isfinite(at.loss) and np.isfinite(grad).all()):
        return None
    for trial in range(1, 60):
        v = prox(problem, a - grad / L, 1.0 / L)
        move = v - a
        e = problem.evaluate(change.to_w(v))
        square = inner(move, move)
        if math.isfinite(e.loss):
            bound = at.loss + inner(grad, move) + 0.5 * L * square
            if e.loss <= bound + NOISE * abs(at.loss):
                return v, e, L, trial
            # Near the optimum values drown in rounding; there the curvature along the move decides.
            if inner(change.grad_to_v(e.grad) - grad, move) <= 0.5 * L * square:
                return v, e, L, trial
        L *= 2.0
    return None
