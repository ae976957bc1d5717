"""How many independent draws a set of chains is worth, and whether the chains agree.

All of it follows Vehtari, Gelman, Simpson, Carpenter and Burkner, Bayesian Analysis 16, 2021: chains are cut
in halves, ranks take the place of values where tails could be heavy, and autocorrelations are summed up while
sums of neighbouring pairs are positive and fall (Geyer, Statistical Science 7, 1992).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import rankdata

from empirisk.typing import Array

__all__ = ["energy_ratio", "ess_bulk", "ess_mean", "ess_quantile", "ess_tail", "mcse_mean", "r_hat"]


def r_hat(draws: Array) -> float:
    """Return the rank-normalised split R-hat: near 1 where the halves of all chains have the same law.

    Parameters
    ----------
    draws : array, shape (chains, n)
        Draws of one quantity; n is at least 4.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(4, 1000))
    >>> r_hat(x) < 1.01, r_hat(x + np.arange(4)[:, None]) > 1.5
    (True, True)
    """
    halves = _halves(draws)
    folded = np.abs(halves - np.median(halves))
    return max(_ratio(_normal_scores(halves)), _ratio(_normal_scores(folded)))


def ess_bulk(draws: Array) -> float:
    """Return the effective sample size of the ranks: how well the middle of the law is known."""
    return _effective(_normal_scores(_halves(draws)))


def ess_mean(draws: Array) -> float:
    """Return the effective sample size for the mean."""
    return _effective(_halves(draws))


def ess_quantile(draws: Array, q: float) -> float:
    """Return the effective sample size for the q-quantile."""
    return _effective(_halves((draws <= np.quantile(draws, q)).astype(np.float64)))


def ess_tail(draws: Array) -> float:
    """Return the smaller of the effective sample sizes for the 5 % and the 95 % quantile."""
    return min(ess_quantile(draws, 0.05), ess_quantile(draws, 0.95))


def mcse_mean(draws: Array) -> float:
    """Return the Monte-Carlo standard error of the mean: deviation over the root of the effective size."""
    return float(draws.std(ddof=1) / math.sqrt(ess_mean(draws)))


def energy_ratio(energies: Array) -> float:
    """Return ``sum (H_t - H_t-1)^2 / sum (H_t - mean H)^2`` of one chain; NaN where H is not known.

    Examples
    --------
    >>> energy_ratio(np.array([0.0, 1.0, 0.0, 1.0])), energy_ratio(np.array([math.nan, 1.0]))
    (3.0, nan)
    """
    spread = float(((energies - energies.mean()) ** 2).sum())
    return float((np.diff(energies) ** 2).sum()) / spread if spread > 0.0 else math.nan


def _halves(draws: Array) -> Array:
    """The first and the second half of every chain, as chains; a middle draw is left out."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def _normal_scores(x: Array) -> Array:
    """Quantiles of the normal law at the ranks of all draws together (Blom's places)."""
    ranks = rankdata(x, method="average").reshape(x.shape)
    return np.asarray(ndtri((ranks - 0.375) / (x.size + 0.25)))


def _ratio(x: Array) -> float:
    """The root of total over within variance; infinity where chains do not move but differ."""
    n = x.shape[1]
    within = float(x.var(axis=1, ddof=1).mean())
    between = n * float(x.mean(axis=1).var(ddof=1)) if len(x) > 1 else 0.0
    if within == 0.0:
        return 1.0 if between == 0.0 else math.inf
    return math.sqrt((n - 1.0) / n + between / (n * within))


def _autocovariance(x: Array) -> Array:
    """Autocovariances of each chain at all lags, over n."""
    n = x.shape[1]
    size = next_fast_len(2 * n)
    f = rfft(x - x.mean(axis=1, keepdims=True), size, axis=1)
    return np.asarray(irfft(np.abs(f) ** 2, size, axis=1)[:, :n] / n)


def _effective(x: Array) -> float:
    """The effective sample size of chains for the mean of what they hold."""
    m, n = x.shape
    if n < 4 or not np.isfinite(x).all():
        return math.nan
    if np.ptp(x) == 0.0:
        return float(m * n)
    covariance = _autocovariance(x)
    within = float(covariance[:, 0].mean()) * n / (n - 1.0)
    total = within * (n - 1.0) / n + (float(x.mean(axis=1).var(ddof=1)) if m > 1 else 0.0)
    rho = 1.0 - (within - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    pairs = rho[: 2 * (n // 2)].reshape(-1, 2).sum(axis=1)
    # Of the first pair that is left out, the even term still counts where it is positive.  Pairs near the
    # last lag, of which few products are known, are never counted whole.
    negative = np.flatnonzero(pairs < 0.0)
    last = min(int(negative[0]) if len(negative) else n, (n - 3) // 2)
    falling = float(np.minimum.accumulate(pairs[:last]).sum())
    time = 2.0 * falling - 1.0 + max(float(rho[2 * last]), 0.0)
    # A time below this would claim more than n log10(n) draws, which no estimate supports.
    time = max(time, 1.0 / math.log10(m * n))
    return float(m * n / time)
