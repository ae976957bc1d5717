"""Data frames of users (pandas, polars and others) and mappings of columns as the raw columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import polars as pl

from empirisk.report.errors import DataError
from empirisk.report.read.raw import RawFile
from empirisk.report.read.table import Source

__all__ = ["as_given", "is_frame", "raw_frame"]


def is_frame(data: Any) -> bool:
    """Return whether an object is a data frame of a known library, or a mapping of names to columns."""
    if isinstance(data, Mapping | pl.LazyFrame):
        return True
    found = nw.from_native(data, eager_only=True, pass_through=True)
    return isinstance(found, nw.DataFrame)


def raw_frame(data: Any) -> RawFile:
    """Return the columns of a frame as they stand, in polars; an index is left out.

    Examples
    --------
    >>> raw_frame({"a": [1, 2], "b": ["x", None]}).frame["b"].to_list()
    ['x', None]
    """
    source = Source("the frame", "frame")
    if isinstance(data, Mapping):
        return RawFile(_of_mapping(data), source)
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.DataFrame):
        kinds = (pl.Categorical, pl.Enum)
        factors = tuple(name for name, kind in data.schema.items() if isinstance(kind, kinds))
        return RawFile(data.with_columns(pl.col(factors).cast(pl.String)), source, factors=factors)
    names = [str(name) for name in getattr(data, "columns", ())]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise DataError(f"the frame has {names.count(twice[0])} columns called {twice[0]!r}: rename them")
    frame = nw.from_native(data, eager_only=True)
    factors = tuple(str(k) for k, v in frame.schema.items() if isinstance(v, nw.Categorical | nw.Enum))
    # By place: names may be numbers, which would select otherwise.
    columns = [_series(str(column.name), column) for column in frame.iter_columns()]
    return RawFile(pl.DataFrame(columns), source, factors=factors)


def as_given(table: pl.DataFrame, data: Any) -> Any:
    """Return answers about rows as the frame that the rows came in: in pandas with their index, in polars
    for a file, as a dict of lists for a mapping.
    """
    if isinstance(data, Mapping):
        return table.to_dict(as_series=False)
    found = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(found, nw.DataFrame) or isinstance(data, pl.DataFrame):
        return table
    made = nw.from_dict(table.to_dict(as_series=False), backend=nw.get_native_namespace(found)).to_native()
    if hasattr(data, "index") and hasattr(made, "set_axis"):
        made = made.set_axis(data.index, axis=0)
    return made


def _of_mapping(data: Mapping[Any, Any]) -> pl.DataFrame:
    """Return the columns of a mapping, of the same length each."""
    columns = {str(name): _column(str(name), values) for name, values in data.items()}
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        few, many = min(sizes, key=lambda k: sizes[k]), max(sizes, key=lambda k: sizes[k])
        raise DataError(
            f"column {few!r} has {sizes[few]:,} values and column {many!r} has {sizes[many]:,}: give every"
            " column one value a row"
        )
    return pl.DataFrame(list(columns.values()))


def _column(name: str, values: Any) -> pl.Series:
    """Return the values of one column of a mapping: an array, a list, or a series of some library."""
    if isinstance(values, pl.Series):
        return values.alias(name)
    found = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(found, nw.Series):
        return _series(name, found)
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise DataError(f"column {name!r} is {values!r}: give a list or an array, one value a row")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise DataError(f"column {name!r} has the shape {values.shape}: give one value a row")
    if isinstance(values, np.ndarray) and values.dtype.kind in "iufbM":
        return pl.Series(name, values)
    return _of_list(name, [v.item() if isinstance(v, np.generic) else v for v in values])


def _series(name: str, series: Any) -> pl.Series:
    if series.dtype.is_numeric():
        values = series.to_numpy()
        if values.dtype.kind in "iuf":
            return pl.Series(name, values)
    gaps = series.is_null().to_list()
    return _of_list(name, [None if gap else v for v, gap in zip(series.to_list(), gaps, strict=True)])


def _of_list(name: str, values: list[Any]) -> pl.Series:
    """Return values as a column: what is no value is missing, and what is of several types is text."""
    values = [None if v is None or v != v else v for v in values]
    if all(v is None or isinstance(v, str) for v in values):
        return pl.Series(name, values, dtype=pl.String)
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, pl.exceptions.PolarsError):  # numbers and words in one column, as objects
        return pl.Series(name, [None if v is None else str(v) for v in values], dtype=pl.String)
