"""The mean of the logistic function of a normal variable, by a rule whose error is below rounding.

The trapezoidal rule converges geometrically for functions that are analytic in a strip: Trefethen and
Weideman 2014, SIAM Review 56, theorem 5.1.  The logistic function has its poles at odd multiples of i pi.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, logsumexp, ndtr

from empirisk.typing import Array

__all__ = ["log_logistic_mean", "logistic_mean"]

WIDE = 4.0  # standard deviation from which the logistic density is the smoother of the two to sum along
CELLS = 2**18


def logistic_mean(mean: Array, variance: Array) -> Array:
    """Return ``E sigma(Z)`` for ``Z ~ N(mean, variance)``, elementwise, to about 1e-15.

    Examples
    --------
    >>> logistic_mean(np.array([0.0, 2.0]), np.array([9.0, 0.0])).round(6)
    array([0.5     , 0.880797])
    """
    m, s = np.ravel(mean).astype(np.float64), np.sqrt(np.ravel(variance).astype(np.float64))
    m, s = np.broadcast_arrays(m, s)
    out = np.empty(len(m))
    for start in range(0, len(m), CELLS // 512):
        part = slice(start, start + CELLS // 512)
        # The smaller of the two probabilities is summed, so that small ones keep their digits.
        low = -np.abs(m[part])
        small = np.where(s[part] <= WIDE, _along_normal(low, s[part]), _along_logistic(low, s[part]))
        out[part] = np.where(m[part] > 0.0, 1.0 - small, small)
    return out.reshape(np.shape(mean))


def log_logistic_mean(mean: Array, variance: Array) -> Array:
    """Return ``log E sigma(Z)`` for ``Z ~ N(mean, variance)``, elementwise, finite where E is rounded to 0.

    By ``sigma(z) = e^z sigma(-z)`` it is ``mean + variance/2 + log E sigma(-mean - variance + s U)``: the
    exponential shifts the normal law.  The shifted expectation is the larger one below ``-variance/2``.

    Examples
    --------
    >>> log_logistic_mean(np.array([-2000.0, 2.0]), np.array([4.0, 0.0])).round(6)
    array([-1.99800e+03, -1.26928e-01])
    """
    m, v = np.broadcast_arrays(np.asarray(mean, dtype=np.float64), np.asarray(variance, dtype=np.float64))
    shifted = m < -0.5 * v
    at = np.where(shifted, -m - v, m)
    told = logistic_mean(at, v)
    # What is lost here has v > 1400: the normal law is flat beside the logistic one.
    lost = told < 1e-290
    with np.errstate(divide="ignore"):
        out = np.where(at > 0.0, np.log1p(-logistic_mean(-at, v)), np.log(told))
    out[lost] = _log_along_logistic(at[lost], np.sqrt(v[lost]))
    return np.asarray(np.where(shifted, m + 0.5 * v + out, out))


def _log_along_logistic(m: Array, s: Array) -> Array:
    """Sum as :func:`_along_logistic`, in logarithms, and twice as far: the terms may fall half as fast."""
    h = 0.4
    at = np.arange(-200, 201) * h
    terms = log_ndtr((m[:, None] - at) / s[:, None]) + log_expit(at) + log_expit(-at)
    return np.asarray(logsumexp(terms, axis=1) + np.log(h))


def _along_normal(m: Array, s: Array) -> Array:
    """Sum ``sigma(m + s u) phi(u)``: the poles are at least pi / s away, 0.78 for s = 4."""
    h = 0.125
    u = np.arange(-104, 105) * h
    density = np.exp(-0.5 * u * u) * (h / np.sqrt(2.0 * np.pi))
    return np.asarray(expit(m[:, None] + np.minimum(s, WIDE)[:, None] * u) @ density)


def _along_logistic(m: Array, s: Array) -> Array:
    """Sum ``Phi((m - l) / s)`` against the logistic density of l, whose poles are pi away."""
    h = 0.4
    at = np.arange(-100, 101) * h
    density = expit(at) * expit(-at) * h
    return np.asarray(ndtr((m[:, None] - at) / np.maximum(s, WIDE)[:, None]) @ density)
