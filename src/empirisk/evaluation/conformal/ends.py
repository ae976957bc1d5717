"""Intervals and sets from calibration scores of one fitted model, or of one for each fold.

With the models f_k of the folds, row i held out from that of its fold k(i), and scores s_i, a target y is
inside when ``sum(w_i: s_i < S_k(i)(x, y)) < level (sum_i w_i + w')``.  One model: split conformal
prediction; one for each row: jackknife+; else CV+.  Of numbers that is an interval (or lies in one), whose
ends are order statistics of ``low_k(i)(x) - s_i u_k(i)(x)`` and ``high_k(i)(x) + s_i u_k(i)(x)``.  Barber,
Candes, Ramdas and Tibshirani, Annals of Statistics 49 (2021); Gupta, Kuchibhotla and Ramdas, Pattern
Recognition 127 (2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.conformal_order import mass_below, needed_mass, upper_end
from empirisk.evaluation.conformal.scores import Band, ClassTable
from empirisk.inference.conformal import widened
from empirisk.typing import Array, IndexArray

__all__ = ["Calibrated"]

BLOCK = 1 << 22  # numbers of a block of new rows


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Scores of calibration rows.

    Parameters
    ----------
    scores : array, shape (n,)
        Each by the model that has not seen its row.
    fold : array of int, shape (n,)
        Which model that was.
    weight : array, shape (n,), optional
        Of the rows; 1 each by default.

    Examples
    --------
    >>> rows = Calibrated(np.arange(1.0, 20.0), np.zeros(19, dtype=np.intp))
    >>> at = np.array([10.0])
    >>> [end.tolist() for end in rows.interval([Band(at, at, at, np.ones(1))], 0.9)]
    [[-8.0], [28.0]]
    """

    scores: Array
    fold: IndexArray
    weight: Array | None = None

    def part(self, at: IndexArray | NDArray[np.bool_]) -> Calibrated:
        """Return some of the calibration rows."""
        return Calibrated(self.scores[at], self.fold[at], None if self.weight is None else self.weight[at])

    def enough(self, level: float, own: Any = 1.0) -> Any:
        """Return whether the rows bound a new one at the level, one by one where their weights differ."""
        weight = np.ones(len(self.scores)) if self.weight is None else self.weight
        return needed_mass(weight, own, level) <= weight.sum()

    def interval(self, bands: Sequence[Band], level: float, own: Any = 1.0) -> tuple[Array, Array]:
        """Return the ends at new rows, from the band of each model there.

        Parameters
        ----------
        bands : sequence of Band
            One for each model, of the same m rows.
        level : float
        own : float or array, shape (m,)
            Weights of the new rows.
        """
        if len(bands) == 1:
            band = bands[0]
            by = upper_end(self.scores, level, self.weight, own)
            both = widened(band.low, band.high, by, band.unit)
            return both[:, 0], both[:, 1]
        m = len(bands[0].value)
        low, high = np.empty(m), np.empty(m)
        step = max(1, BLOCK // max(1, len(self.scores)))
        for first in range(0, m, step):
            rows = slice(first, first + step)
            at = [
                np.column_stack([getattr(b, name)[rows] for b in bands]) for name in ("low", "high", "unit")
            ]
            lows, highs, unit = (columns[:, self.fold] for columns in at)
            mine = own if np.ndim(own) == 0 else own[rows]
            low[rows] = -upper_end(self.scores * unit - lows, level, self.weight, mine)
            high[rows] = upper_end(highs + self.scores * unit, level, self.weight, mine)
        crossed = low > high  # negative scores on short bands
        middle = 0.5 * (low + high)
        return np.where(crossed, middle, low), np.where(crossed, middle, high)

    def members(self, tables: Sequence[ClassTable], level: float, own: Any = 1.0) -> NDArray[np.bool_]:
        """Return which classes are inside at new rows, shape (m, K), from the table of each model there."""
        below = np.zeros(tables[0].table.shape)
        for k, told in enumerate(tables):
            mine = self.part(self.fold == k)
            below += mass_below(mine.scores, told.table, mine.weight)
        weight = np.ones(len(self.scores)) if self.weight is None else self.weight
        return below < np.reshape(needed_mass(weight, own, level), (-1, 1))
