"""The contract of an index: one number that says how good a grouping of rows is, by the rows alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from empirisk.partitions.rows import Rows, read_rows
from empirisk.typing import Array, IndexArray

__all__ = ["Index", "Moments", "moments"]


@runtime_checkable
class Index(Protocol):
    """An index of a partition, as a frozen object.

    Attributes
    ----------
    name : str
        Registry name.
    label : str
        What tables call it.
    greater_is_better : bool
        Whether larger values speak for the partition.
    single : bool
        Whether one cluster has a value, too.
    power : int
        The index of m like rows grows as ``m ** power``: 1 for sums over rows, 0 for means.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def greater_is_better(self) -> bool: ...
    @property
    def single(self) -> bool: ...
    @property
    def power(self) -> int: ...

    def value(self, X: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the index of the partition."""
        ...


@dataclass(frozen=True)
class Moments:
    """Weights, centres and squared deviations of the clusters of a partition.

    Parameters
    ----------
    weight : array, shape (k,)
        Weight of each cluster.
    centres : array, shape (k, p)
        Weighted means.
    squares : array, shape (k,)
        ``sum w_i ||x_i - m_k||^2`` over the rows of cluster k.
    distances : array, shape (n,)
        ``||x_i - m_k||`` of each row to its own centre.
    """

    weight: Array
    centres: Array
    squares: Array
    distances: Array


def moments(rows: Rows, codes: IndexArray, k: int) -> Moments:
    """Return the sums of each cluster, with rows centred first against the cancellation of large means."""
    weight: Any = np.bincount(codes, rows.weight, minlength=k)
    total = rows.sums(codes, k)
    centres = total / weight[:, None]
    square = rows.square_distances(centres, codes)
    squares: Any = np.bincount(codes, rows.weight * square, minlength=k)
    return Moments(weight, centres, squares, np.sqrt(square))


def read(X: Any, labels: Any, sample_weight: Any, least: int, name: str) -> tuple[Rows, IndexArray, int]:
    """Return rows of positive weight, their clusters as 0..k-1, and k; fewer clusters are refused."""
    rows = read_rows(X, sample_weight)
    codes, k = rows.codes(labels)
    if k < least:
        raise ValueError(
            f"labels holds {k} cluster{'s' * (k != 1)} and {name} needs at least {least}: it compares "
            "clusters with each other; group the rows into more"
        )
    return rows, codes, k
