"""Spectral projected gradients for a smooth loss over a constraint set.

Birgin, Martinez and Raydan, SIAM Journal on Optimization 10 (2000).
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
from empirisk.solvers.fista import prox
from empirisk.typing import Array, Capability

__all__ = ["ProjectedGradient"]

MEMORY = 10  # a step may end above the last objective but not above the highest of so many
# The usual constant of Armijo's condition.
SUFFICIENT = 1e-4
DROWNED = 1e-13  # of the objective: no decrease of this size can be seen
TRUSTED = 100  # steps after the decrease has drowned in rounding


@dataclass(frozen=True)
class SpectralState(State):
    """Iterate in centred variables, the spectral step size, the last objectives, and steps on trust."""

    change: Centred | None = None
    v: Array | None = None
    size: float = 1.0
    last: tuple[float, ...] = ()
    trusted: int = 0


@dataclass(frozen=True)
class ProjectedGradient:
    """``d = P_C(v - g grad f(v)) - v``, ``v <- v + t d`` with t by a non-monotone line search.

    g is the Barzilai-Borwein step ``s.s / s.y`` of the last move s and the change y of the gradient.

    Notes
    -----
    One projection and about one evaluation a step.  The intercept is free.  Every iterate lies in the set.

    References
    ----------
    Birgin, Martinez & Raydan 2000, Nonmonotone spectral projected gradient methods on convex sets (SIAM J.
    Optim. 10); Barzilai & Borwein 1988.

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.penalties import L2Ball
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(2), [6.0, 8.0])
    >>> er.solve(replace(ridge, penalty=L2Ball(1.0)), "projected_gradient").w.round(6)
    array([0.6, 0.8])
    """

    name = "projected_gradient"
    needs = frozenset({Capability.LINEAR, Capability.GRAD, Capability.CONSTRAINT})

    def init(self, problem: LinearScores, w0: Array | None = None) -> SpectralState:
        w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0:
            return SpectralState(w)
        top = largest_curvature(problem)
        change = centred(problem, top)
        curvature = float(np.mean(problem.facts.null_curvature))
        v = prox(problem, change.to_v(w), 0.0)
        e = problem.evaluate(change.to_w(v))
        size = 1.0 / (top * (curvature if curvature > 0.0 else 1.0))
        return SpectralState(
            change.to_w(v), e, True, n_passes=26.0, change=change, v=v, size=size, last=(e.loss,)
        )

    def step(self, problem: LinearScores, state: Any) -> SpectralState:
        if state.v is None or not math.isfinite(state.evaluation.loss):
            stopped: SpectralState = replace(state, done=True)
            return stopped
        grad = state.change.grad_to_v(state.evaluation.grad)
        d = prox(problem, state.v - state.size * grad, 0.0) - state.v
        slope = inner(grad, d)
        # Near the optimum the decrease drowns in rounding: steps are taken on trust, and certificates judge.
        trust = abs(slope) <= DROWNED * abs(state.evaluation.loss) and state.trusted < TRUSTED
        found = (
            self._search(problem, state, d, math.inf if trust else slope) if trust or slope < 0.0 else None
        )
        if found is None:
            ended: SpectralState = replace(state, done=True, check=True)
            return ended
        v, e, trials = found
        s, y = v - state.v, state.change.grad_to_v(e.grad) - grad
        bend, length = inner(s, y), inner(s, s)
        size = length / bend if bend > 1e-30 * length else 4.0 * state.size
        # One pair of differences that is all rounding must not make every later step useless.
        size = min(max(size, 1e-10 * state.size), 1e10 * state.size)
        return SpectralState(
            state.change.to_w(v), e, state.n_passes == 26.0, n_passes=state.n_passes + 2.0 * trials,
            change=state.change, v=v, size=size, last=(*state.last, e.loss)[-MEMORY:],
            trusted=state.trusted + int(trust),
        )  # fmt: skip

    @staticmethod
    def _search(
        problem: LinearScores, state: Any, d: Array, slope: float
    ) -> tuple[Array, Evaluated, int] | None:
        highest, t = max(state.last), 1.0
        for trial in range(1, 50):
            v = state.v + t * d
            if t == 1.0:  # the projection itself, not its sum with rounding
                v = prox(problem, v, 0.0)
            e = problem.evaluate(state.change.to_w(v))
            if e.loss <= highest + SUFFICIENT * t * slope:
                return v, e, trial
            t *= 0.5 if not math.isfinite(e.loss) else 0.4
        return None
