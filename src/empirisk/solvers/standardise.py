"""Centring and scaling of the columns as a reversible change of variables.

With means m and scales d, ``u_j = d_j w_j`` and ``c = b + m.w`` describe the same scores,
``x.w + b = sum_j u_j (x_j - m_j)/d_j + c``.  Solvers work in (u, c), where columns of wildly different
size and origin look alike; X itself is never copied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.problems.linear_scores import LinearScores
from empirisk.typing import Array

__all__ = ["Standardisation", "column_scales", "standardise"]


@dataclass(frozen=True)
class Standardisation:
    """Means (0 without an intercept) and scales of the columns.

    Parameters
    ----------
    mean, scale : arrays, shape (p,)
        ``scale`` is positive.
    intercept : bool
        Whether the parameter array ends with an intercept row.
    """

    mean: Array
    scale: Array
    intercept: bool

    def to_u(self, w: Array) -> Array:
        """Return the parameters for standardised columns: (w, b) becomes (u, c)."""
        out = np.array(w, dtype=np.float64)
        p = len(self.scale)
        if self.intercept:
            out[p] += self.mean @ out[:p]
        out[:p] = (out[:p].T * self.scale).T
        return out

    def to_w(self, u: Array) -> Array:
        """Return the parameters for the columns as they were given: (u, c) becomes (w, b)."""
        out = np.array(u, dtype=np.float64)
        p = len(self.scale)
        out[:p] = (out[:p].T / self.scale).T
        if self.intercept:
            out[p] -= self.mean @ out[:p]
        return out

    def grad_to_u(self, grad: Array) -> Array:
        """Return the gradient in (w, b) -> gradient in (u, c)."""
        out = np.array(grad, dtype=np.float64)
        p = len(self.scale)
        if self.intercept:
            out[:p] -= np.multiply.outer(self.mean, out[p])
        out[:p] = (out[:p].T / self.scale).T
        return out


def column_scales(problem: LinearScores) -> tuple[Array, Array]:
    """Return the means and standard deviations; deviation 0 for columns that are constant up to rounding."""
    mean, variance = problem.facts.moments
    eps = float(np.finfo(problem.precision).eps)
    sd = np.sqrt(variance)
    sd[sd <= 8.0 * eps * np.abs(mean)] = 0.0
    return mean, sd


def standardise(problem: LinearScores, curvature: float = 1.0) -> Standardisation:
    """Return the scales that bring the diagonal of the Hessian, ``curvature * var_j + l2``, to 1."""
    mean, sd = column_scales(problem)
    diagonal = curvature * sd**2 + problem.penalty.l2
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    return Standardisation(mean, scale, problem.intercept)
