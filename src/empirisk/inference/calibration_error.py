"""The squared calibration error without the bias of the bin noise, and its interval.

Lee, Huang, Hassani and Dobriban, Journal of Machine Learning Research 24 (2023).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import special

from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["bin_count", "calibration_error", "calibration_interval"]

MIN_ROWS = 100


def calibration_error(confidence: Array, hit: Array) -> float:
    """Root of ``(1/n) sum over bins of [(sum e)^2 - sum e^2]/(n_b - 1)``, 0 where negative.

    Here ``e = hit - confidence`` and the bins hold like numbers of rows.

    Parameters
    ----------
    confidence : array, shape (n,)
        Probabilities of the event.
    hit : array, shape (n,)
        Whether it happened, 0 or 1.

    Returns
    -------
    float
        An estimate of ``sqrt(E (E[hit - confidence | bin])^2)``, which is at most the same with
        ``| confidence`` in place of the bin.  Its square has mean 0 without the square root's cut when the
        probabilities are exact, where the usual binned error is positive.

    References
    ----------
    D. Lee, X. Huang, H. Hassani, E. Dobriban, "T-Cal: an optimal test for the calibration of predictive
    models", JMLR 24 (2023).

    Examples
    --------
    >>> calibration_error(np.full(100, 0.5), np.arange(100) % 2)
    0.0
    >>> round(calibration_error(np.full(100, 0.9), np.arange(100) % 2), 2)
    0.38
    """
    n = len(confidence)
    total = sum((part.sum() ** 2 - (part**2).sum()) / (len(part) - 1) for part in _bins(confidence, hit))
    return math.sqrt(max(0.0, float(total) / max(1, n)))


def calibration_interval(confidence: Array, hit: Array, level: float = 0.95) -> Estimate:
    """:func:`calibration_error` with an interval.

    In a bin of m rows ``U = [(sum e)^2 - sum e^2] / (m (m-1))`` estimates ``mu^2`` with variance
    ``4 (m-2) mu^2 s^2 / (m (m-1)) + 2 (s^4 + 2 mu^2 s^2) / (m (m-1))`` (Hoeffding), ``s^2`` the variance of
    e; the second term is what is left when the probabilities are exact.  Normal limits of the weighted sum
    of the U, cut at 0, under the root.

    Parameters
    ----------
    confidence, hit
        As in :func:`calibration_error`.
    level : float, default 0.95
        Nominal coverage.

    Returns
    -------
    Estimate
        Without an interval below 100 rows.  It is about the error *over the bins*: probabilities and
        frequencies are averaged within each, so that it is at most the error at single probabilities, and
        misses what cancels inside a bin (steps of an isotonic map, say).  The lower limit holds for both.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=4000)
    >>> str(calibration_interval(p, rng.uniform(size=4000) < p**2))
    '0.182 [0.169, 0.195]'
    """
    n = len(confidence)
    value, variance = 0.0, 0.0
    for part in _bins(confidence, hit):
        m = len(part)
        pairs = m * (m - 1.0)
        u = float(part.sum() ** 2 - (part**2).sum()) / pairs
        spread = float(part.var(ddof=1))
        square = max(u, 0.0)
        # The second term must stay: where probabilities are exact the first one is 0, and the interval would
        # be, too.
        own = (4.0 * (m - 2.0) * square * spread + 2.0 * (spread**2 + 2.0 * square * spread)) / pairs
        value, variance = value + m / n * u, variance + (m / n) ** 2 * own
    half = float(special.ndtri(0.5 * (1.0 + level))) * math.sqrt(variance)
    low, high = (math.sqrt(max(0.0, limit)) for limit in (value - half, value + half))
    method = f"{bin_count(n)} debiased bins, normal limits of the square"
    target = f"calibration error on new rows over {bin_count(n)} bins of like numbers of rows"
    point = math.sqrt(max(0.0, value))
    if n < MIN_ROWS:
        reason = f"{n} rows are too few; at least {MIN_ROWS} are needed"
        return Estimate(point, None, None, level, n, method, reason, target)
    return Estimate(point, low, high, level, n, method, "", target)


def bin_count(n: int) -> int:
    """Return how many bins n rows are put in: of 100 rows or more, 5 to 15.

    Examples
    --------
    >>> bin_count(150), bin_count(900), bin_count(10_000)
    (5, 9, 15)
    """
    return int(min(15, max(5, n // 100)))


def _bins(confidence: Array, hit: Array) -> Iterator[Array]:
    """Return the residuals by bin of like numbers of rows, in the order of the probabilities; single rows are
    left.
    """
    count = bin_count(len(confidence))
    e = (np.asarray(hit, dtype=np.float64) - confidence)[np.argsort(confidence, kind="stable")]
    return (part for part in np.array_split(e, count) if len(part) > 1)
