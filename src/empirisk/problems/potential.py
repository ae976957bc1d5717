"""The potential of the Gibbs posterior that belongs to a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from empirisk.typing import Array

if TYPE_CHECKING:
    from empirisk.problems.linear import LinearProblem

__all__ = ["Potential"]


@dataclass(frozen=True)
class Potential:
    """``U(w) = scale * F(w)``, target density proportional to ``exp(-U)``.

    Parameters
    ----------
    problem : LinearProblem
        The problem.
    scale : float
        ``S / (dispersion * temperature)``.
    """

    problem: LinearProblem
    scale: float

    def value_grad(self, w: Array) -> tuple[float, Array]:
        """``U`` and the gradient of its differentiable part (mean loss and L2)."""
        problem, penalty = self.problem, self.problem.penalty
        loss, grad = problem.smooth(w)
        coef, _ = problem.split(w)
        grad = grad.copy()
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
