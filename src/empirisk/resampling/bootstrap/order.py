"""The exact bootstrap distribution of a quantile: no resampling."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from empirisk.evaluation.intervals.base import Floats
from empirisk.resampling.bootstrap.distribution import Atoms
from empirisk.typing import IndexArray

__all__ = ["left_out_quantiles", "quantile_atoms", "quantile_position"]

# Ranks and gaps that are less likely than this are left out: together they weigh less than rounding.
NEGLIGIBLE = 1e-18


def quantile_position(n: int, q: float) -> tuple[int, float]:
    """``(k, g)``: the q-quantile of n numbers is ``(1 - g) x_(k) + g x_(k+1)``, ranks from 1.

    This is the definition that numpy.quantile and numpy.median use: ``(n - 1) q = k - 1 + g``.
    """
    h = (n - 1) * q
    # A whole (n - 1) q may come out just below itself: the quantile is then one order statistic, no mixture.
    k = min(math.floor(h + 1e-12 * n), n - 1)
    g = h - k
    return k + 1, 0.0 if abs(g) <= 1e-12 * n else g


def quantile_atoms(ordered: Floats, q: float) -> Atoms:
    """Distribution of the q-quantile of n draws with replacement from the n sorted numbers.

    ``P(X*_(k) <= x_(i)) = P(Bin(n, i/n) >= k) = I_{i/n}(k, n-k+1)``.  Between two order statistics, with
    k draws at most ``x_(i)``, one of them equal to it, and the others at least ``x_(l)``, one equal to it::

        P(X*_(k) = x_(i), X*_(k+1) = x_(l))
            = C(n,k) [(i/n)^k - ((i-1)/n)^k] [((n-l+1)/n)^(n-k) - ((n-l)/n)^(n-k)],   i < l.

    Cost O(sqrt(n)) atoms after sorting (Efron, 1979, section 3; Hutson and Ernst, 2000).
    """
    n = ordered.size
    k, g = quantile_position(n, q)
    # Further away than this the tails weigh less than 1e-20 (Chernoff's bound).
    away = math.ceil(12.0 * math.sqrt(k * (n - k + 1) / n)) + 80
    edge = np.arange(max(0, k - away), min(n, k + away) + 1)
    cdf = special.betainc(k, n - k + 1, edge / n)
    above = special.betaincc(k, n - k + 1, edge / n)
    # The smaller of the two tails keeps its digits.
    mass = np.where(cdf[1:] < 0.5, np.diff(cdf), -np.diff(above))
    likely = (cdf[1:] > NEGLIGIBLE) & (above[:-1] > NEGLIGIBLE)
    rank, mass = edge[1:][likely], mass[likely]
    if g == 0.0:
        return Atoms(ordered[rank - 1], mass)
    return _pairs(ordered, k, g, rank, mass)


def _pairs(ordered: Floats, k: int, g: float, rank: IndexArray, mass: Floats) -> Atoms:
    """Return the atoms ``(1 - g) x_(i) + g x_(l)``, i over `rank` (1 .. n), l = i .. i + gaps."""
    n = ordered.size
    i = rank.astype(np.float64)
    exactly = _binomial_pmf(n, k, i / n)  # k draws at most x_(i), the others above
    above = n - i
    longest = math.ceil(45.0 * float(above.max()) / (n - k)) + 1
    gap = np.arange(min(longest, n - int(rank[0])) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = -np.expm1(k * np.log1p(-1.0 / i))  # one of the k draws equals x_(i)
        # P(all n - k draws above x_(i) are above x_(i + gap))
        beyond = np.where(
            gap < above[:, None], np.exp((n - k) * np.log1p(-gap / np.maximum(above, 1.0)[:, None])), 0.0
        )
    beyond[:, -1] = 0.0
    weights = np.empty_like(beyond)
    weights[:, 1:] = (exactly * hits)[:, None] * (beyond[:, :-1] - beyond[:, 1:])
    weights[:, 0] = np.maximum(mass - exactly * hits * (above > 0.0), 0.0)
    partner = np.minimum(rank[:, None] + gap, n) - 1
    values = (1.0 - g) * ordered[rank - 1][:, None] + g * ordered[partner]
    likely = weights > NEGLIGIBLE
    return Atoms(values[likely], weights[likely])


def _binomial_pmf(n: int, k: int, p: Floats) -> Floats:
    """``P(Bin(n, p) = k)`` for ``1 <= k < n``, as a difference of the smaller tails."""
    at_least = special.betainc(k, n - k + 1, p) - special.betainc(k + 1, n - k, p)
    at_most = special.betaincc(k + 1, n - k, p) - special.betaincc(k, n - k + 1, p)
    out: Floats = np.maximum(np.where(p < k / n, at_least, at_most), 0.0)
    return out


def left_out_quantiles(ordered: Floats, q: float) -> Floats:
    """Return the q-quantile without row i, for each rank i: it takes at most three values."""
    n = ordered.size
    k, g = quantile_position(n - 1, q)

    def at(rank: IndexArray) -> Floats:
        # x of the given rank among the others: one further on when the row left out stands before it.
        out: Floats = ordered[np.minimum(rank + (np.arange(1, n + 1) <= rank), n) - 1]
        return out

    ranks = np.full(n, k)
    lower = at(ranks)
    return lower if g == 0.0 else (1.0 - g) * lower + g * at(ranks + 1)
