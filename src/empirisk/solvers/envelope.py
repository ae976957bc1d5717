"""The augmented Lagrangian of piecewise linear losses on the rows at hand, and Newton's method on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import inner
from empirisk.losses.dual_rows import DualRows
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.newton import weighted_block
from empirisk.solvers.newton_direction import newton_direction
from empirisk.solvers.standardise import Standardisation
from empirisk.typing import Array, IndexArray

__all__ = ["Envelope", "Rows", "distance"]

STEPS = 40  # Newton steps a round
NOTHING = 1e-24  # of the null model: what rounding makes of 0
ACCURATE = 0.3  # of what the round's multipliers gain: where a round's minimisation ends


@dataclass(frozen=True)
class Rows:
    """X by rows, weights that sum to 1 (times costs), conjugates, and standard columns.

    Parameters
    ----------
    design : Design
        n rows.
    share : array, shape (n,)
        Weights.
    dual : DualRows
        Conjugates.
    standard : Standardisation
        Of all rows.
    """

    design: Design
    share: Array
    dual: DualRows
    standard: Standardisation

    def take(self, index: IndexArray) -> Rows:
        """Return the same description for the rows that are named."""
        return replace(
            self, design=self.design.rows(index), share=self.share[index], dual=self.dual.take(index)
        )

    def sum(self, weighted: Array) -> Array:
        """``sum_i weighted_i x_i``: the combination of the rows, in float64."""
        X = self.design
        return np.asarray(X.rmatvec(weighted.astype(X.dtype, copy=False)), dtype=np.float64)


def distance(dual: DualRows, z: Array, multipliers: Array, width: float) -> Array:
    """Return how far a score is from where its dual value would move; negative where it moves."""
    r = dual.center - z + width * multipliers
    far = np.maximum(r - dual.tube - width * dual.high, width * dual.low - r - dual.tube)
    return np.asarray(np.maximum(far, dual.tube - np.abs(r)) if dual.tube > 0.0 else far)


class Envelope:
    """``sum share M(z) + l2 |w|^2/2`` over some rows, the dual values of the others being fixed.

    Parameters
    ----------
    problem : LinearProblem
        Whose penalty and intercept count.
    rows : Rows
        All rows.
    near : index array or None
        Those at work; None: all.
    w, z : arrays
        Where to begin, and its scores (all rows).
    multipliers, t, v : arrays
        Of all rows: multipliers, dual values now, and the sum of ``share t x``.
    width : float
        Of the envelope.
    """

    def __init__(
        self,
        problem: LinearProblem,
        rows: Rows,
        near: IndexArray | None,
        w: Array,
        z: Array,
        multipliers: Array,
        t: Array,
        v: Array,
        width: float,
    ) -> None:
        self.problem, self.near, self.width, self.w = problem, near, width, w
        self.rows = rows if near is None else rows.take(near)
        self.z = z if near is None else z[near]
        self.m = multipliers if near is None else multipliers[near]
        old = rows.share * t
        at_work = old if near is None else old[near]
        self.rest_v = np.zeros_like(v) if near is None else v - self.rows.sum(at_work)
        self.rest_slope = float(old.sum()) - float(at_work.sum())
        self.look(self.z)

    def look(self, z: Array) -> None:
        """Return the dual values and gradient at new scores."""
        self.z = z
        self.t = self.rows.dual.step(z - self.width * self.m, self.width)
        weighted = self.rows.share * self.t
        self.v = self.rest_v + self.rows.sum(weighted)
        coef, _ = self.problem.split(self.w)
        slope = -(self.rest_slope + float(weighted.sum()))
        self.grad = self.problem.join(self.problem.penalty.l2 * coef - self.v, slope)

    def minimise(self) -> tuple[int, bool]:
        """Newton steps until what is left is small beside what moving the multipliers gains.

        Returns their number, and whether it came to that.
        """
        for k in range(STEPS):
            direction = self._direction()
            slope = inner(self.grad, direction)
            gain = 0.5 * self.width * float(self.rows.share @ (self.t - self.m) ** 2)
            if not -slope > ACCURATE * gain + NOTHING * self.problem.null_excess:
                return k, True
            coef, b = self.problem.split(direction)
            along = self._scores(coef, float(b))
            length = self._length(along, coef, float(b), slope)
            if length == 0.0:
                return k, True
            self.w = self.w + length * direction
            self.look(self.z + length * along)
        return STEPS, False

    def _scores(self, coef: Array, b: float) -> Array:
        X = self.rows.design
        return np.asarray(X.matvec(coef.astype(X.dtype, copy=False)) + b, dtype=np.float64)

    def _direction(self) -> Array:
        moves: Any = self.rows.dual.inner(self.t) & np.asarray(self.rows.share > 0.0)
        inside = np.flatnonzero(moves)
        few = self.rows.take(inside)
        p, standard = self.problem.data.n_cols, self.rows.standard
        part = replace(self.problem, data=ArrayBlocks(few.design, few.dual.center, few.share))
        H = weighted_block(part, standard, few.share / (few.dual.curvature + self.width))
        H[np.arange(p), np.arange(p)] += self.problem.penalty.l2 / standard.scale**2
        return standard.to_w(newton_direction(H, standard.grad_to_u(self.grad)))

    def _length(self, along: Array, coef: Array, b: float, slope: float) -> float:
        """Return where the derivative along the scores is small: 1 when it is there, else by false
        position.
        """
        l2, w = self.problem.penalty.l2, self.problem.split(self.w)[0]
        fixed = inner(l2 * w - self.rest_v, coef) - self.rest_slope * b
        square, a = l2 * inner(coef, coef), self.z - self.width * self.m

        def derivative(length: float) -> float:
            t = self.rows.dual.step(a + length * along, self.width)
            return fixed + length * square - float((self.rows.share * t) @ along)

        return root(derivative, slope)


def root(derivative: Callable[[float], float], at_zero: float) -> float:
    """Return a length where a non-decreasing derivative has fallen to a tenth of its size at 0 (< 0), from 1
    on.
    """
    low, f_low, high = 0.0, at_zero, 1.0
    f_high = derivative(high)
    while f_high < 0.1 * at_zero and high < 1e6:
        low, f_low, high = high, f_high, 4.0 * high
        f_high = derivative(high)
    best, f = high, f_high
    for _ in range(60):
        if abs(f) <= 0.1 * abs(at_zero) or not f_high > f_low:
            return best
        share = min(max(-f_low / (f_high - f_low), 0.1), 0.9)
        best = low + share * (high - low)
        f = derivative(best)
        if f < 0.0:
            low, f_low = best, f
        else:
            high, f_high = best, f
    return low
