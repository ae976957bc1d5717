"""A finite class: a table of predictions on a finite domain, or a list of functions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, Hypothesis, HypothesisClass
from empirisk.hypotheses.growth import Growth, power_of_two, sauer
from empirisk.hypotheses.points import Labelled
from empirisk.typing import Array

__all__ = ["FiniteClass"]

_SEARCHED = 200_000  # sets of columns that are compared


@dataclass(frozen=True, eq=False)
class Row:
    """A row of the table of predictions; points are column numbers."""

    index: int
    labels: NDArray[np.bool_]

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        return np.asarray(self.labels[np.asarray(points).reshape(len(points), -1)[:, 0].astype(int)])

    def __str__(self) -> str:
        return f"member {self.index}"


@dataclass(frozen=True, eq=False)
class Function:
    """One of the functions, its answer checked."""

    index: int
    function: Callable[[Any], Any]

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        labels = np.asarray(self.function(np.array(points)))
        if labels.shape != (len(points),) or not np.isin(labels, (0, 1)).all():
            raise ValueError(
                f"member {self.index} must return one True or False for each point; for {len(points)} points "
                f"it returned an array of shape {labels.shape} and type {labels.dtype}"
            )
        return labels.astype(bool)

    def __str__(self) -> str:
        return f"member {self.index}: {getattr(self.function, '__name__', repr(self.function))}"


class FiniteClass(HypothesisClass):
    """``H = {h_1, ..., h_K}``.

    Parameters
    ----------
    members : array of 0 and 1, shape (K, N), or sequence of callables
        A table of predictions: row k is hypothesis k, and the points are the column numbers 0 to N - 1.
        Or K functions, each of which takes points in rows and returns one True or False for each.

    Notes
    -----
    A table has an exact VC dimension and growth function, found by searching the sets of columns (when
    these are at most 200000; the growth function is else bounded by Sauer's lemma and by the number
    of different rows).  Functions have no known domain: their VC dimension is bounded by ``floor(log2 K)``,
    which is what ``vc_dimension()`` then returns, and their growth function by ``min(2^n, K)``.  ``fit``
    compares all members in ``O(K n)`` and takes the first of the best.

    References
    ----------
    Shalev-Shwartz and Ben-David 2014, Understanding Machine Learning, sections 2.3 and 6.3.4.

    Examples
    --------
    >>> singletons = FiniteClass(np.eye(4, dtype=int))
    >>> singletons.vc_dimension(), singletons.growth(3)
    (1, 4 (exact: all sets of 3 columns))
    >>> rules = FiniteClass([lambda X: X[:, 0] > 0, lambda X: X[:, 1] > 0])
    >>> rules.fit([[1.0, -1.0], [2.0, 1.0], [-1.0, 1.0]], [0, 1, 1]).hypothesis_.index
    1
    """

    name = "finite_class"
    words = "members of the finite class"

    def __init__(self, members: Any) -> None:
        self.members = members

    def _functions(self) -> Sequence[Function] | None:
        """Return the functions; None when the class is a table."""
        members = self.members
        listed = list(members) if isinstance(members, Sequence) and not isinstance(members, str) else []
        if not any(callable(m) for m in listed):
            return None
        wrong = [i for i, m in enumerate(listed) if not callable(m)]
        if wrong:
            raise ValueError(f"members are functions, but number {wrong[0]} cannot be called")
        return [Function(i, m) for i, m in enumerate(listed)]

    def _table(self) -> NDArray[np.bool_]:
        """Return the table of predictions as booleans, after a check of its shape and entries."""
        table = np.asarray(self.members)
        if table.ndim != 2 or 0 in table.shape or not np.isin(table, (0, 1)).all():
            raise ValueError(
                "members must be a table of 0 and 1 with one row for each hypothesis and one column for each "
                f"point, or a sequence of functions; got shape {table.shape} of type {table.dtype}"
            )
        return table.astype(bool)

    listed = True

    @property
    def log_members(self) -> float:
        """Logarithm of the number of hypotheses in the list."""
        return math.log(len(self))

    def __len__(self) -> int:
        functions = self._functions()
        return len(functions) if functions is not None else len(np.unique(self._table(), axis=0))

    def _dimension(self) -> int | None:
        return None if self._functions() is not None else 1

    def vc_dimension(self) -> int:
        """Return, of a table, the size of the largest set of columns that shows all patterns; of K functions,
        at most log2 K.
        """
        most = len(self).bit_length() - 1
        if self._functions() is not None:
            return most
        table = np.unique(np.unique(self._table(), axis=0), axis=1)
        # The columns of a shattered set are no constants; every part of it is shattered, so sets are grown.
        usable = np.flatnonzero(table.any(axis=0) & ~table.all(axis=0))
        shattered: list[tuple[int, ...]] = [()]
        for size in range(1, most + 1):
            known = set(shattered)
            grown = ((*s, int(c)) for s in shattered for c in usable if not s or c > s[-1])
            grown = (s for s in grown if all(s[:i] + s[i + 1 :] in known for i in range(size)))
            shattered = [s for s in grown if patterns(table[:, s]) == 2**size]
            if not shattered:
                return size - 1
            if len(shattered) * len(usable) > 50 * _SEARCHED:
                raise ValueError(
                    f"{len(shattered)} sets of {size} columns are shattered: too many to look for larger ones"
                )
        return most

    def _growth(self, n: int) -> Growth:
        size = len(self)
        few = power_of_two(n) if n < size.bit_length() else size
        if self._functions() is not None:
            return Growth(few, n == 0, "2^n, and the number of functions")
        table = np.unique(self._table(), axis=1)
        columns = table.shape[1]
        if n >= columns:
            return Growth(size, True, "the number of different rows of the table")
        if comb(columns, n) <= _SEARCHED:
            sets = itertools.combinations(range(columns), n)
            most = max((patterns(table[:, s]) for s in sets), default=1)
            return Growth(most, True, f"all sets of {n} columns")
        return Growth(min(few, sauer(n, self.vc_dimension())), False, "Sauer's lemma, and the number of rows")

    def _candidates(self) -> list[Hypothesis]:
        functions = self._functions()
        return list(functions) if functions else [Row(i, row) for i, row in enumerate(self._table())]

    def _points(self, points: Any) -> Array:
        X = super()._points(points)
        if self._functions() is None:
            columns = self._table().shape[1]
            bad = np.flatnonzero((X[:, 0] != np.rint(X[:, 0])) | (X[:, 0] < 0) | (X[:, 0] >= columns))
            if len(bad):
                raise ValueError(
                    f"the points of a table are its column numbers 0 to {columns - 1}, got {X[bad[0], 0]:g} "
                    f"in row {bad[0]}"
                )
        return X

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        return np.unique([h(points) for h in self._candidates()], axis=0)

    def _best(self, data: Labelled) -> Best:
        members = self._candidates()
        gained = [float(data.gain[h(data.points)].sum()) for h in members]
        return Best(members[int(np.argmax(gained))], None, f"all {len(members)} members were compared")


def patterns(table: NDArray[np.bool_]) -> int:
    """Return the number of different rows of a table, which is the number of labellings."""
    return len(np.unique(np.packbits(table, axis=1), axis=0)) if table.shape[1] else 1
