"""Credible intervals of coefficients: what a posterior says of each of them, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from empirisk.data.tabular import Tabular
from empirisk.results.form import Bar
from empirisk.typing import Array

__all__ = ["CredibleIntervals"]


@dataclass(frozen=True, eq=False, repr=False)
class CredibleIntervals(Tabular):
    """An interval for each coefficient and, last, for the intercept where there is one.

    Parameters
    ----------
    level : float
        Posterior probability of each interval (of one coefficient, not of all together).
    terms : sequence of str
        Names of the coefficients.
    value, low, high : arrays, shape (p + 1,), or (p,) without an intercept
        Posterior means, or the mode of a normal law, and the ends.
    note : str
        What the intervals rest on.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.1, 0.9, 2.1, 2.9])
    >>> er.BayesianLinearRegression(1.0).fit(x, y).credible_interval(0.9)
    90 % credible intervals of coefficients
      term       value  low      high
      x0         0.8    0.3039   1.296
      intercept  0.3    -0.6608  1.261
      Right where the prior and normal noise are.
    """

    level: float
    terms: Sequence[str]
    value: Array
    low: Array
    high: Array
    note: str = ""

    @property
    def title(self) -> str:
        """The first line of the table: the level and what the intervals are about."""
        return f"{100.0 * self.level:g} % credible intervals of coefficients"

    def _columns(self) -> dict[str, list[Any]]:
        numbers = {name: getattr(self, name).tolist() for name in ("value", "low", "high")}
        return {"term": list(self.terms), **numbers}

    def _shown(self) -> dict[str, list[Any]]:
        table = self._columns()
        ends = zip(table["value"], table["low"], table["high"], strict=True)
        return {**table, "": [Bar(*three) for three in ends]}

    def _notes(self) -> list[str]:
        return [f"{self.note[:1].upper()}{self.note[1:]}."] if self.note else []
