"""Pearson's correlation as a function of sums."""

from __future__ import annotations

from math import comb

import numpy as np

from empirisk.evaluation.intervals.base import Floats

__all__ = ["Correlation"]

# Powers (of x, of y) whose sums the value needs, and those that the standard error needs too.
VALUE = ((1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
ERROR = ((3, 0), (2, 1), (1, 2), (0, 3), (4, 0), (3, 1), (2, 2), (1, 3), (0, 4))


class Correlation:
    """``r = m_11 / sqrt(m_20 m_02)`` with the central moments ``m_ij`` of the pairs.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        Paired numbers, neither constant.
    with_error : bool
        Keep the powers up to the fourth that the standard error needs.
    """

    labels = ("correlation",)

    def __init__(self, x: Floats, y: Floats, with_error: bool) -> None:
        u, v = ((z - z.mean()) / z.std() for z in (x, y))
        self.powers = VALUE + ERROR if with_error else VALUE
        self.table: Floats = np.column_stack([u**i * v**j for i, j in self.powers])

    def value(self, sums: Floats, units: float) -> Floats:
        """Return the correlation of each resample; NaN where a column of it is constant."""
        means = sums / units
        xx, yy, xy = (self._central(means, *ij) for ij in ((2, 0), (0, 2), (1, 1)))
        # Rounding of means of numbers of size 1; a constant column has no more than that.
        flat = np.minimum(xx, yy) <= 1e-13
        with np.errstate(divide="ignore", invalid="ignore"):
            r = np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0)
        return np.where(flat, np.nan, r)

    def error(self, sums: Floats, units: float) -> Floats:
        """``se^2 = sum (a b - r (a^2 + b^2)/2)^2 / n^2``, a and b the standardised columns of the resample.

        This is the infinitesimal jackknife: it needs no normal distribution.
        """
        means, r = sums / units, self.value(sums, units)
        xx, yy = self._central(means, 2, 0), self._central(means, 0, 2)
        with np.errstate(divide="ignore", invalid="ignore"):

            def standard(i: int, j: int) -> Floats:
                out: Floats = self._central(means, i, j) / (xx ** (i / 2) * yy ** (j / 2))
                return out

            both = standard(2, 2)
            square = both - r * (standard(3, 1) + standard(1, 3))
            square += 0.25 * r * r * (standard(4, 0) + 2.0 * both + standard(0, 4))
            return np.where(np.isnan(r), np.nan, np.sqrt(np.maximum(square, 0.0) / units))

    def _central(self, means: Floats, i: int, j: int) -> Floats:
        """``mean (u - mean u)^i (v - mean v)^j`` from raw moments, by the binomial theorem; (B, 1)."""
        raw = {powers: means[:, c : c + 1] for c, powers in enumerate(self.powers)}
        raw[0, 0] = np.ones_like(means[:, :1])
        d, e = -raw[1, 0], -raw[0, 1]
        terms = [
            comb(i, k) * comb(j, m) * d ** (i - k) * e ** (j - m) * raw[k, m]
            for k in range(i + 1)
            for m in range(j + 1)
        ]
        return np.asarray(np.sum(terms, axis=0), dtype=np.float64)
