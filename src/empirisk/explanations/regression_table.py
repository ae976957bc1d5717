"""er.regression_table: the coefficients of several fitted models side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from empirisk.data.frames import as_frame, like_input
from empirisk.data.tabular import Tabular
from empirisk.estimators.formulas.formula_model import inside
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.inference import Summary

__all__ = ["RegressionTable", "regression_table"]

SHOWS = ("se", "interval", "p", "none")
# Facts of summaries in the order of the foot of the table; a model has those that its theory has.
FACTS = {
    "n": "n", "r2": "R2", "adjusted_r2": "adjusted R2", "pseudo_r2": "pseudo R2", "deviance": "deviance",
    "log_likelihood": "log-likelihood", "aic": "AIC", "bic": "BIC",
}  # fmt: skip
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


@dataclass(frozen=True, eq=False, repr=False)
class RegressionTable(Tabular):
    """Coefficients of several models, a column a model, their errors below them, and facts of each fit.

    Parameters
    ----------
    names : list of str
        Of the models.
    summaries : list of Summary
        Their tables.
    show : str
        What stands behind each coefficient: ``"se"``, ``"interval"``, ``"p"`` or ``"none"``.
    stars : bool
        Whether small p-values are marked.
    facts : tuple of str
        Names of the facts of the foot, as in ``summary()[...]``.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.1, 0.9, 2.1, 2.9])
    >>> er.regression_table([er.LinearRegression().fit(x, y)], facts=["n", "r2"])
    1 model: coefficients with standard errors
      term       (1)
      intercept  0.06 (0.1058)
      x0         0.96 (0.05657)
      n          4
      R2         0.9931
    """

    names: list[str]
    summaries: list[Summary]
    show: str = "se"
    stars: bool = False
    facts: tuple[str, ...] = field(default=tuple(FACTS))

    @property
    def title(self) -> str:
        """The first line above the table: how many models, and what stands behind the coefficients."""
        m = len(self.names)
        level = f"{100.0 * self.summaries[0].level:g} %"
        behind = {
            "se": " with standard errors", "interval": f" with {level} intervals", "p": " with p-values",
            "none": "",
        }[self.show]  # fmt: skip
        return f"{m} model{'s' if m > 1 else ''}: coefficients{behind}"

    @property
    def terms(self) -> list[str]:
        """The names of the rows: the intercept first, then the columns in the order of the models."""
        keys = dict.fromkeys(key for s in self.summaries for key in _keys(s))
        return sorted(keys, key=lambda k: k.rpartition(": ")[2] != "intercept")

    def _shown(self) -> dict[str, list[Any]]:
        terms = self.terms
        foot = [f for f in self.facts if any(_fact(s, f) is not None for s in self.summaries)]
        out: dict[str, list[Any]] = {"term": [*terms, *(FACTS[f] for f in foot)]}
        for name, s in zip(self.names, self.summaries, strict=True):
            place = {key: k for k, key in enumerate(_keys(s))}
            cells = [self._cell(s, place[term]) if term in place else "" for term in terms]
            out[name] = [*cells, *(_number(_fact(s, f)) for f in foot)]
        return out

    def _cell(self, s: Summary, k: int) -> str:
        """Return a coefficient with what stands behind it."""
        star = next((mark for least, mark in LEVELS if s.p[k] < least), "") if self.stars else ""
        head = f"{_number(float(s.coef[k]))}{star}"
        if self.show == "none" or math.isnan(s.se[k]):
            return head
        if self.show == "interval":
            return f"{head} [{_number(float(s.low[k]))}, {_number(float(s.high[k]))}]"
        return f"{head} ({_number(float(s.se[k] if self.show == 'se' else s.p[k]))})"

    def _columns(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {name: [] for name in ("model", "term", "coef", "se", "low", "high", "p")}
        for name, s in zip(self.names, self.summaries, strict=True):
            for k, key in enumerate(_keys(s)):
                row = (name, key, *(float(v[k]) for v in (s.coef, s.se, s.low, s.high, s.p)))
                for column, cell in zip(out.values(), row, strict=True):
                    column.append(cell)
        return out

    def facts_frame(self) -> Any:
        """Return the facts of the fits as a data frame, one row a model; NaN where a model has none."""
        table: dict[str, list[Any]] = {"model": self.names}
        for name in self.facts:
            found = [_fact(s, name) for s in self.summaries]
            if any(v is not None for v in found):
                table[name] = [math.nan if v is None else v for v in found]
        return as_frame(table, self._like)

    def _notes(self) -> list[str]:
        said = []
        if self.stars:
            said.append("* p < 0.05, ** p < 0.01, *** p < 0.001, of single tests.")
        for name, s in zip(self.names, self.summaries, strict=True):
            if not s.valid:
                said.append(
                    f"{name} has no standard errors: {s.notes[0].removeprefix('no standard errors: ')}."
                )
        kinds = [
            f"{name} {s.title[:1].lower()}{s.title[1:]}"
            for name, s in zip(self.names, self.summaries, strict=True)
        ]
        titles = {s.title for s in self.summaries}
        if len(titles) > 1:
            said.append(f"Coefficients have the scale of their model: {'; '.join(kinds)}.")
        return said

    def plot(self, term: str | None = None, *, ax: Any = None) -> Any:
        """Draw the coefficients of the models with their intervals, term by term; returns the Plot.

        Parameters
        ----------
        term : str, optional
            One row of the table; all but the intercepts by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.effects import EffectsDisplay

        if term is not None and term not in self.terms:
            raise ValueError(f"no term {term!r}; there are {', '.join(self.terms[:12])}")
        chosen = [term] if term else [t for t in self.terms if t.rpartition(": ")[2] != "intercept"]
        rows = []
        for key in chosen:
            for name, s in zip(self.names, self.summaries, strict=True):
                if key in (keys := _keys(s)):
                    k = keys.index(key)
                    known = not math.isnan(s.se[k])
                    ends = {e: float(v[k]) if known else None for e, v in (("low", s.low), ("high", s.high))}
                    rows.append({"label": f"{key} · {name}", "value": {"value": float(s.coef[k]), **ends}})
        return EffectsDisplay(rows, "coefficient", self.summaries[0].level).plot(ax)


@like_input
def regression_table(
    models: Sequence[Any],
    names: Sequence[str] | None = None,
    *,
    show: str = "se",
    stars: bool = False,
    facts: Sequence[str] = tuple(FACTS),
    **options: Any,
) -> RegressionTable:
    """Set coefficients of models side by side, with their standard errors and facts of each fit.

    Parameters
    ----------
    models : sequence of fitted linear models or of summaries
        Models are asked for ``summary(**options)``, from the rows that they keep; give ``model.summary(X, y,
        ...)`` where they keep none, or to mix covariances.
    names : sequence of str, optional
        Of the models; ``(1)``, ``(2)``, ... by default.
    show : {"se", "interval", "p", "none"}
        What stands behind a coefficient.
    stars : bool, default False
        Whether p-values below 0.05, 0.01 and 0.001 are marked.
    facts : sequence of str
        Which facts stand at the foot, of ``"n"``, ``"r2"``, ``"adjusted_r2"``, ``"pseudo_r2"``,
        ``"deviance"``, ``"log_likelihood"``, ``"aic"``, ``"bic"``; each model has those of its theory.
    **options
        Of ``summary``: ``covariance``, ``groups``, ``weights``, ``level``.

    Returns
    -------
    RegressionTable
        Text, HTML, ``to_latex()``, ``to_markdown()``; ``to_frame()`` has a row for each model and term.

    Raises
    ------
    TypeError
        When something is neither a fitted linear model nor a summary.
    ValueError
        For names that repeat or are too few, and unknown facts.

    Examples
    --------
    >>> import empirisk as er
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> one, two = (er.LinearRegression().fit(X[c], y) for c in (["bmi"], ["bmi", "bp"]))
    >>> er.regression_table([one, two], names=["bmi alone", "with pressure"], facts=["n", "r2"])
    2 models: coefficients with standard errors
      term       bmi alone      with pressure
      intercept  152.1 (2.974)  152.1 (2.856)
      bmi        949.4 (62.52)  790.4 (65.38)
      bp                        402.2 (65.38)
      n          442            442
      R2         0.3439         0.396
    """
    if show not in SHOWS:
        raise ValueError(f"show must be one of {SHOWS}, got {show!r}")
    unknown = [f for f in facts if f not in FACTS]
    if unknown:
        raise ValueError(f"facts names {unknown[0]!r}; there are {', '.join(FACTS)}")
    given = list(models) if isinstance(models, list | tuple) else [models]
    if not given:
        raise ValueError("models is empty: give one fitted model or more")
    labels = [f"({k + 1})" for k in range(len(given))] if names is None else [str(v) for v in names]
    if len(labels) != len(given) or len(set(labels)) < len(labels) or "term" in labels:
        raise ValueError(f'names must be {len(given)} different words other than "term", got {labels}')
    return RegressionTable(labels, [_summary(m, options) for m in given], show, bool(stars), tuple(facts))


def _summary(model: Any, options: dict[str, Any]) -> Summary:
    """Return the summary of a model, or what was given as one."""
    if isinstance(model, Summary):
        if options:
            raise ValueError(f"{next(iter(options))} is an option of summary(): a summary was given already")
        return model
    model = inside(model)
    if not isinstance(model, LinearEstimator | LikelihoodEstimator):
        raise TypeError(
            f"models must be fitted linear models of empirisk, or summaries, got {type(model).__name__}"
        )
    return model.summary(**options)


def _keys(s: Summary) -> list[str]:
    """Return the names of the rows of a summary, with the class before the term where there are several."""
    return [f"{g}: {t}" if g else t for g, t in zip(s.groups, s.terms, strict=True)]


def _fact(s: Summary, name: str) -> float | None:
    return next((f.value for f in s.facts if f.name == name and not math.isnan(f.value)), None)


def _number(v: float | None) -> str:
    if v is None or math.isnan(v):
        return ""
    return f"{int(v):,}" if v == int(v) and abs(v) < 1e9 else f"{v:.4g}"
