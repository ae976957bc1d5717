"""Ratios: exponentials of coefficients, with the intervals of the coefficients carried over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.results.estimate import Estimate
from empirisk.typing import Array

__all__ = ["Ratios", "ratios_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Ratios(Tabular):
    """``exp(c b)`` for c more units of a column, all other columns as they are.

    Parameters
    ----------
    kind : str
        What the numbers are: ``"odds ratio"``, ``"mean ratio"``, ``"rate ratio"`` (with an exposure or
        offset), ``"hazard ratio"`` (complementary log-log link), ``"risk ratio"`` (log link of probabilities).
    terms : list of str
        Names of the columns.
    groups : list of str
        Class that each row is about; empty strings when there is only one.
    units : array, shape (m,)
        c: how many more units of the column.
    value, low, high : arrays, shape (m,)
        The ratios and the ends of their intervals; NaN where the table of coefficients has none.
    p : array, shape (m,)
        p-values of the hypothesis that the ratio is 1.
    level : float
        Coverage of each interval.
    n : int
        Rows of the fit.
    notes : tuple of str
        What the numbers rest on.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> treated, cured = np.repeat([0.0, 1.0], 100)[:, None], np.repeat([0, 1, 0, 1], [80, 20, 50, 50])
    >>> er.LogisticRegression(alpha=0).fit(treated, cured).summary().ratios()  # (50 / 50) / (20 / 80)
    1 odds ratio with its 95 % interval
      term  odds ratio      p
      x0    4.0 [2.1, 7.5]  1.491e-05
      The odds are multiplied by the ratio for one more unit of the column, or as many as `units` says.
      Standard errors come from the expected information: they hold for many rows, independent, when the model is right.
      Coefficients are changes of the log odds of 1 against 0.
    """  # noqa: E501

    kind: str
    terms: list[str]
    groups: list[str]
    units: Array
    value: Array
    low: Array
    high: Array
    p: Array = field(repr=False)
    level: float = 0.95
    n: int = 0
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The first line above the table: how many ratios of which kind, and their level."""
        count = len(self.terms)
        many = f"{count} {self.kind}s with their" if count != 1 else f"1 {self.kind} with its"
        ends = "intervals" if count != 1 else "interval"
        return f"{many} {100.0 * self.level:g} % {ends}"

    def _estimates(self) -> list[Estimate]:
        method, reason = "exponential of the ends for the coefficient", "the coefficients have none"
        return [
            Estimate(v, a, b, self.level, self.n, method)
            if not math.isnan(a + b)
            else Estimate(v, None, None, self.level, self.n, method, reason)
            for v, a, b in zip(self.value.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        ]

    def _head(self) -> dict[str, list[Any]]:
        head: dict[str, list[Any]] = {"group": self.groups} if any(self.groups) else {}
        changed = {"units": self.units.tolist()} if np.any(self.units != 1.0) else {}
        return {**head, "term": self.terms, **changed}

    def _shown(self) -> dict[str, list[Any]]:
        return {**self._head(), self.kind: self._estimates(), "p": self.p.tolist()}

    def _columns(self) -> dict[str, list[Any]]:
        return {**self._head(), **estimate_columns(self._estimates(), "ratio"), "p": self.p.tolist()}

    def _notes(self) -> list[str]:
        return [f"{note[:1].upper()}{note[1:]}." for note in self.notes]

    def plot(self, ax: Any = None) -> Any:
        """Draw the ratios with their intervals on a logarithmic axis, a forest plot; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.effects import EffectsDisplay

        names = [f"{t} → {g}" if g else t for t, g in zip(self.terms, self.groups, strict=True)]
        names = [n if c == 1.0 else f"{n} (per {c:g})" for n, c in zip(names, self.units, strict=True)]
        rows = [
            {"label": name, "value": e.to_dict()} for name, e in zip(names, self._estimates(), strict=True)
        ]
        return EffectsDisplay(rows, self.kind, self.level, 1.0, True).plot(ax)


def ratios_of(summary: Any, units: Mapping[str, float] | None = None) -> Ratios:
    """Return the ratios of a table of coefficients; the intercept, which is no ratio, is left out.

    Parameters
    ----------
    summary : Summary
        Of a model whose link makes exponentials of coefficients ratios.
    units : mapping from str to float, optional
        How many more units of a column a ratio is about; 1 for those that it does not name.

    Raises
    ------
    ValueError
        Where the link has no ratios, for unknown columns, and for units that are 0 or not finite.
    """
    if not summary.ratio:
        raise ValueError(
            f"there are no ratios: in {'an' if summary.title[:1].lower() in 'aeio' else 'a'} "
            f"{summary.title[:1].lower()}{summary.title[1:]} the exponential of a coefficient is no ratio "
            "of odds, means, rates or hazards (its link is neither logit, log nor cloglog); use er.margins "
            "for differences and ratios of predictions"
        )
    keep = [k for k, term in enumerate(summary.terms) if term not in summary.constants]
    terms = [summary.terms[k] for k in keep]
    given = dict(units or {})
    unknown = [name for name in given if name not in terms]
    if unknown:
        raise ValueError(f"units names {unknown[0]!r}, which is no column; there are {', '.join(terms[:12])}")
    c = np.array([float(given.get(term, 1.0)) for term in terms])
    bad = [t for t, v in zip(terms, c, strict=True) if v == 0.0 or not math.isfinite(v)]
    if bad:
        raise ValueError(f"units of {bad[0]!r} must be a finite number other than 0, got {given[bad[0]]!r}")
    with np.errstate(over="ignore"):
        value = np.exp(c * summary.coef[keep])
        ends = np.exp(np.stack([c * summary.low[keep], c * summary.high[keep]]))
    groups = [summary.groups[k] for k in keep]
    return Ratios(
        summary.ratio, terms, groups, c, value, ends.min(axis=0), ends.max(axis=0), summary.p[keep],
        summary.level, round(summary["n"]), (_meaning(summary), *summary.notes),
    )  # fmt: skip


def _meaning(summary: Any) -> str:
    """Return what is multiplied by the ratio, in words."""
    what = {
        "odds ratio": "odds are",
        "hazard ratio": "hazard is",
        "rate ratio": "rate is",
        "risk ratio": "probability is",
        "mean or odds ratio": "mean of the counts (or the odds of zeros) is",
    }
    said = what.get(summary.ratio, "mean of y is")
    return f"the {said} multiplied by the ratio for one more unit of the column, or as many as `units` says"
