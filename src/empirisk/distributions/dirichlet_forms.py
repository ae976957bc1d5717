"""Formulas of Dirichlet and Beta laws in which nothing cancels, however large the concentrations are.

With n the sum of the concentrations a and ``L_j = log(a_j / n)``, Stirling's formula leaves of the logarithm
of the Beta function ``sum (a_j - 1/2) L_j + (k - 1) log(2 pi / n) / 2`` and small rests; what multiplies a
is then written as a deviance, which is a sum of terms that are all >= 0.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.distributions.stirling import (
    curvature_rest,
    deviance,
    digamma_rest,
    gamma_divergence,
    log_shares,
    stirling_rest,
)
from empirisk.typing import Array

__all__ = ["divergence", "entropy", "inverse_information", "log_beta", "log_density", "mean_logarithms"]

# From these concentrations on densities are written with Stirling's formula.
_LARGE = 16.0


def log_beta(a: Array) -> float:
    """Return ``sum log Gamma(a_j) - log Gamma(sum a)``, the logarithm of the Beta function.

    Examples
    --------
    >>> round(log_beta(np.array([2.0, 3.0])), 12) == round(-math.log(12.0), 12)
    True
    """
    n = a.sum()
    rests = float(stirling_rest(a).sum() - stirling_rest(n))
    return float((a - 0.5) @ log_shares(a)) + 0.5 * (len(a) - 1) * math.log(2.0 * math.pi / n) + rests


def log_density(a: Array, x: Array) -> Array:
    """Return ``sum (a_j - 1) log x_j - log B(a)`` for rows x of shares that sum to 1.

    Examples
    --------
    >>> log_density(np.array([1.0, 1.0, 1.0]), np.array([[0.2, 0.3, 0.5]])).round(6).tolist()
    [0.693147]
    """
    if a.max() < _LARGE:
        return np.asarray(np.log(x) @ (a - 1.0) - log_beta(a))
    n = a.sum()
    norm = stirling_rest(n) - stirling_rest(a).sum() - 0.5 * math.log(n) + 0.5 * np.log(a).sum()
    norm -= 0.5 * (len(a) - 1) * math.log(2.0 * math.pi)
    return np.asarray(norm - (np.log(x) + deviance(a, n * x)).sum(axis=1))


def mean_logarithms(a: Array) -> Array:
    """Return ``psi(a_j) - psi(sum a)``, the means of the logarithms of the shares.

    Examples
    --------
    >>> mean_logarithms(np.array([1.0, 2.0])).round(12).tolist()
    [-1.5, -0.5]
    """
    return np.asarray(log_shares(a) + digamma_rest(a) - digamma_rest(a.sum()))


def entropy(a: Array) -> float:
    """Return ``log B(a) - sum (a_j - 1) (psi(a_j) - psi(sum a))`` in nats.

    Examples
    --------
    >>> round(entropy(np.array([1.0, 1.0])), 12)
    0.0
    """
    n = a.sum()
    rests = float(stirling_rest(a).sum() - stirling_rest(n))
    rests -= float((a - 1.0) @ (digamma_rest(a) - digamma_rest(n)))
    return 0.5 * float(log_shares(a).sum()) + 0.5 * (len(a) - 1) * math.log(2.0 * math.pi / n) + rests


def divergence(a: Array, c: Array) -> float:
    """Return the divergence of the law with concentrations a from that with concentrations c.

    Examples
    --------
    >>> round(divergence(np.array([1.0, 1.0]), np.array([2.0, 1.0])), 12) == round(1.0 - math.log(2.0), 12)
    True
    """
    n, m = a.sum(), c.sum()
    gap = (c - a) - a * ((c - a).sum() / n)
    shares = float(deviance(c, a * (m / n), gap).sum())
    whole = shares + float(gamma_divergence(c, a).sum() - gamma_divergence(m, n))
    return 0.0 if whole < 0.0 else whole  # rounding


def inverse_information(a: Array) -> Array:
    """Return the inverse of ``diag(psi'(a)) - psi'(sum a)`` by Sherman and Morrison's formula.

    Examples
    --------
    >>> a = np.array([0.5, 3.0])
    >>> F = np.diag(curvature_rest(a) + 1.0 / a) - curvature_rest(3.5) - 1.0 / 3.5
    >>> bool(np.allclose(inverse_information(a) @ F, np.eye(2)))
    True
    """
    n = a.sum()
    rest, whole = curvature_rest(a), float(curvature_rest(n))
    # 1 / psi'(a) is a less nearly 1/2: what is left of 1 - psi'(n) sum 1 / psi'(a) is written without the a.
    one = a / (1.0 + a * rest)
    less = a * (a * rest) / (1.0 + a * rest)
    slope = 1.0 / n + whole
    return np.asarray(np.diag(one) + np.outer(one, one) * (slope / (slope * less.sum() - n * whole)))
