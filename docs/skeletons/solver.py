"""Accelerated gradient descent: a copy-me file for a solver.

Copy to src/empirisk/solvers/<name>.py, rename, change `step`, and add one row to REGISTRY in
src/empirisk/solvers/registry.py.  tests/conformance/test_solvers.py then runs it on all problems: it has
to certify the optimum, or its `needs` have to refuse the problem before the first step.

A solver knows nothing about stopping: the one loop (`solve`) asks the problem for certificates and decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.standardise import Standardisation, standardise
from empirisk.typing import Array, Capability

__all__ = ["AcceleratedGradient"]


@dataclass(frozen=True)
class GradientState(State):
    """Iterate and look-ahead point in standardised variables, momentum, and the step size."""

    standard: Standardisation | None = None
    u: Array | None = None
    ahead: Array | None = None
    momentum: float = 1.0
    size: float = 1.0
    objective: float = np.inf


@dataclass(frozen=True)
class AcceleratedGradient:
    """``u <- v - t grad F(v)``, v a look-ahead along the last step; the momentum restarts when F rises.

    Notes
    -----
    Two evaluations (four passes over the data) per step; about ``sqrt(condition)`` steps per digit.

    References
    ----------
    Nesterov 1983; O'Donoghue & Candes 2015 (adaptive restart).
    """

    name = "accelerated_gradient"
    needs = frozenset(
        {Capability.DESIGN, Capability.GRAD, Capability.BOUNDED_CURVATURE, Capability.SMOOTH_PENALTY}
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> GradientState:
        standard = standardise(problem, max(problem.loss.curvature[1], 1e-3))
        w = problem.null if w0 is None else np.asarray(w0, dtype=np.float64)
        u = standard.to_u(w)
        return GradientState(w, problem.evaluate(w), True, False, 2.0, "", standard, u, u)

    def step(self, problem: LinearProblem, state: Any) -> GradientState:
        v, t = state.ahead, state.size
        value, grad = _objective(problem, state.standard, v)
        passes = state.n_passes + 2.0
        slope = float(np.vdot(grad, grad))
        rounding = 4.0 * float(np.finfo(problem.design.dtype).eps)
        while True:  # the step size only ever shrinks, so that this ends
            u = v - t * grad
            w = state.standard.to_w(u)
            e = problem.evaluate(w)
            passes += 2.0
            objective = e.loss + problem.penalty.value(problem.split(w)[0])
            # Rounding of F hides smaller decreases, in float32 much larger ones than in float64.
            if objective <= value - 0.5 * t * slope + rounding * abs(value) or t < 1e-12:
                break
            t *= 0.5
        momentum = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * state.momentum**2))
        if objective > state.objective:
            momentum, ahead = 1.0, u
        else:
            ahead = u + (state.momentum - 1.0) / momentum * (u - state.u)
        return GradientState(w, e, True, False, passes, "", state.standard, u, ahead, momentum, t, objective)


def _objective(problem: LinearProblem, standard: Standardisation, u: Array) -> tuple[float, Array]:
    """F and its gradient in the standardised variables."""
    w = standard.to_w(u)
    e = problem.evaluate(w)
    coef, _ = problem.split(w)
    grad = e.grad.copy()
    grad[: len(coef)] += problem.penalty.l2 * coef
    return e.loss + problem.penalty.value(coef), standard.grad_to_u(grad)
