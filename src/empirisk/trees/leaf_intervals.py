"""Intervals of what the rows of a leaf say: a share, a mean, a median."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from empirisk.results import Estimate
from empirisk.trees.criteria import AbsoluteError
from empirisk.typing import Array

__all__ = ["mean_interval", "median_interval", "share_interval"]


def share_interval(own: float, weight: float, squares: float, n: int, level: float) -> Estimate:
    """Return the share ``own / weight`` with the exact limits of Clopper and Pearson.

    Unequal weights count as ``weight^2 / sum of squares`` rows.
    """
    target, method = "share of the predicted class in the leaf", "Clopper-Pearson"
    if n == 0:
        return Estimate(math.nan, None, None, level, 0, method, "no row falls into this leaf", target)
    # Kish's effective number of rows: as many rows of equal weight would have a share of the same variance.
    size = weight**2 / squares
    if not math.isclose(size, n, rel_tol=1e-9):
        method += f", {size:.4g} effective rows"
    share = own / weight
    k, tail = share * size, 0.5 * (1.0 - level)
    low = 0.0 if k <= 0.0 else float(special.betaincinv(k, size - k + 1.0, tail))
    high = 1.0 if k >= size else float(special.betainccinv(k + 1.0, size - k, tail))
    return Estimate(share, low, high, level, n, method, "", target)


def mean_interval(mean: float, spread: float, n: int, level: float, size: float | None = None) -> Estimate:
    """``mean -+ t s / sqrt(n)`` with ``s^2 = spread n / (n - 1)``, t on n - 1 degrees of freedom."""
    target, method = "mean of y in the leaf", "Student t"
    size = float(n) if size is None else size
    if n < 2 or size <= 1.0:
        reason = "no row falls into this leaf" if n == 0 else "one row has no spread"
        return Estimate(mean, None, None, level, n, method, reason, target)
    half = float(special.stdtrit(size - 1.0, 0.5 + 0.5 * level)) * math.sqrt(spread / (size - 1.0))
    if half == 0.0:
        return Estimate(mean, None, None, level, n, method, "all rows have the same value", target)
    return Estimate(mean, mean - half, mean + half, level, n, method, "", target)


def median_interval(y: Array, weight: Array, level: float) -> Estimate:
    """Return the median between the order statistics k and n + 1 - k, ``2 P(Bin(n, 1/2) < k) <= 1 -
    level``.

    Covers for every distribution; with unequal weights, or too few rows, there is no interval.
    """
    target, method, n = "median of y in the leaf", "order statistics", len(y)
    if n == 0:
        return Estimate(math.nan, None, None, level, 0, method, "no row falls into this leaf", target)
    median = AbsoluteError.median(y, weight)
    if np.ptp(weight) > 0.0:
        return Estimate(median, None, None, level, n, method, "the rows have unequal weights", target)
    below = special.bdtr(np.arange(n // 2 + 1), n, 0.5)  # P(Bin <= k - 1) of order statistic k
    k = int(np.searchsorted(below, 0.5 * (1.0 - level), side="right"))
    if k == 0:
        return Estimate(median, None, None, level, n, method, f"{n} rows are too few", target)
    low, high = np.sort(y)[[k - 1, n - k]]
    return Estimate(median, float(low), float(high), level, n, method, "", target)
