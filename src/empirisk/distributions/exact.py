"""Ends of exact intervals: chances of counts and sums that are known for any number of rows.

An end is the parameter at which what was seen, or more of it, has half of the chance of an error: Clopper and
Pearson's interval of a chance, Garwood's of the mean of a Poisson number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaincinv, chdtri, stdtrit

__all__ = [
    "check_whole",
    "chi_square_ends",
    "clopper_pearson",
    "garwood",
    "student_end",
    "waiting",
]


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number from `least` on.

    Examples
    --------
    >>> check_whole("n_draws", 10.5, 1000)
    Traceback (most recent call last):
    ...
    ValueError: n_draws must be a whole number >= 1000, got 10.5
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}")


def clopper_pearson(ones: float, n: float, level: float) -> tuple[float, float]:
    """Return the interval of a chance after so many ones in n trials.

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(0, 10, 0.95)]
    [0.0, 0.3085]
    """
    tail = 0.5 * (1.0 - level)
    low = float(betaincinv(ones, n - ones + 1.0, tail)) if ones > 0.0 else 0.0
    high = float(betaincinv(ones + 1.0, n - ones, 1.0 - tail)) if ones < n else 1.0
    return low, high


def waiting(ones: float, trials: float, level: float) -> tuple[float, float]:
    """Return the interval of a chance when trials went on until there were so many ones.

    Examples
    --------
    >>> [round(end, 4) for end in waiting(1, 1, 0.95)]
    [0.025, 1.0]
    """
    tail = 0.5 * (1.0 - level)
    low = float(betaincinv(ones, trials - ones + 1.0, tail))
    high = float(betaincinv(ones, trials - ones, 1.0 - tail)) if trials > ones else 1.0
    return low, high


def garwood(count: float, level: float) -> tuple[float, float]:
    """Return the interval of the mean of a Poisson number that was seen once.

    Examples
    --------
    >>> [round(end, 4) for end in garwood(0, 0.95)]
    [0.0, 3.6889]
    """
    tail = 0.5 * (1.0 - level)
    low = 0.5 * float(chdtri(2.0 * count, 1.0 - tail)) if count > 0.0 else 0.0
    return low, 0.5 * float(chdtri(2.0 * count + 2.0, tail))


def chi_square_ends(degrees: float, level: float) -> tuple[float, float]:
    """Return the middle of a chi-square law.

    Examples
    --------
    >>> [round(end, 4) for end in chi_square_ends(10, 0.95)]
    [3.247, 20.4832]
    """
    tail = 0.5 * (1.0 - level)
    return float(chdtri(degrees, 1.0 - tail)), float(chdtri(degrees, tail))


def student_end(degrees: float, level: float) -> float:
    """Return the upper end of the middle of Student's law.

    Examples
    --------
    >>> round(student_end(10, 0.95), 4)
    2.2281
    """
    return float(stdtrit(degrees, 0.5 + 0.5 * level))
