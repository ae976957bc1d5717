"""Blocks of plain numbers in one compiled read that also vouches for them.

A block is read here as it lies in memory: its sums, or the weight of each different count, come with the
smallest and the largest row.  Where a row or a weight is not plain the answer is None, and whoever asked
looks row by row, which finds the words for what is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.row_blocks import Block
from empirisk.data.row_checks import check_rows, where
from empirisk.typing import Array

__all__ = ["added", "column_of", "extremes", "tallied"]

_FORMATS = (np.dtype(np.float64), np.dtype(np.float32))
_ORDER = ("x", "square", "log", "log_rest")  # of the sums that the loop returns


def column_of(block: Block) -> tuple[Array, Array | None] | None:
    """Return the one column of a block and its weights (None where all are 1), or None for what loops refuse.

    Targets and weights that are one number seen from every row are looked at once.
    """
    X, y, weight = block.design.X, block.y, block.weight
    plain = isinstance(X, np.ndarray) and X.dtype in _FORMATS and X.ndim == 2
    if not (plain and X.shape[1] == 1 and len(X) and X.strides[0] % X.itemsize == 0):
        return None
    if not (y.strides == (0,) and weight.strides == (0,) and y[0] == 0.0):
        check_rows(block, where(0, block) if block.start else "")
    return X, None if weight.strides == (0,) and weight[0] == 1.0 else weight


def added(
    law: Any, x: Array, weight: Array | None, names: tuple[str, ...], origin: float = 0.0
) -> tuple[float, Array] | None:
    """Return the weight of a block and its sums of the named functions of ``x - origin``.

    The names are "x", "square", "log" and "log_rest", the logarithm of 1 - x.

    Examples
    --------
    >>> from empirisk.distributions.gamma import Gamma
    >>> added(Gamma(), np.array([[1.0], [2.0]]), None, ("x", "square"))
    (2.0, array([3., 5.]))
    >>> added(Gamma(), np.array([[1.0], [-2.0]]), None, ("x",)) is None
    True
    """
    found = _loops.column_sums(x, weight, origin, *(name in names for name in _ORDER[1:]))
    if found is None or not _inside(law, *found[-2:]):
        return None
    sums = dict(zip(_ORDER, found[1:-2], strict=True))
    return found[0], np.array([sums[name] for name in names])


def extremes(x: Array, weight: Array | None) -> list[tuple[float, float]] | None:
    """Return the smallest and the largest row of a block, as a list of one pair.

    Examples
    --------
    >>> extremes(np.array([[3.0], [1.0], [2.0]]), None)
    [(1.0, 3.0)]
    """
    found = _loops.column_sums(x, weight)
    return None if found is None else [found[-2:]]


def tallied(law: Any, x: Array, weight: Array | None) -> tuple[Array, Array] | None:
    """Return the different counts of a block in ascending order, and the weight of each.

    Examples
    --------
    >>> from empirisk.distributions.poisson import Poisson
    >>> tallied(Poisson(), np.array([[1.0], [3.0], [1.0]]), None)
    (array([1., 3.]), array([2., 1.]))
    """
    table = _loops.column_tally(x, weight)
    if table is None:
        return None
    counts = np.flatnonzero(table)
    values = counts.astype(np.float64)
    return (values, table[counts]) if _inside(law, values[0], values[-1]) else None


def _inside(law: Any, least: Any, greatest: Any) -> bool:
    """Return whether some member of the family can draw the smallest and the largest row."""
    possible = law.possible
    return bool(possible.contains(least) and possible.contains(greatest))
