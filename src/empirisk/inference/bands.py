"""Confidence bands of the mean and prediction bands of new targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.tabular import Tabular
from empirisk.inference.covariance import covariance_of
from empirisk.inference.fit import Fit
from empirisk.inference.predictive import no_predictive, predictive_quantiles
from empirisk.results.estimate import check_level
from empirisk.results.form import Bar
from empirisk.typing import Array

__all__ = ["Bands", "bands_at"]

KINDS = ("confidence", "prediction")
SHOWN = 10  # rows in the printed table


@dataclass(frozen=True, eq=False, repr=False)
class Bands(Tabular):
    """An interval for each new row.

    Parameters
    ----------
    kind : {"confidence", "credible", "prediction"}
        About the mean of the target (by its sampling, or by a posterior), or about one new target.
    level : float
        Nominal coverage of each interval (of one row, not of all together).
    value, low, high : arrays, shape (m,), or (m, K) for K classes
        Estimated mean (or share of each class), and the ends.
    se : array like them, or None
        Standard error of the estimated mean, on its scale: for a linear model that of the score times the
        slope of the inverse link.  None where the interval does not come from one.
    note : str
        What the intervals rest on.
    about : str
        What the intervals are about, for the first line of the table; by default it follows from `kind`.
    classes : sequence, optional
        Names of the K columns.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.1, 0.9, 2.1, 2.9])
    >>> er.LinearRegression().fit(x, y).interval([[4.0]])
    95 % confidence intervals of the mean
      row  value  low    high
      0    3.9    3.233  4.567
      Standard errors assume independent rows with noise of equal variance.
    """

    kind: str
    level: float
    value: Array
    low: Array
    high: Array
    se: Array | None = field(repr=False)
    note: str = ""
    about: str = ""
    classes: Sequence[Any] = ()

    @property
    def title(self) -> str:
        """The first line of the table: the level and the kind of the intervals."""
        about = self.about or ("a new target" if self.kind == "prediction" else "the mean")
        return f"{100.0 * self.level:g} % {self.kind} intervals of {about}"

    def plot(
        self, ax: Any = None, *, x: Any = None, seen: tuple[Any, Any] | None = None, label: str = ""
    ) -> Any:
        """Draw the estimates with their intervals: along a column, or row by row.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        x : array of shape (m,), optional
            A number for each row, such as the dose: the rows become a curve with its band. By default the
            rows stand in the order of their estimates.
        seen : (array, array), optional
            What was observed: places along `x`, and values.
        label : str
            The name of `x`; that of a column of a frame is known.

        Returns
        -------
        empirisk.plots.Plot

        Raises
        ------
        ValueError
            `x` with another length, or with values that are no numbers.
        """
        from empirisk.plots import BandsDisplay

        if seen is not None and x is None:
            raise ValueError("seen has places along x: give x, one number for each row of the bands.")
        if isinstance(x, str):
            raise ValueError(
                f"x must hold {len(self.value)} numbers, one for each row of the bands, and not the name "
                f"{x!r}: give the column, such as rows[{x!r}]."
            )
        name = label or str(getattr(x, "name", None) or "x")
        chosen = self.value[:, -1] if self.value.ndim > 1 else self.value
        place = np.arange(chosen.size) if x is None else np.asarray(x, dtype=np.float64)
        if place.shape != chosen.shape or not np.isfinite(place).all():
            raise ValueError(f"x must hold {chosen.size} finite numbers, one for each row of the bands.")
        order = np.argsort(chosen if x is None else place, kind="stable")
        columns = {n: getattr(self, n) for n in ("value", "low", "high")}
        lines = {n: (c[:, -1] if c.ndim > 1 else c)[order].tolist() for n, c in columns.items()}
        along = place.tolist() if x is None else place[order].tolist()
        dots = None if seen is None else [np.asarray(v, dtype=np.float64).tolist() for v in seen]
        return BandsDisplay({"x": along, **lines}, self.title, "" if x is None else name, dots).plot(ax)

    def _long(self, most: int | None = None) -> dict[str, list[Any]]:
        """Return the columns of the first rows, one line for each row and class."""
        value = self.value[:most]
        names = [n for n in ("value", "low", "high", "se") if getattr(self, n) is not None]
        numbers = {n: getattr(self, n)[:most].ravel().tolist() for n in names}
        if value.ndim == 1:
            return {"row": list(range(len(value))), **numbers}
        rows, of_class = np.divmod(np.arange(value.size), value.shape[1])
        label = [self.classes[k] if len(self.classes) else int(k) for k in of_class]
        return {"row": rows.tolist(), "class": label, **numbers}

    def _columns(self) -> dict[str, list[Any]]:
        table = self._long()
        return {name: values for name, values in table.items() if name != "row" or self.value.ndim > 1}

    def _shown(self) -> dict[str, list[Any]]:
        table = self._long(SHOWN)
        table.pop("se", None)
        ends = zip(table["value"], table["low"], table["high"], strict=True)
        return {**table, "": [Bar(*three) for three in ends]}

    def _notes(self) -> list[str]:
        more = len(self.value) - SHOWN
        left = [f"... and {more} more rows"] if more > 0 else []
        return [*left, *([f"{self.note[:1].upper()}{self.note[1:]}."] if self.note else [])]


def bands_at(
    fit: Fit,
    X: Any,
    *,
    kind: str = "confidence",
    level: float = 0.95,
    covariance: str = "classical",
    groups: Any = None,
    offset: Array | None = None,
) -> Bands:
    """Return the intervals at new rows.

    *Confidence*: ``z +- t sqrt(x' V x)`` for the score, carried to the mean by the (monotone) inverse link,
    so that it stays inside the range of the mean.  *Prediction*, least squares: ``z +- t sqrt(sigma^2 + x' V
    x)``, exact for normal noise of equal variance; other families: quantiles of the law mixed over the noise
    of the score (:mod:`empirisk.inference.predictive`).

    Parameters
    ----------
    fit : Fit
        With p columns.
    X : array or sparse matrix, shape (m, p)
        New rows.
    kind : {"confidence", "prediction"}
    level : float
        In (0, 1).
    covariance, groups
        As in :func:`covariance_of`; prediction intervals need the model's own noise ("classical").
    offset : array, shape (m,), optional
        Known part of the new scores.

    Returns
    -------
    Bands

    Raises
    ------
    ValueError
        Where the law of the noise supports no such interval, with the reason and what to use.
    """
    check_level(level)
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, got {kind!r}")
    if kind == "prediction" and covariance != "classical":
        raise ValueError(
            f"covariance={covariance!r} allows noise whose size differs between rows, so that the noise of "
            "a new row "
            'is not known: no prediction interval; use covariance="classical" or kind="confidence"'
        )
    if kind == "prediction" and no_predictive(fit.law):
        raise ValueError(no_predictive(fit.law))
    V = covariance_of(fit, covariance, groups)
    rows = _with_constant(X, fit.intercept)
    estimable = fit.info.estimable()
    coef = fit.coef
    if not estimable.all():
        _refuse_undetermined(fit, rows)
    score = np.asarray(rows @ coef) + (0.0 if offset is None else offset)
    se = np.sqrt(np.maximum(((rows @ V.matrix) * rows).sum(axis=1), 0.0))
    value = np.asarray(fit.law.loss.mean(score))
    of_mean = se if fit.linear else se * np.abs(fit.law.mean_slope(score))
    if kind == "prediction" and not fit.linear:
        low, high = predictive_quantiles(fit.law, score, se, fit.dispersion, level)
        return Bands(kind, level, value, low, high, of_mean, _MIXED)
    df = np.full(len(score), V.joint_df)
    width = np.sqrt(se**2 + fit.dispersion) if kind == "prediction" else se
    half = stats.t.ppf(0.5 + 0.5 * level, df) * width
    note = "noise must be normal, of equal variance, and independent" if kind == "prediction" else V.note
    note = "; ".join(filter(None, [note, fit.about_weights]))
    ends = np.stack([np.asarray(fit.law.loss.mean(score + end)) for end in (-half, half)])
    low, high = ends.min(axis=0), ends.max(axis=0)  # some links fall with the mean
    return Bands(kind, level, value, low, high, of_mean, note)


_MIXED = (
    "quantiles of the family's law, mixed over the normal distribution of the estimated score; right for "
    "many "
    "rows when the family is right"
)


def _with_constant(X: Any, intercept: bool) -> Array:
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    return np.column_stack([np.ones(len(dense)), dense]) if intercept else dense


def _refuse_undetermined(fit: Fit, rows: Array) -> None:
    """Refuse new rows in which collinear columns do not keep their relations: their mean is not
    determined.
    """
    first = int(fit.intercept)
    factor = fit.info.factor
    standardised = (rows[:, first:] - factor.mean) / factor.scale
    off = np.linalg.norm(standardised @ factor.null_space, axis=1)
    bad = off > 1e-6 * np.maximum(np.linalg.norm(standardised, axis=1), 1.0)
    if bad.any():
        raise ValueError(
            f"the columns are collinear in the rows of the fit, but not in new row {int(np.argmax(bad))}: "
            "its mean is "
            "not determined by the data; drop columns"
        )
