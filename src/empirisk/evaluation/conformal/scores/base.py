"""What a conformal score is: a number that says how badly a target fits what a model predicts of its row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from empirisk.evaluation.conformal.fitted import Fitted
from empirisk.inference.conformal import quantile_band_scores
from empirisk.typing import Array, IndexArray

__all__ = ["Band", "ClassTable", "ConformalScore"]


@dataclass(frozen=True, eq=False)
class Band:
    """Ends that the calibration moves, for each row: ``score = max(low - y, y - high) / unit``.

    Parameters
    ----------
    value : array, shape (m,)
        What the model predicts.
    low, high : arrays, shape (m,)
        Equal to `value` where the model gives one number.
    unit : array, shape (m,)
        In which the ends move, > 0.
    """

    value: Array
    low: Array
    high: Array
    unit: Array

    def scores(self, y: Array) -> Array:
        """Return how far each target lies outside its band, negative inside, shape (m,)."""
        return quantile_band_scores(y, self.low, self.high, self.unit)

    def rows(self, at: IndexArray) -> Band:
        """Return the band of some of the rows."""
        return Band(self.value[at], self.low[at], self.high[at], self.unit[at])


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The score of each class, for each row.

    Parameters
    ----------
    table : array, shape (m, K)
        The larger, the worse the class fits the row.
    """

    table: Array

    def scores(self, codes: IndexArray) -> Array:
        """Return the score of one class of each row, shape (m,)."""
        return np.asarray(self.table[np.arange(len(codes)), codes])

    def rows(self, at: IndexArray) -> ClassTable:
        """Return the table of some of the rows."""
        return ClassTable(self.table[at])


class ConformalScore(Protocol):
    """A way to measure how badly targets fit predictions; larger is worse.

    Attributes
    ----------
    name : str
        As users give it.
    task : str
        ``"regression"`` (intervals) or ``"classification"`` (sets).
    meaning : str
        The formula in words, for readers.
    """

    name: ClassVar[str]
    task: ClassVar[str]
    meaning: ClassVar[str]

    def read(self, fitted: Fitted, X: Any, share: Array | None, **rows: Any) -> Band | ClassTable:
        """Return what one fitted model says about rows.

        Parameters
        ----------
        fitted : Fitted
            The model, and what stands beside it.
        X : array, sparse matrix or data frame, shape (m, p)
            Rows.
        share : array, shape (m,) or None
            A uniform number of each row, for scores that are drawn.
        **rows
            What ``predict`` takes of the rows beside X.
        """
