"""The distribution of a resampled statistic: drawn at random, or known exactly as weighted atoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from empirisk.evaluation.intervals.base import Floats

__all__ = ["AtomDifference", "Atoms", "Distribution", "Draws"]


class Distribution(Protocol):
    """What the intervals ask of the distribution of ``T*``."""

    def quantile(self, p: Floats) -> Floats:
        """Return the smallest t with ``P(T* <= t) >= p`` (draws: interpolated linearly, as numpy.quantile
        does).
        """
        ...

    def below(self, t: float) -> float:
        """Return ``P(T* < t) + P(T* = t) / 2``: the share of the distribution below t, with ties counted
        half.
        """
        ...

    def moments(self) -> tuple[float, float]:
        """Return the mean and the standard deviation of the distribution."""
        ...


@dataclass(frozen=True)
class Draws:
    """The distribution of a statistic as its values on B resamples."""

    values: Floats

    def quantile(self, p: Floats) -> Floats:
        """Return quantiles by linear interpolation between the order statistics."""
        return np.asarray(np.quantile(self.values, p), dtype=np.float64)

    def below(self, t: float) -> float:
        """Return the share of the draws below t, ties counted half."""
        return float(0.5 * (np.mean(self.values < t) + np.mean(self.values <= t)))

    def moments(self) -> tuple[float, float]:
        """Return the mean and standard deviation with ``B - 1``."""
        mean = float(self.values.mean())
        away = self.values - mean
        scale = float(np.abs(away).max()) or 1.0  # squares of large or tiny numbers leave the range
        return mean, scale * float(np.sqrt(np.sum((away / scale) ** 2) / (away.size - 1)))


class Atoms:
    """``P(T* = values[i]) = weights[i]``; equal values are merged, the weights are scaled to sum 1."""

    def __init__(self, values: Floats, weights: Floats) -> None:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        self.values: Floats = ordered[first]
        mass = np.add.reduceat(weights[order], first)
        self.weights: Floats = mass / mass.sum()
        self.cdf: Floats = np.cumsum(self.weights)

    def quantile(self, p: Floats) -> Floats:
        """Return the inverse of the distribution function."""
        at = np.searchsorted(self.cdf, p)
        return self.values[np.minimum(at, len(self.values) - 1)]

    def below(self, t: float) -> float:
        """Return half the jump at t counts."""
        left, right = np.searchsorted(self.values, t), np.searchsorted(self.values, t, side="right")
        cdf = np.r_[0.0, self.cdf]
        return float(0.5 * (cdf[left] + cdf[right]))

    def moments(self) -> tuple[float, float]:
        """Return the exact mean and standard deviation: all resamples are counted, so nothing is divided by B
        - 1.
        """
        mean = float(self.weights @ self.values)
        away = self.values - mean
        scale = float(np.abs(away).max()) or 1.0
        return mean, scale * float(np.sqrt(self.weights @ (away / scale) ** 2))


class AtomDifference:
    """``A - B`` for independent A and B with atoms; nothing of size (atoms of A) x (atoms of B) is made."""

    def __init__(self, a: Atoms, b: Atoms) -> None:
        self.a, self.b = a, b
        self._before = np.r_[0.0, b.cdf]

    def _cdf(self, t: float, side: str) -> float:
        # A - B <= t when B >= A - t: the mass of B from A - t on.
        edge = np.searchsorted(self.b.values, self.a.values - t, side="left" if side == "right" else "right")
        return float(self.a.weights @ (1.0 - self._before[edge]))

    def quantile(self, p: Floats) -> Floats:
        """Return quantiles by bisection on the distribution function, down to neighbouring floating-point
        numbers.
        """
        return np.array([self._quantile(float(q)) for q in np.ravel(p)]).reshape(np.shape(p))

    def _quantile(self, p: float) -> float:
        low = float(self.a.values[0] - self.b.values[-1])
        high = float(self.a.values[-1] - self.b.values[0])
        resolution = 4.0 * np.finfo(float).eps * max(abs(low), abs(high))
        low -= 2.0 * resolution
        while high - low > resolution:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._cdf(middle, "right") >= p else (middle, high)
        return high

    def below(self, t: float) -> float:
        """Return the probability of a difference below t, with ties counted half."""
        return 0.5 * (self._cdf(t, "left") + self._cdf(t, "right"))

    def moments(self) -> tuple[float, float]:
        """Return the mean and the standard deviation of the difference, from those of the two parts."""
        (mean_a, sd_a), (mean_b, sd_b) = self.a.moments(), self.b.moments()
        return mean_a - mean_b, float(np.hypot(sd_a, sd_b))
