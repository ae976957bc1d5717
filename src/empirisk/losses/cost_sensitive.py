"""A loss of labels whose two kinds of error cost differently."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from empirisk.losses.abilities import Kink
from empirisk.losses.base import Loss, ScalarLoss, positive_number
from empirisk.losses.dual_rows import DualRows, dual_rows
from empirisk.losses.logistic import Logistic
from empirisk.typing import Array, Capability, Interval

__all__ = ["CostSensitive", "cost_weights"]


@dataclass(frozen=True)
class CostSensitive(ScalarLoss):
    """``l(y, z) = c(y) base(y, z)``: c is `false_reject` for ``y = +1`` and `false_accept` for ``y = -1``.

    Conjugate: ``c(y) base*(y, u / c(y))``.  A threshold at 0 of the minimiser accepts where the expected
    cost of accepting is the smaller one.  Costs that differ from row to row are :func:`cost_weights`.

    Parameters
    ----------
    base : Loss, default Logistic()
        A loss of the labels -1 and +1.
    false_reject, false_accept : float, default 1.0
        Cost of calling a +1 a -1, and a -1 a +1; both > 0.

    References
    ----------
    Elkan 2001, The foundations of cost-sensitive learning, IJCAI.

    Examples
    --------
    >>> CostSensitive(false_reject=5.0).value(np.array([1.0, -1.0]), np.zeros(2)).round(4)
    array([3.4657, 0.6931])
    """

    base: Loss = field(default_factory=Logistic)
    false_reject: float = 1.0
    false_accept: float = 1.0

    name = "cost_sensitive"
    labels = True
    y_domain = Interval(-1.0, 1.0)

    def __post_init__(self) -> None:
        positive_number("false_reject", self.false_reject)
        positive_number("false_accept", self.false_accept)
        if not getattr(self.base, "labels", False):
            raise ValueError(
                f"base must be a loss of the labels -1 and +1 (logistic, hinge ...), got {self.base!r}"
            )

    @property
    def _largest(self) -> float:
        return max(self.false_reject, self.false_accept)

    @property
    def convex(self) -> bool:
        """Whether the base is convex; positive costs do not change that."""
        return self.base.convex

    @property
    def offers(self) -> frozenset[Capability]:
        """What the base offers to solvers; costs only scale its values."""
        return self.base.offers

    @property
    def escape(self) -> str:
        """As the base: costs move no infimum."""
        return self.base.escape

    @property
    def curvature(self) -> tuple[float, float]:
        """The base's, times the cost that makes it extreme."""
        low, high = self.base.curvature
        return low * (self._largest if low < 0.0 else min(self.false_reject, self.false_accept)), (
            high * self._largest
        )

    @property
    def lipschitz(self) -> float:
        """The base's, times the larger cost."""
        return self.base.lipschitz * self._largest

    def _cost(self, y: Array) -> Array:
        return np.where(y > 0.0, self.false_reject, self.false_accept).astype(y.dtype, copy=False)

    def value(self, y: Array, z: Array) -> Array:
        return self._cost(y) * self.base.value(y, z)

    def grad(self, y: Array, z: Array) -> Array:
        return self._cost(y) * self.base.grad(y, z)

    def hess(self, y: Array, z: Array) -> Array:
        return self._cost(y) * self.base.hess(y, z)

    def conjugate(self, y: Array, u: Array) -> Array:
        cost = self._cost(y)
        v = u / cost
        # A quotient that rounds beyond the largest slope belongs to the end of the domain.
        v = np.clip(v, -self.base.lipschitz, self.base.lipschitz) if self._rounded(u, cost, v) else v
        return cost * self.base.conjugate(y, v)

    def _rounded(self, u: Array, cost: Array, v: Array) -> bool:
        largest = self.base.lipschitz
        outside = np.abs(v) > largest
        return bool(np.isfinite(largest) and outside.any() and (np.abs(u) <= cost * largest)[outside].all())

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """Balance as the base does: costs are weights here, ``sum s c (theta / c) = 0``."""
        cost = self._cost(y)
        return cost * self.base.balance(y, theta / cost, s * cost)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the best constant score of the base, with the costs as weights."""
        return self.base.best_constant(y, s * self._cost(y))

    def kinks(self, y: Array) -> list[Kink]:
        """Return the kinks of the base, steeper by the cost."""
        cost = self._cost(y)
        return [(at, cost * low, cost * high) for at, low, high in self.base.kinks(y)]

    def dual_rows(self, y: Array) -> DualRows:
        return replace(dual_rows(self.base, y), cost=self._cost(y))


def cost_weights(y: ArrayLike, false_reject: ArrayLike = 1.0, false_accept: ArrayLike = 1.0) -> Array:
    """Sample weights that make row i cost `false_reject[i]` (label +1) or `false_accept[i]` (label -1).

    ``sum_i s_i c_i l_i / sum_i s_i`` is the objective with the weights ``s_i c_i`` times the mean cost
    ``C = sum s c / sum s``: with a penalty, use ``alpha / C`` to keep its strength.

    Parameters
    ----------
    y : array of -1 and +1, shape (n,)
        Labels.
    false_reject, false_accept : float or array, shape (n,)
        Costs, >= 0; 0 leaves a row out.

    Returns
    -------
    array, shape (n,)

    Examples
    --------
    >>> cost_weights([1, -1, -1], false_reject=10.0, false_accept=[0.0, 2.0, 5.0])
    array([10.,  2.,  5.])
    """
    labels = np.asarray(y, dtype=np.float64)
    wrong = np.abs(labels) != 1.0
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"y holds {labels[row]:g} in row {row}; costs need the labels -1 and +1")
    out = np.where(labels > 0.0, _costs("false_reject", false_reject, labels),
                   _costs("false_accept", false_accept, labels))  # fmt: skip
    return np.asarray(out)


def _costs(name: str, given: ArrayLike, labels: Array) -> Array:
    costs = np.asarray(given, dtype=np.float64)
    if costs.shape not in ((), labels.shape):
        raise ValueError(
            f"{name} must be a number or have one entry per row, {len(labels)}; got {costs.shape}"
        )
    wrong = ~(np.isfinite(costs) & (costs >= 0.0))
    if wrong.any():
        row = f" in row {int(np.argmax(wrong))}" if costs.ndim else ""
        raise ValueError(f"{name} holds {costs[wrong][0]:g}{row}; a cost is a finite number >= 0")
    return costs
