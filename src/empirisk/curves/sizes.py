"""How many rows are fitted, and which: nested parts of each fold's training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.folds import Plan

__all__ = [
    "POINTS",
    "check_sizes",
    "default_sizes",
    "nested_order",
    "parts_of",
    "smallest_training_part",
    "two_classes",
]

Rows = NDArray[np.intp]

MIN_SIZE = 20  # rows of the smallest training part
MIN_CLASS = 5  # rows of the rarest class in it
POINTS = 5  # sizes, each half of the one before
TRIES = 100  # draws until each class is in the part


def default_sizes(most: int, class_counts: NDArray[np.intp] | None = None, points: int = POINTS) -> list[int]:
    """Halvings of `most`, while 20 rows (and 5 of the rarest class) remain; at most `points` of them.

    Examples
    --------
    >>> default_sizes(800)
    [50, 100, 200, 400, 800]
    >>> default_sizes(800, np.array([980, 20]))
    [400, 800]
    >>> default_sizes(800, points=3)
    [200, 400, 800]
    >>> default_sizes(30)
    [30]
    """
    rarest = 1.0 if class_counts is None else float(class_counts.min() / class_counts.sum())
    least = MIN_SIZE if class_counts is None else max(MIN_SIZE, MIN_CLASS / max(rarest, 1e-12))
    halvings = [most // 2**j for j in range(points)]
    return [m for j, m in enumerate(halvings) if m >= least or j == 0][::-1]


def two_classes(sizes: list[int], orders: Sequence[Rows], parts: int, strata: Rows | None) -> list[int]:
    """Return the sizes from the smallest on at which every part of every split holds at least two classes.

    The largest stays whatever it holds: without it there is no curve, and its fit says what is wrong.

    Examples
    --------
    >>> order = np.arange(8)
    >>> two_classes([2, 4, 8], [order], 1, np.array([0, 0, 0, 1, 0, 1, 1, 1]))
    [4, 8]
    """
    if strata is None:
        return sizes

    def poor(size: int) -> bool:
        pieces = (piece for order in orders for piece in parts_of(order, size, parts))
        return any(np.all(strata[piece] == strata[piece[0]]) for piece in pieces)

    last = max((i for i, size in enumerate(sizes[:-1]) if poor(size)), default=-1)
    return sizes[last + 1 :]


def check_sizes(sizes: Any, most: int) -> list[int]:
    """Increasing numbers of training rows: given as counts, or as shares in (0, 1] of `most`.

    Raises
    ------
    ValueError
        An entry that is no count or share, or exceeds the training rows of a fold.
    """
    values = np.asarray(sizes)
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "iuf":
        raise ValueError("sizes must list numbers of training rows, or shares of them in (0, 1].")
    if values.dtype.kind == "f" and values.max() <= 1.0:
        if not (values > 0.0).all():
            raise ValueError(f"sizes holds the share {values.min():g}; shares must lie in (0, 1].")
        values = np.floor(values * most + 1e-9)
    for i, value in enumerate(values):
        if value != round(float(value)) or value < 2:
            raise ValueError(f"sizes[{i}] = {value:g} is no number of rows; give whole numbers from 2 on.")
        if value > most:
            raise ValueError(
                f"sizes[{i}] = {int(value)} exceeds the {most} training rows of a fold; more folds "
                "leave more rows to train on."
            )
    return sorted({int(v) for v in values})


def smallest_training_part(plan: Plan) -> int:
    """Return the rows that every split can train on."""
    return min(int(train.size) for train, _ in plan.splits)


def nested_order(
    train: Rows,
    sizes: list[int],
    parts: int,
    strata: NDArray[np.intp] | None,
    groups: NDArray[np.intp] | None,
    time: NDArray[Any] | None,
    rng: np.random.Generator,
) -> Rows:
    """Return the training rows in the order in which they are taken.

    With `time` the latest first; with `groups` whole groups at random; else at random, drawn again (at most
    a hundred times) while a part of some size lacks a class. Class shares are not held fixed: small samples
    of a population vary in them, and that variation is part of the expected loss.
    """
    if time is not None:
        return train[np.argsort(time[train], kind="stable")[::-1]]
    if groups is not None:
        _, codes = np.unique(groups[train], return_inverse=True)
        return train[np.argsort(rng.permutation(int(codes.max()) + 1)[codes], kind="stable")]
    order = rng.permutation(train)
    if strata is None:
        return order
    wanted = np.unique(strata[train]).size
    for _ in range(TRIES):
        pieces = (piece for size in sizes for piece in parts_of(order, size, parts))
        if all(np.unique(strata[piece]).size == wanted for piece in pieces):
            break
        order = rng.permutation(train)
    return order


def parts_of(order: Rows, size: int, most: int) -> list[Rows]:
    """Return disjoint stretches of `size` rows: the first, and the next when `most` are allowed and it
    fits.
    """
    count = max(1, min(most, order.size // size))
    return [order[j * size : (j + 1) * size] for j in range(count)]
