"""Gaussian parts of rows with missing cells: each part fills them in as its regression on the others expects.

A row counts by the density of its observed cells.  With ``o`` observed and ``m`` missing the expected sums of
a part take ``x_m = m_m + S_mo S_oo^-1 (x_o - m_o)`` and add the covariance ``S_mm - S_mo S_oo^-1 S_om`` to
the squares (Little and Rubin, Statistical Analysis with Missing Data, section 11.2; Ghahramani and Jordan,
Advances in Neural Information Processing Systems 6, 1994).  That is right where cells are missing for reasons
that have nothing to do with what stood in them, given the cells that are there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky

from empirisk.data.row_blocks import Block
from empirisk.mixtures.base import Parts, Sums, log_sum
from empirisk.mixtures.full import Full
from empirisk.typing import Array, IndexArray

__all__ = ["Incomplete"]


class Incomplete(Full):
    """Full covariances of parts, from rows in which NaN stands for a missing cell.

    Examples
    --------
    >>> Incomplete().free(2, 3)
    18
    """

    name = "incomplete"
    letters = ""
    missing = True

    def expect(
        self, parts: Parts, log_weights: Array, block: Block, given: Array | None = None
    ) -> tuple[float, Sums]:
        """Return the log-likelihood of the observed cells, and sums over rows that each part completes."""
        means = parts["means"]
        k, p = means.shape
        weight = np.asarray(block.weight)
        log, chance = self.rows(parts, log_weights, block)
        value = float(weight[weight > 0.0] @ log[weight > 0.0]) if given is None else 0.0
        r = (chance if given is None else given) * weight[:, None]
        mass, first, second = r.sum(axis=0), np.zeros((k, p)), np.zeros((k, p, p))
        sigma = self.matrices(parts)
        for rows, seen, X in _patterns(block):
            for j in range(k):
                d, rest = _completed(X, seen, means[j], sigma[j])
                share = r[rows, j]
                first[j] += share @ d
                second[j] += (share[:, None] * d).T @ d
                gap = ~seen
                second[j][np.ix_(gap, gap)] += share.sum() * rest
        return value, (mass, first, second)

    def rows(self, parts: Parts, log_weights: Array, block: Block) -> tuple[Array, Array]:
        """Return log-densities of the observed cells, and the chances of the parts given them."""
        means, sigma = parts["means"], self.matrices(parts)
        logs = np.empty((len(block.weight), len(means)))
        for rows, seen, X in _patterns(block):
            for j, mean in enumerate(means):
                if not seen.any():
                    logs[rows, j] = 0.0
                    continue
                lower = cholesky(sigma[j][np.ix_(seen, seen)], lower=True)
                d = X[:, seen] - mean[seen]
                square = (d.T * cho_solve((lower, True), d.T)).sum(axis=0)
                normal = int(seen.sum()) * math.log(2.0 * math.pi) + 2.0 * np.log(np.diagonal(lower)).sum()
                logs[rows, j] = -0.5 * (square + normal)
        return log_sum(logs + log_weights)

    def completed(self, parts: Parts, log_weights: Array, block: Block) -> Array:
        """Return the rows with each missing cell at its expectation given the observed ones."""
        _, chance = self.rows(parts, log_weights, block)
        sigma = self.matrices(parts)
        out = np.array(block.design.X, dtype=np.float64)
        for rows, seen, X in _patterns(block):
            found = np.zeros_like(X)
            for j, mean in enumerate(parts["means"]):
                found += chance[rows, j, None] * (mean + _completed(X, seen, mean, sigma[j])[0])
            out[np.ix_(rows, ~seen)] = found[:, ~seen]
        return out


def _patterns(block: Block) -> Iterator[tuple[IndexArray, Any, Array]]:
    """Yield the rows that lack the same cells: their numbers, which cells they have, and themselves."""
    X = np.asarray(block.design.X, dtype=np.float64)
    lacks, place = np.unique(np.isnan(X), axis=0, return_inverse=True)
    for number, gap in enumerate(lacks):
        rows = np.flatnonzero(place.ravel() == number)
        yield rows, ~gap, X[rows]


def _completed(X: Array, seen: Any, mean: Array, sigma: Array) -> tuple[Array, Array]:
    """Return differences of completed rows from a mean, and the covariance of what was filled in."""
    gap = ~seen
    d = X - mean
    if not gap.any():
        return d, np.zeros((0, 0))
    if not seen.any():
        return np.zeros_like(d), sigma[np.ix_(gap, gap)]
    across = sigma[np.ix_(seen, gap)]
    slope = cho_solve((cholesky(sigma[np.ix_(seen, seen)], lower=True), True), across)
    d[:, gap] = d[:, seen] @ slope
    return d, sigma[np.ix_(gap, gap)] - across.T @ slope
