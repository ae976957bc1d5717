"""Importances of columns with their errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.results import Estimate
from empirisk.wording import counted

__all__ = ["Importances"]

Floats = NDArray[np.float64]
SHOWN = 15  # columns in the printed table


@dataclass(frozen=True, eq=False, repr=False)
class Importances(Tabular):
    """One number a column (or group of columns), with standard errors.

    Parameters
    ----------
    value : array of shape (g,)
    standard_error : array of shape (g,)
        Over rows, and over trees where the number is a mean over trees.
    n : int
        Rows behind them.
    method, target : str
        How they were made, and what they are about.
    names : tuple of str, optional
        The columns; x0, x1, ... by default.

    Examples
    --------
    >>> found = Importances(np.array([1.0]), np.array([0.1]), 400, "a method", "a target", ("age",))
    >>> print(found.estimates()["age"])
    1.00 [0.80, 1.20]
    >>> found
    A target: age leads, the interval lies above 0 for 1 of 1 column
      column  importance
      age     1.00 [0.80, 1.20]
      95 % intervals, a method, 400 rows.
    """

    value: Floats
    standard_error: Floats
    n: int
    method: str
    target: str
    names: tuple[str, ...] = ()

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """``value -+ t standard_error`` with n - 1 degrees of freedom, for each column alone."""
        half = special.stdtrit(self.n - 1, 0.5 + 0.5 * level) * self.standard_error
        return self.value - half, self.value + half

    def estimates(self, names: Sequence[str] | None = None, level: float = 0.95) -> dict[str, Estimate]:
        """Return the same by name, in the order of the columns; by default under their own names."""
        low, high = self.interval(level)
        names = names or self.names or [f"x{j}" for j in range(len(self.value))]
        return {
            name: Estimate(float(v), float(a), float(b), level, self.n, self.method, target=self.target)
            for name, v, a, b in zip(names, self.value, low, high, strict=True)
        }

    @property
    def title(self) -> str:
        """What was measured, which column leads, and how many stand above 0."""
        found = self.estimates()
        clear = sum(e.low is not None and e.low > 0.0 for e in found.values())
        first = max(found, key=lambda name: found[name].value, default="none")
        said = f"{first} leads, the interval lies above 0 for {clear} of {counted(len(found), 'column')}"
        return f"{self.target[:1].upper()}{self.target[1:]}: {said}"

    def _ordered(self) -> dict[str, Estimate]:
        return dict(sorted(self.estimates().items(), key=lambda item: -item[1].value))

    def _columns(self) -> dict[str, list[Any]]:
        found = self.estimates()
        errors = self.standard_error.tolist()
        return {"column": list(found), **estimate_columns(list(found.values())), "se": errors}

    def _shown(self) -> dict[str, list[Any]]:
        found = list(self._ordered().items())[:SHOWN]
        return {"column": [name for name, _ in found], "importance": [e for _, e in found]}

    def _notes(self) -> list[str]:
        more = len(self.value) - SHOWN
        left = [f"... and {more} more columns; .to_frame() holds them all."] if more > 0 else []
        return [*left, f"95 % intervals, {self.method}, {self.n:,} rows."]

    def plot(self, ax: Any = None) -> Any:
        """Draw the importances with their 95 % intervals, the largest first; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.importances import ImportancesDisplay

        rows = [{"column": name, "value": e.to_dict()} for name, e in self.estimates().items()]
        return ImportancesDisplay(rows, self.target.split(" on new rows")[0]).plot(ax)
