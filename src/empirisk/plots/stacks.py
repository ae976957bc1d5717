"""Rows that lie at one place of a chart: one mark for all of them, which is the larger the more they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from empirisk.wording import count

__all__ = ["area", "stacked"]

FINE = 1000  # places along an axis that an eye tells apart
LARGEST = 900.0  # square points: a mark of 30 points


def stacked(rows: Sequence[Sequence[float]]) -> tuple[list[list[float]], str]:
    """Return the marks of a chart, each with the number of its rows, and the sentence that says so.

    Parameters
    ----------
    rows : sequence of (x, y, ...)
        Rows are at one place where x and y agree to a thousandth of the axis, and all that follows agrees.

    Returns
    -------
    marks : list of (x, y, ..., number of rows)
        One mark a row, in their order, unless there are at least twice as many rows as places; then one mark
        a place, the largest first, so that it hides no other.
    said : str
        What the sizes of the marks mean; "" where each row has its own.

    Examples
    --------
    >>> stacked([(0, 0), (1, 1), (1, 1), (1, 1)])
    ([[1, 1, 3], [0, 0, 1]], 'larger marks: more rows at one place, up to 3')
    >>> stacked([(0, 0), (1, 1), (2, 1)])
    ([[0, 0, 1], [1, 1, 1], [2, 1, 1]], '')
    """
    each = [[*row, 1] for row in rows]
    if not each:
        return each, ""
    table = np.asarray(rows, dtype=np.float64)
    low, span = table[:, :2].min(axis=0), np.ptp(table[:, :2], axis=0)
    table[:, :2] = np.rint((table[:, :2] - low) / np.where(span > 0.0, span, 1.0) * FINE)
    _, first, counts = np.unique(table, axis=0, return_index=True, return_counts=True)
    if 2 * len(first) > len(each):
        return each, ""
    order = sorted(range(len(first)), key=lambda i: (-counts[i], first[i]))
    said = f"larger marks: more rows at one place, up to {count(int(counts.max()))}"
    return [[*rows[first[i]], int(counts[i])] for i in order], said


def area(numbers: Sequence[float], one: float, most: float) -> list[float]:
    """Return the areas of marks in square points, which grow linearly with the numbers of their rows.

    Parameters
    ----------
    numbers : sequence
        Rows of each mark.
    one : float
        The area for one row.
    most : float
        The largest number of the chart; its mark is at most 30 points wide.

    Examples
    --------
    >>> area([1, 3], 20.0, 3), area([1, 89], 20.0, 89)
    ([20.0, 60.0], [20.0, 900.0])
    """
    slope = one if one * most <= LARGEST else (LARGEST - one) / (most - 1.0)
    return [one + slope * (n - 1.0) for n in numbers]
