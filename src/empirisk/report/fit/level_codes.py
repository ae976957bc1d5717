"""Levels as whole numbers, for fits that nobody keeps: encoders sort numbers faster than strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.report.fit.encode import Origin, is_text

__all__ = ["Names", "coded", "named"]

Names = Mapping[str, NDArray[np.object_]]


def coded(frame: pl.DataFrame) -> tuple[pl.DataFrame, Names]:
    """Return a model frame with whole numbers for levels, in the order of names, and the names by column.

    An encoder that is fitted on the numbers makes the same matrix as one that is fitted on the strings: both
    sort the levels of their training rows, and a level that those rows lack is unknown to both. So the
    numbers tell a fold nothing about the rows that it was not fitted on.

    Parameters
    ----------
    frame : polars.DataFrame
        As :func:`empirisk.report.fit.encode.model_frame` makes it; free text stays as it is.

    Examples
    --------
    >>> numbers, names = coded(pl.DataFrame({"size": ["small", "large", "small"]}))
    >>> numbers["size"].to_list(), names["size"].tolist()
    ([1, 0, 1], ['large', 'small'])
    """
    names: dict[str, NDArray[np.object_]] = {}
    columns = []
    for column in frame.get_columns():
        if column.dtype == pl.String and not is_text(column.name):
            known = column.unique().sort()  # by bytes of UTF-8, which is the order of Python's strings
            names[column.name] = np.array(known.to_list(), dtype=object)
            column = column.cast(pl.Enum(known)).to_physical().cast(pl.Int32)
        columns.append(column)
    return pl.DataFrame(columns), names


def named(origins: list[Origin], names: Names) -> list[Origin]:
    """Return the columns of an encoder of numbers with the names of the levels in their place."""
    return [_named(o, names) for o in origins]


def _named(origin: Origin, names: Names) -> Origin:
    column, _, level = origin.name.rpartition(" = ")
    if origin.kind != "level" or column not in names:
        return origin
    known = names[column]
    grouped = tuple(str(known[int(code)]) for code in origin.grouped)
    if origin.grouped:  # the group of rare levels has a name of its own
        return replace(origin, grouped=grouped)
    told = str(known[int(level)])
    return replace(origin, name=f"{column} = {told}", level=told)
