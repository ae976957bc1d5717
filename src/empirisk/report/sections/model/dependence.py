"""Partial dependence of the chosen model on its most important columns, over the test rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.explanations.partial_dependence import mean_bands
from empirisk.report.estimates import Json
from empirisk.report.fit.final import FinalModel
from empirisk.report.fit.rows import probabilities
from empirisk.report.fit.sample import Sample
from empirisk.wording import number, year, years

__all__ = ["dependence_curves"]

Floats = NDArray[np.float64]
CURVES, PLACES, LEVELS, ROWS, FEWEST = 6, 20, 12, 500, 30
METHOD = "means over test rows with the column set to each place; Gaussian band for all places together"


def dependence_curves(
    model: FinalModel, test: Sample, columns: list[str], scale: str, level: float, seed: int
) -> list[Json] | None:
    """Curves for ``report["model"]["dependence"]``; None where there are too few rows or several classes.

    Parameters
    ----------
    model : FinalModel
    test : Sample
    columns : list of str
        Columns of the table, the most important first; dates are passed over.
    scale : str
        What is predicted, in words.
    level : float
        Of the bands.
    seed : int
        Of the draw of rows.
    """
    if test.n < FEWEST or test.n_classes > 2 or test.groups is not None:
        return None
    chosen = np.sort(np.random.default_rng(seed).permutation(test.n)[:ROWS])
    rows = test.frame[chosen]
    known = [name for name in columns if name in rows.columns][:CURVES]
    return [_curve(model, rows, test.frame[name], scale, level, seed) for name in known]


def _curve(
    model: FinalModel, rows: pl.DataFrame, column: pl.Series, scale: str, level: float, seed: int
) -> Json:
    places, labels = _places(column)
    tiled = pl.concat([rows.with_columns(pl.lit(v, dtype=column.dtype).alias(column.name)) for v in places])
    z = model.scores(model.encode(tiled))
    predicted = z if model.train.n_classes == 0 else probabilities(z)[:, 1]
    curves = predicted.reshape(len(places), rows.height, 1)
    value, pointwise, band = (part[..., 0] for part in mean_bands(curves, level, seed))
    levels = column.dtype == pl.String
    return {
        "column": column.name,
        "scale": scale,
        "x": None if levels else [float(v) for v in places],
        "labels": labels,
        "value": value.tolist(),
        "low": pointwise[0].tolist(),
        "high": pointwise[1].tolist(),
        "band_low": band[0].tolist(),
        "band_high": band[1].tolist(),
        "level": level,
        "n": rows.height,
        "method": METHOD,
    }


def _places(column: pl.Series) -> tuple[list[Any], list[str]]:
    """Levels by frequency, or values of a number between its 1 % and 99 % points."""
    if column.dtype == pl.String:
        counts = column.value_counts(sort=True).sort(["count", column.name], descending=[True, False])
        levels = counts[column.name].to_list()[:LEVELS]
        return levels, levels
    x = column.to_numpy()
    x = np.unique(x[~np.isnan(x)])
    if x.size > PLACES:
        values = column.drop_nans().to_numpy()
        x = np.unique(np.quantile(values, np.linspace(0.01, 0.99, PLACES), method="nearest"))
    return x.tolist(), [year(v) if years(x) else number(v, 4) for v in x]
