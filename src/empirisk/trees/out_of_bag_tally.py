"""Out-of-bag predictions of a growing forest by group of trees, and how far its risk is from settled.

Efron and Stein, Annals of Statistics 9 (1981), for the jackknife over groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

__all__ = ["ForestRisk", "OutOfBagTally"]

Floats = NDArray[np.float64]
RowLosses = Callable[[Floats, NDArray[np.intp]], Floats]

# Groups are merged in pairs when there are this many, so that between half of them and all are kept.
MOST_GROUPS = 40


@dataclass(frozen=True)
class ForestRisk:
    """Out-of-bag risk of T trees, with its two errors.

    Parameters
    ----------
    risk : float
        Weighted mean of the row losses of the out-of-bag predictions.
    standard_error : float
        Of that mean over rows: what another sample of as many rows would change.
    mc_error : float
        Standard deviation of that mean over the seeds of the forest: what other trees would change.
    excess : float
        Estimated rise of the forest's own risk over that of infinitely many trees (may be negative by noise).
    n : int
        Rows that are out-of-bag for trees of at least two groups.
    """

    risk: float
    standard_error: float
    mc_error: float
    excess: float
    n: int


@dataclass
class OutOfBagTally:
    """Sums of out-of-bag predictions by group of trees.

    Row i is predicted by ``sum_g S_gi / sum_g c_gi``, the mean over the trees that did not see it. Leaving
    out one group at a time tells how much of the risk is luck of the trees (the delete-a-group jackknife).

    Parameters
    ----------
    loss : callable
        ``loss(prediction (m, k), rows (m,))`` gives the losses of these rows, (m,).
    weight : array of shape (n,), optional
        Row weights; rows of weight 0 do not count.

    Notes
    -----
    Memory: at most 40 groups of ``n (k + 1)`` numbers. The jackknife is right to first order in the spread of
    the trees. For a loss that jumps (0-1) it says too much: about twice the error.

    References
    ----------
    B. Efron, C. Stein, "The jackknife estimate of variance", Annals of Statistics 9 (1981).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=500)
    >>> tally = OutOfBagTally(lambda z, rows: (y[rows] - z[:, 0]) ** 2)
    >>> for _ in range(20):  # batches of 10 trees that know nothing: predictions 0 with spread 1
    ...     tally.add(np.sqrt(10) * rng.normal(size=(500, 1)), np.full(500, 10), trees=10)
    >>> found = tally.risk()
    >>> found.n, found.mc_error < found.standard_error
    (500, True)
    """

    loss: RowLosses
    weight: Floats | None = None
    trees: int = 0
    _sums: list[Floats] = field(default_factory=list, repr=False)
    _counts: list[Floats] = field(default_factory=list, repr=False)
    _trees: list[int] = field(default_factory=list, repr=False)

    def add(self, sums: Floats, counts: NDArray, trees: int) -> None:
        """Take in a batch of new trees.

        Parameters
        ----------
        sums : array of shape (n, k)
            Sum of the predictions of those of the new trees that did not see the row.
        counts : array of shape (n,)
            How many of them there are.
        trees : int
            How many trees the batch has.
        """
        sums = np.asarray(sums, dtype=np.float64)
        sums, counts = sums.reshape(len(sums), -1), np.asarray(counts, dtype=np.float64)
        self.trees += trees
        if self._trees and self._trees[-1] < max(self._trees):  # after a merger: fill up the last group
            self._sums[-1] = self._sums[-1] + sums
            self._counts[-1] = self._counts[-1] + counts
            self._trees[-1] += trees
            return
        if len(self._trees) == MOST_GROUPS:
            self._sums = [a + b for a, b in zip(self._sums[::2], self._sums[1::2], strict=True)]
            self._counts = [a + b for a, b in zip(self._counts[::2], self._counts[1::2], strict=True)]
            self._trees = [a + b for a, b in zip(self._trees[::2], self._trees[1::2], strict=True)]
        self._sums.append(sums)
        self._counts.append(counts)
        self._trees.append(trees)

    def add_groups(self, sums: Floats, counts: NDArray, trees: NDArray) -> None:
        """Take in groups of trees, told apart along the first axis; the larger ones last, which are filled
        up.
        """
        for g in np.argsort(trees, kind="stable"):
            if trees[g]:
                self.add(sums[g], counts[g], int(trees[g]))

    @property
    def groups(self) -> int:
        """Groups of trees that are told apart."""
        return len(self._sums)

    def predictions(self) -> tuple[Floats, NDArray[np.intp]]:
        """Return the out-of-bag predictions (n, k), NaN where there are none, and how many trees are behind
        each.
        """
        count = _total(self._counts)
        with np.errstate(invalid="ignore", divide="ignore"):
            return _total(self._sums) / count[:, None], count.astype(np.intp)

    def risk(self) -> ForestRisk:
        """Return the risk of the trees so far; ValueError with fewer than two groups, or rows in two of
        them.
        """
        if self.groups < 2:
            raise ValueError("the Monte-Carlo error of a forest needs at least two batches of trees")
        total, count = _total(self._sums), _total(self._counts)
        use = reduce(np.logical_and, (count - c > 0 for c in self._counts))
        if self.weight is not None:
            use &= self.weight > 0
        rows = np.flatnonzero(use)
        if rows.size < 2:
            raise ValueError("fewer than two rows are out-of-bag for trees of two batches: grow more trees")
        w = np.ones(rows.size) if self.weight is None else self.weight[rows]
        w = w / w.sum()
        losses = self.loss(total[rows] / count[rows, None], rows)
        risk = float(w @ losses)
        left = np.array(
            [
                w @ self.loss((total - s)[rows] / (count - c)[rows, None], rows)
                for s, c in zip(self._sums, self._counts, strict=True)
            ]
        )
        g = self.groups
        spread = (g - 1) / g * float(((left - left.mean()) ** 2).sum())
        # Predictions of the forest rest on all T trees, out-of-bag ones on a share of them.
        share = float(w @ count[rows]) / self.trees
        error = np.sqrt((w**2) @ (losses - risk) ** 2 * rows.size / (rows.size - 1))
        return ForestRisk(
            risk, float(error), spread**0.5, share * (g - 1) * float(left.mean() - risk), int(rows.size)
        )


def _total(groups: list[Floats]) -> Floats:
    """Return the sum of the arrays, one added after the other: np.sum would copy all of them first."""
    return np.asarray(reduce(np.add, groups))
