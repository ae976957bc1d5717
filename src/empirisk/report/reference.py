"""The reference from outside: scikit-learn's histogram gradient boosting with its default settings."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.report.folds import Fold
from empirisk.report.rows import constant_scores, fill_classes, prior_scores
from empirisk.report.sample import Sample

__all__ = ["n_leaves", "reference_matrix", "reference_model", "reference_scores"]

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
    code = {v: min(i, MAX_LEVELS - 1) for i, v in enumerate(counts[series.name].to_list())}
    return np.array([code[v] for v in series.to_list()], dtype=np.float64)


def reference_model(task: str, is_level: NDArray[np.bool_], seed: int) -> Any:
    """Return the unfitted model."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    made = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    return made(categorical_features=is_level, random_state=seed)


def reference_scores(sample: Sample, fold: Fold, seed: int) -> list[Floats]:
    """Fit on a fold; return the scores of its new rows and of its fitting rows."""
    X, is_level = reference_matrix(sample.frame)
    y = sample.y[fold.fit]
    if sample.task != "regression" and np.unique(y).size == 1:
        return [constant_scores(y, sample.n_classes, part.size) for part in (fold.score, fold.fit)]
    model = reference_model(sample.task, is_level, seed).fit(X[fold.fit], y)
    return [_scores(model, X[part], sample, y) for part in (fold.score, fold.fit)]


def _scores(model: Any, X: Floats, sample: Sample, y: NDArray[Any]) -> Floats:
    if sample.task == "regression":
        return np.asarray(model.predict(X), dtype=np.float64)
    z = np.asarray(model.decision_function(X), dtype=np.float64)
    return fill_classes(z, np.asarray(model.classes_, dtype=np.intp), prior_scores(y, sample.n_classes))


def n_leaves(model: Any) -> int:
    """Leaves of all trees of a fitted model."""
    return int(sum(tree.get_n_leaf_nodes() for stage in model._predictors for tree in stage))
