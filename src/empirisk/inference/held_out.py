"""The mean loss of held-out rows that carry weights."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from empirisk.data.sums import weighted_sum
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["held_out_mean"]

MIN_ROWS = 30


def held_out_mean(values: Array, weight: Array, level: float = 0.95, target: str = "") -> Estimate:
    """``m = sum s_i v_i / S`` with ``m -+ t_{n-1} se``, ``se^2 = n/(n-1) sum s_i^2 (v_i - m)^2 / S^2``.

    With equal weights Student's interval; with unequal ones the linearised variance of a ratio, in which a
    weight says how much a row counts, not how many rows it is.  For losses and paired differences alike.

    Parameters
    ----------
    values : array, shape (n,)
        One number a row.
    weight : array, shape (n,)
        Positive.
    level : float, default 0.95
        Nominal coverage.
    target : str
        What the mean is about.

    Returns
    -------
    Estimate
        Without an interval below 30 rows, or where no row differs.

    Examples
    --------
    >>> print(held_out_mean(np.arange(70.0) % 7, np.ones(70)))
    3.00 [2.52, 3.48]
    """
    # By a power of two, so that squares of weights of any size neither overflow nor change a bit.
    weight = np.ldexp(weight, -int(np.frexp(weight.max(initial=0.0))[1]))
    n, total = len(values), float(weight.sum())
    mean = float(weighted_sum(weight, values)) / total
    method = "Student t" if np.ptp(weight) == 0.0 else "Student t, weighted"
    if n < MIN_ROWS:
        reason = f"{n} {'row is' if n == 1 else 'rows are'} too few; at least {MIN_ROWS} are needed"
        return Estimate(mean, None, None, level, n, method, reason, target)
    if not math.isfinite(mean):
        return Estimate(mean, None, None, level, n, method, "the loss of a row is infinite", target)
    # The mean comes from the same rows, which takes one degree of freedom: n / (n - 1) here, t on n - 1
    # below.
    se = math.sqrt(n / (n - 1.0) * float(weighted_sum(weight**2, (values - mean) ** 2))) / total
    # So small a spread is the rounding of the mean.
    if se <= 1e-14 * float(np.abs(values).max()):
        return Estimate(mean, None, None, level, n, method, "all rows have the same value", target)
    half = float(special.stdtrit(n - 1.0, 0.5 * (1.0 + level))) * se
    return Estimate(mean, mean - half, mean + half, level, n, method, "", target)
