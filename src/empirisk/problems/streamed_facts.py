"""Facts of streamed rows: moments of the columns and the null model, as sums over the blocks.

Passes for the null model read targets and weights alone; the columns are read twice, for their means and for
the squares about them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.data.sums import weighted_sum
from empirisk.losses.base import Loss
from empirisk.typing import Array

__all__ = ["StreamedFacts", "wide"]

# Steps of the safeguarded Newton iteration for the null model's intercept; it needs 3 to 10.
MOST_STEPS = 100


def wide(block: Block) -> Any:
    """Return the features of a block in float64: sums over the rows are made there, whatever is stored."""
    X = block.design.X
    return X if X.dtype == np.float64 else X.astype(np.float64)


@dataclass(eq=False)
class StreamedFacts:
    """What streamed rows and a loss say, whatever the penalty; computed on demand and shared by strengths.

    The names are those of :class:`empirisk.problems.facts.Facts`, and so are their meanings.

    Parameters
    ----------
    loss : Loss
        The pointwise loss, of one score a row.
    data : RowBlocks
        The rows.
    intercept : bool
        Whether there is a free constant.
    checked : bool
        Whether the rows have been looked at for what no loss can take.
    """

    loss: Loss
    data: RowBlocks
    intercept: bool
    checked: bool = False

    def mean(self, f: Any) -> float:
        """Return the weighted mean of ``f(y)``, an array of one number a row, in a pass over the targets."""
        total = self.data.map_sum(lambda block: weighted_sum(block.weight, f(block.y)))
        return float(total) / self.data.total_weight

    @cached_property
    def n_blocks(self) -> int:
        """The number of blocks, which is the length of every sum over them."""
        return int(self.data.map_sum(lambda block: 1))

    @cached_property
    def moments(self) -> tuple[Array, Array]:
        """Weighted mean and mean square deviation of each column; about 0 without an intercept."""
        total = self.data.total_weight

        def sums(block: Block) -> Array:
            return np.asarray(wide(block).T @ block.weight, dtype=np.float64)

        mean = self.data.map_sum(sums) / total if self.intercept else np.zeros(self.data.n_cols)

        def squares(block: Block) -> Array:
            X = wide(block)
            if block.design.sparse:  # about 0, because zeros would not stay zeros
                return np.asarray(X.multiply(X).T @ block.weight, dtype=np.float64)
            return np.asarray(weighted_sum(block.weight, (X - mean) ** 2))

        raw = self.data.map_sum(squares) / total
        sparse = next(iter(self.data)).design.sparse
        return mean, np.maximum(raw - mean**2, 0.0) if sparse else raw

    @cached_property
    def null(self) -> Array:
        """Parameters of the null model: no coefficients, the best intercept."""
        w = np.zeros(self.data.n_cols + int(self.intercept))
        if self.intercept:
            w[-1] = self._best_constant()
        return w

    def _best_constant(self) -> float:
        """Newton's method in one number, within a bracket; a pass over the targets a step."""
        b, low, high, longest = 0.0, -math.inf, math.inf, 10.0
        for _ in range(MOST_STEPS):
            slope, curvature = self._slope_at(b)
            if slope == 0.0:
                break
            low, high = (low, b) if slope > 0.0 else (b, high)
            step = -slope / curvature if curvature > 0.0 else -math.copysign(math.inf, slope)
            if not abs(step) <= longest:  # doubled each time: no distance is too far
                step, longest = math.copysign(longest, step), 2.0 * longest
            proposal = b + step
            if not low < proposal < high:
                proposal = 0.5 * (low + high) if math.isfinite(low + high) else b
            moved, b = abs(proposal - b), proposal
            if moved <= 4e-16 * max(abs(b), 1.0):
                break
        return b

    def _slope_at(self, b: float) -> tuple[float, float]:
        def sums(block: Block) -> Array:
            z = np.full(len(block.y), b)
            slope = weighted_sum(block.weight, self.loss.grad(block.y, z))
            return np.array([slope, weighted_sum(block.weight, self.loss.hess(block.y, z))])

        slope, curvature = self.data.map_sum(sums) / self.data.total_weight
        return float(slope), float(curvature)

    def _at_null(self, y: Array) -> Array:
        return np.full(len(y), self.null[-1] if self.intercept else 0.0)

    @cached_property
    def null_loss(self) -> float:
        """The mean loss of the null model."""
        return self.mean(lambda y: self.loss.value(y, self._at_null(y)))

    @cached_property
    def saturated(self) -> float:
        """The weighted mean of the least loss of each row alone; not finite where it is not known."""
        return self.mean(lambda y: -self.loss.conjugate(y, np.zeros(len(y))))

    @cached_property
    def null_excess(self) -> float:
        """How far the null model is from fitting every row; never negative."""
        null, least = self.null_loss, self.saturated
        if not math.isfinite(least):
            return abs(null)
        rounding = 8.0 * float(np.finfo(np.float64).eps) * abs(least)
        return null - least if null - least > rounding else 0.0

    @cached_property
    def null_slope(self) -> float:
        """The root mean square of the loss' derivative at the null model."""
        return math.sqrt(self.mean(lambda y: self.loss.grad(y, self._at_null(y)) ** 2))

    @cached_property
    def null_slope_terms(self) -> float:
        """The root mean square of ``|l'| + |l'' z|`` at the null model, which rounding acts on."""

        def terms(y: Array) -> Array:
            z = self._at_null(y)
            return np.asarray((np.abs(self.loss.grad(y, z)) + np.abs(self.loss.hess(y, z) * z)) ** 2)

        return math.sqrt(self.mean(terms))

    @cached_property
    def null_curvature(self) -> float:
        """The weighted mean second derivative of the loss at the null model."""
        return self.mean(lambda y: self.loss.hess(y, self._at_null(y)))

    @cached_property
    def target_square(self) -> float:
        """The weighted mean square of the targets."""
        return self.mean(lambda y: (y.reshape(len(y), -1) ** 2).sum(axis=1))
