"""The table of coefficients with standard errors, and the words around it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from empirisk.data.frames import like_input
from empirisk.results.form import Bar, Form, Formed
from empirisk.typing import Array

if TYPE_CHECKING:
    from empirisk.inference.ratios import Ratios

__all__ = ["Fact", "Summary"]


@dataclass(frozen=True)
class Fact:
    """A number about the whole fit.

    Parameters
    ----------
    name : str
        Short name, a key of :meth:`Summary.__getitem__`.
    value : float
        The number; NaN when it is undefined.
    meaning : str
        What it says, in words.
    """

    name: str
    value: float
    meaning: str


@dataclass(frozen=True, eq=False)
class Summary(Formed):
    """Coefficients with standard errors, tests and intervals, where these are valid; else the reason.

    Parameters
    ----------
    title : str
        The model in words.
    terms : tuple of str
        Names of the coefficients, ``"intercept"`` first where there is one.
    groups : tuple of str
        Class or target that each row is about; empty strings when there is only one.
    coef, se, statistic, p, low, high : arrays
        One number per row; NaN where inference is not valid (`notes` say why).
    statistic_name : str
        ``"t"`` or ``"z"``.
    level : float
        Confidence level of `low` and `high`.
    facts : tuple of Fact
        Numbers about the whole fit.
    notes : tuple of str
        What the numbers rest on, and why some are missing.
    valid : bool
        Whether standard errors are given at all.
    covariance : array or None
        Covariance matrix of the coefficients, in the order of the rows (first target only).
    inflation : array or None
        Variance inflation factor of each row's column (1: no collinearity), NaN for intercepts.
    loss : str
        Name of the loss that the model was fitted with; empty where it is not told.
    ratio : str
        What exponentials of coefficients are, such as ``"odds ratio"``; empty where they are no ratios.
    constants : tuple of str
        Terms that are no effect of a column: the intercept, cut points, a dispersion.

    Examples
    --------
    >>> nan = np.array([math.nan])
    >>> s = Summary("mean of y", ("intercept",), ("",), np.array([2.0]), nan, nan, nan, nan, nan,
    ...             facts=(Fact("n", 4.0, "rows"),))
    >>> s["n"]
    4.0
    """

    title: str
    terms: tuple[str, ...]
    groups: tuple[str, ...]
    coef: Array
    se: Array
    statistic: Array
    p: Array
    low: Array
    high: Array
    statistic_name: str = "t"
    level: float = 0.95
    facts: tuple[Fact, ...] = ()
    notes: tuple[str, ...] = ()
    valid: bool = True
    covariance: Array | None = field(default=None, repr=False)
    inflation: Array | None = field(default=None, repr=False)
    loss: str = field(default="", repr=False)
    ratio: str = field(default="", repr=False)
    constants: tuple[str, ...] = field(default=("intercept",), repr=False)

    def __getitem__(self, name: str) -> float:
        """Return the value of the fact of that name, such as ``"r2"``, or say which names there are."""
        for fact in self.facts:
            if fact.name == name:
                return fact.value
        raise KeyError(f"no fact {name!r}; there are {', '.join(f.name for f in self.facts)}")

    @property
    def _grouped(self) -> bool:
        return any(self.groups)

    def _columns(self) -> dict[str, Any]:
        numbers = (self.coef, self.se, self.statistic, self.p, self.low, self.high)
        table = dict(zip(("coef", "se", self.statistic_name, "p", "low", "high"), numbers, strict=True))
        return table if self.inflation is None else {**table, "vif": self.inflation}

    def to_frame(self) -> Any:
        """Return a pandas frame indexed by term (class and term when there are several); polars, with columns
        for these, where the rows came in polars or pandas is not installed.

        Columns: coef, se, t (or z), p, low, high, and vif (variance inflation) for several columns.
        """
        if self._like:
            return self._to_polars()
        try:
            import pandas as pd
        except ImportError:
            return self._to_polars()
        if self._grouped:
            index: Any = pd.MultiIndex.from_arrays([self.groups, self.terms], names=["group", "term"])
        else:
            index = pd.Index(self.terms, name="term")
        return pd.DataFrame(self._columns(), index=index)

    def _to_polars(self) -> Any:
        try:
            import polars as pl
        except ImportError:
            raise ImportError("to_frame() needs pandas or polars: pip install pandas (or polars)") from None
        head: dict[str, Any] = {"group": list(self.groups)} if self._grouped else {}
        return pl.DataFrame({**head, "term": list(self.terms), **self._columns()})

    @like_input
    def ratios(self, units: Mapping[str, float] | None = None) -> Ratios:
        """``exp(c b)`` of each column with its interval: odds, rate, mean or hazard ratios.

        Parameters
        ----------
        units : mapping from str to float, optional
            How many more units c of a column a ratio is about, such as ``{"age": 10}``; 1 for the others.

        Returns
        -------
        Ratios
            A table, with ``to_frame()`` and ``plot()`` (a forest plot).

        Raises
        ------
        ValueError
            Where the link of the model (identity, probit ...) makes no ratio of the exponential.
        """
        from empirisk.inference.ratios import ratios_of

        return ratios_of(self, units)

    def plot(self, *, intercept: bool = False, ax: Any = None) -> Any:
        """Draw the coefficients with their intervals, in the order of the table; returns the Plot.

        Parameters
        ----------
        intercept : bool, default False
            Whether the intercept is drawn, whose scale is seldom that of the others.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.effects import EffectsDisplay

        rows = []
        for k, (term, group) in enumerate(zip(self.terms, self.groups, strict=True)):
            if intercept or term not in self.constants or len(self.terms) == 1:
                ends = [float(end[k]) for end in (self.low, self.high)]
                low, high = (None if math.isnan(end) else end for end in ends)
                value = {"value": float(self.coef[k]), "low": low, "high": high}
                rows.append({"label": f"{term} → {group}" if group else term, "value": value})
        return EffectsDisplay(rows, "coefficient", self.level).plot(ax)

    # -- rendering ----------------------------------------------------------------------------------

    def _header(self) -> list[str]:
        ends = [f"{100.0 * q:.4g} %" for q in (0.5 - self.level / 2.0, 0.5 + self.level / 2.0)]
        name = self.statistic_name
        last = [] if self.inflation is None else ["VIF"]
        return [
            *(["group"] if self._grouped else []),
            "term",
            "coef",
            "se",
            name,
            f"P(>|{name}|)",
            *ends,
            *last,
        ]

    def _cells(self) -> list[list[str]]:
        rows = []
        for i, term in enumerate(self.terms):
            c, s = float(self.coef[i]), float(self.se[i])
            numbers = [_number(c), _number(s), _number(float(self.statistic[i])), _p_value(float(self.p[i]))]
            numbers += [_number(float(self.low[i])), _number(float(self.high[i]))]
            if self.inflation is not None:
                numbers.append(f"{self.inflation[i]:.3g}" if not math.isnan(self.inflation[i]) else "-")
            rows.append([*([self.groups[i]] if self._grouped else []), term, *numbers])
        return rows

    def _explanation(self) -> list[str]:
        if not self.valid:
            return list(self.notes)
        name = self.statistic_name
        words = (
            f"se: standard error. {name} = coef/se. P: how often a |{name}| this large would occur if the "
            f"coefficient were 0. Between the two percentages lies a {100.0 * self.level:.4g} % confidence "
            "interval"
        )
        if self.inflation is not None:
            words += ". VIF: by what factor collinearity with the other columns multiplies se^2"
        return [words, *self.notes]

    def __repr__(self) -> str:
        table = [self._header(), *self._cells()]
        width = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
        text = 2 if self._grouped else 1
        lines = [self.title, ""]
        for row in table:
            cells = [
                c.ljust(w) if k < text else c.rjust(w)
                for k, (c, w) in enumerate(zip(row, width, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
        lines.append("")
        wide = max((len(f.name) for f in self.facts), default=0)
        lines += [f"{f.name.ljust(wide)}  {_number(f.value):>11}  {f.meaning}" for f in self.facts]
        lines.append("")
        lines += [f"- {note}." for note in self._explanation()]
        return "\n".join(lines)

    def _form(self) -> Form:
        header, cells = self._header(), self._cells()
        columns: dict[str, list[Any]] = {name: [row[k] for row in cells] for k, name in enumerate(header)}
        if self.valid:
            ends = zip(self.coef, self.low, self.high, strict=True)
            columns[""] = [Bar(float(b), float(low), float(high)) for b, low, high in ends]
        facts = [(fact.name, _number(fact.value), fact.meaning) for fact in self.facts]
        return Form(
            self.title, columns, [f"{note[:1].upper()}{note[1:]}." for note in self._explanation()], facts
        )


def _number(v: float) -> str:
    if math.isnan(v):
        return "-"
    if v == int(v) and abs(v) < 1e9 if math.isfinite(v) else False:
        return str(int(v))
    return f"{v:.5g}"


def _p_value(p: float) -> str:
    if math.isnan(p):
        return "-"
    return "<1e-16" if p < 1e-16 else f"{p:.2g}"


def blank(size: int) -> Array:
    """Return an array of NaN, which stands in the table for numbers that are not given."""
    return np.full(size, math.nan)
