"""``empirisk predict``: a model file and a data file give a file of predictions."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import polars as pl

from empirisk.report.atomic import write_file
from empirisk.report.errors import DataError
from empirisk.report.read.table import Table
from empirisk.report.saved.answers import prediction_frame
from empirisk.report.saved.cells import escape_frame
from empirisk.report.saved.model_file import ModelFile
from empirisk.wording import number, percent

__all__ = ["predict_file", "reading_lines", "said"]

FORMATS = (".csv", ".tsv", ".parquet")


def predict_file(
    model: ModelFile, data: Path, out: Path, exposure: float | None = None
) -> tuple[Table, pl.DataFrame]:
    """Predict every row of `data` and write the predictions to `out` in the order of the rows.

    In .csv and .tsv a text that a spreadsheet would run as a formula (``=1+1``) gets an apostrophe in front;
    :func:`empirisk.report.saved.cells.unescape` takes it off.

    Raises
    ------
    DataError
        `out` has no known ending, its folder is missing, or `data` does not fit the model.
    """
    ending = out.suffix.lower()
    if ending not in FORMATS:
        raise DataError(f"--out {out.name} has no known ending: use .csv, .tsv or .parquet")
    if out.absolute() == data.absolute():
        raise DataError(f"--out {out.name} is the data file itself: give another name")
    if not out.absolute().parent.is_dir():
        raise DataError(f"the folder of --out {out.name} does not exist: make it first")
    table = model.read(data)
    frame = prediction_frame(model, table, exposure)
    buffer = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(buffer)
    else:
        escape_frame(frame).write_csv(buffer, separator="\t" if ending == ".tsv" else ",")
    write_file(out, buffer.getvalue())
    return table, frame


def reading_lines(model: ModelFile, table: Table) -> list[str]:
    """Return what was read, and what in it the model has not seen, in words."""
    head = f"Reading {table.source.name}  {table.n_rows:,} rows ({table.source.line()})"
    return [head, *(f"  {note}" for note in (*table.source.notes, *model.strange(table)))]


def said(frame: pl.DataFrame, classes: list[str]) -> str:
    """Return what was predicted, in one line."""
    if "cluster" in frame.columns and "prediction" not in frame.columns:
        counts = dict(frame["cluster"].value_counts().iter_rows())
        named = [f"cluster {c} {counts.get(int(c), 0):,}" for c in classes]
        return f"Grouped {frame.height:,} rows: {', '.join(named)}"
    if not classes:
        low, middle, high = np.quantile(frame["prediction"].to_numpy(), [0.0, 0.5, 1.0])
        return f"Predicted from {number(low, 4)} to {number(high, 4)}, median {number(middle, 4)}"
    counts = dict(frame["prediction"].value_counts().iter_rows())
    parts = [f"{c} {counts.get(c, 0):,} ({percent(counts.get(c, 0) / frame.height)})" for c in classes]
    return "Predicted " + ", ".join(parts)
