"""Matched sets: which rows of a set are its cases, given how many there are.

Breslow and Day, Statistical Methods in Cancer Research I (1980), chapter 7; Gail, Lubin and Rubinstein,
Biometrika 68 (1981), for the recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from empirisk.data.brief import Brief
from empirisk.problems.base import Layout, Part
from empirisk.problems.likelihoods.base import Sums
from empirisk.typing import Array, IndexArray

__all__ = ["Matched"]

# Numbers of one batch of sets that are summed up together: 32 MB.
BATCH = 4_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Matched(Brief):
    """``log sum_{|A| = m} exp(sum_{j in A} x_j.w) - sum_{cases} x_j.w`` of a set with m cases.

    The sum over all subsets of m rows is taken row by row: with the row or without it, for each number of
    rows taken so far, and so are mean and covariance of the columns over the random subset.

    Parameters
    ----------
    X : array, shape (n, p)
        Columns in float64.
    case : array of bool, shape (n,)
        Which rows are cases.
    group : array of int, shape (n,)
        Number of the set of each row, 0 .. G-1.
    row_weight : array, shape (n,)
        Weights, equal in all rows of a set; rows of weight 0 are absent.

    Examples
    --------
    >>> X = np.array([[1.0], [0.0], [2.0], [2.5]])
    >>> model = Matched(X, np.array([1, 0, 1, 0], bool), np.array([0, 0, 1, 1]), np.ones(4))
    >>> round(model.sums(np.array([1.0]), False).loss, 4)  # softplus(-1) and softplus(0.5), halved
    0.6437
    """

    X: Array
    case: IndexArray
    group: IndexArray
    row_weight: Array

    name = "matched"
    convex = True

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return len(self.X), int(self.X.shape[1])

    @cached_property
    def layout(self) -> Layout:
        """Coefficients alone: what the rows of a set share has no part in the likelihood."""
        return Layout((self.X.shape[1],), (Part("coefficients", self.X.shape[1]),))

    @cached_property
    def counts(self) -> tuple[IndexArray, IndexArray]:
        """How many rows with weight each set has, and how many of them are cases."""
        live = self.row_weight > 0.0
        count = int(self.group.max(initial=-1)) + 1
        return (
            np.bincount(self.group[live], minlength=count),
            np.bincount(self.group[live & self.case], minlength=count),
        )

    @cached_property
    def informative(self) -> IndexArray:
        """The numbers of the sets that have cases and others."""
        n, m = self.counts
        return np.flatnonzero((m > 0) & (m < n))

    @cached_property
    def weight(self) -> Array:
        """The weight of each informative set."""
        out = np.zeros(len(self.counts[0]))
        out[self.group] = np.maximum(out[self.group], self.row_weight)
        np.maximum.at(out, self.group, self.row_weight)
        return out[self.informative]

    @cached_property
    def _kept(self) -> IndexArray:
        """The rows of the informative sets, set by set."""
        known = np.zeros(len(self.counts[0]), dtype=bool)
        known[self.informative] = True
        rows = np.flatnonzero(known[self.group] & (self.row_weight > 0.0))
        return np.asarray(rows[np.argsort(self.group[rows], kind="stable")])

    @cached_property
    def _set(self) -> IndexArray:
        """The place of the set of each kept row among the informative ones."""
        return np.asarray(np.searchsorted(self.informative, self.group[self._kept]))

    @cached_property
    def _least(self) -> IndexArray:
        """How many rows are taken from each set: its cases, or its others where those are fewer."""
        n, m = (v[self.informative] for v in self.counts)
        return np.asarray(np.minimum(m, n - m))

    @cached_property
    def _rows(self) -> tuple[Array, IndexArray]:
        """Kept columns about their means in each set, and which rows are taken.

        Where cases are the many, the others are taken, with the sign of the columns turned: the same law.
        """
        n, m = (v[self.informative] for v in self.counts)
        X, at = self.X[self._kept], self._set
        starts = np.concatenate([[0], np.cumsum(n)[:-1]])
        X = X - (np.add.reduceat(X, starts, axis=0) / n[:, None])[at] if len(n) else X
        turned = (m > n - m)[at]
        return np.where(turned[:, None], -X, X), self.case[self._kept] ^ turned

    @cached_property
    def _batches(self) -> list[tuple[IndexArray, IndexArray, int]]:
        """Sets with the same number to take, of similar sizes: sets, rows (-1: none) and that number."""
        n = self.counts[0][self.informative]
        starts = np.concatenate([[0], np.cumsum(n)[:-1]]).astype(np.intp)
        out: list[tuple[IndexArray, IndexArray, int]] = []
        for m in np.unique(self._least):
            sets = np.flatnonzero(self._least == m)
            sets = sets[np.argsort(n[sets], kind="stable")]
            many = max(1, BATCH // ((int(m) + 1) * max(self.X.shape[1], 1) ** 2))
            for first in range(0, len(sets), many):
                part = sets[first : first + many]
                step = np.arange(n[part].max())
                index = np.where(step < n[part, None], starts[part, None] + step, -1)
                out.append((part, index, int(m)))
        return out

    def start(self) -> Array:
        """Return no effects: every row of a set has the same chance."""
        return np.zeros(self.X.shape[1])

    def _each(self, w: Array, hessian: bool) -> tuple[Array, Array, Array]:
        """Return loss (G,) and slope (G, p) of each set, and the weighted sum of their Hessians."""
        X, taken = self._rows
        z = X @ w
        p, G = X.shape[1], len(self.informative)
        loss, slope, bend = np.empty(G), np.empty((G, p)), np.zeros((p, p))
        # One row more, which no subset takes, stands for the rows that a shorter set lacks.
        wide, score = np.vstack([X, np.zeros((1, p))]), np.append(z, -np.inf)
        for sets, index, m in self._batches:
            L, M, C = _subsets(score, wide, index, m, hessian)
            loss[sets], slope[sets] = L, M
            if C is not None:
                bend += np.einsum("g,gab->ab", self.weight[sets], C)
        loss -= np.bincount(self._set[taken], z[taken], G)
        for j in range(p):
            slope[:, j] -= np.bincount(self._set[taken], X[taken, j], G)
        return loss, slope, bend

    def sums(self, w: Array, hessian: bool) -> Sums:
        """Return value and derivatives, per unit of weight of the sets."""
        loss, slope, bend = self._each(w, hessian)
        total = float(self.weight.sum())
        value, grad = float(self.weight @ loss) / total, self.weight @ slope / total
        return Sums(value, grad, bend / total if hessian else None)

    def slopes(self, w: Array) -> Array:
        """Return the gradient of the loss of each informative set."""
        return self._each(w, False)[1]

    def sizes(self, w: Array) -> Array:
        """Return the mean size of the terms whose sums are the gradient: of the rows that may be taken."""
        X, _ = self._rows
        weight = (self.weight * self._least)[self._set]
        return np.asarray(weight @ np.abs(X) / self.weight.sum())

    def moves(self, w: Array, directions: Array) -> Sequence[Array]:
        """Return twice the move of each row about its set times the rows taken: sums differ by no more."""
        X, _ = self._rows
        return ((2.0 * self._least[self._set])[:, None] * (X @ directions),)

    def shrinkage(self, w: Array, reach: Sequence[Array]) -> float:
        """The curvature of a log-sum of exponentials falls by ``exp(-r)`` where sums move apart by r.

        Its third derivative is a third central moment, at most the range of the sums times the second.
        """
        return float(np.exp(-reach[0].max(initial=0.0)))


def _subsets(
    score: Array, X: Array, index: IndexArray, m: int, hessian: bool
) -> tuple[Array, Array, Array | None]:
    """Return the log-sum over subsets of m rows of each set, and mean and covariance of their sums of X."""
    B, p = len(index), X.shape[1]
    L, M = np.full((B, m + 1), -np.inf), np.zeros((B, m + 1, p))
    C = np.zeros((B, m + 1, p, p)) if hessian else None
    L[:, 0] = 0.0
    for at in index.T:
        with_row = score[at][:, None] + L[:, :-1]
        both = np.logaddexp(L[:, 1:], with_row)
        q = np.where(np.isfinite(both), np.exp(with_row - np.where(np.isfinite(both), both, 0.0)), 0.0)
        apart = M[:, :-1] + X[at][:, None, :] - M[:, 1:]
        if C is not None:
            share, mixed = q[..., None, None], (q * (1.0 - q))[..., None, None]
            outer = apart[..., :, None] * apart[..., None, :]
            C[:, 1:] = C[:, 1:] + share * (C[:, :-1] - C[:, 1:]) + mixed * outer
        M[:, 1:] += q[..., None] * apart
        L[:, 1:] = both
    return L[:, m], M[:, m], None if C is None else C[:, m]
