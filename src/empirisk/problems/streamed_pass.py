"""Passes over streamed rows: what a pass sums up, block by block, and never a number for each row.

Sums over the rows are made in float64 whatever is stored, and the blocks are added in their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.data.sums import inner, weighted_sum
from empirisk.losses.base import Loss
from empirisk.problems.streamed_facts import wide
from empirisk.typing import Array

__all__ = ["Passes", "StreamedEvaluation", "balance"]


@dataclass(frozen=True)
class StreamedEvaluation:
    """What one pass over the blocks tells about a point: sums, and nothing of single rows.

    Parameters
    ----------
    loss : float
        Weighted mean loss, without the penalty.
    grad : array
        Its gradient.
    linear : float
        Weighted mean of ``z loss'(z)``.
    sides : (float, float)
        Weighted means of the positive part and of the negative part of ``loss'(z)``, both >= 0.
    hessian : array or None
        The Hessian of the mean loss, when it was asked for.
    """

    loss: float
    grad: Array
    linear: float
    sides: tuple[float, float]
    hessian: Array | None = None


@dataclass(frozen=True)
class Passes:
    """The sums that a streamed problem asks of its rows, each in one pass.

    Parameters
    ----------
    loss : Loss
        The pointwise loss, of one score a row.
    data : RowBlocks
        The rows.
    intercept : bool
        Whether the parameters end with a free constant.
    """

    loss: Loss
    data: RowBlocks
    intercept: bool

    def evaluate(self, w: Array, hessian: bool) -> StreamedEvaluation:
        """Return mean loss, gradient and sums at w, and the Hessian of the mean loss when it is asked for."""
        total = self.data.total_weight
        loss, grad, linear, above, below, *more = self.data.map_sum(
            lambda block: self._sums(block, w, hessian)
        )
        sides = float(above) / total, float(below) / total
        return StreamedEvaluation(
            float(loss) / total, grad / total, float(linear) / total, sides, more[0] / total if more else None
        )

    def _scores(self, block: Block, X: Any, w: Array) -> Array:
        p = self.data.n_cols
        coef, b = (w[:p], w[p]) if self.intercept else (w, np.zeros(()))
        z = np.asarray(X @ coef + b, dtype=np.float64)
        z[block.weight == 0.0] = 0.0  # what absent rows would cost may be infinite
        return z

    def _sums(self, block: Block, w: Array, hessian: bool) -> tuple[Any, ...]:
        X, s, y = wide(block), block.weight, block.y
        z = self._scores(block, X, w)
        slope = s * self.loss.grad(y, z)
        grad = self._with_constant(X, slope)
        out = (
            weighted_sum(s, self.loss.value(y, z)), grad, inner(slope, z),
            np.maximum(slope, 0.0).sum(), np.maximum(-slope, 0.0).sum(),
        )  # fmt: skip
        return (*out, self._products(X, block.design.sparse, s * self.loss.hess(y, z))) if hessian else out

    def _with_constant(self, X: Any, u: Array) -> Array:
        """``[X 1]' u`` over the rows of a block, in float64."""
        v = np.asarray(X.T @ u, dtype=np.float64)
        return np.append(v, u.sum()) if self.intercept else v

    def _products(self, X: Any, sparse: bool, d: Array) -> Array:
        """``[X 1]' diag(d) [X 1]`` over the rows of a block."""
        p = self.data.n_cols
        m = p + int(self.intercept)
        H = np.empty((m, m))
        H[:p, :p] = (X.T @ X.multiply(d[:, None]).tocsr()).todense() if sparse else _loops.gram(X, d, None)
        if self.intercept:
            H[p, :p] = H[:p, p] = np.asarray(X.T @ d, dtype=np.float64)
            H[p, p] = d.sum()
        return H

    def gram(self) -> Array:
        """``[X 1]' diag(s) [X 1] / S``: the Gram matrix, with a column of ones for an intercept."""
        G = self.data.map_sum(lambda b: self._products(wide(b), b.design.sparse, b.weight))
        return np.asarray(G / self.data.total_weight)

    def gram_product(self, v: Array, mean: Array) -> Array:
        """``(X - m)' diag(s) (X - m) v / S`` for given means m of the columns, without the matrix."""

        def sums(block: Block) -> tuple[Any, ...]:
            X = wide(block)
            u = block.weight * (np.asarray(X @ v, dtype=np.float64) - mean @ v)
            return np.asarray(X.T @ u, dtype=np.float64), u.sum()

        out, total = self.data.map_sum(sums)
        return np.asarray((out - mean * total) / self.data.total_weight)

    def dual_sums(self, w: Array, shares: tuple[float, float]) -> tuple[float, Array]:
        """Return the mean conjugate and v of the dual point that `shares` makes of the slopes at w.

        ``theta = -loss'(z)``, its negative entries (positive slopes) times the first share, the others times
        the second.
        """
        up, down = shares

        def sums(block: Block) -> tuple[Any, ...]:
            X = wide(block)
            slope = self.loss.grad(block.y, self._scores(block, X, w))
            slope = np.where(slope > 0.0, up * slope, down * slope)
            out = self.loss.conjugate(block.y, slope)
            if not np.isfinite(out).all():  # rounding beyond the end of the domain is forgiven
                inwards = 1.0 - 8.0 * float(np.finfo(np.float64).eps)
                out = np.where(np.isfinite(out), out, self.loss.conjugate(block.y, slope * inwards))
            return weighted_sum(block.weight, out), np.asarray(X.T @ (block.weight * slope), dtype=np.float64)

        conjugate, v = self.data.map_sum(sums)
        return float(conjugate) / self.data.total_weight, -v / self.data.total_weight


def balance(sides: tuple[float, float]) -> tuple[float, float]:
    """Return the shares of the positive and the negative slopes that make both sides equally heavy."""
    above, below = sides
    up = min(1.0, below / above) if above > 0.0 else 1.0
    return up, min(1.0, above / below) if below > 0.0 else 1.0
