"""The contract of an agreement: how alike two partitions of the same rows are, by their table of counts."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from empirisk.typing import Array

__all__ = ["Agreement", "entropy", "mutual_information"]


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

    def of_resampled(self, tables: Any, table: Any) -> Array:
        """Return the agreement of tables that were resampled from `table`; slow parts may be those of it."""
        ...

    def expected(self, table: Any) -> float:
        """Return its exact mean when the labels of one partition are permuted over the rows."""
        ...


def entropy(counts: Any) -> Array:
    """Return ``-sum p log p`` of the counts along the last axis, in nats; empty ones count 0."""
    counts = np.asarray(counts, dtype=np.float64)
    total = counts.sum(axis=-1, keepdims=True)
    p = counts / total
    return np.asarray(-np.sum(np.where(counts > 0.0, p * np.log(np.where(p > 0.0, p, 1.0)), 0.0), axis=-1))


def mutual_information(tables: Any) -> Array:
    """Return ``H(A) + H(B) - H(A, B)`` of each table, in nats, and never below 0."""
    tables = np.asarray(tables, dtype=np.float64)
    joint = entropy(tables.reshape(*tables.shape[:-2], -1))
    return np.asarray(np.maximum(entropy(tables.sum(axis=-1)) + entropy(tables.sum(axis=-2)) - joint, 0.0))
