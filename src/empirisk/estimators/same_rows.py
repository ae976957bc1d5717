"""Whether a fit that goes on from the one before sees the same rows, with the same parameters."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np

from empirisk.typing import Array

MISSING = object()

__all__ = ["refuse_other_fit", "row_print"]


def row_print(X: Any, *others: Array) -> int:
    """Return a checksum of the rows in their order, with what belongs to them (targets, weights, offsets);
    O(stored cells).  X may be an array of any type, a sparse matrix or a data frame.

    Examples
    --------
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> row_print(X, np.ones(3)) == row_print(X.copy(), np.ones(3)), row_print(X) == row_print(-X)
    (True, False)
    """
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        parts = [X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)]
    elif hasattr(X, "columns"):
        frame = nw.from_native(X, eager_only=True)
        parts = [np.array(frame.columns), *(frame[name].to_numpy() for name in frame.columns)]
    else:
        parts = [X]
    found = zlib.crc32(repr(X.shape).encode())
    for part in [*parts, *others]:
        found = zlib.crc32(_cells(np.asarray(part)), found)
    return found


def _cells(part: Any) -> Any:
    """Return the cells of an array as bytes; objects, such as text of any length, by what they print."""
    if part.dtype.hasobject:
        return repr(part.tolist()).encode()
    return np.ascontiguousarray(part).view(np.uint8).reshape(-1).data


def refuse_changes(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> None:
    """Refuse parameters that are others than in the fit that is gone on from.

    Parameters
    ----------
    before, now : mapping
        Parameters by name, those alone that decide what is fitted; None before: nobody knows.

    Raises
    ------
    ValueError
        Names the first parameter that has changed, with both values.

    Examples
    --------
    >>> refuse_changes({"max_depth": None}, {"max_depth": 3})
    Traceback (most recent call last):
        ...
    ValueError: warm_start goes on with the parameters of the fit before: max_depth was None and is 3 now; \
set it back, or warm_start=False to begin anew
    """
    for name, value in now.items():
        was = value if before is None else before.get(name, MISSING)
        if not _same(was, value):
            raise ValueError(
                f"warm_start goes on with the parameters of the fit before: {name} was {was!r} and is "
                f"{value!r} now; set it back, or warm_start=False to begin anew"
            )


def refuse_other_fit(est: Any, rows: int | None, params: Mapping[str, Any] | None) -> None:
    """Refuse to go on from a fit of an ensemble that saw other rows, or had other parameters.

    Parameters
    ----------
    est : estimator
        Fitted; ``_print`` and ``_fitted_with`` are what its fit noted, None without `warm_start`.
    rows : int
        The :func:`row_print` of the rows of this fit.
    params : mapping
        Its parameters that decide what a member is.

    Raises
    ------
    ValueError
        In words that say what is to be set.
    """
    if est._print is None:
        raise ValueError(
            "warm_start must be True in the first fit too, or its rows and sums are not remembered"
        )
    refuse_changes(est._fitted_with, params or {})
    if est._print != rows:
        raise ValueError(
            "warm_start adds to a fit of the same rows, columns, weights and targets; set warm_start=False "
            "to begin anew"
        )


def _same(a: Any, b: Any) -> bool:
    """Return whether two values of a parameter are equal; estimators are when their parameters are."""
    if a is b:
        return True
    if hasattr(a, "get_params") and hasattr(b, "get_params"):
        ours, theirs = a.get_params(deep=False), b.get_params(deep=False)
        return (
            type(a) is type(b) and set(ours) == set(theirs) and all(_same(ours[k], theirs[k]) for k in ours)
        )
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    try:
        return bool(np.all(a == b)) and np.shape(a) == np.shape(b)
    except (TypeError, ValueError):  # values that cannot be compared
        return False
