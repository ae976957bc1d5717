"""Intervals and p-values of many estimates at once: Bonferroni's, Holm's and those of the largest deviation.

Hothorn, Bretz and Westfall, Biometrical Journal 50 (2008).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from empirisk.typing import Array

__all__ = ["ADJUSTMENTS", "adjusted", "check_adjust"]

ADJUSTMENTS = ("simultaneous", "holm", "bonferroni")
POINTS = 1 << 16  # of a sequence of low discrepancy: the quantile of the maximum is known to about 0.1 %
SEED = 20080604  # of the scrambling; the same table at each call
FEW = 200  # so few points beyond a deviation tell its probability to 7 % at best


def check_adjust(adjust: str | None) -> None:
    """Refuse an adjustment that does not exist, and list those that do."""
    if adjust is not None and adjust not in ADJUSTMENTS:
        raise ValueError(f"adjust must be None or one of {ADJUSTMENTS}, got {adjust!r}")


def adjusted(t: Array, covariance: Array, df: Array, level: float, adjust: str | None) -> tuple[Array, Array]:
    """Return, for each estimate, how many standard errors its interval is wide on a side, and its p-value.

    Parameters
    ----------
    t : array, shape (m,)
        Estimates over their standard errors, the hypothesis subtracted; NaN where there is none.
    covariance : array, shape (m, m)
        Of the estimates: only its correlations are read.
    df : array, shape (m,)
        Degrees of freedom of each t; infinite for the normal law.
    level : float
        Of each interval, or of all together.
    adjust : str or None
        None: each by itself.  ``"bonferroni"``: level ``1 - (1 - level) / m`` for each, p times m.
        ``"holm"``: the same intervals; p-values step down, which are never larger.  ``"simultaneous"``: the
        quantile of the largest of the m deviations under their joint normal or t law, never wider than
        Bonferroni's.

    Returns
    -------
    critical, p : arrays, shape (m,)

    Notes
    -----
    The joint t law has the least of the degrees of freedom.  Its maximum is integrated by a sequence of low
    discrepancy; probabilities too small for it are Bonferroni's bound.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979).  T. Hothorn, F. Bretz, P. Westfall, "Simultaneous inference in general parametric models",
    Biometrical Journal 50 (2008).

    Examples
    --------
    >>> t, V, df = np.array([2.0, 1.0]), np.eye(2), np.full(2, np.inf)
    >>> adjusted(t, V, df, 0.95, None)[1].round(4)
    array([0.0455, 0.3173])
    >>> adjusted(t, V, df, 0.95, "holm")[1].round(4)
    array([0.091 , 0.3173])
    """
    check_adjust(adjust)
    single = np.asarray(2.0 * stats.t.sf(np.abs(t), df))
    known = np.flatnonzero(~np.isnan(single))
    m = len(known)
    if adjust is None or m < 2:
        return np.asarray(stats.t.ppf(0.5 + 0.5 * level, df)), single
    critical = np.asarray(stats.t.isf((1.0 - level) / (2.0 * m), df))
    p = np.full(len(t), math.nan)
    if adjust == "holm":
        p[known] = _holm(single[known])
        return critical, p
    p[known] = np.minimum(m * single[known], 1.0)
    if adjust == "bonferroni":
        return critical, p
    largest = _largest(covariance[np.ix_(known, known)], float(np.min(df[known])))
    beyond = len(largest) - np.searchsorted(largest, np.abs(t[known]))
    enough = beyond >= FEW
    p[known] = np.where(enough, np.clip(beyond / len(largest), single[known], p[known]), p[known])
    return np.minimum(critical, np.quantile(largest, level)), p


def _holm(p: Array) -> Array:
    """Return Holm's p-values: the k-th smallest times the number that is left, made monotone."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    out = np.empty(len(p))
    out[order] = np.minimum(stepped, 1.0)
    return out


def _largest(covariance: Array, df: float) -> Array:
    """Return points of the law of the largest absolute deviation, sorted."""
    size = np.sqrt(np.diag(covariance))
    unit = covariance / np.outer(size, size)
    value, vector = np.linalg.eigh(unit)
    live = value > 1e-12 * value[-1]
    root = vector[:, live] * np.sqrt(value[live])
    rank = root.shape[1]
    points = stats.qmc.Sobol(rank + 1, seed=SEED).random(POINTS)
    # A point at the very edge of the cube has no finite normal quantile.
    normal = stats.norm.ppf(np.clip(points[:, :rank], 1e-12, 1.0 - 1e-12))
    largest = np.abs(normal @ root.T).max(axis=1)
    if math.isfinite(df):
        largest /= np.sqrt(stats.chi2.ppf(np.clip(points[:, rank], 1e-12, 1.0), df) / df)
    return np.sort(largest)
