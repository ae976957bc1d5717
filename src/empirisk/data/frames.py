"""A table of results as the data frame that the user has."""

from __future__ import annotations

from typing import Any

__all__ = ["as_frame"]


def as_frame(table: dict[str, list[Any]], like: Any = None) -> Any:
    """Return a pandas data frame; a polars one where pandas is not installed; the dict of lists without
    either.

    Parameters
    ----------
    table : dict of str to list
        The columns.
    like : data frame, optional
        What the user gave: a polars frame has its answer in polars.

    Examples
    --------
    >>> len(as_frame({"bound": ["Hoeffding", "Bernstein"], "value": [0.1, 0.2]}))
    2
    """
    if type(like).__module__.partition(".")[0] == "polars":
        import polars as pl

        return pl.DataFrame(table)
    try:
        import pandas as pd
    except ImportError:
        try:
            import polars as pl
        except ImportError:
            return table
        return pl.DataFrame(table)
    return pd.DataFrame(table)
