"""The refusal of NaN and infinity among the rows, by column and row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.data.design import Design

__all__ = ["check_finite"]


def check_finite(design: Design, names: Any = None) -> None:
    """Refuse NaN and infinity by column name and row number."""
    if design.finite:
        return
    data = design.X.data if design.sparse else design.X
    bad = ~np.isfinite(data)
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
