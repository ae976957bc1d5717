"""Offsets and exposures of rows, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["check_offset", "refuse_without", "took_offset"]


def check_offset(offset: Any, exposure: Any, n: int, rates: bool) -> Array | None:
    """``offset + log(exposure)`` of each row, or None without either; names the first bad row.

    Parameters
    ----------
    offset : array, shape (n,), or number, optional
        Finite.
    exposure : array, shape (n,), or number, optional
        Positive and finite; only where `rates`, because it multiplies a mean whose logarithm is the score.
    n : int
        Rows.
    rates : bool
        Whether the link turns a factor of the mean into a term of the score.

    Examples
    --------
    >>> check_offset(None, [1.0, 0.0], 2, True)
    Traceback (most recent call last):
        ...
    ValueError: exposure must be finite and > 0, got 0 in row 1; leave out rows without exposure
    """
    total: Array | None = None
    if offset is not None:
        total = _column("offset", offset, n)
        _refuse("offset must be finite", total, ~np.isfinite(total), "")
    if exposure is not None:
        if not rates:
            raise ValueError(
                "exposure needs a link in which a factor of the mean is a term of the score (log, cloglog); "
                "pass offset instead"
            )
        column = _column("exposure", exposure, n)
        bad = ~(np.isfinite(column) & (column > 0.0))
        _refuse("exposure must be finite and > 0", column, bad, "; leave out rows without exposure")
        total = np.log(column) if total is None else total + np.log(column)
    return total


def took_offset(est: Any) -> bool:
    """Return whether a fitted model learnt from rows with exposures or offsets, or holds one that did."""
    while est is not None and not hasattr(est, "_took_offset"):
        est = est.steps[-1][1] if getattr(est, "steps", None) else getattr(est, "best_estimator_", None)
    return est is not None and bool(est._took_offset)


def refuse_without(est: Any, *known: Any, advice: str = "Pass exposure= (or offset=) of these rows.") -> None:
    """Refuse rows without exposures or offsets where a model was fitted with some.

    Parameters
    ----------
    est : estimator
        A pipeline or a search stands for the model that it holds.
    *known
        The exposure and the offset of the rows; None for what there is not.
    advice : str
        What to do, in a sentence.

    Raises
    ------
    ValueError
        The model was fitted with an exposure or offset, and none is given.
    """
    if any(given is not None for given in known) or not took_offset(est):
        return
    while getattr(est, "steps", None):
        est = est.steps[-1][1]
    raise ValueError(
        f"{type(est).__name__} was fitted with an exposure or offset, and none is given for the rows that "
        f"it is asked about: its predictions would be those of one unit. {advice}"
    )


def _column(name: str, given: Any, n: int) -> Array:
    try:
        column = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers, one for each row of X") from None
    if column.ndim == 0:
        return np.full(n, float(column))
    if column.shape != (n,):
        raise ValueError(f"{name} has shape {column.shape}, expected {(n,)}: one number for each row of X")
    return column


def _refuse(rule: str, column: Array, bad: Any, advice: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{rule}, got {column[row]:g} in row {row}{advice}")
