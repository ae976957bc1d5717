"""Linear algebra on integers of any length: floating-point points are such integers up to their scale."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from empirisk.typing import Array

__all__ = ["Integers", "column_basis", "integers", "null_vector", "scaled", "signs", "solve"]

Integers: TypeAlias = NDArray[Any]  # of Python integers


def integers(X: Array, *, one_scale: bool = False) -> tuple[Integers, list[int]]:
    """Return each column times a power of two that makes it whole, and these powers.

    They are the same for all columns with `one_scale`.  The sides of half-spaces do not depend on them.
    """
    ratios = [[float(v).as_integer_ratio() for v in column] for column in X.T]
    scales = [max(bottom for _, bottom in column) for column in ratios]
    if one_scale:
        scales = [max(scales)] * len(scales)
    columns = [
        [top * (scale // bottom) for top, bottom in column]
        for column, scale in zip(ratios, scales, strict=True)
    ]
    out = np.empty(X.shape, dtype=object)
    for j, column in enumerate(columns):
        out[:, j] = column
    return out, scales


def scaled(V: Integers) -> tuple[Array, list[int]]:
    """Return the columns in floating point, each divided by a power of two above its entries; and these
    powers.
    """
    out = np.empty(V.shape)
    units = [1 << max((abs(v).bit_length() for v in column), default=0) for column in V.T]
    for j, unit in enumerate(units):
        out[:, j] = [v / unit for v in V[:, j]]
    return out, units


def signs(V: Integers, w: Integers) -> NDArray[np.int8]:
    """Return the signs of the integers ``V w``, which no rounding can turn."""
    return np.array([(v > 0) - (v < 0) for v in V @ w], dtype=np.int8)


def column_basis(V: Integers) -> list[int]:
    """Return the indices of columns that are independent and span all columns."""
    A = scaled(V)[0]
    if len(V) >= V.shape[1] and _far_from_singular(A):
        return list(range(V.shape[1]))
    return [j for j, _ in _eliminate(V)]


def _far_from_singular(A: Array) -> bool:
    """Return whether rounding errors cannot hide a dependence of the columns."""
    values = np.linalg.svd(A, compute_uv=False)
    return bool(values[-1] > 1e-8 * values[0])


def _eliminate(V: Integers) -> list[tuple[int, list[int]]]:
    """Return the pivot columns with the rows of an echelon form (fraction-free)."""
    rows = [list(row) for row in V]
    pivots: list[tuple[int, list[int]]] = []
    for j in range(V.shape[1]):
        found = next((i for i, row in enumerate(rows) if row[j] != 0), None)
        if found is None:
            continue
        top = rows.pop(found)
        pivots.append((j, top))
        rows = [_reduced(row, top, j) for row in rows]
        if not rows:
            break
    return pivots


def _reduced(row: list[int], top: list[int], j: int) -> list[int]:
    """Return a multiple of the row with a zero in place j."""
    if row[j] == 0:
        return row
    new = [top[j] * a - row[j] * b for a, b in zip(row, top, strict=True)]
    common = math.gcd(*new) or 1
    return [v // common for v in new]


def null_vector(V: Integers) -> Integers | None:
    """Return a nonzero integer vector with ``V w = 0`` when the rank is one less than the columns; else
    None.
    """
    pivots = _eliminate(V)
    columns = V.shape[1]
    free = set(range(columns)) - {j for j, _ in pivots}
    if len(free) != 1:
        return None
    return _back_substitute(pivots, columns, free.pop())


def any_null_vector(V: Integers) -> Integers | None:
    """Return a nonzero integer vector with ``V w = 0``, or None when the columns are independent."""
    pivots = _eliminate(V)
    free = set(range(V.shape[1])) - {j for j, _ in pivots}
    return _back_substitute(pivots, V.shape[1], min(free)) if free else None


def _back_substitute(pivots: list[tuple[int, list[int]]], columns: int, free: int) -> Integers:
    """Return the null vector with a one in this free column, times a common denominator."""
    w = [Fraction(0)] * columns
    w[free] = Fraction(1)
    for j, row in reversed(pivots):
        w[j] = -sum((row[k] * w[k] for k in range(j + 1, columns)), Fraction(0)) / row[j]
    return _whole(w)


def _whole(w: list[Fraction]) -> Integers:
    """Return whole numbers: the fractions times their common denominator, divided by their common factor."""
    bottom = math.lcm(*(v.denominator for v in w))
    top = [int(v * bottom) for v in w]
    common = math.gcd(*top) or 1
    out = np.empty(len(w), dtype=object)
    out[:] = [v // common for v in top]
    return out


def solve(V: Integers, right: list[int]) -> Integers:
    """Return integers w with ``V w`` a positive multiple of the right side; V square and invertible."""
    n = len(right)
    wide = np.empty((n, n + 1), dtype=object)
    wide[:, :n] = V
    wide[:, n] = [-v for v in right]
    return _back_substitute(_eliminate(wide), n + 1, n)[:n]
