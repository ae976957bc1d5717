"""First and second derivatives of the row losses, round by round."""

from __future__ import annotations

import numpy as np

from empirisk import _loops
from empirisk.losses import Loss
from empirisk.losses.quantile import share_to_reach
from empirisk.problems.fused import fused_call
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["Gradients"]


class Gradients:
    """``g = l'(y, z)``, ``h = l''(y, z)`` of every row and output, in arrays (k, n) that are used again.

    Compiled for the losses that are `fused` and for softmax; any other loss gives its own
    `value`, `grad` and `hess`.  Where a loss has no useful curvature h is 1: trees are then fitted to the
    gradient by squared error (Friedman 2001), and losses of y - z have the value of each leaf `refitted`.

    Parameters
    ----------
    loss : Loss
        Scalar, or of k scores a row.
    y : array, shape (n,) or (n, 2)
        Targets.
    weight : array, shape (n,), or None
        Row weights.
    k : int
        Scores a row.
    weigh_sizes : bool, default False
        Tell the largest ``w |g|`` and ``w h`` instead of the largest ``|g|`` and h.

    Examples
    --------
    >>> from empirisk.losses import HalfSquared
    >>> slopes = Gradients(HalfSquared(), np.array([1.0, 3.0]), None, 1)
    >>> slopes.at(np.zeros((1, 2))), slopes.g
    ((5.0, 3.0, 1.0), array([[-1., -3.]]))
    """

    def __init__(self, loss: Loss, y: Array, weight: Array | None, k: int, weigh_sizes: bool = False) -> None:
        self.weigh_sizes = weigh_sizes and weight is not None
        self.loss, self.y, self.weight = loss, y, weight
        self.g, self.h = np.empty((k, len(y))), np.ones((k, len(y)))
        self.refits = loss.exact_leaves
        self._newton = not self.refits and Capability.HESS in loss.offers
        self._fused = None if self.refits or not self._newton else fused_call(loss, y)
        self._codes = y.astype(np.int64) if loss.multinomial else None

    def at(self, z: Array) -> tuple[float, float, float]:
        """Fill g and h at the scores z, shape (k, n); weighted sum of the losses, largest ``|g|`` and h."""
        if self._fused is not None:
            name, parameter, y, offset = self._fused
            return _loops.scalar_derivatives(
                name, parameter, y, z[0], self.weight, offset, self.g[0], self.h[0], self.weigh_sizes
            )
        if self._codes is not None:
            return _loops.softmax_derivatives(self._codes, z, self.weight, self.g, self.h, self.weigh_sizes)
        scores = z.T if self.loss.vector else z[0]
        self.g[:] = self.loss.grad(self.y, scores).T
        if self._newton:
            np.maximum(self.loss.hess(self.y, scores).T, 0.0, out=self.h)
        value = self.loss.value(self.y, scores)
        if self.weight is not None:
            present = self.weight > 0.0
            value = np.where(present, value * np.where(present, self.weight, 1.0), 0.0)
            self.g[:, ~present] = 0.0
        w = np.ones(1) if self.weight is None or not self.weigh_sizes else self.weight
        return float(value.sum()), float((w * np.abs(self.g)).max()), float((w * self.h).max())

    def leaf_value(self, rows: IndexArray, z: Array) -> float:
        """Return the shift of the scores z, shape (n,), that minimises the loss of some rows."""
        residual = self.y[rows] - z[rows]
        q = self.loss.quantile_level
        if self.weight is None and q is not None:
            place = max(int(np.ceil(share_to_reach(q, len(rows)) * len(rows))) - 1, 0)
            return float(np.partition(residual, place)[place])
        weight = np.ones(len(rows)) if self.weight is None else self.weight[rows]
        return float(self.loss.best_constant(residual, weight))
