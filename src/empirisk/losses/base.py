"""The contract of a loss: pointwise in the score z, never summed, never weighted.

A loss is a frozen dataclass without state, so that it can be cloned, compared, pickled and put into an
estimator's parameters.  Sums and weights belong to :class:`empirisk.problems.LinearProblem`.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from empirisk.typing import Array, Interval

__all__ = ["Loss", "ScalarLoss"]


@runtime_checkable
class Loss(Protocol):
    """``l(y, z)``: convex and pointwise in the score ``z``.

    Attributes
    ----------
    name : str
        Registry name.
    y_domain : Interval
        Admissible targets.
    convex : bool
        Convex in z.
    curvature : (float, float)
        Infimum and supremum of the second derivative in z (of its eigenvalues when z is a vector).
    lipschitz : float
        Supremum of the norm of the derivative in z (infinite when unbounded).
    vector : bool
        Whether a row has a vector of scores (shape (n, k)) instead of one score.
    """

    @property
    def name(self) -> str: ...
    @property
    def y_domain(self) -> Interval: ...
    @property
    def convex(self) -> bool: ...
    @property
    def curvature(self) -> tuple[float, float]: ...
    @property
    def lipschitz(self) -> float: ...
    @property
    def vector(self) -> bool: ...

    def value(self, y: Array, z: Array) -> Array:
        """Loss of each row, shape (n,)."""
        ...

    def grad(self, y: Array, z: Array) -> Array:
        """Derivative in z, the shape of z."""
        ...

    def hess(self, y: Array, z: Array) -> Array:
        """Second derivative in z; for vector scores its diagonal, the shape of z."""
        ...

    def conjugate(self, y: Array, u: Array) -> Array:
        """``sup_z u z - l(y, z)`` for each row; +inf outside the domain."""
        ...

    def mean(self, z: Array) -> Array:
        """Inverse link: the expected target of a row whose score is z."""
        ...

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        """What to add to ``value / dispersion`` to get ``-log p(y | z)``."""
        ...

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """Move dual values into ``{sum_i s_i theta_i = 0}`` without leaving the conjugate's domain.

        An unpenalised intercept asks for this (``-theta`` is the argument of the conjugate).
        """
        ...

    def best_constant(self, y: Array, s: Array) -> Array:
        """The constant score that minimises ``sum_i s_i l(y_i, z)``, shape () or (k,); may be infinite."""
        ...


class ScalarLoss:
    """What the losses with one score per row share."""

    convex = True
    vector = False

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """Shrink the heavier of the positive and the negative side of theta.

        Valid whenever the conjugate's domain is an interval that contains 0.
        """
        weighted = s * theta
        positive = float(weighted[theta > 0].sum())
        negative = -float(weighted[theta < 0].sum())
        if positive == negative:
            return theta
        if min(positive, negative) == 0.0:
            return np.zeros_like(theta)
        factor = np.ones_like(theta)
        if positive > negative:
            factor[theta > 0] = negative / positive
        else:
            factor[theta < 0] = positive / negative
        return theta * factor
