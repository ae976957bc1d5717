"""The potential of the Gibbs posterior that belongs to a problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.problems.linear_objective import LinearObjective
from empirisk.problems.linear_pass import evaluate
from empirisk.typing import Array

__all__ = ["Potential"]


@dataclass(frozen=True)
class Potential:
    """``U(w) = scale * F(w)``, target density proportional to ``exp(-U)``.

    Parameters
    ----------
    problem : LinearObjective
        The problem.
    scale : float
        ``S / (dispersion * temperature)``.
    """

    problem: LinearObjective
    scale: float

    def value_grad(self, w: Array) -> tuple[float, Array]:
        """``U`` and the gradient of its differentiable part (mean loss and L2)."""
        problem, penalty = self.problem, self.problem.penalty
        e = evaluate(problem, w)
        coef, _ = problem.split(w)
        loss, grad = e.loss, e.grad.copy()
        grad[: len(coef)] += penalty.l2 * coef
        return self.scale * (loss + penalty.value(coef)), self.scale * grad

    def grad_estimate(self, w: Array, rng: np.random.Generator, size: int = 256) -> Array:
        """Unbiased gradient from `size` rows: each drawn row counts ``n / size`` times."""
        problem, penalty = self.problem, self.problem.penalty
        block, factor = problem.data.draw(rng, size)
        coef, b = problem.split(w)
        slope = problem.loss.grad(block.y, block.design.matvec(coef) + b)
        weighted = ((factor * block.weight) * slope.T).T / problem.data.total_weight
        grad = block.design.rmatvec(weighted) + penalty.l2 * coef
        return self.scale * problem.join(grad, weighted.sum(axis=0))

    def prox(self, v: Array, step: float) -> Array:
        """Proximal map of ``step * scale * penalty`` on the coefficients."""
        coef, b = self.problem.split(v)
        return self.problem.join(self.problem.penalty.prox(coef, step * self.scale), b)
