"""Points as vectors whose half-spaces through 0 are the hypotheses, and rules from their weights."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.cells import heaviest, labellings
from empirisk.hypotheses.exact import Integers, integers, scaled
from empirisk.hypotheses.polynomial_rule import PolynomialRule
from empirisk.hypotheses.rays import LAPLACE
from empirisk.hypotheses.separate import margin_weights
from empirisk.typing import Array

__all__ = ["BallLift", "Lift"]


class Lift:
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

    def with_extra(self, gain: Array) -> Array:
        """Return the gains of all vectors: those of the points, and of vectors that have to be on the
        positive side.
        """
        return gain

    def labellings(self) -> NDArray[np.bool_]:
        """Return all labellings of the points by half-spaces through 0 of the lifted vectors."""
        return labellings(self.V)

    @property
    def cells(self) -> int:
        """About how many numbers it takes to compare all cells of the arrangement."""
        n, p = self.V.shape
        return int(comb(n, p - 1) * n * p) * (1 if p <= LAPLACE else 200)

    def heaviest(self, gain: Array, deadline: float = math.inf) -> PolynomialRule:
        """Return the rule that gains most, with a large margin where floating point can give it one."""
        w = heaviest(self.V, self.with_extra(gain), deadline=deadline)[1]
        return self.separate(self.labels(w)) or self.rule(list(w))

    def labels(self, w: Integers) -> NDArray[np.bool_]:
        """Return the labelling by integer weights of the integer monomials."""
        return np.array([v > 0 for v in self.V[: len(self.points)] @ w], dtype=bool)

    def rule(self, w: list[Any]) -> PolynomialRule:
        """Return the rule with these weights of the integer monomials, the largest brought to one."""
        weights = [Fraction(a) * s for a, s in zip(self._per_monomial(w), self.scales, strict=True)]
        top = max(abs(a) for a in weights) or 1
        return PolynomialRule(self.exponents, tuple(a / top for a in weights))

    def guesses(self, gain: Array) -> list[PolynomialRule]:
        """Return the rules to start from: each side of the first monomial, and weighted least squares."""
        F, units = scaled(self.V)
        root = np.sqrt(np.abs(gain))
        w = np.linalg.lstsq(root[:, None] * F, root * np.sign(gain), rcond=None)[0]
        rest = [0] * (self.V.shape[1] - 1)
        fitted = [Fraction(float(a)) / unit for a, unit in zip(w, units, strict=True)]
        return [self.rule(v) for v in ([1, *rest], [-1, *rest], fitted) if any(v)]

    def _per_monomial(self, w: list[Any]) -> list[Any]:
        """Return the weights as one number for each monomial of the rule."""
        return w

    def separate(
        self, wanted: NDArray[np.bool_], kept: NDArray[np.bool_] | None = None
    ) -> PolynomialRule | None:
        """Return a rule with these labels on these rows (default: all), by a linear programme; None if not
        found.
        """
        constant = not any(self.exponents[0])
        if kept is None:
            kept = np.ones(len(wanted), dtype=bool)
        if not kept.any():
            kept = np.ones(len(wanted), dtype=bool)
            wanted = np.zeros(len(wanted), dtype=bool)
        rows = np.append(kept, np.ones(len(self.V) - len(kept), dtype=bool))
        side = self.with_extra(np.where(wanted, 1.0, -1.0)) > 0.0
        w = margin_weights(self.V[rows], side[rows], constant)
        if w is None:
            return None
        rule = self.rule(w)
        return rule if np.array_equal(rule(self.points[kept]), wanted[kept]) else None


class BallLift(Lift):
    """Vectors ``(1, x, -||x||^2)``, and one that keeps the weight of the last entry positive."""

    def __init__(self, points: Array) -> None:
        d = points.shape[1]
        units = [tuple(int(i == j) for i in range(d)) for j in range(d)]
        self.points = points
        self.exponents = ((0,) * d, *units, *(tuple(2 * i for i in unit) for unit in units))
        X, scales = integers(points, one_scale=True)
        s = scales[0]
        self.V = np.zeros((len(X) + 1, d + 2), dtype=object)
        self.V[:-1, 0] = 1
        self.V[:-1, 1:-1] = X
        self.V[:-1, -1] = -(X * X).sum(axis=1)
        self.V[-1, -1] = max(1, *(-self.V[:-1, -1]))  # of the size of the others
        self.scales = [1] + [s] * d + [s * s] * d

    def with_extra(self, gain: Array) -> Array:
        return np.append(gain, 2.0 * np.abs(gain).sum() + 1.0)

    def labellings(self) -> NDArray[np.bool_]:
        found = labellings(self.V)
        return np.unique(found[found[:, -1], :-1], axis=0)

    def guesses(self, gain: Array) -> list[PolynomialRule]:
        """Return the empty ball, and one around all points."""
        rest = [0] * (self.V.shape[1] - 2)
        return [self.rule([-1, *rest, 0]), self.rule([1 - min(self.V[:-1, -1]), *rest, 1])]

    def _per_monomial(self, w: list[Any]) -> list[Any]:
        d = self.points.shape[1]
        return [*w[:-1], *([-w[-1]] * d)]
