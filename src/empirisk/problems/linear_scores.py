"""Problems of linear scores wherever their rows are: what methods read that need gradients and moments alone.

Such a method (gradient descent, L-BFGS, proximal gradients) never sees the matrix.  It asks for values and
gradients of whole passes, and scales its variables by the moments of the columns.  Both
:class:`problems.linear.LinearProblem` and :class:`problems.streamed.StreamedProblem` answer.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from empirisk.data.row_blocks import RowBlocks
from empirisk.losses.base import Loss
from empirisk.penalties.base import ConstraintSet, Penalty
from empirisk.problems.base import Problem
from empirisk.problems.proofs import Constant, NullModel
from empirisk.typing import Array, Capability

__all__ = ["LinearScores", "offered"]


class LinearScores(Problem, Protocol):
    """``F(w) = (1/S) sum_i s_i loss(y_i, x_i.w + b) + penalty(w)`` over rows that lie anywhere."""

    @property
    def loss(self) -> Loss: ...
    @property
    def penalty(self) -> Penalty: ...
    @property
    def data(self) -> RowBlocks: ...
    @property
    def intercept(self) -> bool: ...
    @property
    def facts(self) -> NullModel: ...

    @property
    def n_params(self) -> int:
        """Rows of the parameter array: one for each column, and one for the intercept."""
        ...

    @property
    def n_outputs(self) -> int:
        """The number of scores of a row when they form a vector, else 0."""
        ...

    @property
    def precision(self) -> np.dtype[Any]:
        """The format in which the products with the columns are made."""
        ...

    @property
    def smoothness(self) -> Constant:
        """A Lipschitz constant of the gradient of the mean loss plus the L2 part."""
        ...

    def split(self, w: Array, /) -> tuple[Array, Array]:
        """Return coefficients and intercept (0 without one)."""
        ...

    def gradient(self, w: Array, evaluation: Any, /) -> Array:
        """Return the gradient of the mean loss plus the L2 part, from the evaluation of w."""
        ...

    def gram_product(self, v: Array, /) -> Array:
        """``(X - m)' diag(s) (X - m) v / S``, with the means m of the columns; 0 without an intercept."""
        ...


def offered(loss: Loss, penalty: Penalty, p: int) -> set[Capability]:
    """Return what a loss and a penalty of p coefficients let a solver do, wherever the rows are."""
    out = {Capability.LINEAR, *loss.offers}
    if Capability.GRAD in out and math.isfinite(loss.curvature[1]):
        out.add(Capability.BOUNDED_CURVATURE)
    if loss.quadratic:
        out.add(Capability.QUADRATIC)
    if math.isfinite(penalty.smoothness):
        out.add(Capability.SMOOTH_PENALTY)
    if penalty.separable:
        out.add(Capability.SEPARABLE_PENALTY)
        if penalty.l2 == 0.0:
            out.add(Capability.POLYHEDRAL)
    if not penalty.positive:
        out.add(Capability.FREE_SIGNS)
    if penalty.l2 > 0.0:
        out.add(Capability.L2_PENALTY)
    if isinstance(penalty, ConstraintSet):
        out.add(Capability.CONSTRAINT)
        if penalty.smooth_border:
            out.add(Capability.SMOOTH_BORDER)
    if callable(getattr(penalty, "linear_minimizer", None)) and penalty.coercive(p):
        out.add(Capability.LINEAR_ORACLE)
    if penalty.l2 > 0.0 or (isinstance(penalty, ConstraintSet) and penalty.coercive(p)):
        out.add(Capability.CURBED)
    if penalty.grouped:
        out.add(Capability.GROUPS)
    if loss.row_slope:
        out.add(Capability.ROW_SLOPE)
    if loss.convex:
        out.add(Capability.CONVEX)
    return out
