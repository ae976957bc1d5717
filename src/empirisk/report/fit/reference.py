"""The reference from outside: scikit-learn's histogram gradient boosting with its default settings."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.report.fit.folds import Fold
from empirisk.report.fit.rows import constant_scores, fill_classes, prior_scores
from empirisk.report.fit.sample import Sample

__all__ = ["reference_matrix", "reference_model", "reference_scores"]

Floats = NDArray[np.float64]
MAX_LEVELS = 250


def reference_matrix(frame: pl.DataFrame) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the features as boosting takes them: numbers with NaN, levels as codes; and which are levels.

    Codes are by frequency over all given rows (no target is used); levels after the 249th share one code.
    """
    columns, is_level = [], []
    for series in frame.get_columns():
        level = series.dtype == pl.String
        columns.append(_codes(series) if level else series.cast(pl.Float64).to_numpy())
        is_level.append(level)
    return np.column_stack(columns), np.array(is_level, dtype=bool)


def _codes(series: pl.Series) -> Floats:
    counts = series.value_counts(sort=True).sort(["count", series.name], descending=[True, False])
    levels = counts[series.name]
    codes = np.minimum(np.arange(levels.len()), MAX_LEVELS - 1).astype(np.float64)
    return series.replace_strict(levels, pl.Series(codes)).to_numpy()


def reference_model(task: str, is_level: NDArray[np.bool_], seed: int) -> Any:
    """Return the unfitted model that serves as the reference row: scikit-learn's gradient boosting."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    made = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    return made(categorical_features=is_level, random_state=seed)


def reference_scores(sample: Sample, fold: Fold, seed: int) -> Floats:
    """Fit on a fold; return the scores of its new rows."""
    X, is_level = reference_matrix(sample.frame)
    y = sample.y[fold.fit]
    if sample.task != "regression" and np.unique(y).size == 1:
        return constant_scores(y, sample.n_classes, fold.score.size)
    model = reference_model(sample.task, is_level, seed).fit(X[fold.fit], y)
    return _scores(model, X[fold.score], sample, y)


def _scores(model: Any, X: Floats, sample: Sample, y: NDArray[Any]) -> Floats:
    if sample.task == "regression":
        return np.asarray(model.predict(X), dtype=np.float64)
    z = np.asarray(model.decision_function(X), dtype=np.float64)
    return fill_classes(z, np.asarray(model.classes_, dtype=np.intp), prior_scores(y, sample.n_classes))
