"""The contract of a null: how rows without clusters could look, given the spread of these rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from empirisk.data.memory import refuse_memory
from empirisk.partitions.rows import Rows
from empirisk.typing import Array

__all__ = ["Axes", "Null", "Prepared", "principal_axes"]


@dataclass(frozen=True)
class Axes:
    """Rows in their principal axes.

    Parameters
    ----------
    centre : array, shape (p,)
        Weighted mean.
    scores : array, shape (n, r)
        Coordinates along the axes, without axes of no spread.
    deviation : array, shape (r,)
        Their standard deviations, falling.
    directions : array, shape (r, p)
        The axes.
    weight : array, shape (n,)
        Repetitions of the rows.
    dtype : dtype
        Of the rows.
    cells : array, shape (n, p)
        The rows themselves, as float64.
    """

    centre: Array
    scores: Array
    deviation: Array
    directions: Array
    weight: Array
    dtype: Any
    cells: Array

    def rows(self, scores: Array) -> Array:
        """Return the rows that have these coordinates."""
        out: Array = (scores @ self.directions + self.centre).astype(self.dtype, copy=False)
        return out


@runtime_checkable
class Null(Protocol):
    """A law of rows without clusters, as a frozen object.

    Attributes
    ----------
    name : str
        Registry name.
    label : str
        What sentences call it, after "rows from".
    tested : bool
        Whether the test of no clusters has to refute it.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def tested(self) -> bool: ...

    def draw(self, axes: Axes, rng: np.random.Generator) -> Array:
        """Return as many rows as there were, drawn without clusters."""
        ...


@runtime_checkable
class Prepared(Protocol):
    """A null that reads more from the rows than their axes, once for all draws."""

    def prepared(self, axes: Axes) -> Null:
        """Return the law of these rows."""
        ...


def principal_axes(rows: Rows) -> Axes:
    """Return the rows in the axes of their weighted covariance, by a singular value decomposition.

    Raises
    ------
    MemoryError
        When n x p numbers do not fit.
    ValueError
        When all rows are equal.
    """
    n, p = rows.X.shape
    refuse_memory(f"the principal axes of {n:,} x {p:,} numbers", 8.0 * 5.0 * n * p, "give fewer columns")
    X = cells = rows.dense(slice(None))
    share = rows.weight / rows.weight.sum()
    centre = share @ X
    flat = bool((X[0] == X).all())
    X = X - centre
    largest = float(np.abs(X).max(initial=0.0))
    if flat or not largest > 0.0:
        raise ValueError("all rows of X are equal: there is nothing to group")
    # In a unit of their own, so that squares neither overflow nor vanish.
    root = np.sqrt(share)[:, None]
    _, singular, directions = np.linalg.svd(root * (X / largest), full_matrices=False)
    live = singular > 1e-7 * singular[0]
    directions = directions[live]
    scores = X @ directions.T
    total = float(rows.weight.sum())
    deviation = singular[live] * largest * (total / max(total - 1.0, 1.0)) ** 0.5
    return Axes(centre, scores, deviation, directions, rows.weight, rows.X.dtype, cells)
