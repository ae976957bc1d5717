"""The 0-1 loss: the share of wrong labels; it is for evaluation only, since it has no useful gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from empirisk.losses.base import ScalarLoss
from empirisk.typing import Array, Interval

__all__ = ["ZeroOne"]


@dataclass(frozen=True)
class ZeroOne(ScalarLoss):
    """``l(y, z) = 1`` where the sign of the score is not the label's, else 0; a score of 0 counts as -1.

    What classification is judged by, and what no solver here minimises: it is not convex and has no gradient
    that says where to go.  Its conjugate is 0 at ``u = 0`` and +inf elsewhere, so that duality knows nothing
    better than "no errors".

    Examples
    --------
    >>> ZeroOne().value(np.array([1.0, 1.0, -1.0]), np.array([0.3, -0.2, -5.0]))
    array([0., 1., 0.])
    """

    name = "zero_one"
    labels = True
    y_domain = Interval(-1.0, 1.0)
    convex = False
    curvature = (-math.inf, math.inf)
    lipschitz = math.inf
    offers = frozenset()

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray((z > 0.0) != (y > 0.0), dtype=z.dtype)

    def grad(self, y: Array, z: Array) -> NoReturn:
        """Refuse, because the loss is constant wherever it has a derivative; the message names its
        surrogates.
        """
        raise TypeError(
            "the 0-1 loss is not convex and has no gradient: minimise a convex surrogate (logistic, hinge, "
            "squared_hinge, exponential) and evaluate the 0-1 loss of the result"
        )

    hess = grad

    def conjugate(self, y: Array, u: Array) -> Array:
        return np.where(u == 0.0, 0.0, np.inf).astype(u.dtype, copy=False)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return +1 or -1, the label with more weight by more than rounding; -1 when there is none."""
        total, lead = float(s.sum()), float((s * y).sum())
        return np.asarray(1.0 if lead > len(y) * float(np.finfo(np.float64).eps) * total else -1.0)
