"""Facts of the data of a linear problem: what does not depend on the penalty, computed on demand, once.

Moments of the columns, products of columns or of rows, and the null model (no coefficients, the best
intercept) with its loss and slope.  Problems that differ in the strength of their penalty alone hand them on.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.losses.base import Loss
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.intercept import best_intercept
from empirisk.problems.origin import Origin, far_target
from empirisk.typing import Array

__all__ = ["Facts", "NormalEquations", "Shift"]


@dataclass(frozen=True)
class NormalEquations:
    """``G = X~' diag(s) X~ / S`` and ``v = X~' diag(s) y~ / S`` in the user's units.

    Parameters
    ----------
    gram : array, shape (p, p)
    target : array, shape (p,) or (p, m)
    y_mean : array, shape () or (m,)
    """

    gram: Array
    target: Array
    y_mean: Array


@dataclass(eq=False)
class Facts:
    """What the rows and the loss say, whatever the penalty.

    Parameters
    ----------
    loss : Loss
        The pointwise loss.
    data : ArrayBlocks
        Design, targets and weights.
    intercept : bool
        Whether there is a free constant.
    n_outputs : int
        Scores a row when they form a vector, else 0.
    settled : bool
        Whether the rows are measured from near 0 already, so that nobody looks for a better origin.

    Notes
    -----
    A solver that finds moments or products of columns on its way leaves them here for the next strength:
    `known_moments`, `normal` and `row_gram` are None until then.
    """

    loss: Loss
    data: ArrayBlocks
    intercept: bool
    n_outputs: int
    settled: bool = False
    known_moments: tuple[Array, Array] | None = None
    normal: NormalEquations | None = None
    row_gram: Array | None = None
    shifts: dict[bool, Shift | None] = field(default_factory=dict)

    def handed_on(self) -> Facts:
        """Return the facts that are known by now, for a problem of another strength.

        What either problem finds later stays its own: which passes a solver makes, and with them the last
        digits of a path, do not depend on what was done with another strength in between.
        """
        out = copy.copy(self)
        out.shifts = {
            held: shift and Shift(shift.origin, shift.facts.handed_on())
            for held, shift in self.shifts.items()
        }
        return out

    @property
    def outputs(self) -> tuple[int, ...]:
        """The shape of the scores of one row."""
        return (self.n_outputs,) if self.n_outputs else ()

    # -- columns --------------------------------------------------------------------------------

    @property
    def moments(self) -> tuple[Array, Array]:
        """Weighted mean and mean square deviation of each column; about 0 without an intercept."""
        if self.known_moments is None:
            mean, variance = self.data.design.moments(self.data.weight)
            if not self.intercept:
                mean, variance = np.zeros_like(mean), variance + mean**2
            self.known_moments = mean, variance
        return self.known_moments

    @cached_property
    def target_origin(self) -> Array | None:
        """What to subtract from targets that lie far from 0, where the loss lets them move; else None."""
        return None if self.settled else far_target(self.loss, self.data)

    @cached_property
    def target_square(self) -> float:
        """The weighted mean square of the targets."""
        y, s = self.null_rows
        return float(weighted_sum(s, (y.reshape(len(y), -1) ** 2).sum(axis=1))) / self.data.total_weight

    @cached_property
    def target_products(self) -> Array:
        """``(1/S) sum_i s_i y_i x_i`` of a single target, offsets left out."""
        y = self.data.y if self.data.y.ndim == 1 else self.data.y[:, 0]
        return np.asarray(
            self.data.design.rmatvec(self.data.weight / self.data.total_weight * y), dtype=np.float64
        )

    # -- null model -----------------------------------------------------------------------------

    @cached_property
    def null_rows(self) -> tuple[Array, Array]:
        """Targets and weights of the rows as the null model sees them: one row per class for class labels."""
        return self.loss.null_rows(self.data.y, self.data.weight, self.n_outputs)

    @cached_property
    def null(self) -> Array:
        """Parameters of the null model: no coefficients, the best intercept."""
        w = np.zeros((self.data.n_cols + int(self.intercept), *self.outputs))
        if self.intercept and self.data.total_weight > 0.0:
            y, s = self.null_rows
            t = self.target_origin
            if t is not None:  # digits that targets far from 0 would lose are kept near them
                y = y - t
            b = best_intercept(self.loss, y, s, np.zeros((len(y), *self.outputs)))
            w[-1] = b if t is None else b + t
        return w

    @cached_property
    def _null_slopes(self) -> tuple[float, float]:
        """Root mean squares over the null model's rows: of ``l'``, and of the terms that it is made of."""
        y, s = self.null_rows
        z = self._at_null(y)
        slope = self.loss.grad(y, z)
        terms = np.abs(slope) + np.abs(self.loss.hess(y, z) * z)
        squares = (weighted_sum(s, (of.reshape(len(y), -1) ** 2).sum(axis=1)) for of in (slope, terms))
        first, second = (math.sqrt(float(square) / self.data.total_weight) for square in squares)
        return first, second

    def _at_null(self, y: Array) -> Array:
        b = self.null[-1] if self.intercept else np.zeros(self.outputs)
        if not self.n_outputs:
            return np.full(len(y), float(b))
        return np.broadcast_to(b, (len(y), *self.outputs))

    @property
    def null_scores(self) -> Array:
        """Scores of the null model, without a pass over X."""
        return self._at_null(self.data.y)

    @cached_property
    def null_evaluation(self) -> Evaluation:
        """Loss, gradient and scores of the null model, whose scores need no pass over X."""
        z, total = self.null_scores, self.data.total_weight
        if total == 0.0:
            return Evaluation(0.0, np.zeros_like(self.null), z)
        slope = ((self.data.weight / total) * self.loss.grad(self.data.y, z).T).T
        grad = np.asarray(self.data.design.rmatvec(slope), dtype=np.float64)
        if self.intercept:
            grad = np.concatenate([grad, np.asarray(slope.sum(axis=0), dtype=grad.dtype)[None]])
        return Evaluation(self.null_loss, grad, z)

    @cached_property
    def null_loss(self) -> float:
        """Mean loss of the null model: what certificates are compared with."""
        if self.data.total_weight == 0.0:
            return 0.0
        y, s = self.null_rows
        return float(weighted_sum(s, self.loss.value(y, self._at_null(y)))) / self.data.total_weight

    @cached_property
    def saturated(self) -> float:
        """Weighted mean of the least loss of each row alone, ``inf_z l = -l*(0)``; nan where not known."""
        if self.loss.quadratic:
            return 0.0
        y, s = self.null_rows
        least = -self.loss.conjugate(y, np.zeros((len(y), *self.outputs)))
        return (
            float(weighted_sum(s, least)) / self.data.total_weight if np.isfinite(least).all() else math.nan
        )

    @cached_property
    def null_excess(self) -> float:
        """How far the null model is from fitting every row: half a deviance; never negative.

        It is the mean loss itself for losses whose least value is 0.  Where that is not known it is the size
        of the mean loss.  A difference within its own rounding is 0: the null model is perfect.
        """
        if self.data.total_weight == 0.0:
            return 0.0
        null, least = self.null_loss, self.saturated
        if not math.isfinite(least):
            return abs(null)
        rounding = 8.0 * float(np.finfo(np.float64).eps) * abs(least)
        return null - least if null - least > rounding else 0.0

    @cached_property
    def null_curvature(self) -> Array:
        """Weighted mean second derivative of the loss at the null model, per score."""
        y, s = self.null_rows
        return np.asarray(weighted_sum(s, self.loss.hess(y, self._at_null(y))) / self.data.total_weight)

    @cached_property
    def null_slope(self) -> float:
        """Root mean square of the loss' derivative at the null model."""
        if self.loss.quadratic:  # half the square of the slope is the loss
            return math.sqrt(2.0 * self.null_loss)
        return self._null_slopes[0]

    @cached_property
    def null_slope_terms(self) -> float:
        """Size of what rounding acts on in the derivative: the root mean square of ``|l'| + |l'' z|`` there.

        It has the units of the derivative: those of the targets for the squared loss, none with a log link.
        """
        return self._null_slopes[1]


@dataclass(frozen=True, eq=False)
class Shift:
    """Where rows that lie far from 0 are measured from, and the facts of the rows that were moved there.

    Parameters
    ----------
    origin : Origin
        What is subtracted from the columns and from the targets.
    facts : Facts
        Those of the moved rows, which are ``facts.data``.
    """

    origin: Origin
    facts: Facts
