"""The score in the larger levels of the categorical columns, with intervals that hold together."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.evaluation.metrics import METRICS, Predictions
from empirisk.report.estimates import Json, estimate
from empirisk.report.fit.encode import MISSING, is_text
from empirisk.report.fit.held_out_scores import LABELS, of_rows, unit_of
from empirisk.report.fit.sample import Sample
from empirisk.results import Estimate

__all__ = ["subgroups"]

MIN_ROWS = 100  # test rows of a group
MAX_GROUPS = 24  # of rows, over all columns
MAX_LEVELS = 6  # of a column that is divided into groups


def subgroups(test: Sample, p: Predictions, level: float, unit: str | None = None) -> Json | None:
    """Accuracy, or mean absolute error, in every level that at least 100 test rows have.

    Columns with at most six such levels (and at least two) are looked at, in file order, up to 24 groups; the
    intervals are Bonferroni-corrected for the number of groups. None when there is no such column.
    """
    name = "mae" if test.task == "regression" else "accuracy"
    found = _levels(test.frame)
    if not found:
        return None
    metric, m = METRICS[name], len(found)
    inside = 1.0 - (1.0 - level) / m
    groups = []
    for column, value, mask in found:
        e = metric.interval(of_rows(p, mask), inside)
        named = Estimate(e.value, e.low, e.high, level, e.n, f"{e.method}, Bonferroni over {m}", e.reason)
        groups.append(
            {"column": column, "value": value, "score": estimate(named), "observed": _observed(test, mask)}
        )
    columns = len({c for c, _, _ in found})
    return {
        "label": LABELS[name],
        "unit": unit_of(name, unit),
        "greater_is_better": bool(metric.greater_is_better),
        "multiplicity": (
            f"{m} groups of {columns} column{'s' if columns > 1 else ''} with at least {MIN_ROWS} test rows; "
            f"each interval is widened so that all {m} hold at once (Bonferroni)."
        ),
        "overall": estimate(metric.interval(p, level)),
        "groups": groups,
    }


def _observed(test: Sample, rows: NDArray[np.bool_]) -> float | None:
    """Return what these rows show of the target: the share of the positive class, or the mean of numbers."""
    if test.task == "multiclass":
        return None
    weights = None if test.weights is None else test.weights[rows]
    return float(np.average(test.y[rows], weights=weights))


def _levels(frame: pl.DataFrame) -> list[tuple[str, str, NDArray[np.bool_]]]:
    out: list[tuple[str, str, NDArray[np.bool_]]] = []
    for series in frame.get_columns():
        if series.dtype != pl.String or is_text(series.name):
            continue
        counts = series.value_counts(sort=True).filter(pl.col("count") >= MIN_ROWS)
        levels = sorted(counts[series.name].to_list())
        if not 2 <= len(levels) <= MAX_LEVELS or len(out) + len(levels) > MAX_GROUPS:
            continue
        out += [(series.name, _name(v), (series == v).to_numpy()) for v in levels]
    return out


def _name(level: str) -> str:
    return "missing" if level == MISSING else level
