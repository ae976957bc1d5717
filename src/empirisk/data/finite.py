"""The refusal of NaN and infinity among the rows, by column and row."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from empirisk.data.design import Design

__all__ = ["check_finite"]


def check_finite(design: Design, names: Any = None, pairs: str = "") -> None:
    """Refuse NaN and infinity by column name and row number.

    Parameters
    ----------
    design : Design
    names : sequence of str, optional
        Of the columns.
    pairs : str, default ""
        What a cell says of a pair of rows ("distance", "weight", "kernel value"); empty where it does not.
    """
    if design.finite:
        return
    data = design.X.data if design.sparse else design.X
    bad = ~np.isfinite(data)
    if pairs:
        _refuse_pair(design, data, bad, pairs)
    if design.sparse:
        where = int(np.flatnonzero(bad)[0])
        coo = design.X.tocoo()
        row, column, value = int(coo.row[where]), int(coo.col[where]), coo.data[where]
    else:
        column = int(np.flatnonzero(bad.any(axis=0))[0])
        row = int(np.flatnonzero(bad[:, column])[0])
        value = data[row, column]
    label = f"column {names[column]!r}" if names is not None else f"column {column}"
    if math.isnan(value):
        word, count = "NaN", int(np.isnan(data).sum())
        advice = "impute them (for example with sklearn.impute.SimpleImputer) or drop those rows"
    else:
        word, count = "infinity (inf)", int(np.isinf(data).sum())
        advice = "put finite numbers in their place or drop those rows"
    raise ValueError(f"X contains {word} in {label}, row {row} ({count} such values in all); {advice}")


def _refuse_pair(design: Design, data: Any, bad: Any, pairs: str) -> NoReturn:
    """Raise the error that names the first pair of rows of which X says nothing."""
    if design.sparse:
        at, coo = int(np.flatnonzero(bad)[0]), design.X.tocoo()
        i, j, value = int(coo.row[at]), int(coo.col[at]), coo.data[at]
    else:
        i, j = (int(v) for v in np.argwhere(bad)[0])
        value = data[i, j]
    word = "NaN" if math.isnan(value) else "infinity (inf)"
    raise ValueError(
        f"X contains {word} in X[{i}, {j}] ({int(bad.sum())} such values in all), which is to be the {pairs} "
        "of two rows: compute it, or leave one of the two rows out"
    )
