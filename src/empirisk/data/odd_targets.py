"""Targets that are none: hidden behind a mask, or a table without a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.masked import refuse_masked

__all__ = ["missing_target", "refuse_odd_targets"]


def refuse_odd_targets(y: Any) -> None:
    """Refuse targets that hide cells behind a mask, and tables of rows that have no column.

    Examples
    --------
    >>> refuse_odd_targets(np.empty((3, 0)))
    Traceback (most recent call last):
    ...
    ValueError: y has the shape (3, 0), which holds no target: give one for each row
    """
    if type(y) is np.ndarray and y.ndim == 1:
        return
    refuse_masked("y", y)
    shape: Any = getattr(y, "shape", ())
    if len(shape) > 1 and shape[0] and 0 in shape[1:]:
        raise ValueError(f"y has the shape {tuple(shape)}, which holds no target: give one for each row")


def missing_target(y: Any) -> int | None:
    """Return the first row whose target is None, NaN or pandas' NA; None where every row has one.

    Examples
    --------
    >>> missing_target(["a", None, "b"])
    1
    """
    values = np.asarray(y, dtype=object).ravel()
    return next(
        (i for i, v in enumerate(values) if v is None or type(v).__name__ == "NAType" or v != v), None
    )
