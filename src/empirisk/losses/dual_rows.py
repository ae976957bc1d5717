"""Conjugates that are a quadratic on an interval: one formula for the dual steps of nine losses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, cast

import numpy as np

from empirisk.typing import Array, IndexArray

__all__ = ["DualRows", "dual_rows"]


@dataclass(frozen=True)
class DualRows:
    """``l_i*(-t) = k t^2/2 - c_i t + e |t|`` for ``low_i <= t <= high_i``, else +inf.

    Parameters
    ----------
    center : array, shape (n,)
        c.
    low, high : arrays, shape (n,)
        Ends of the domain, ``low <= 0 <= high``, possibly infinite.
    tube : float, default 0.0
        e, >= 0.
    curvature : float or array, default 0.0
        k, >= 0; with 0 and infinite ends there would be no loss.
    logistic : bool, default False
        The logistic loss instead: ``a log a + (1 - a) log(1 - a)`` with ``a = t/c`` and c the label.
    cost : array, shape (n,), optional
        Factors of the losses: t is the dual value over its cost, and the row's weight is multiplied by it.

    Examples
    --------
    >>> rows = DualRows(np.array([1.0]), np.zeros(1), np.ones(1))  # the hinge of a row of label +1
    >>> rows.step(np.array([0.5]), 2.0)
    array([0.25])
    """

    center: Array
    low: Array
    high: Array
    tube: float = 0.0
    curvature: float = 0.0
    logistic: bool = False
    cost: Array | None = None

    def step(self, a: Array, q: float | Array) -> Array:
        """``argmin_t l*(-t) + a t + q t^2/2``: minus the slope at a of the Moreau envelope of l, for q > 0.

        With curvature the step exists for q = 0 too, and is ``-l'(a)``.
        """
        r = self.center - a
        if self.tube > 0.0:
            r = r - np.clip(r, -self.tube, self.tube)
        return np.clip(r / (self.curvature + q), self.low, self.high)

    def inner(self, t: Array) -> Array:
        """Return whether t moves with the score: neither at an end of the domain nor held at 0 by the
        tube.
        """
        moves = (t > self.low) & (t < self.high)
        return np.asarray(moves & (t != 0.0) if self.tube > 0.0 else moves)

    def take(self, index: IndexArray) -> Self:
        """Return the same description for the rows that are named."""
        cost = None if self.cost is None else self.cost[index]
        return replace(self, center=self.center[index], low=self.low[index], high=self.high[index], cost=cost)


class _DualStep(Protocol):
    def dual_rows(self, y: Array) -> DualRows: ...


def dual_rows(loss: Any, y: Array) -> DualRows:
    """Return the rows of a loss that offers DUAL_STEP."""
    return cast(_DualStep, loss).dual_rows(y)
