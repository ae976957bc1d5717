"""What is asked of rows that a user has put together by hand: numbers, one target and one weight a row.

Estimators check what they are given by themselves; problems ask here, because anybody may make them.  Sums of
targets and weights say at no great cost that all is well; only where they do not is the first fault looked
for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks, Block
from empirisk.typing import Array
from empirisk.wording import a_thing

__all__ = ["check_features", "check_lengths", "check_rows", "where"]

ADVICE = "put finite numbers in their place or drop those rows"


def where(number: int, block: Block) -> str:
    """Return the words that name a block of several: its number and its first row.

    Examples
    --------
    >>> from empirisk.data import BlockList
    >>> where(1, BlockList.cut(np.eye(4), np.ones(4), rows=2).blocks[1])
    'in block 1, which starts at row 2: '
    """
    return f"in block {number}, which starts at row {block.start}: "


def check_lengths(block: Block | ArrayBlocks, place: str = "") -> None:
    """Refuse targets and weights that are not one for each row, or that are no numbers.

    Examples
    --------
    >>> from empirisk.data import Design
    >>> check_lengths(Block(Design(np.eye(3)), np.ones(2), np.ones(3), 0))
    Traceback (most recent call last):
        ...
    ValueError: y has shape (2,) and X 3 rows; give one target for each row
    """
    n = block.design.shape[0]
    y, weight = block.y, block.weight
    for name, given in (("y", y), ("weight", weight)):
        if not isinstance(given, np.ndarray):
            raise ValueError(f"{place}{name} is {a_thing(type(given).__name__)}; give a NumPy array")
    if y.ndim not in (1, 2) or len(y) != n:
        raise ValueError(f"{place}y has shape {y.shape} and X {n} rows; give one target for each row")
    if weight.shape != (n,):
        raise ValueError(
            f"{place}weight has shape {weight.shape} and X {n} rows; give one number for each row"
        )
    for name, values in (("y", y), ("weight", weight)):
        if values.dtype.kind not in "biuf":
            raise ValueError(
                f"{place}{name} holds values of type {values.dtype}, and a problem needs numbers"
                + ("; only estimators turn labels into codes" if name == "y" else "")
            )


def check_rows(block: Block | ArrayBlocks, place: str = "") -> None:
    """Refuse weights that are negative or not finite, and targets that are not finite, by row number.

    Examples
    --------
    >>> from empirisk.data import Design
    >>> check_rows(Block(Design(np.eye(2)), np.ones(2), np.array([1.0, -1.0]), 0))
    Traceback (most recent call last):
        ...
    ValueError: weight holds -1 in row 1; weights must be finite and >= 0 (1 such row in all)
    """
    check_lengths(block, place)
    weight: Any = np.asarray(block.weight)
    y: Any = np.asarray(block.y)
    unit = isinstance(block, ArrayBlocks) and block.unit_weights
    if not unit and len(weight) and not (weight.min() >= 0.0 and np.isfinite(weight.max())):
        bad: Any = ~np.isfinite(weight) | (weight < 0.0)
        wanted = f"weights must be finite and >= 0 ({_many(bad)} in all)"
        raise ValueError(f"{place}weight holds {_first(weight, bad)}; {wanted}")
    if y.dtype.kind == "f" and not _sum_finite(y) and not np.isfinite(y).all():
        bad = ~np.isfinite(y.reshape(len(y), -1)).all(axis=1)
        raise ValueError(f"{place}y holds {_first(y, bad)}; {ADVICE} ({_many(bad)} in all)")


def check_features(block: Block | ArrayBlocks, place: str = "") -> None:
    """Refuse features that are not finite, by row and column number; a sum over X, kept with the design.

    Examples
    --------
    >>> from empirisk.data import Design
    >>> check_features(Block(Design(np.array([[0.0, np.nan]])), np.ones(1), np.ones(1), 0))
    Traceback (most recent call last):
        ...
    ValueError: X holds nan in row 0, column 1; put finite numbers in their place or drop those rows
    """
    if block.design.finite:
        return
    X = block.design.X
    if block.design.sparse:
        cells = X.tocoo()
        at = int(np.flatnonzero(~np.isfinite(cells.data))[0])
        row, column, value = int(cells.row[at]), int(cells.col[at]), cells.data[at]
    else:
        row, column = (int(k) for k in np.argwhere(~np.isfinite(X))[0])
        value = X[row, column]
    raise ValueError(f"{place}X holds {value:g} in row {row}, column {column}; {ADVICE}")


def _sum_finite(values: Array) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum(dtype=np.float64)))


def _first(values: Any, bad: Any) -> str:
    row = int(np.flatnonzero(bad)[0])
    shown = f"{values[row]:g}" if values.ndim == 1 else str(values[row])
    return f"{shown} in row {row}"


def _many(bad: Any) -> str:
    count = int(bad.sum())
    return f"{count} such {'row' if count == 1 else 'rows'}"
