"""Weak references to the training data, so that ``summary()`` needs no arguments while they are alive."""

from __future__ import annotations

import weakref
from typing import Any

__all__ = ["Remembered", "recall", "remember"]

Remembered = tuple[Any, ...] | None


def remember(*arrays: Any) -> Remembered:
    """Weak references to what was passed to ``fit``, or None when a type (a list) has none.

    The estimator never keeps data alive, and a pickled or copied one has forgotten them.
    """
    try:
        return tuple(None if a is None else weakref.ref(a) for a in arrays)
    except TypeError:
        return None


def recall(remembered: Remembered, X: Any, y: Any, *rest: Any) -> tuple[Any, ...]:
    """The data passed now, else those of ``fit`` when they are still alive: as many as are passed.

    Raises
    ------
    ValueError
        When there are no data to be had, or only one of X and y is passed.
    """
    if X is not None and y is not None:
        return X, y, *rest
    if X is not None or y is not None:
        raise ValueError("pass both X and y, or neither")
    alive = tuple(None if ref is None else ref() for ref in remembered or ())
    lost = any(a is None and ref is not None for a, ref in zip(alive, remembered or (), strict=True))
    if not alive or lost:
        raise ValueError("the training data are no longer in memory (models keep none): pass X and y again")
    return alive
