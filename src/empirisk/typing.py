"""Array aliases, intervals of the real line, and the capabilities that solvers ask of problems."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Access", "Array", "Capability", "IndexArray", "Interval"]

Array: TypeAlias = NDArray[np.floating[Any]]
IndexArray: TypeAlias = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Interval:
    """An interval of the real line, with each end open or closed.

    Examples
    --------
    >>> Interval(0.0, 1.0).contains(np.array([0.0, 1.0])).all()
    np.True_
    >>> bool(Interval(0.0, 1.0, low_closed=False).contains(np.array([0.0])).all())
    False
    """

    low: float = -np.inf
    high: float = np.inf
    low_closed: bool = True
    high_closed: bool = True

    def contains(self, y: Array) -> NDArray[np.bool_]:
        """Elementwise membership; infinities belong only to a closed infinite end, NaN never."""
        above = (y >= self.low) if self.low_closed else (y > self.low)
        below = (y <= self.high) if self.high_closed else (y < self.high)
        return above & below

    def __str__(self) -> str:
        left = "[" if self.low_closed and np.isfinite(self.low) else "("
        right = "]" if self.high_closed and np.isfinite(self.high) else ")"
        return f"{left}{self.low:g}, {self.high:g}{right}"


class Capability(Enum):
    """What a solver may need from a problem; the value is how an error names it."""

    # Members exist once: their hash need not be that of their name, which Enum finds in Python.
    __hash__ = object.__hash__

    GRAD = "a differentiable loss"
    HESS = "a twice differentiable loss"
    BOUNDED_CURVATURE = "a loss whose second derivative is bounded"
    QUADRATIC = "the squared loss"
    SUMMED_HESSIAN = "a Hessian that its own pass over the rows sums up"
    SMOOTH_PENALTY = "a differentiable penalty (none or L2)"
    SEPARABLE_PENALTY = "a penalty that separates over the coefficients"
    POLYHEDRAL = "no penalty, or L1 alone"
    FREE_SIGNS = "coefficients of either sign"
    LINEAR = "scores that are linear in columns of known moments"
    KERNEL = "rows of a kernel matrix"
    DESIGN = "a design matrix in memory"
    COLUMNS = "fast access to columns"
    SCALAR_SCORE = "one score per row"
    DENSE = "a dense matrix"
    CONJUGATE = "a loss with a known conjugate"
    PIECEWISE_LINEAR = "a piecewise linear loss"
    DUAL_STEP = "a loss with a dual step for one row"
    ROW_SLOPE = "a loss whose slope is compiled"
    L2_PENALTY = "an L2 penalty"
    CONSTRAINT = "a constraint set in place of the penalty"
    CURBED = "an L2 penalty or a bounded constraint set"
    GROUPS = "a group lasso penalty"
    LINEAR_ORACLE = "a bounded set over which linear functions are minimised in closed form"
    SMOOTH_BORDER = "a constraint set without kinks in its inequalities"
    CONVEX = "a convex loss"
    LATENT = "expected sums of hidden parts, and the step to the parameters that fit them best"
    FEW_WEIGHTS = "at most three weights, the intercept included"
    MEANS = "centres that are means of the rows nearest to them"
    OPERATOR = "products with a symmetric operator"


class Access(Enum):
    """The ways in which the rows of the data can be reached."""

    ROWS = "rows"
    COLUMNS = "columns"
    GRAM = "gram"
    RANDOM_ROWS = "random rows"
