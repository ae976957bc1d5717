"""The mean of losses that are not negative, over held-out rows that carry weights."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import special

from empirisk.data.sums import weighted_sum
from empirisk.inference.held_out import MIN_ROWS, held_out_mean
from empirisk.inference.limits import cubic_limits, wilson_limits
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["held_out_loss"]

# Beyond both, intervals of 95 % covered 84 to 92 % of lognormal, exponential and t3 noise (squares of
# residuals).
LONG, FAR = 4.0, 0.25


def held_out_loss(
    values: Array, weight: Array, *, bound: float | None = None, level: float = 0.95, target: str = ""
) -> Estimate:
    """``m = sum s_i v_i / S`` with an interval within the range of the losses.

    Shares (every v is 0 or 1): Wilson's interval for ``n_eff = S^2 / sum s_i^2`` rows, also when no row or
    every row is an error.  Other losses: Student's interval of :func:`held_out_mean` with Hall's correction
    for skewness, and equal losses below a bound Wilson's interval of ``m / bound``.

    Parameters
    ----------
    values : array, shape (n,)
        Losses >= 0.
    weight : array, shape (n,)
        Positive.
    bound : float, optional
        The largest loss there can be.
    level : float, default 0.95
        Nominal coverage.
    target : str
        What the mean is about.

    Returns
    -------
    Estimate
        Without an interval below 30 rows, where a loss is infinite, or where all losses are the same and
        unbounded. A `reason` beside an interval says that the losses have a long tail, where it is too short.

    References
    ----------
    Wilson 1927; Hall 1992, Journal of the Royal Statistical Society B 54.

    Examples
    --------
    >>> print(held_out_loss(np.zeros(100), np.ones(100), bound=1.0))
    0.000 [0.000, 0.037]
    """
    plain = held_out_mean(values, weight, level, target)
    n, mean = plain.n, plain.value
    if n < MIN_ROWS or not math.isfinite(mean):
        return plain
    share = weight / weight.max()
    # Kish's effective number of rows: as many rows of equal weight would have a mean of the same variance.
    rows = float(share.sum()) ** 2 / float(weighted_sum(share, share))
    z = float(special.ndtri(0.5 + 0.5 * level))
    if bound == 1.0 and bool(np.all((values == 0.0) | (values == 1.0))):
        low, high = wilson_limits(min(max(mean, 0.0), 1.0), rows, z)
        method = "Wilson" if rows == n else "Wilson, effective n"
        return Estimate(mean, low, high, level, n, method, "", target)
    if plain.low is None:
        if bound is None or not bool(np.ptp(values) <= 1e-12 * bound):
            return plain
        low, high = wilson_limits(min(max(mean / bound, 0.0), 1.0), rows, z)
        return replace(
            plain, low=bound * low, high=bound * high, method="Wilson (all losses are equal)", reason=""
        )
    moved = share / share.sum() * (values - mean)
    second = float(np.sum(moved**2))
    b = float(np.sum(moved**3)) / second**1.5
    se, t = math.sqrt(n / (n - 1.0) * second), float(special.stdtrit(n - 1.0, 0.5 + 0.5 * level))
    low, high = cubic_limits(mean, se, b, t)
    reason = ""
    if b > FAR and (skewness := b * math.sqrt(rows)) > LONG:
        needed = math.ceil(rows * (b / FAR) ** 2)
        reason = (
            f"the losses have a long tail (skewness {skewness:.2g}): about {needed} rows are needed, with "
            "fewer such intervals are too short"
        )
    high = high if bound is None else min(high, bound)
    return Estimate(mean, max(0.0, low), high, level, n, f"{plain.method}, Hall's correction", reason, target)
