"""Probabilities whose largest one belongs to the class of the largest score, to the last bit."""

from __future__ import annotations

import numpy as np

from empirisk.typing import Array, IndexArray

__all__ = ["agreeing", "largest"]

BLOCK = 1 << 16  # rows that are looked at together, so that what is computed beside them is small


def largest(score: Array) -> IndexArray:
    """Return the class of the largest score: of shape (n,) or (n, 1) the second where > 0; ties: the
    first.

    Examples
    --------
    >>> largest(np.array([0.0, 1e-30])).tolist(), largest(np.array([[2.0, 1.0, 2.0]])).tolist()
    ([0, 1], [0])
    """
    if score.ndim == 1 or score.shape[1] == 1:
        return np.asarray(score.ravel() > 0.0, dtype=np.intp)
    return np.asarray(score.argmax(axis=1))


def agreeing(proba: Array, score: Array) -> Array:
    """Return the probabilities, in which the class of the largest score leads, if need be by the last bit.

    Scores that differ by a rounding (1e-20 and 0) have equal probabilities in floating point, and the first
    of them would win the tie; changed in place.

    Examples
    --------
    >>> agreeing(np.array([[0.5, 0.5]]), np.array([1e-30])).argmax()
    np.int64(1)
    """
    for first in range(0, len(proba), BLOCK):
        _settle(proba[first : first + BLOCK], score[first : first + BLOCK])
    return proba


def _settle(proba: Array, score: Array) -> None:
    """Change these rows where another class leads than that of the largest score."""
    chosen = largest(score)
    rows = np.flatnonzero(proba.argmax(axis=1) != chosen)
    if len(rows):
        top = np.nextafter(proba[rows].max(axis=1), np.inf, dtype=proba.dtype)
        proba[rows, chosen[rows]] = top
        if proba.shape[1] == 2:
            proba[rows, 1 - chosen[rows]] = 1.0 - top
