"""The variables of first-order methods: coefficients as they are, the intercept at the centre of the columns.

``x.w + b = (x - m).w + c`` with ``c = b + m.w``: the penalty is still about w, while the intercept no longer
fights with the coefficients.  c is measured in units that give it the curvature of w's longest direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.problems.linear_scores import LinearScores
from empirisk.typing import Array

__all__ = ["Centred", "centred", "largest_curvature"]

POWER_STEPS = 12  # so few give no bound, only a start for step sizes


@dataclass(frozen=True)
class Centred:
    """Change of variables ``(w, b) -> (w, c / unit)``.

    Parameters
    ----------
    mean : array, shape (p,)
        Weighted means of the columns; 0 without an intercept.
    unit : float
        What one unit of the last variable adds to c.
    intercept : bool
        Whether the parameter array ends with an intercept row.
    """

    mean: Array
    unit: float
    intercept: bool

    def to_v(self, w: Array) -> Array:
        """Return the parameters for centred columns: (w, b) becomes (w, c / unit)."""
        out = np.array(w, dtype=np.float64)
        if self.intercept:
            out[-1] = (out[-1] + self.mean @ out[:-1]) / self.unit
        return out

    def to_w(self, v: Array) -> Array:
        """Return the parameters for the columns as they were given, the inverse of :meth:`to_v`."""
        out = np.array(v, dtype=np.float64)
        if self.intercept:
            out[-1] = out[-1] * self.unit - self.mean @ out[:-1]
        return out

    def grad_to_v(self, grad: Array) -> Array:
        """Return the gradient in (w, b) -> gradient in (w, c / unit)."""
        out = np.array(grad, dtype=np.float64)
        if self.intercept:
            out[:-1] -= np.multiply.outer(self.mean, out[-1])
            out[-1] *= self.unit
        return out


def largest_curvature(problem: LinearScores) -> float:
    """Return the largest eigenvalue of the centred ``X'SX/S`` by a few power steps: a start for step sizes,
    no bound.
    """
    data, p = problem.data, problem.data.n_cols
    if p == 0 or data.total_weight == 0.0:
        return 1.0
    _, variance = problem.facts.moments
    v = np.sqrt(variance) * np.where(np.arange(p) % 2, -1.0, 1.0) + 1e-3 * np.sqrt(variance.max(initial=0.0))
    top = 0.0
    for _ in range(POWER_STEPS):
        size = float(np.linalg.norm(v))
        if size == 0.0 or not math.isfinite(size):
            break
        v = v / size
        v = problem.gram_product(v)
        top = float(np.linalg.norm(v))
    return max(top, float(variance.max(initial=0.0))) or 1.0


def centred(problem: LinearScores, top: float) -> Centred:
    """Return the change of variables for a problem whose centred Gram matrix has largest eigenvalue `top`."""
    return Centred(problem.facts.moments[0], math.sqrt(top), problem.intercept)
