"""Newton's method over the functions of a kernel, with the kernel matrix in memory.

With slopes g and curvatures h of the weighted mean loss at the scores, a step solves
``(H K + alpha I) a + h b = H z - g`` by the Cholesky factor of ``I + H^(1/2) K H^(1/2) / alpha``, whose
eigenvalues are at least 1 (Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, section
3.4.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from empirisk.data.memory import refuse_memory
from empirisk.data.threads import MANY
from empirisk.problems.intercept import best_intercept
from empirisk.problems.kernelised import KernelEvaluation, KernelProblem
from empirisk.problems.mercer import refuse_no_kernel
from empirisk.solvers.base import State
from empirisk.typing import Array, Capability

__all__ = ["KernelNewton", "kernel_matrix"]

# Halvings of a step before it is given up: its length is then a rounding.
HALVINGS = 40


@dataclass(frozen=True)
class NewtonState(State):
    """A point, and the value of the objective there."""

    value: float = field(default=math.inf, kw_only=True)


@dataclass(frozen=True)
class KernelNewton:
    """Newton steps with a halving line search; one step is exact for the squared loss.

    Notes
    -----
    ``n^3/3`` flops a step, and two matrices of n x n numbers.
    """

    name = "kernel_newton"
    newton = True
    needs = frozenset({Capability.KERNEL, Capability.GRAD, Capability.HESS})

    def large(self, problem: KernelProblem) -> bool:
        """Return whether the algebra of a step is worth all threads."""
        return problem.n >= MANY

    def init(self, problem: KernelProblem, w0: Array | None = None) -> NewtonState:
        """Return the state at the given point, or at the null model, with K in memory."""
        kernel_matrix(problem)
        refuse_no_kernel(problem)
        w = problem.start() if w0 is None else np.asarray(w0, dtype=np.float64)
        return _at(problem, w, 0.0)

    def step(self, problem: KernelProblem, state: NewtonState) -> NewtonState:
        """Return the state after one Newton step, shortened until the objective falls."""
        target = self._newton(problem, state)
        if target is None:
            return _ended(state, "the Newton system could not be solved")
        size, passes = 1.0, state.n_passes
        for _ in range(HALVINGS):
            new = _at(problem, state.w + size * (target - state.w), passes + 1.0)
            if new.value <= state.value:
                return new
            size *= 0.5
        return _ended(state, "")

    def _newton(self, problem: KernelProblem, state: NewtonState) -> Array | None:
        """Return where the quadratic model of the objective at the state has its minimum."""
        K, y = kernel_matrix(problem), problem.data.y
        s = problem.data.weight / problem.data.total_weight
        z = state.evaluation.scores
        g, h = s * problem.loss.grad(y, z), s * problem.loss.hess(y, z)
        root = np.sqrt(np.maximum(h, 0.0) / problem.alpha)
        B = root[:, None] * K
        B *= root
        B[np.diag_indices_from(B)] += 1.0
        try:
            # B is symmetric: its transpose is the same matrix in the order of LAPACK, and nothing is copied.
            factor = cho_factor(B.T, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None

        def solved(r: Array) -> Array:
            """``(H K + alpha I)^-1 r``, for right sides of the form H v - g."""
            inner = cho_solve(factor, root * (K @ r) / problem.alpha, check_finite=False)
            return np.asarray(r / problem.alpha - root * inner)

        plain = solved(h * z - g)
        if not problem.intercept:
            return plain
        # The constant b makes the slopes of the new scores sum to 0, and with them the weights of the rows.
        along = solved(h)
        total = float(along.sum())
        b = float(plain.sum()) / total if total > 0.0 else 0.0
        return problem.join(plain - b * along, b)


def kernel_matrix(problem: KernelProblem) -> Array:
    """Return K in float64, made once for all strengths; refused where it does not fit into memory.

    Raises
    ------
    MemoryError
        With a forecast.
    """
    if problem.gram.whole is None:
        refuse_memory(
            f"the kernel matrix of {problem.n} rows, and its factor,",
            2.0 * 8.0 * float(problem.n) ** 2,
            "fit on fewer rows, or map the rows by Nystroem or random features and fit a linear model",
        )
    return problem.gram.matrix()


def _at(problem: KernelProblem, w: Array, passes: float) -> NewtonState:
    """Return the state at a point whose intercept is the best one."""
    a, b = problem.split(w)
    f = problem.times_kernel(a)
    if problem.intercept and np.isfinite(f).all():
        b = float(best_intercept(problem.loss, problem.data.y, problem.data.weight, f, np.asarray(b)))
    w = problem.join(a, b)
    evaluation: KernelEvaluation = problem.evaluated(f + b, gradient=False)
    value = problem.objective(w, evaluation)
    return NewtonState(
        w, evaluation, True, False, passes, "", value=value if math.isfinite(value) else math.inf
    )


def _ended(state: NewtonState, note: str) -> NewtonState:
    """Return the state, which no step improves any further."""
    return replace(state, done=True, note=note)
