"""The table of margins: average predictions, effects and contrasts with their intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["Margins"]


@dataclass(frozen=True, eq=False, repr=False)
class Margins(Tabular):
    """Average predictions, marginal effects or contrasts, one a row.

    Parameters
    ----------
    kind : str
        ``"average prediction"``, ``"average effect"``, ``"difference"`` or ``"ratio"``.
    where : dict of str to list
        What each row is about: columns, values that were set, groups of rows, outputs.
    value, se, low, high, p : arrays, shape (m,)
        Estimate, standard error, ends of the interval, and the p-value of no effect (NaN for predictions).
        The standard error is on the scale of the value; intervals of ratios are made on the logarithm.
    covariance : array, shape (m, m)
        Of the estimates (of logarithms of ratios), for tests of several at once.
    level : float
        Coverage of each interval; of all together with ``adjust``.
    adjust : str or None
        How several intervals and p-values were made to hold together.
    n : int
        Rows that were averaged over.
    method : str
        How standard errors were made.
    notes : tuple of str
        What the numbers rest on.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> model = er.LinearRegression().fit(X, X @ [2.0, 0.0] + X[:, 1] ** 2)
    >>> er.margins(model, X, contrast={"x0": [0.0, 1.0]}).value.shape
    (1,)
    """

    kind: str
    where: dict[str, list[Any]]
    value: Array
    se: Array
    low: Array
    high: Array
    p: Array
    covariance: Array = field(repr=False)
    level: float = 0.95
    adjust: str | None = None
    n: int = 0
    method: str = ""
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The first line above the table: how many numbers of which kind, over how many rows."""
        m = len(self.value)
        whole = " that hold together" if self.adjust and m > 1 else ""
        many = f"{m} {self.kind}s over {self.n:,} rows, with {100.0 * self.level:g} % intervals{whole}"
        return many if m != 1 else many.replace("s over", " over", 1).replace("intervals", "interval")

    @property
    def _tested(self) -> bool:
        return not all(map(math.isnan, self.p.tolist()))

    def _estimates(self) -> list[Estimate]:
        numbers = zip(self.value.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return [Estimate(v, a, b, self.level, self.n, self.method) for v, a, b in numbers]

    def _shown(self) -> dict[str, list[Any]]:
        tail = {"p": self.p.tolist()} if self._tested else {}
        return {**self.where, self.kind: self._estimates(), "se": self.se.tolist(), **tail}

    def _columns(self) -> dict[str, list[Any]]:
        tail = {"p": self.p.tolist()} if self._tested else {}
        return {**self.where, **estimate_columns(self._estimates()), "se": self.se.tolist(), **tail}

    def _notes(self) -> list[str]:
        return [f"{note[:1].upper()}{note[1:]}." for note in self.notes if note]

    def plot(self, ax: Any = None) -> Any:
        """Draw the numbers with their intervals, one a row, ratios on a log axis; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.effects import EffectsDisplay

        names = [", ".join(_said(k, v) for k, v in zip(self.where, row, strict=True)) for row in self._rows()]
        rows = [
            {"label": name or "all rows", "value": e.to_dict()}
            for name, e in zip(names, self._estimates(), strict=True)
        ]
        ratio = self.kind == "ratio"
        line = 1.0 if ratio else 0.0 if self._tested else None
        return EffectsDisplay(rows, self.kind, self.level, line, ratio).plot(ax)

    def _rows(self) -> list[tuple[Any, ...]]:
        lists = list(self.where.values())
        return list(zip(*lists, strict=True)) if lists else [()] * len(self.value)


def _said(name: str, value: Any) -> str:
    """Return a cell in words: what speaks for itself is not named."""
    shown = f"{value:.4g}" if isinstance(value, float) else str(value)
    return shown if name in ("column", "change", "output") else f"{name} = {shown}"
