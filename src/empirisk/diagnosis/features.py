"""Numbers in which a change of distribution is looked for: normal scores, squares, products, levels, gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from empirisk.typing import Array

__all__ = ["Features", "features_of"]

_MOST_LEVELS = 50  # indicators for one column
_RARE = 5  # rows that a level needs for an indicator of its own
_MOST_PAIRED = 30  # columns up to which products of pairs are looked at, too


@dataclass(frozen=True, eq=False)
class Features:
    """Standardised features of the pooled rows.

    Parameters
    ----------
    values : array, shape (n, q)
        Mean 0, mean square 1, about the pooled rows.
    names : tuple of str
        What each feature is, in words.
    ranks : array, shape (n, d)
        Normal scores of the numeric columns alone (0 where missing).
    numeric : tuple of str
        Names of those.
    n_linear : int
        How many of the first features are no products of two columns.
    looked_for : str
        Which changes these features can show.
    """

    values: Array
    names: tuple[str, ...]
    ranks: Array
    numeric: tuple[str, ...]
    n_linear: int
    looked_for: str


def features_of(columns: Sequence[Any], names: Sequence[str]) -> Features:
    """Return the features of a table.

    A column of numbers gives its normal score ``Phi^-1((rank - 1/2)/n)`` and the square of it, and a mark for
    its missing values; a column of levels a mark for each level with five rows or more (the 50 most
    frequent); up to 30 numeric columns also the products of any two scores.  Features without variation are
    left out.

    Parameters
    ----------
    columns : sequence of arrays, shape (n,)
        Floats (NaN is missing), or anything else, taken as levels (None is missing).
    names : sequence of str
        Their names.

    Returns
    -------
    Features

    Examples
    --------
    >>> made = features_of([np.array([1.0, 2.0, 3.0, 5.0]), np.arange(4.0) % 2], ["a", "b"])
    >>> made.names
    ("mean of 'a'", "spread of 'a'", "mean of 'b'", "'a' with 'b'")
    """
    made: list[tuple[str, Array]] = []
    scores: list[Array] = []
    numeric: list[str] = []
    for column, name in zip(columns, names, strict=True):
        array = np.asarray(column)
        if array.dtype.kind in "biuf":
            score, marks = _scores(array.astype(np.float64))
            scores.append(score)
            numeric.append(name)
            made += [(f"mean of '{name}'", score), (f"spread of '{name}'", score**2)]
            made += [(f"missing values of '{name}'", mark) for mark in marks]
        else:
            made += _levels(array, name)
    kept = [(name, _standardised(v)) for name, v in made if _varies(v)]
    n_linear = len(kept)
    paired = len(scores) <= _MOST_PAIRED
    if paired:
        for i, first in enumerate(scores):
            for j in range(i):
                product = first * scores[j]
                if _varies(product):
                    kept.append((f"'{numeric[j]}' with '{numeric[i]}'", _standardised(product)))
    looked = "means, spreads, shapes, gaps and level shares of single columns"
    if paired and len(scores) > 1:
        looked += ", and how any two numeric columns go together"
    n = len(np.asarray(columns[0])) if len(columns) else 0
    values = np.column_stack([v for _, v in kept]) if kept else np.zeros((n, 0))
    table = np.column_stack(scores) if scores else np.zeros((n, 0))
    return Features(values, tuple(name for name, _ in kept), table, tuple(numeric), n_linear, looked)


def _scores(values: Array) -> tuple[Array, list[Array]]:
    known = ~np.isnan(values)
    score = np.zeros(len(values))
    if known.any():
        # Infinite values keep their place at the ends.
        score[known] = ndtri((rankdata(values[known]) - 0.5) / known.sum())
    return score, [] if known.all() else [(~known).astype(np.float64)]


def _levels(array: NDArray[Any], name: str) -> list[tuple[str, Array]]:
    text = np.array(["(missing)" if v is None or v != v else str(v) for v in array.tolist()])
    levels, codes, counts = np.unique(text, return_inverse=True, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:_MOST_LEVELS]
    return [
        (f"share of '{levels[k]}' in '{name}'", (codes == k).astype(np.float64))
        for k in frequent
        if counts[k] >= _RARE
    ]


def _varies(values: Array) -> bool:
    return bool(np.ptp(values) > 1e-12)


def _standardised(values: Array) -> Array:
    centred = values - values.mean()
    return np.asarray(centred / np.sqrt(np.mean(centred**2)))
