"""The table of answers of a model file: names of rows, predictions, probabilities or distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from empirisk.report.read.table import Table

__all__ = ["prediction_frame"]


def prediction_frame(model: Any, table: Table, exposure: Any = None) -> pl.DataFrame:
    """Return the columns that name the rows, ``prediction``, and for classes ``probability_CLASS`` each.

    Of clusters: ``cluster`` (1, 2, ...), ``distance`` to its centre, and the same of the next cluster.

    Parameters
    ----------
    model : ModelFile
        Only asked: it is built on this file.
    table : Table
        Read under the decisions of the model (:meth:`empirisk.report.saved.model_file.ModelFile.read`).
    exposure : array or number, optional
        In the place of the column of exposures.
    """
    if model.task == "clusters":
        columns = _clusters(model, table)
    else:
        columns = {"prediction": model.predict(table, exposure).tolist()}
    if model.classes and model.task != "clusters":
        found = model.predict_proba(table)
        columns |= {f"probability_{c}": found[:, i].tolist() for i, c in enumerate(model.classes)}
    ids = [_id(table.frame[c.name]) for c in table.columns if c.kind == "id" and c.name not in columns]
    return pl.DataFrame([*ids, *(pl.Series(name, values) for name, values in columns.items())])


def _clusters(model: Any, table: Table) -> dict[str, list[Any]]:
    found = model.distances(table)
    own = np.array([int(name) for name in model.predict(table)])
    columns: dict[str, list[Any]] = {"cluster": own.tolist()}
    columns["distance"] = found[np.arange(len(own)), own - 1].tolist()
    if found.shape[1] > 1:
        others = found.copy()
        others[np.arange(len(own)), own - 1] = np.inf
        columns["next_cluster"] = (others.argmin(axis=1) + 1).tolist()
        columns["next_distance"] = others.min(axis=1).tolist()
    return columns


def _id(values: pl.Series) -> pl.Series:
    """Return the row names as they are in the file: whole numbers without a decimal point."""
    if values.dtype == pl.Float64 and bool((values.drop_nulls() % 1.0 == 0.0).all()):
        return values.cast(pl.Int64)
    return values
