"""What share of the rows a search in a tree would look at, tried on some of them."""

from __future__ import annotations

import numpy as np

from empirisk.typing import Array

__all__ = ["MOST_SEEN", "share_seen"]

# Rows of the small tree, of a box and of those that ask.
ROWS, BOX, ASKING = 2048, 16, 32
# A tree was sooner where the share was below 0.45 (25 kinds of rows, 20,000 and 100,000 of them, 8 to 60
# columns, powers 1, 2 and infinity), and it was not from 0.6 on, but for rows with many ties.
MOST_SEEN = 0.4


def share_seen(X: Array, k: int, power: float) -> float:
    """Return the share of some rows in boxes that are not farther than the nearest k rows.

    At most 2,048 evenly spaced rows are halved along their widest columns down to boxes of 16; 32 of them
    ask.  All rows are nearer to each other and lie in smaller boxes: their share is smaller as a rule.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        The rows.
    k : int
        Neighbours that are asked for, of n.
    power : float >= 1
        Of the Minkowski distance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.normal(size=(5000, 2)) @ rng.normal(size=(2, 40))
    >>> share_seen(plane, 5, 2.0) < 0.1 < 0.9 < share_seen(rng.normal(size=(5000, 40)), 5, 2.0)
    True
    """
    n = len(X)
    rows = X[np.linspace(0, n - 1, min(ROWS, n)).astype(np.intp)].astype(np.float64)
    largest = float(np.abs(rows).max(initial=0.0))
    rows = rows / largest if largest > 0.0 else rows
    low, high, size = _boxes(rows)
    near = max(1, round(k * len(rows) / n))
    seen = 0.0
    asking = rows[np.linspace(0, len(rows) - 1, min(ASKING, len(rows))).astype(np.intp)]
    for row in asking:
        distance = np.sort(_sums(np.abs(rows - row), power))  # the first is the row itself
        bound = _sums(np.maximum(0.0, np.maximum(low - row, row - high)), power)
        seen += float(size[bound <= distance[min(near, len(rows) - 1)]].sum())
    return seen / (len(asking) * len(rows))


def _boxes(rows: Array) -> tuple[Array, Array, Array]:
    """Return the lower and upper ends of boxes of the rows, and how many rows each holds."""
    parts = [np.arange(len(rows))]
    while len(parts[0]) > BOX:
        halves = []
        for part in parts:
            inside = rows[part]
            column = inside[:, int(np.argmax(np.ptp(inside, axis=0)))]
            order = np.argpartition(column, len(part) // 2)
            halves += [part[order[: len(part) // 2]], part[order[len(part) // 2 :]]]
        parts = halves
    low, high = (np.array([end(rows[part], axis=0) for part in parts]) for end in (np.min, np.max))
    return low, high, np.array([len(part) for part in parts])


def _sums(difference: Array, power: float) -> Array:
    """Return the sums of powers over the columns, or the largest difference."""
    return np.asarray(difference.max(axis=1) if np.isinf(power) else (difference**power).sum(axis=1))
