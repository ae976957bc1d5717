"""What a conformal predictor answers: an interval or a set of classes for each row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.frames import as_frame
from empirisk.data.tabular import Tabular
from empirisk.evaluation.metrics.predictions import encode, labels_of
from empirisk.typing import Array

__all__ = ["PredictionIntervals", "PredictionSets"]

SHOWN = 10  # rows of a printed table


@dataclass(frozen=True, eq=False, repr=False)
class PredictionIntervals(Tabular):
    """An interval for the target of each row.

    Parameters
    ----------
    level : float
        Nominal coverage.
    value, low, high : arrays, shape (m,)
        The prediction, and the ends; infinite where the calibration rows do not bound them.
    note : str
        What the intervals promise.
    asked : array, sparse matrix or data frame, optional
        The rows that were asked about, in whose library :meth:`to_frame` answers.

    Examples
    --------
    >>> import numpy as np
    >>> PredictionIntervals(0.9, np.array([1.0]), np.array([0.5]), np.array([1.5]))
    90 % prediction intervals of 1 row
      row  value  low  high
      0    1      0.5  1.5
    """

    level: float
    value: Array
    low: Array
    high: Array
    note: str = field(default="", repr=False)
    asked: Any = field(default=None, repr=False)

    @property
    def width(self) -> Array:
        """High minus low of each row, shape (m,)."""
        return self.high - self.low

    def covers(self, y: Any) -> NDArray[np.bool_]:
        """Return whether each target lies in its interval, ends included, shape (m,)."""
        y = np.asarray(y, dtype=np.float64)
        return np.asarray((self.low <= y) & (y <= self.high))

    def scores(self, y: Any) -> Array:
        """``high - low + 2/a (low - y)+ + 2/a (y - high)+``, ``a = 1 - level``: small for short intervals
        that cover.

        References
        ----------
        Gneiting and Raftery 2007, Journal of the American Statistical Association 102, section 6.2.
        """
        y = np.asarray(y, dtype=np.float64)
        outside = np.maximum(self.low - y, 0.0) + np.maximum(y - self.high, 0.0)
        return np.asarray(self.width + 2.0 / (1.0 - self.level) * outside)

    @property
    def title(self) -> str:
        """The first line of the table: the level and the number of rows."""
        return f"{100.0 * self.level:g} % prediction intervals of {_rows(len(self.value))}"

    def _columns(self) -> dict[str, list[Any]]:
        return {name: getattr(self, name).tolist() for name in ("value", "low", "high")}

    def _shown(self) -> dict[str, list[Any]]:
        rows = range(min(len(self.value), SHOWN))
        return {"row": list(rows), **{name: column[:SHOWN] for name, column in self._columns().items()}}

    def _notes(self) -> list[str]:
        return _notes(len(self.value), self.note)

    def to_frame(self) -> Any:
        """Return value, low and high of each row as a data frame, in polars where the rows were."""
        return as_frame(self._columns(), self.asked)

    def plot(self, ax: Any = None) -> Any:
        """Draw the first 25 intervals that have ends, one a row; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own by default.

        Raises
        ------
        ValueError
            No interval has ends.
        """
        if not np.isfinite(self.width).any():
            raise ValueError("the intervals have no end to draw: calibrate with more rows, or lower level.")
        from empirisk.plots.effects import EffectsDisplay

        columns = self._columns()
        rows = [
            {"label": f"row {i}", "value": {name: column[i] for name, column in columns.items()}}
            for i in range(len(self.value))
        ]
        return EffectsDisplay(rows, "prediction", self.level, None).plot(ax)


@dataclass(frozen=True, eq=False, repr=False)
class PredictionSets(Tabular):
    """The classes that each row may have.

    Parameters
    ----------
    level : float
        Nominal coverage.
    classes : array, shape (K,)
        Labels.
    member : array of bool, shape (m, K)
        Which classes are in the set of each row.
    value : array, shape (m,)
        What the model predicts.
    note : str
        What the sets promise.
    asked : array, sparse matrix or data frame, optional
        The rows that were asked about, in whose library :meth:`to_frame` answers.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True], [False, False]])
    >>> sets = PredictionSets(0.9, np.array(["no", "yes"]), member, np.array(["no", "yes", "no"]))
    >>> sets.sets, sets.size.tolist()
    ([['no'], ['no', 'yes'], []], [1, 2, 0])
    """

    level: float
    classes: Any
    member: NDArray[np.bool_]
    value: Any
    note: str = field(default="", repr=False)
    asked: Any = field(default=None, repr=False)

    @property
    def size(self) -> NDArray[np.intp]:
        """The number of classes in each set, shape (m,)."""
        return np.asarray(self.member.sum(axis=1))

    @property
    def sets(self) -> list[list[Any]]:
        """The labels in the set of each row, in the order of `classes`."""
        return [self.classes[row].tolist() for row in self.member]

    def covers(self, y: Any) -> NDArray[np.bool_]:
        """Return whether each label is in its set, shape (m,); one that is no class is in none."""
        codes = encode(labels_of(y, "y"), np.asarray(self.classes))
        return np.asarray((codes >= 0) & self.member[np.arange(len(codes)), np.maximum(codes, 0)])

    @property
    def title(self) -> str:
        """The first line of the table: the level, the number of rows and how many sets are empty."""
        empty = int((self.size == 0).sum())
        head = f"{100.0 * self.level:g} % prediction sets of {_rows(len(self.member))}"
        return f"{head}, {empty} of them empty" if empty else head

    def plot(self, ax: Any = None) -> Any:
        """Draw how many rows have a set of no class, of one, of two and so on.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        from empirisk.plots import SetSizesDisplay

        rows = np.bincount(self.size, minlength=self.member.shape[1] + 1)
        return SetSizesDisplay({"rows": rows.tolist(), "level": self.level}).plot(ax)

    def _columns(self) -> dict[str, list[Any]]:
        sets = [", ".join(map(str, labels)) for labels in self.sets]
        inside = {str(c): column.tolist() for c, column in zip(self.classes, self.member.T, strict=True)}
        return {"value": self.value.tolist(), "set": sets, "size": self.size.tolist(), **inside}

    def _shown(self) -> dict[str, list[Any]]:
        columns = self._columns()
        rows = range(min(len(self.member), SHOWN))
        return {"row": list(rows), **{name: columns[name][:SHOWN] for name in ("value", "set", "size")}}

    def to_frame(self) -> Any:
        """Return prediction, set, size and a column for each class, in polars where the rows were."""
        return as_frame(self._columns(), self.asked)

    def _notes(self) -> list[str]:
        empty = (self.size == 0).any()
        said = (
            "An empty set says that no class is probable enough; fill_empty=True gives it the most probable."
        )
        return [*_notes(len(self.member), self.note), *([said] if empty else [])]


def _rows(m: int) -> str:
    return f"{m} row{'s' if m != 1 else ''}"


def _notes(m: int, note: str) -> list[str]:
    """Return the sentences below a table of which the first rows are shown."""
    left = [f"... and {m - SHOWN} more rows"] if m > SHOWN else []
    return [*left, *([note] if note else [])]
