"""Partial dependence of the chosen model on its most important columns, over the test rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from empirisk.explanations.partial_dependence import partial_dependence
from empirisk.explanations.places import places
from empirisk.report.estimates import Json
from empirisk.report.fit.final import FinalModel
from empirisk.report.fit.sample import Sample
from empirisk.wording import number, year, years

__all__ = ["dependence_curves"]

CURVES, PLACES, LEVELS, ROWS, FEWEST = 6, 20, 12, 500, 30
WHOLE = 1e7  # whole numbers below it are written in full
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
    known = [name for name in columns if name in test.frame.columns][:CURVES]
    return [_curve(model, test, name, scale, level, seed) for name in known]


def _curve(model: FinalModel, test: Sample, name: str, scale: str, level: float, seed: int) -> Json:
    """Return what :func:`empirisk.partial_dependence` gives for the saved pipeline at these places."""
    rows, column = test.frame, test.frame[name]
    places, labels = _places(column)
    levels = column.dtype == pl.String
    grid = np.searchsorted(np.unique(column.to_list()), places) if levels else places
    found = partial_dependence(
        model.pipeline, rows, name, grid=grid, level=level, max_rows=ROWS, random_state=seed,
        exposure=test.exposure, sample_weight=test.weights,
    )  # fmt: skip
    value, pointwise, band = (part[..., 0] for part in (found.value, found.pointwise, found.simultaneous))
    return {
        "column": name,
        "scale": scale,
        "x": None if levels else [float(v) for v in places],
        "labels": labels,
        "value": value.tolist(),
        "low": pointwise[0].tolist(),
        "high": pointwise[1].tolist(),
        "band_low": band[0].tolist(),
        "band_high": band[1].tolist(),
        "level": level,
        "n": found.individual.shape[1],
        "method": METHOD,
    }


def _places(column: pl.Series) -> tuple[list[Any], list[str]]:
    """Levels by frequency, or values of a number between its 1 % and 99 % points."""
    if column.dtype == pl.String:
        counts = column.value_counts(sort=True).sort(["count", column.name], descending=[True, False])
        levels = counts[column.name].to_list()[:LEVELS]
        return levels, levels
    values = column.to_numpy()
    x = places(values[~np.isnan(values)], PLACES, "nearest")
    whole = bool((x == np.round(x)).all() and (np.abs(x) < WHOLE).all())
    return x.tolist(), [year(v) if years(x) else f"{v:,.0f}" if whole else number(v, 4) for v in x]
