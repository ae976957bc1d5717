"""Local means and local lines: weighted least squares in a window around each query.

Nadaraya, Theory of Probability and its Applications 9 (1964); Watson, Sankhya A 26 (1964); Cleveland, Journal
of the American Statistical Association 74 (1979), and Fan, ibid. 87 (1992), on local lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.neighbors.windows import Window
from empirisk.typing import Array, IndexArray

__all__ = ["LocalFits", "RowsInWindows"]

# Numbers of sums that are held at once, pairs of rows and sums between two looks at an interrupt (about a
# second), and the fewest queries of a call, for the threads to share.
HELD, PAIRS, FEWEST = 1 << 21, 1 << 28, 16
# A direction has no slope where the variance of the rows in a window is below these shares of the largest one
# (rounding would leave fewer than nine digits of it) and of the bandwidth squared (the query would stand a
# hundred thousand deviations away).
SLIGHT, FLAT = 1e-7, 1e-10
# Rows of a block of the loop, which passes over blocks that no window reaches.
BLOCK = 512


@dataclass(frozen=True, repr=False)
class LocalFits(Brief):
    """What windows say, for m bandwidths and q queries.

    Parameters
    ----------
    value : array, shape (m, q)
        Fitted values.
    effective : array, shape (m, q)
        ``(sum w)^2 / sum w^2``: so many rows of equal weight tell as much.
    log_mass : array, shape (m, q)
        Logarithm of the sum of the weights; -inf for empty windows.
    empty : bool array, shape (m, q)
        Windows in which no row has weight.
    """

    value: Array
    effective: Array
    log_mass: Array
    empty: Array


@dataclass(frozen=True, eq=False, repr=False)
class RowsInWindows(Brief):
    """Rows with weights and targets, seen through windows around queries.

    Parameters
    ----------
    rows : array, shape (n, p)
        float64, on the scale on which distances are taken.
    weight : array, shape (n,)
        Weights > 0.
    target : array, shape (n,)
        What is averaged.
    window : Window
    slopes : bool, default False
        Fit ``a + b (x - query)`` in each window, else a constant.
    fall_back : bool, default False
        An empty window takes the mean of the nearest rows.

    Notes
    -----
    O(n p) a query for distances, and O(n) for each bandwidth (O(n p^2) with slopes), on all threads; O(n p)
    in memory.

    Examples
    --------
    >>> from empirisk.neighbors.windows import window_of
    >>> rows = RowsInWindows(np.array([[0.0], [1.0]]), np.ones(2), np.array([2.0, 6.0]), window_of("boxcar"))
    >>> rows.fits(np.array([[0.2]]), np.array([0.5, 1.0])).value.tolist()
    [[2.0], [4.0]]
    """

    rows: Array
    weight: Array
    target: Array
    window: Window
    slopes: bool = False
    fall_back: bool = False
    _sorted: list[tuple[Array, Array, Array, IndexArray]] = field(
        default_factory=list, init=False, repr=False
    )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_sorted": []}

    def fits(
        self,
        queries: Array,
        bandwidths: Array,
        left_out: IndexArray | None = None,
        left_weight: Array | None = None,
    ) -> LocalFits:
        """Return the fits of all windows around the queries.

        Parameters
        ----------
        queries : array, shape (q, p)
        bandwidths : array, shape (m,)
        left_out : int array, shape (q,), optional
            A row that each query must not see, -1 for none.
        left_weight : array, shape (q,), optional
            The weight that this row has for its query, where it is to be left out in part.
        """
        parts = list(self._parts(queries, bandwidths, left_out, left_weight))
        if not parts:
            none = np.empty((len(bandwidths), 0))
            return LocalFits(none, none, none, none.astype(bool))
        value, effective, log_mass, empty = (
            np.concatenate(part, axis=1) for part in zip(*parts, strict=True)
        )
        return LocalFits(value, effective, log_mass, empty)

    def _parts(
        self, queries: Array, bandwidths: Array, left_out: Any, left_weight: Any
    ) -> Iterator[tuple[Any, ...]]:
        """Yield values, effective numbers, masses and empty windows of some queries at a time."""
        n, p = self.rows.shape
        rows, weight, target, place = self._by_place()
        terms = p + 1 if self.slopes else 1
        size = len(bandwidths) * (terms * (terms + 1) // 2 + terms + 1)
        step = max(FEWEST, min(HELD // size, PAIRS // (n * max(1, len(bandwidths) * terms))))
        for start in range(0, len(queries), step):
            some = slice(start, start + step)
            absent = None
            if left_out is not None:
                absent = np.where(left_out[some] >= 0, place[left_out[some]], -1)
            sums, least, anchor, empty = _loops.window_sums(
                rows, queries[some], self.window.name, bandwidths, weight, target,
                self.slopes, self.fall_back, absent, None if left_weight is None else left_weight[some],
            )  # fmt: skip
            sums = sums.reshape(*empty.shape, -1)
            mass = sums[:, :, 0]
            with np.errstate(divide="ignore", invalid="ignore"):
                effective = mass**2 / sums[:, :, -1]
                log_mass = np.log(mass)
                if not self.window.bounded:  # the weights are relative to that of the nearest row
                    log_mass -= least / (2.0 * bandwidths[:, None] ** 2)
                value = sums[:, :, terms * (terms + 1) // 2] / mass
            if self.slopes:
                value = value + self._rise(sums, value, queries[some] - rows[anchor], bandwidths)
            yield value, effective, log_mass, empty.astype(bool)

    def _by_place(self) -> tuple[Array, Array, Array, IndexArray]:
        """Return rows, weights and targets with rows that are near side by side, and where each row went.

        The longest side of a box is halved until a block of the loop holds it.
        """
        if not self._sorted:
            order, boxes = [], [np.arange(len(self.rows))]
            while boxes:
                box = boxes.pop()
                if len(box) <= BLOCK:
                    order.append(box)
                    continue
                middle = (-(-len(box) // BLOCK) + 1) // 2 * BLOCK
                side = self.rows[box, np.ptp(self.rows[box], axis=0).argmax()]
                halves = np.argpartition(side, middle)
                boxes += [box[halves[middle:]], box[halves[:middle]]]
            by_place = np.concatenate(order)
            place = np.empty(len(by_place), dtype=np.int64)
            place[by_place] = np.arange(len(by_place))
            kept = self.rows[by_place], self.weight[by_place], self.target[by_place], place
            self._sorted.append(kept)
        return self._sorted[0]

    def _rise(self, sums: Array, mean: Array, beyond: Array, bandwidths: Array) -> Array:
        """Return how far each line rises from the mean of its rows to the query.

        `beyond` is the way from the nearest row, about which the sums are taken, to the query.
        """
        p = self.rows.shape[1]
        upper = np.triu_indices(p + 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.nan_to_num(sums / sums[:, :, :1], nan=0.0, posinf=0.0)
        second = np.empty((*mean.shape, p + 1, p + 1))
        second[:, :, upper[0], upper[1]] = second[:, :, upper[1], upper[0]] = share[:, :, : len(upper[0])]
        middle = second[:, :, 0, 1:]
        spread = second[:, :, 1:, 1:] - middle[..., :, None] * middle[..., None, :]
        with_target = share[:, :, len(upper[0]) + 1 : -1] - middle * np.nan_to_num(mean)[..., None]
        variance, axes = np.linalg.eigh(spread)
        # Wide windows hold all rows, whose spread is what variances then are compared with.
        share_of = self.weight / self.weight.sum()
        off = self.rows - np.einsum("i,ij->j", share_of, self.rows)
        wide = np.einsum("i,ij,ij->j", share_of, off, off).max(initial=0.0)
        ruler = FLAT * np.minimum(bandwidths**2, wide)[:, None, None]
        steep = variance > np.maximum(SLIGHT * variance[..., -1:], ruler)
        along = np.einsum("mqkj,mqk->mqj", axes, with_target)
        slope = np.where(steep, along, 0.0) / np.where(steep, variance, 1.0)
        way = np.einsum("mqkj,mqk->mqj", axes, beyond[None] - middle)
        return np.asarray((slope * way).sum(axis=2))
