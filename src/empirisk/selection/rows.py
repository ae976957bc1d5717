"""Rows of whatever table the user gave."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """``X[rows]`` for arrays, lists, sparse matrices, pandas and polars tables, keeping the type."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    if isinstance(X, list | tuple):
        return [X[i] for i in rows]
    return X[rows]
