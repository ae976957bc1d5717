"""Masked arrays of NumPy: cells that a mask hides are refused, because the loops would read them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["refuse_masked"]


def refuse_masked(name: str, values: Any) -> None:
    """Refuse an array that hides cells behind a mask, by the place of the first; other things pass.

    Parameters
    ----------
    name : str
        How the message calls it.
    values : object
        Features, targets or weights as they were given.

    Raises
    ------
    ValueError
        For a masked array of which a cell is hidden.

    Examples
    --------
    >>> refuse_masked("y", np.ma.masked_array([1.0, 2.0], mask=[False, True]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: y hides 1 cell behind a mask, the first in row 1: fill it ...
    """
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):
        return
    hidden = np.ma.getmaskarray(values)
    first, count = np.argwhere(hidden)[0].tolist(), int(hidden.sum())
    place = f"column {first[1]}, row {first[0]}" if len(first) > 1 else f"row {first[0] if first else 0}"
    cells, them, rows = ("cell", "it", "row") if count == 1 else ("cells", "them", "rows")
    raise ValueError(
        f"{name} hides {count} {cells} behind a mask, the first in {place}: fill {them} "
        f"({name}.filled(0.0), say), or drop the {rows}"
    )
