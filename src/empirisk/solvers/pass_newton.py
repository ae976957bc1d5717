"""Newton's method on the sums of a problem's own passes: value, gradient and Hessian, nothing of its rows.

``w <- w - t H^-1 grad F(w)`` with H and the gradient from one pass, t by backtracking.  It speaks the
contract of problems alone, so that rows may lie in a memory map or elsewhere.
Boyd & Vandenberghe 2004, Convex Optimization, 9.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.sums import inner
from empirisk.problems.base import SummedProblem, Want
from empirisk.solvers.base import State
from empirisk.solvers.line_search import backtrack
from empirisk.solvers.newton_direction import newton_direction
from empirisk.typing import Array, Capability

__all__ = ["PassNewton"]

# Squared Newton decrement, as a share of the null model's excess, below which a certificate can be small.
PROMISING = 1e-3


@dataclass(frozen=True)
class PassNewton:
    """Exact Hessian of one pass, Cholesky, backtracking.

    Notes
    -----
    O(n p^2 + p^3) per step and one pass for each trial of the step length, 5 to 10 steps; O(p^2) memory
    beside one block of rows.
    """

    name = "pass_newton"
    needs = frozenset({Capability.GRAD, Capability.SUMMED_HESSIAN, Capability.SMOOTH_PENALTY})

    def init(self, problem: SummedProblem, w0: Array | None = None) -> State:
        w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
        return State(w, problem.evaluate(w, (Want.HESSIAN,)), False, False, 1.0)

    def step(self, problem: SummedProblem, state: State) -> State:
        here = state.evaluation
        grad, H = problem.gradient(state.w, here), problem.hessian(here)
        # In units of the curvature no column is large because of its unit; one without curvature stays.
        size = np.sqrt(np.where(np.diag(H) > 0.0, np.diag(H), 1.0))
        direction = newton_direction(H / np.multiply.outer(size, size), grad / size) / size
        slope = inner(grad, direction)
        passes = state.n_passes

        def along(t: float) -> tuple[float, float, Any]:
            nonlocal passes
            passes += 1.0
            w = state.w + t * direction
            e = problem.evaluate(w, (Want.HESSIAN,))
            return problem.objective(w, e), inner(problem.gradient(w, e), direction), (w, e)

        found = backtrack(along, problem.objective(state.w, here), slope) if slope < 0.0 else None
        if found is None:
            return State(state.w, here, True, True, passes)
        w, e = found[1]
        return State(w, e, -slope <= PROMISING * problem.scale(), False, passes)
