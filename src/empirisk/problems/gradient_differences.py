"""The gradient of a problem against differences of its objective, block by block of the parameters."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from empirisk.problems.base import Layout
from empirisk.typing import Array

__all__ = ["gradient_differences"]


class Smooth(Protocol):
    """An objective with a gradient, by way of one evaluation."""

    @property
    def layout(self) -> Layout: ...

    def evaluate(self, w: Array, /) -> Any: ...

    def objective(self, w: Array, evaluation: Any, /) -> float: ...

    def gradient(self, w: Array, evaluation: Any, /) -> Array: ...


def gradient_differences(problem: Smooth, w: Array, rng: np.random.Generator) -> dict[str, float]:
    """Return ``|slope - difference|`` over the norm of the gradient, in a random direction of each block.

    Differences are taken at h and h/2, whose leading errors cancel (Richardson): four evaluations a block.
    """
    w = np.asarray(w, dtype=np.float64)
    grad = problem.gradient(w, problem.evaluate(w))
    size = float(np.linalg.norm(grad)) or 1.0
    h = 1e-3 * max(1.0, float(np.linalg.norm(w)) / np.sqrt(len(w)))
    out, at = {}, 0
    for part in problem.layout.parts:
        direction = np.zeros_like(w)
        direction[at : at + part.rows] = rng.normal(size=part.rows)
        direction /= np.linalg.norm(direction)
        at += part.rows
        slope = (4.0 * _quotient(problem, w, direction, h / 2.0) - _quotient(problem, w, direction, h)) / 3.0
        out[part.name] = abs(float(grad @ direction) - slope) / size
    return out


def _quotient(problem: Smooth, w: Array, direction: Array, h: float) -> float:
    """Return the central difference quotient of the objective along a direction."""
    up, down = w + h * direction, w - h * direction
    rise = problem.objective(up, problem.evaluate(up)) - problem.objective(down, problem.evaluate(down))
    return rise / (2.0 * h)
