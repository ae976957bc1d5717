"""Data frames of users (pandas, polars and others) as the raw columns of a table."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import polars as pl

from empirisk.report.read.raw import RawFile
from empirisk.report.read.table import Source

__all__ = ["is_frame", "raw_frame"]


def is_frame(data: Any) -> bool:
    """Return whether an object is a data frame of a known library, with its rows in memory."""
    found = nw.from_native(data, eager_only=True, pass_through=True)
    return isinstance(found, nw.DataFrame)


def raw_frame(data: Any) -> RawFile:
    """Return the columns of a frame as they stand, in polars; an index is left out.

    Examples
    --------
    >>> raw_frame(pl.DataFrame({"a": [1, 2]})).frame["a"].to_list()
    [1, 2]
    """
    source = Source("the frame", "frame")
    if isinstance(data, pl.DataFrame):
        return RawFile(data, source)
    frame = nw.from_native(data, eager_only=True)
    return RawFile(pl.DataFrame([_series(str(name), frame[name]) for name in frame.columns]), source)


def _series(name: str, series: Any) -> pl.Series:
    if series.dtype.is_numeric():
        values = series.to_numpy()
        if values.dtype.kind in "iuf":
            return pl.Series(name, values)
    gaps = series.is_null().to_list()
    values = [None if gap or v != v else v for v, gap in zip(series.to_list(), gaps, strict=True)]
    if all(v is None or isinstance(v, str) for v in values):
        return pl.Series(name, values, dtype=pl.String)
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, pl.exceptions.PolarsError):  # numbers and words in one column, as objects
        return pl.Series(name, [None if v is None else str(v) for v in values], dtype=pl.String)
