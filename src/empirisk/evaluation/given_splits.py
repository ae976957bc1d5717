"""Splits that are given, and what they must respect: groups, rows kept together, time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ties", "given_splits"]

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]


@dataclass(frozen=True)
class Ties:
    """What ties rows to each other, one number a row; None where nothing does.

    Parameters
    ----------
    groups : int array of shape (n,) or None
        Groups that must stay whole.
    together : int array of shape (n,) or None
        Rows that must stay in one part, and count one by one: copies.
    moment : int array of shape (n,) or None
        The order of the rows in time; rows of one moment have one number.
    """

    groups: Rows | None = None
    together: Rows | None = None
    moment: Rows | None = None

    def refuse(self, split: int, train: Rows, test: Rows) -> None:
        """Refuse a split that tears what is tied, or that predicts rows from later ones."""
        if self.groups is not None and np.intersect1d(self.groups[train], self.groups[test]).size:
            raise ValueError(
                f"split {split} has rows of one group in training and in test; that estimates another "
                "quantity (new rows of known groups). Use a group splitter, or leave groups out."
            )
        if self.together is not None:
            torn = np.intersect1d(self.together[train], self.together[test])
            if torn.size:
                a, b = (int(part[self.together[part] == torn[0]][0]) for part in (train, test))
                raise ValueError(
                    f"split {split} trains on row {a} and tests on row {b}, which `together` keeps in one "
                    "part; the score would be about rows that the fit knows. Give splits that keep them "
                    "whole, such as GroupKFold by the same entries, or leave together out."
                )
        if self.moment is not None and self.moment[train].max() >= self.moment[test].min():
            a, b = train[np.argmax(self.moment[train])], test[np.argmin(self.moment[test])]
            raise ValueError(
                f"split {split} trains on row {int(a)}, which is not earlier than row {int(b)} of its test "
                "part; rows with a time are predicted from earlier ones only. Leave cv out for five blocks "
                "forward in time, or give splits whose training rows are all earlier than their test rows."
            )


def given_splits(cv: Any, n: int, ties: Ties, X: Any = None, y: Any = None) -> tuple[Split, ...]:
    """Return the splits of a splitter or an iterable, as row numbers.

    Parameters
    ----------
    cv : splitter or iterable of (train, test)
        Row numbers from 0 to n - 1, or masks of the n rows.
    n : int
        Rows.
    ties : Ties
        What the splits must respect.
    X, y
        Passed to a splitter.

    Raises
    ------
    ValueError
        No splits, an empty part, row numbers that are none, rows that are in both parts or twice in a test
        part, and splits that do not respect the ties.

    Examples
    --------
    >>> given_splits([([0, 1], [2])], 3, Ties())
    ((array([0, 1]), array([2])),)
    >>> given_splits([([0, 1], [-1])], 3, Ties())
    Traceback (most recent call last):
    ...
    ValueError: split 0 has the row -1 in its test part; rows are numbered from 0 to 2.
    """
    made = cv.split(X, y, ties.groups) if hasattr(cv, "split") else cv
    if isinstance(made, str) or not isinstance(made, Iterable):
        raise TypeError(f"cv must be an int, a splitter or an iterable of splits, got {type(cv).__name__}.")
    splits = tuple(
        (_rows(train, n, k, "training"), _rows(test, n, k, "test")) for k, (train, test) in enumerate(made)
    )
    if not splits:
        raise ValueError("cv holds no splits: give at least one pair of training and test rows.")
    for k, (train, test) in enumerate(splits):
        if train.size == 0 or test.size == 0:
            raise ValueError(f"split {k} has no {'training' if train.size == 0 else 'test'} rows.")
        # Masks and counts of all rows: sorting the row numbers would take longer than some fits.
        known = np.zeros(n, dtype=bool)
        known[train] = True
        both = test[known[test]]
        if both.size:
            raise ValueError(
                f"split {k} trains and tests on the same rows (row {int(both.min())}); the score would be "
                "about rows it knows."
            )
        again = np.flatnonzero(np.bincount(test, minlength=n) > 1)
        if again.size:
            raise ValueError(f"split {k} tests row {int(again[0])} more than once; name each test row once.")
        ties.refuse(k, train, test)
    return splits


def _rows(index: Any, n: int, k: int, part: str) -> Rows:
    """Return one part of split k as row numbers."""
    split = f"split {k}"
    out = np.asarray(index)
    if out.ndim != 1:
        raise ValueError(
            f"{split} has a {part} part of shape {out.shape}; give a list of row numbers or a mask."
        )
    if out.dtype == bool:
        if out.size != n:
            raise ValueError(f"{split} has a mask of {out.size} entries as its {part} part, for {n} rows.")
        return np.flatnonzero(out)
    if out.size and out.dtype.kind not in "iu":
        raise ValueError(
            f"{split} has {out[0]!r} in its {part} part; rows are whole numbers from 0 to {n - 1}, or masks."
        )
    bad = np.flatnonzero((out < 0) | (out >= n)) if out.size else np.empty(0, dtype=np.intp)
    if bad.size:
        raise ValueError(
            f"{split} has the row {int(out[bad[0]])} in its {part} part; rows are numbered from 0 to {n - 1}."
        )
    return out.astype(np.intp)
