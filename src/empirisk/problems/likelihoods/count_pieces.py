"""Logarithms of Poisson and negative binomial probabilities with their derivatives, whole and without zeros.

Cameron and Trivedi, Regression Analysis of Count Data (2013), chapters 3 and 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, polygamma, psi

from empirisk.typing import Array

__all__ = ["Piece", "count_piece", "truncated_piece"]


class Piece(NamedTuple):
    """A function of the score z (log mean) and the log dispersion k, row by row, with its derivatives.

    Parameters
    ----------
    value, z, k, zz, zk, kk : array, shape (n,)
        The function, its slopes and its curvatures; those in k are 0 for Poisson counts.

    Examples
    --------
    >>> count_piece(np.array([0.0]), np.array([0.0]), None).value.tolist()
    [-1.0]
    """

    value: Array
    z: Array
    k: Array
    zz: Array
    zk: Array
    kk: Array


def count_piece(y: Array, z: Array, k: float | None) -> Piece:
    """Return ``log P(y)`` of counts of mean ``exp(z)``.

    Parameters
    ----------
    y, z : array, shape (n,)
        Counts and scores.
    k : float or None
        None for Poisson counts; else the variance is ``m + exp(k) m^2``.

    Examples
    --------
    >>> float(np.exp(count_piece(np.array([1.0]), np.array([0.0]), 0.0).value[0]).round(4))  # geometric
    0.25
    """
    m, zero = np.exp(z), np.zeros(len(z))
    if k is None:
        return Piece(y * z - m - gammaln(y + 1.0), y - m, zero, -m, zero, zero)
    a = np.exp(k)
    r = 1.0 / a
    lost = np.log1p(a * m)  # log((r + m) / r)
    rise = gammaln(y + r) - gammaln(r) - gammaln(y + 1.0)
    value = rise + y * (z + k - lost) - r * lost
    share = 1.0 / (1.0 + a * m)
    by_r = psi(y + r) - psi(r) - lost + (m - y) / (r + m)
    by_rr = polygamma(1, y + r) - polygamma(1, r) + m / (r * (r + m)) - (m - y) / (r + m) ** 2
    return Piece(
        value, (y - m) * share, -r * by_r, -m * (1.0 + a * y) * share * share,
        -r * (y - m) * m / (r + m) ** 2, r * r * by_rr + r * by_r,
    )  # fmt: skip


def truncated_piece(y: Array, z: Array, k: float | None) -> Piece:
    """Return ``log P(y | y > 0)``, which is ``log P(y) - log(1 - P(0))``; parameters as for counts.

    Examples
    --------
    >>> one = truncated_piece(np.array([1.0]), np.array([0.0]), None)  # 1 / (e - 1)
    >>> float(np.exp(one.value[0]).round(4))
    0.582
    """
    f, g = count_piece(y, z, k), count_piece(np.zeros(len(z)), z, k)
    # log(1 - e^g) has the slope -u and the curvature -u (1 + u) in g.
    u = -np.exp(g.value) / np.expm1(g.value)
    v = u * (1.0 + u)
    return Piece(
        f.value - np.log(-np.expm1(g.value)), f.z + u * g.z, f.k + u * g.k,
        f.zz + v * g.z * g.z + u * g.zz, f.zk + v * g.z * g.k + u * g.zk, f.kk + v * g.k * g.k + u * g.kk,
    )  # fmt: skip
