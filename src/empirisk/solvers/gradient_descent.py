"""Gradient descent with a fixed step or backtracking: the plainest of all solvers, and the slowest."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.sums import inner
from empirisk.problems.linear_scores import LinearScores
from empirisk.solvers.base import State
from empirisk.typing import Array, Capability

__all__ = ["GradientDescent"]

FIRST = 2.0  # a step that backtracking starts from, over the last that it took


@dataclass(frozen=True)
class DescentState(State):
    """The objective now and at the start, and the step size."""

    objective: float = np.inf
    first: float = np.inf
    size: float = 1.0


@dataclass(frozen=True)
class GradientDescent:
    """``w <- w - g grad F(w)`` over coefficients and intercept as they are.

    Parameters
    ----------
    step_size : float, "1/L" or "backtracking", default "backtracking"
        The step size g: a number; the inverse of the smoothness constant of the problem; or the largest of
        ``2 g, g, g/2, ...`` (g the last one) that decreases F by ``g ||grad F||^2 / 2`` at least.

    Notes
    -----
    One evaluation a step.  With ``g <= 1/L``, ``F(w_T) - min F <= ||w_0 - w*||^2 / (2 g T)``, and
    ``||w_T - w*||^2 <= (1 - g mu)^T ||w_0 - w*||^2`` if F is mu-strongly convex (Nesterov 2018, Lectures on
    Convex Optimization, theorem 2.1.15 and corollary 2.1.2).  Columns of unlike scales make L/mu, and so T,
    large: standardise them.  Beyond ``2/L`` steps may lead away: the solve then ends with that sentence.

    Examples
    --------
    >>> import empirisk as er
    >>> problem = er.Ridge(alpha=0.5).problem([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0])
    >>> er.solve(problem, GradientDescent("1/L")).certificate.within(1e-6)
    True
    >>> print(er.solve(problem, GradientDescent(5.0)).note)
    step 5 exceeds 2/L = 0.73
    """

    step_size: float | str = "backtracking"

    name = "gradient_descent"
    needs = frozenset({Capability.LINEAR, Capability.GRAD, Capability.SMOOTH_PENALTY})

    def __post_init__(self) -> None:
        g: Any = self.step_size
        if g in ("1/L", "backtracking"):
            return
        number = isinstance(g, int | float) and not isinstance(g, bool)
        if not (number and math.isfinite(g) and g > 0.0):
            raise ValueError(f'step_size must be a number > 0, "1/L" or "backtracking", got {g!r}')

    def init(self, problem: LinearScores, w0: Array | None = None) -> DescentState:
        w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
        e = problem.evaluate(w)
        value = problem.objective(w, e)
        if isinstance(self.step_size, str):
            L = problem.smoothness.value if problem.data.total_weight > 0.0 else 1.0
            if self.step_size == "1/L" and not math.isfinite(L):
                raise ValueError(
                    f'step_size="1/L" needs a finite L, but the second derivative of the loss '
                    f'{problem.loss.name!r} has no bound; use step_size="backtracking"'
                )
            size = 1.0 / L if math.isfinite(L) and L > 0.0 else 1.0
        else:
            size = float(self.step_size)
        return DescentState(w, e, False, n_passes=2.0, objective=value, first=value, size=size)

    def step(self, problem: LinearScores, state: Any) -> DescentState:
        grad = problem.gradient(state.w, state.evaluation)
        square = inner(grad, grad)
        if square == 0.0 or not math.isfinite(square):
            ended: DescentState = replace(state, done=True, check=True)
            return ended
        if self.step_size == "backtracking":
            return self._backtrack(problem, state, grad, square)
        new = self._moved(problem, state, grad, state.size)
        away = not math.isfinite(new.objective) or new.objective > state.first + 10.0 * abs(state.first)
        if not away:
            return new
        L = problem.smoothness
        known = (
            f"2/L = {2.0 / L.value:.3g}"
            if math.isfinite(L.value)
            else "what the unbounded curvature of the loss allows"
        )
        note = f"step {state.size:g} exceeds {known}"
        lost: DescentState = replace(state, done=True, check=True, diverged=True, note=note)
        return lost

    def _backtrack(self, problem: LinearScores, state: Any, grad: Array, square: float) -> DescentState:
        size, passes = FIRST * state.size, state.n_passes
        noise = 64.0 * float(np.finfo(problem.precision).eps)
        for _ in range(60):
            new = self._moved(problem, state, grad, size)
            passes += 2.0
            if new.objective <= state.objective - 0.5 * size * square:
                return replace(new, n_passes=passes)
            if new.objective <= state.objective + noise * abs(state.objective):
                # Values drown in rounding; the curvature along the step decides.
                assert new.evaluation is not None
                ahead = problem.gradient(new.w, new.evaluation)
                if inner(grad - ahead, grad) <= square:
                    return replace(new, n_passes=passes, done=bool(np.array_equal(new.w, state.w)))
            size *= 0.5
        ended: DescentState = replace(state, done=True, check=True, n_passes=passes)
        return ended

    def _moved(self, problem: LinearScores, state: Any, grad: Array, size: float) -> DescentState:
        w = state.w - size * grad
        e = problem.evaluate(w)
        value = problem.objective(w, e)
        return DescentState(
            w,
            e,
            state.n_passes == 2.0,
            n_passes=state.n_passes + 2.0,
            objective=value,
            first=state.first,
            size=size,
        )
