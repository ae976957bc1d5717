"""Which rows stand for all in a Nystrom approximation: drawn evenly, by spread, or by ridge leverage.

Alaoui and Mahoney 2015, NeurIPS 28 (ridge leverage scores); Arthur and Vassilvitskii 2007, SODA (k-means++);
Efraimidis and Spirakis 2006, Information Processing Letters 97 (draws without replacement by clocks).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.estimators.features.projection import Projection
from empirisk.estimators.folds import uniform_of_rows
from empirisk.kernels import Kernel
from empirisk.typing import Array, IndexArray

__all__ = ["SAMPLINGS", "Distinct", "distinct_rows", "leverage_scores"]

# Leverage scores are computed on so many times the wanted landmarks; on few rows that is all of them.
PILOT = 4


class Distinct(NamedTuple):
    """Rows that differ, in an order that their contents fix: numbers of first copies, weights of all."""

    rows: IndexArray
    weight: Array


def distinct_rows(X: Any, weight: Array, seed: int) -> Distinct:
    """Return the distinct rows of positive weight in the order of a hash.

    What is drawn from them then depends neither on the order of the rows nor on how a weight is split over
    copies.
    """
    live = np.flatnonzero(weight > 0.0)
    _, first, group = np.unique(uniform_of_rows(X[live], seed), return_index=True, return_inverse=True)
    return Distinct(live[first], np.asarray(np.bincount(group, weights=weight[live])))


def leverage_scores(features: Array, diagonal: Array, share: Array, ridge: float) -> Array:
    """``s_i (k_ii - b_i' (B + ridge I)^-1 b_i) / ridge`` of every row: its part of the effective dimension.

    Parameters
    ----------
    features : array, shape (n, r)
        Rows z_i with ``K = Z Z'`` exactly; or features of a projection, which give approximations: what it
        leaves out of `diagonal` is then counted as if no other row shared it.
    diagonal : array, shape (n,)
        ``k(x_i, x_i)``.
    share : array, shape (n,)
        Weights with sum 1.
    ridge : float > 0
        On the mean scale: ``diag(sK (sK + ridge I)^-1)`` with ``s = share``.
    """
    gram = features.T @ (share[:, None] * features)
    gram.flat[:: gram.shape[0] + 1] += ridge
    inside = np.einsum("ij,ij->i", features, np.linalg.solve(gram, features.T).T)
    outside = np.maximum(diagonal - np.einsum("ij,ij->i", features, features), 0.0) / ridge
    return np.asarray(np.minimum(share * (inside + outside), 1.0))


def _by_clocks(mass: Array, count: int, rng: np.random.Generator) -> IndexArray:
    """Draw without replacement, each next one with chances in proportion to the mass: first clocks ring."""
    with np.errstate(divide="ignore"):
        clock = rng.exponential(size=mass.size) / mass
    return np.argsort(clock, kind="stable")[:count]


def uniform(kernel: Kernel, X: Any, of: Distinct, count: int, rng: np.random.Generator) -> IndexArray:
    """Draw rows with their weights as chances."""
    return _by_clocks(of.weight, count, rng)


def spread(kernel: Kernel, X: Any, of: Distinct, count: int, rng: np.random.Generator) -> IndexArray:
    """Draw each row with a chance in proportion to weight and squared distance from those before, which is
    ``k(x, x) - 2 k(x, c) + k(c, c)``.
    """
    diagonal = kernel.diagonal(X)[of.rows].astype(np.float64)
    found = np.empty(count, dtype=np.intp)
    mass, nearest = of.weight.copy(), np.full(of.weight.size, np.inf)
    for step in range(count):
        total = np.cumsum(mass)
        if not total[-1] > 0.0:  # the rest cannot be told from those before by this kernel
            return found[:step]
        at = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
        found[step] = at = min(at, mass.size - 1)
        to = kernel.block(X[of.rows], kernel.centres(X, of.rows[at : at + 1]))[:, 0]
        nearest = np.minimum(nearest, np.maximum(diagonal - 2.0 * to + diagonal[at], 0.0))
        nearest[at] = 0.0
        mass = of.weight * nearest
    return found


def leverage(kernel: Kernel, X: Any, of: Distinct, count: int, rng: np.random.Generator) -> IndexArray:
    """Draw rows by their ridge leverage scores, with the mean of ``k(x, x)`` over `count` as the ridge: the
    effective dimension then is at most `count`.
    """
    diagonal = kernel.diagonal(X)[of.rows].astype(np.float64)
    share = of.weight / of.weight.sum()
    ridge = float(share @ diagonal) / count
    if not ridge > 0.0:
        return uniform(kernel, X, of, count, rng)
    pilot = uniform(kernel, X, of, min(of.weight.size, PILOT * count), rng)
    Z = Projection.of(kernel, X, of.rows[pilot]).features(X[of.rows])
    return _by_clocks(leverage_scores(Z, diagonal, share, ridge), count, rng)


SAMPLINGS = {"uniform": uniform, "kmeans++": spread, "leverage": leverage}
