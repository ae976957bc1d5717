"""What half-spaces and polynomial thresholds share: they are half-spaces through 0 in their monomials."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, Spatial
from empirisk.hypotheses.cells import heaviest, labellings
from empirisk.hypotheses.exact import Integers, integers, scaled
from empirisk.hypotheses.fewest_errors import fewest_errors
from empirisk.hypotheses.points import Labelled
from empirisk.hypotheses.polynomial_rule import PolynomialRule
from empirisk.hypotheses.separate import conflict, conflicting, margin_weights
from empirisk.typing import Array

__all__ = ["LinearClass"]

_CELLS = 400_000_000


class LinearClass(Spatial):
    """``h(x) = 1[sum_k w_k x^(e_k) > 0]``; a subclass gives the exponents."""

    time_limit: float

    def _exponents(self, d: int) -> list[tuple[int, ...]]:
        """The monomials of d coordinates; the constant, if any, comes first."""
        raise NotImplementedError

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        return labellings(_Lift(points, self._exponents(points.shape[1])).V)

    def _best(self, data: Labelled) -> Best:
        lift = _Lift(data.points, self._exponents(data.points.shape[1]))
        wanted = data.gain > 0.0
        rule = lift.separate(wanted, data.gain != 0.0)
        if rule is not None:
            return Best(rule, None, "the rows are separable, up to copies")
        if lift.cells <= _CELLS:
            told = f"all cells of the arrangement of {len(lift.V)} hyperplanes were compared"
            return Best(lift.heaviest(data.gain), None, told)
        found, most, argument = fewest_errors(
            lift.V,
            data.gain,
            lambda kept: lift.separate(wanted, kept),
            lambda rule: float(data.gain[rule(data.points)].sum()),
            lift.rule([1] + [0] * (len(lift.exponents) - 1)),
            self.time_limit,
        )
        return Best(found, most, argument)

    def _realising(self, data: Labelled) -> PolynomialRule | None:
        lift = _Lift(data.points, self._exponents(data.points.shape[1]))
        wanted = data.gain > 0.0
        rule = lift.separate(wanted)
        if rule is not None:
            return rule
        if lift.cells <= _CELLS:
            return lift.heaviest(data.gain)
        rows = conflict(scaled(lift.V)[0], wanted, np.ones(len(wanted)))
        if rows is not None and conflicting(lift.V, wanted, rows):
            return None
        raise ValueError(
            f"whether one of the {self.words} labels these {len(wanted)} points so cannot be decided: some "
            "lie too close to every boundary, and the points are too many to compare all cells"
        )


class _Lift:
    """The monomials of the points as integers, and rules on them."""

    def __init__(self, points: Array, exponents: list[tuple[int, ...]]) -> None:
        self.points = points
        self.exponents = tuple(exponents)
        X, scales = integers(points)
        columns = [self._product(list(X.T), e, len(X)) for e in exponents]
        self.V: Integers = np.stack(columns, axis=1)
        self.scales = [math.prod(s**k for s, k in zip(scales, e, strict=True)) for e in exponents]

    @staticmethod
    def _product(columns: list[Integers], exponents: tuple[int, ...], n: int) -> Integers:
        out = np.array([1] * n, dtype=object)
        for column, k in zip(columns, exponents, strict=True):
            out = out * column**k
        return out

    @property
    def cells(self) -> int:
        """About how many numbers it takes to compare all cells of the arrangement."""
        n, p = self.V.shape
        return comb(n, p - 1) * n * p

    def heaviest(self, gain: Array) -> PolynomialRule:
        """The rule that gains most, with a large margin where floating point can give it one."""
        w = heaviest(self.V, gain)[1]
        return self.separate(self.labels(w)) or self.rule(list(w))

    def labels(self, w: Integers) -> NDArray[np.bool_]:
        """The labelling by integer weights of the integer monomials."""
        return np.array([v > 0 for v in self.V @ w], dtype=bool)

    def rule(self, w: list[Any]) -> PolynomialRule:
        """The rule with these weights of the integer monomials, the largest brought to one."""
        weights = [Fraction(a) * s for a, s in zip(w, self.scales, strict=True)]
        top = max(abs(a) for a in weights) or 1
        return PolynomialRule(self.exponents, tuple(a / top for a in weights))

    def separate(
        self, wanted: NDArray[np.bool_], rows: NDArray[np.bool_] | None = None
    ) -> PolynomialRule | None:
        """A rule with these labels on these rows (default: all), by a linear programme; None if not found."""
        kept = np.ones(len(wanted), dtype=bool) if rows is None else rows
        constant = not any(self.exponents[0])
        if not kept.any():
            kept = np.ones(len(wanted), dtype=bool)
            wanted = np.zeros(len(wanted), dtype=bool)
        w = margin_weights(self.V[kept], wanted[kept], constant)
        if w is None:
            return None
        rule = self.rule(w)
        return rule if np.array_equal(rule(self.points[kept]), wanted[kept]) else None
