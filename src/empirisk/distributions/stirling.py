"""Logarithms of Gamma functions of large numbers, and differences of them, without lost digits.

Stirling's formula is ``log Gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + d(x)`` with a small d.  Densities
are written in d and in the deviance ``D(x, m) = x log(x / m) + m - x``, so that no two large numbers are
subtracted (Loader, Fast and accurate computation of binomial probabilities, 2000).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from empirisk.typing import Array

__all__ = [
    "binomial_log",
    "curvature_rest",
    "deviance",
    "digamma_gap",
    "digamma_rest",
    "digamma_rest_gap",
    "gamma_divergence",
    "log_gamma_gap",
    "log_shares",
    "stirling_rest",
]

# From here on the series below are exact to the last digit.
_LARGE = 16.0
_REST = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_DIGAMMA = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760, -1 / 12)
_CURVATURE = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_HALF_LOG = 0.5 * math.log(2.0 * math.pi)
_AT, _WEIGHT = np.polynomial.legendre.leggauss(20)
_AT, _WEIGHT = 0.5 * (_AT + 1.0), 0.5 * _WEIGHT


def _series(coefficients: tuple[float, ...], x: Array) -> Array:
    """Return ``c_0 + c_1 / x^2 + c_2 / x^4 + ...`` of the given coefficients by Horner's rule."""
    square = 1.0 / x / x
    out = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        out = out * square + c
    return out


def stirling_rest(x: Any) -> Array:
    """Return ``d(x) = log Gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2`` for x > 0.

    Examples
    --------
    >>> float(stirling_rest(1e14)) == 1.0 / 12e14
    True
    """
    x = np.asarray(x, dtype=np.float64)
    large = np.maximum(x, _LARGE)
    small = np.where(x < _LARGE, x, 1.0)
    direct = gammaln(small) - (small - 0.5) * np.log(small) + small - _HALF_LOG
    return np.asarray(np.where(x < _LARGE, direct, _series(_REST, large) / large))


def digamma_rest(x: Any) -> Array:
    """Return ``psi(x) - log x`` for x > 0, about ``-1 / (2 x)``.

    Examples
    --------
    >>> round(float(digamma_rest(1e14)) * 1e14, 12) == -0.5
    True
    """
    x = np.asarray(x, dtype=np.float64)
    if not (x >= _LARGE).any():
        return np.asarray(digamma(x) - np.log(x))
    large = np.maximum(x, _LARGE)
    small = np.where(x < _LARGE, x, 1.0)
    direct = digamma(small) - np.log(small)
    return np.asarray(np.where(x < _LARGE, direct, (-0.5 + _series(_DIGAMMA, large) / large) / large))


def curvature_rest(x: Any) -> Array:
    """Return ``psi'(x) - 1 / x`` for x > 0, about ``1 / (2 x^2)``.

    Examples
    --------
    >>> round(float(curvature_rest(1e10)) * 1e20, 9) == 0.5
    True
    """
    x = np.asarray(x, dtype=np.float64)
    if not (x >= _LARGE).any():
        return np.asarray(polygamma(1, x) - 1.0 / x)
    large = np.maximum(x, _LARGE)
    small = np.where(x < _LARGE, x, 1.0)
    direct = polygamma(1, small) - 1.0 / small
    return np.asarray(
        np.where(x < _LARGE, direct, (0.5 + _series(_CURVATURE, large) / large) / large / large)
    )


def deviance(x: Any, m: Any, gap: Any = None) -> Array:
    """Return ``x log(x / m) + m - x`` for x >= 0 and m >= 0, which is >= 0; m where x = 0.

    Parameters
    ----------
    x, m : array of floats
    gap : array of floats, optional
        The difference ``x - m``, where it is known better than from the rounded numbers.

    Examples
    --------
    >>> float(deviance(0.3, 0.3 + 1e-9).round(21))
    1.667e-18
    """
    x, m = np.asarray(x, dtype=np.float64), np.asarray(m, dtype=np.float64)
    gap = x - m if gap is None else np.asarray(gap, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        v = gap / x / (1.0 + m / x)
        near = np.abs(v) < 0.1
        v = np.where(near, v, 0.0)
        # log(x / m) = 2 artanh v, and the first term of its series cancels that of m - x.
        square = v * v
        tail = np.zeros_like(square)
        for k in range(21, 1, -2):
            tail = tail * square + 1.0 / k
        close = v * gap + 2.0 * x * v * square * tail
        far = x * np.log(x / m) - gap
        # Where the ratio leaves the doubles, its logarithm does not.
        far = np.where(np.isfinite(far), far, x * (np.log(x) - np.log(m)) - gap)
        out = np.where(x > 0.0, np.where(near, close, far), m)
        return np.asarray(np.where(np.isinf(m), np.inf, out))


def log_gamma_gap(x: Any, d: Any) -> Array:
    """Return ``log Gamma(x + d) - log Gamma(x)`` for x > 0 and d >= 0.

    Examples
    --------
    >>> float(log_gamma_gap(1e15, 1.0)) == math.log(1e15)
    True
    """
    x, d = np.asarray(x, dtype=np.float64), np.asarray(d, dtype=np.float64)
    y = x + d
    return np.asarray((x - 0.5) * np.log1p(d / x) + d * np.log(y) - d + stirling_rest(y) - stirling_rest(x))


def digamma_gap(x: Any, d: Any) -> Array:
    """Return ``psi(x + d) - psi(x)`` for x > 0 and d >= 0.

    Examples
    --------
    >>> round(float(digamma_gap(1e15, 0.5) * 2e15), 12)
    1.0
    """
    x, d = np.asarray(x, dtype=np.float64), np.asarray(d, dtype=np.float64)
    return np.asarray(np.log1p(d / x) + digamma_rest_gap(x, d))


def digamma_rest_gap(x: Any, d: Any) -> Array:
    """Return ``psi(x + d) - psi(x) - log(1 + d / x)`` for x > 0 and d >= 0, about ``d / (2 x (x + d))``.

    Examples
    --------
    >>> float(digamma_rest_gap(1e15, 2.0).round(34))
    1e-30
    """
    x, d = np.asarray(x, dtype=np.float64), np.asarray(d, dtype=np.float64)
    large = x >= _LARGE
    if not large.any():
        return np.asarray(digamma_rest(x + d) - digamma_rest(x))
    y, z = np.where(large, x, _LARGE), np.where(large, x + d, _LARGE)
    rest = _series(_DIGAMMA, z) / z / z - _series(_DIGAMMA, y) / y / y
    return np.asarray(np.where(large, 0.5 * (d / y / z) + rest, digamma_rest(x + d) - digamma_rest(x)))


def log_shares(a: Array) -> Array:
    """Return ``log(a_j / sum a)``, by the other parts where the share is near 1.

    Examples
    --------
    >>> log_shares(np.array([1.0, 3.0])).round(4).tolist()
    [-1.3863, -0.2877]
    """
    total = a.sum()
    j = int(np.argmax(a))
    out = np.log(a) - math.log(total)
    out[j] = -math.log1p(float(np.delete(a, j).sum()) / float(a[j]))
    return np.asarray(out)


def binomial_log(x: Array, y: Array, p: Any, q: Any) -> Array:
    """Return ``log(C(x + y, x) p^x q^y)`` for numbers x, y >= 0 and chances with p + q = 1.

    Examples
    --------
    >>> round(float(binomial_log(np.array(1.0), np.array(1.0), 0.5, 0.5)), 12) == round(math.log(0.5), 12)
    True
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n = x + y
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = x * q - y * p
        inner = stirling_rest(n) - stirling_rest(x) - stirling_rest(y)
        inner -= deviance(x, n * p, gap) + deviance(y, n * q, -gap)
        inner += 0.5 * (np.log(n) - np.log(x) - np.log(y)) - _HALF_LOG
        none = np.where(y > 0.0, y * (np.log1p(-p) if p < 0.5 else np.log(q)), 0.0)
        every = np.where(x > 0.0, x * (np.log1p(-q) if q < 0.5 else np.log(p)), 0.0)
        return np.asarray(np.where(x == 0.0, none, np.where(y == 0.0, every, inner)))


def gamma_divergence(c: Any, a: Any) -> Array:
    """Return ``log Gamma(c) - log Gamma(a) - (c - a) psi(a) - D(c, a)`` for c, a > 0, which is >= 0.

    Near a it is the integral of the second derivative, ``(c - a)^2 int (1 - s) (psi' - 1/u)(u(s)) ds`` with
    ``u(s) = a + s (c - a)``, so that nothing cancels.

    Examples
    --------
    >>> round(float(gamma_divergence(1e8 + 10.0, 1e8) / 0.25e-14), 6)
    1.0
    """
    c, a = np.asarray(c, dtype=np.float64), np.asarray(a, dtype=np.float64)
    step = c - a
    near = np.abs(step) < 0.5 * a
    u = a + np.where(near, step, 0.0) * _AT.reshape(-1, *([1] * step.ndim))
    weight = (_WEIGHT * (1.0 - _AT)).reshape(-1, *([1] * step.ndim))
    relative = (weight * curvature_rest(u) * u * u * (a / u) ** 2).sum(axis=0)
    close = (step / a) ** 2 * relative
    with np.errstate(over="ignore"):
        far = 0.5 * (np.log(a) - np.log(c)) + stirling_rest(c) - stirling_rest(a) - step * digamma_rest(a)
    return np.asarray(np.where(near, close, far))
