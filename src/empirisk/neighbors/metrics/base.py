"""The contract of a metric: how far rows are from each other."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from empirisk.typing import Array

__all__ = ["Metric", "PairMetric"]


@runtime_checkable
class Metric(Protocol):
    """A distance between rows, as a frozen object.

    Attributes
    ----------
    name : str
        Registry name.
    power : float or None
        p, where it is the Minkowski distance of that p: compiled searches know those.
    precomputed : bool
        Whether rows of X are rows of a matrix of distances.
    """

    @property
    def name(self) -> str: ...
    @property
    def power(self) -> float | None: ...
    @property
    def precomputed(self) -> bool: ...

    def check(self, X: Any, fitting: bool) -> None:
        """Refuse rows that the metric is not defined for, and name the first one."""
        ...

    def distances(self, A: Any, B: Any) -> Array:
        """Distances of all pairs of rows, shape (n, m), in float64."""
        ...


class PairMetric:
    """Base of the metrics: defined everywhere, of plain rows."""

    name: str
    power: float | None = None
    precomputed = False

    def check(self, X: Any, fitting: bool) -> None:
        """Accept all rows: the metric is defined everywhere."""


def plain(X: Any) -> Array:
    """Return rows as a dense float64 array, a block at a time being small."""
    return np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
