"""What half-spaces and polynomial thresholds share: they are half-spaces through 0 in their monomials."""

from __future__ import annotations

import contextlib
import time

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, Hypothesis, Spatial
from empirisk.hypotheses.exact import scaled
from empirisk.hypotheses.fewest_errors import fewest_errors
from empirisk.hypotheses.lift import Lift
from empirisk.hypotheses.points import Labelled
from empirisk.hypotheses.polynomial_rule import PolynomialRule
from empirisk.hypotheses.separate import conflict, conflicting
from empirisk.typing import Array

__all__ = ["LinearClass"]

_CELLS = 400_000_000  # numbers that comparing all labellings takes at most


class LinearClass(Spatial):
    """``h(x) = 1[sum_k w_k x^(e_k) > 0]``; a subclass gives the exponents."""

    time_limit: float

    def _exponents(self, d: int) -> list[tuple[int, ...]]:
        """Return the monomials of d coordinates; the constant, if any, comes first."""
        raise NotImplementedError

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        return self._lift(points).labellings()

    def _lift(self, points: Array) -> Lift:
        """Return the points as the vectors of their monomials, in which the class consists of half-spaces
        through 0.
        """
        return Lift(points, self._exponents(points.shape[1]))

    def _best(self, data: Labelled) -> Best:
        return Best(*self._heaviest(data))

    def _heaviest(self, data: Labelled) -> tuple[PolynomialRule, float | None, str]:
        """Return the rule that gains most, a bound on what any gains, and the argument: as in
        :class:`Best`.
        """
        lift = self._lift(data.points)
        wanted = data.gain > 0.0
        rule = lift.separate(wanted, data.gain != 0.0)
        if rule is not None:
            return rule, None, "the rows are separable, up to copies"
        deadline = time.monotonic() + self.time_limit
        if lift.cells <= _CELLS:
            told = f"all cells of the arrangement of {len(lift.V)} hyperplanes were compared"
            with contextlib.suppress(TimeoutError):
                return lift.heaviest(data.gain, deadline - 0.5 * self.time_limit), None, told
        gain = lift.with_extra(data.gain)
        extra = float(gain[len(wanted) :].sum())
        found, most, argument = fewest_errors(
            lift.V,
            gain,
            lambda kept: lift.separate(wanted, kept[: len(wanted)]),
            lambda rule: float(data.gain[rule(data.points)].sum()) + extra,
            lift.guesses(data.gain),
            deadline,
        )
        return found, None if most is None else most - extra, argument

    def _realising(self, data: Labelled) -> Hypothesis | None:
        return self._separating(data)

    def _separating(self, data: Labelled) -> PolynomialRule | None:
        """Return a rule that is positive where the gain is, or None when there is none."""
        lift = self._lift(data.points)
        wanted = data.gain > 0.0
        rule = lift.separate(wanted)
        if rule is not None:
            return rule
        if lift.cells <= _CELLS:
            return lift.heaviest(data.gain)
        side = lift.with_extra(np.where(wanted, 1.0, -1.0)) > 0.0
        rows = conflict(scaled(lift.V)[0], side, np.ones(len(side)))
        if rows is not None and conflicting(lift.V, side, rows):
            return None
        raise ValueError(
            f"whether one of the {self.words} labels these {len(wanted)} points so cannot be decided: some "
            "lie too close to every boundary, and the points are too many to compare all cells"
        )
