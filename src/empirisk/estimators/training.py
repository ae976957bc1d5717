"""Weak references to the training data, so that ``summary()`` needs no arguments while they are alive."""

from __future__ import annotations

import weakref
from typing import Any

__all__ = ["Remembered", "recall", "remember"]

Remembered = tuple[Any, Any, Any] | None


def remember(X: Any, y: Any, sample_weight: Any) -> Remembered:
    """Weak references to what was passed to ``fit``, or None when a type (a list) has none.

    The estimator never keeps data alive, and a pickled or copied one has forgotten them.
    """
    try:
        weight = None if sample_weight is None else weakref.ref(sample_weight)
        return weakref.ref(X), weakref.ref(y), weight
    except TypeError:
        return None


def recall(remembered: Remembered, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """The data passed now, else those of ``fit`` when they are still alive.

    Raises
    ------
    ValueError
        When there are no data to be had, or only one of X and y is passed.
    """
    if X is not None and y is not None:
        return X, y, sample_weight
    if X is not None or y is not None:
        raise ValueError("pass both X and y, or neither")
    alive = [ref() if ref is not None else None for ref in remembered] if remembered else [None, None, None]
    gone = alive[0] is None or alive[1] is None
    if gone or (remembered is not None and remembered[2] is not None and alive[2] is None):
        raise ValueError("the training data are no longer in memory (models keep none): pass X and y again")
    return alive[0], alive[1], alive[2]
