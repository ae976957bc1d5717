"""The ends of a bootstrap interval from the distribution of the resampled statistic.

Efron, Journal of the American Statistical Association 82 (1987), for BCa; Davison and Hinkley, Bootstrap
Methods and their Application (1997).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import special

from empirisk.evaluation.intervals.base import Floats, normal_quantile
from empirisk.resampling.bootstrap.distribution import Distribution

__all__ = ["LIMITS", "acceleration", "bca_limits", "studentised_limits"]

Limits = tuple[float, float]


def _tails(level: float) -> Floats:
    return np.array([0.5 * (1.0 - level), 0.5 * (1.0 + level)])


def percentile_limits(dist: Distribution, value: float, level: float) -> Limits:
    """``[G^-1(a), G^-1(1 - a)]``, G the distribution function of ``T*``, ``a = (1 - level)/2``."""
    low, high = dist.quantile(_tails(level))
    return float(low), float(high)


def basic_limits(dist: Distribution, value: float, level: float) -> Limits:
    """``[2T - G^-1(1 - a), 2T - G^-1(a)]``: the errors of the resamples, subtracted from the value."""
    low, high = percentile_limits(dist, value, level)
    return 2.0 * value - high, 2.0 * value - low


def normal_limits(dist: Distribution, value: float, level: float) -> Limits:
    """``T - bias -+ z sd``, bias and sd of ``T*``."""
    mean, sd = dist.moments()
    half = normal_quantile(level) * sd
    return 2.0 * value - mean - half, 2.0 * value - mean + half


def bca_limits(dist: Distribution, value: float, level: float, accel: float) -> Limits:
    """``G^-1(Phi(z0 + (z0 + z_a) / (1 - accel (z0 + z_a))))`` for both tails, ``z0 = Phi^-1(G(T))``.

    Infinite or NaN ends mean that all of ``T*`` lies on one side of T, or that the acceleration is too
    large for this level.  Source: Efron (1987).
    """
    z0 = float(special.ndtri(dist.below(value)))
    if not math.isfinite(z0):
        return math.nan, math.nan
    z = z0 + special.ndtri(_tails(level))
    stretch = 1.0 - accel * z
    if stretch.min() <= 0.0:
        return math.nan, math.nan
    low, high = dist.quantile(special.ndtr(z0 + z / stretch))
    return float(low), float(high)


def studentised_limits(values: Floats, errors: Floats, value: float, error: float, level: float) -> Limits:
    """``[T - se t_(1-a), T - se t_(a)]`` with the quantiles of ``t* = (T* - T)/se*``.

    A resample with error 0 counts as an infinite t of its sign.
    """
    shift = values - value
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(errors > 0.0, shift / errors, np.sign(shift) * math.inf)
    t[np.isnan(t)] = 0.0
    # No interpolation: infinities would turn into NaN.
    low, high = np.quantile(t, _tails(level), method="inverted_cdf")
    return value - error * float(high), value - error * float(low)


def acceleration(left_out: Sequence[Floats]) -> float:
    """``sum U^3 / (6 (sum U^2)^(3/2))`` over the samples' jackknife values.

    ``U_i = (m - 1)/m (mean - T_(-i))`` for the m rows (or groups) of each sample or stratum.
    Source: Efron (1987) for one sample, Davison and Hinkley (1997, section 5.3) for several.
    """
    u = np.concatenate([(v.mean() - v) * ((v.size - 1.0) / v.size) for v in left_out])
    scale = float(np.abs(u).max())
    if scale == 0.0:
        return 0.0
    # Third powers of very large or very small numbers would leave the range of a double.
    u /= scale
    return float(np.sum(u**3)) / (6.0 * math.sqrt(float(u @ u)) ** 3)


LIMITS: dict[str, Callable[[Distribution, float, float], Limits]] = {
    "percentile": percentile_limits,
    "basic": basic_limits,
    "normal": normal_limits,
}
