"""The contract of an agreement: how alike two partitions of the same rows are, by their table of counts."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import entr

from empirisk.typing import Array

__all__ = ["Agreement", "entropy", "margins", "mutual_information"]


@runtime_checkable
class Agreement(Protocol):
    """An agreement of two partitions, as a frozen object.

    Attributes
    ----------
    name : str
        Registry name.
    label : str
        What tables call it.
    greater_is_better : bool
        Whether larger values mean more alike.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def greater_is_better(self) -> bool: ...

    def of_tables(self, tables: Any) -> Array:
        """Return the agreement of each table of counts, shape (..., k, l) to (...)."""
        ...

    def of_counts(self, cells: Any, rows: Any, columns: Any) -> Array:
        """Return the agreement of tables by their counts in any order, (..., c), and one pair of margins.

        `rows` has shape (k,) and `columns` (l,): all tables share them.  Counts of 0 may be left out.
        """
        ...

    def of_resampled(self, cells: Any, rows: Any, columns: Any) -> Array:
        """Return the same for margins of each table, (..., k) and (..., l); slow parts may be its first's."""
        ...

    def expected(self, table: Any) -> float:
        """Return its exact mean when the labels of one partition are permuted over the rows."""
        ...


def margins(tables: Any) -> tuple[Array, Array, Array]:
    """Return the counts of tables in one axis, and their sums of rows and of columns, in float64."""
    t = np.asarray(tables, dtype=np.float64)
    return t.reshape(*t.shape[:-2], -1), t.sum(axis=-1), t.sum(axis=-2)


def entropy(counts: Any) -> Array:
    """Return ``-sum p log p`` of the counts along the last axis, in nats; empty ones count 0."""
    counts = np.asarray(counts, dtype=np.float64)
    return np.asarray(entr(counts / counts.sum(axis=-1, keepdims=True)).sum(axis=-1))


def mutual_information(cells: Any, rows: Any, columns: Any) -> Array:
    """Return ``H(A) + H(B) - H(A, B)`` of tables by their counts and margins, in nats, and never below 0."""
    return np.asarray(np.maximum(entropy(rows) + entropy(columns) - entropy(cells), 0.0))
