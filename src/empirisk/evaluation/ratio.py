"""The weighted mean as a ratio of two sums, and a number a row whose plain mean and spread are its own.

Särndal, Swensson and Wretman, Model Assisted Survey Sampling (1992), section 5.7.
"""

from __future__ import annotations

import numpy as np

from empirisk.typing import Array

__all__ = ["effective", "linearised", "weighted"]


def effective(weights: Array | None, n: int) -> float:
    """``(sum w)^2 / sum w^2``: the number of rows of equal weight that n weighted rows are worth.

    Examples
    --------
    >>> effective(np.array([1.0, 1.0, 2.0]), 3), effective(None, 3)
    (2.6666666666666665, 3.0)
    """
    return float(n) if weights is None else float(weights.sum() ** 2 / (weights @ weights))


def weighted(values: Array, weights: Array | None) -> float:
    """``sum w v / sum w``, the mean of what the rows stand for; the plain mean without weights."""
    return float(values.mean()) if weights is None else float(np.average(values, weights=weights))


def linearised(values: Array, weights: Array | None) -> Array:
    """``m + w_i (v_i - m) / mean w`` with the weighted mean m: plain mean m, and the spread of the ratio.

    Examples
    --------
    >>> linearised(np.array([1.0, 4.0]), np.array([1.0, 3.0])).tolist()
    [2.125, 4.375]
    """
    if weights is None:
        return values
    m = weighted(values, weights)
    return np.asarray(m + weights * (values - m) / weights.mean())
