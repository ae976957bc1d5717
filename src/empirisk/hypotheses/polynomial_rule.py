"""The positive side of a polynomial, decided without rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from empirisk.typing import Array

__all__ = ["PolynomialRule", "monomials"]


@dataclass(frozen=True)
class PolynomialRule:
    """``1[sum_k w_k x^(e_k) > 0]``, exact for floating-point points.

    Parameters
    ----------
    exponents : tuple of tuple of int
        Exponents ``e_k`` of each coordinate in each monomial.
    weights : tuple of Fraction
        Their weights ``w_k``, at most 1 in size.
    """

    exponents: tuple[tuple[int, ...], ...]
    weights: tuple[Fraction, ...]

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        X = np.asarray(points, dtype=np.float64)
        w = np.array([float(v) for v in self.weights])
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            terms = monomials(X, self.exponents)
            value = terms @ w
            degree = max(sum(e) for e in self.exponents)
            roundings = (len(w) + degree + 3) * math.ulp(1.0)
            error = np.abs(terms) @ (roundings * np.abs(w) + 1e-290) + 1e-290
            sure = np.abs(value) > error
        out = value > 0.0
        for i in np.flatnonzero(~sure):
            out[i] = self._exact(X[i]) > 0
        return np.asarray(out)

    def _exact(self, x: Array) -> Fraction:
        """Return the value of the polynomial at one point as a fraction, without rounding."""
        at = [Fraction(float(v)) for v in x]
        return sum(
            (w * math.prod(v**k for v, k in zip(at, e, strict=True)) for w, e in self._terms()), Fraction(0)
        )

    def _terms(self) -> list[tuple[Fraction, tuple[int, ...]]]:
        return list(zip(self.weights, self.exponents, strict=True))

    def __str__(self) -> str:
        parts = [_term(float(w), e) for w, e in self._terms() if w]
        return f"{' + '.join(parts) or '0'} > 0".replace("+ -", "- ")


def monomials(X: Array, exponents: tuple[tuple[int, ...], ...]) -> Array:
    """Return the matrix with one row for each point and one column for each monomial."""
    columns = [np.prod([X[:, j] ** k for j, k in enumerate(e) if k], axis=0) for e in exponents]
    return np.column_stack([np.broadcast_to(c, len(X)) for c in columns])


def _term(weight: float, exponents: tuple[int, ...]) -> str:
    """Return a weight and its monomial in words."""
    powers = [f"x{j}" + (f"^{k}" if k > 1 else "") for j, k in enumerate(exponents) if k]
    return " ".join([f"{weight:.4g}", *powers])
