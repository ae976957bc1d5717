"""The contract of a similarity graph: a rule that turns rows into a symmetric matrix of weights >= 0.

Rows are vertices, and the weight of an edge says how alike its two rows are.  von Luxburg 2007, Statistics
and Computing 17, section 2.2, has the four rules that are usual.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, Protocol, runtime_checkable

import numpy as np

from empirisk.data.equal_rows import places_of
from empirisk.data.table import read_table
from empirisk.neighbors import Index, metric_of

__all__ = ["SimilarityGraph", "count_of", "different", "index_of", "number_of", "refuse_copies"]


@runtime_checkable
class SimilarityGraph(Protocol):
    """A rule that makes the weights of a graph from rows, as a frozen object.

    Attributes
    ----------
    name : str
        Registry name.
    counts : bool
        Whether the weight of two rows stays the same when other rows stand several times in the table, so
        that rows may be given once with the number of their copies.
    """

    @property
    def name(self) -> str: ...
    @property
    def counts(self) -> bool: ...

    def matrix(self, X: Any, sample_weight: Any = None) -> Any:
        """Return the weights W, shape (n, n): symmetric, >= 0, no row is joined with itself.

        Sparse rules give a sorted CSR matrix in which every stored weight is positive, the others an array.
        Weights of rows are numbers of copies, 1 at least, which count in radii and widths that the rows tell.
        """
        ...


def index_of(X: Any, metric: Any, algorithm: str = "auto") -> Index:
    """Return checked rows, ready to be searched for neighbours."""
    rows, made = read_table(X), metric_of(metric)
    made.check(rows, True)
    return Index(rows, made, algorithm)


def different(index: Index) -> Index:
    """Return the rows without those that are equal to an earlier one."""
    X, n = index.X, index.n_rows
    if index.metric.precomputed:
        first = np.array([i for i in range(n) if not (X[i, :i] == 0.0).any()])
        return Index(X[np.ix_(first, first)], index.metric)
    return Index(X[np.unique(places_of(X), return_index=True)[1]], index.metric)


def count_of(name: str, value: Any) -> int:
    """Return an integer >= 1; anything else is refused by the name of the parameter."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or int(value) < 1:
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}")
    return int(value)


def refuse_copies(sample_weight: Any) -> None:
    """Refuse weights of rows that differ, for graphs of neighbours."""
    weight = np.ones(1) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if not (weight == weight[0]).all():
        row = int(np.flatnonzero(weight != weight[0])[0])
        raise ValueError(
            f"graphs of neighbours take rows that count alike, and sample_weight differs in row {row}: "
            "copies of a row would take several of the n_neighbors places, so that no edges between single "
            'rows say the same; repeat or drop rows, or take affinity="epsilon" or "gaussian"'
        )


def number_of(name: str, value: Any, zero: bool = False) -> float:
    """Return a finite number > 0, or >= 0; anything else is refused by the name of the parameter."""
    if (
        isinstance(value, bool | np.bool_)
        or not isinstance(value, Real)
        or not math.isfinite(value)
        or value < 0
        or (value == 0 and not zero)
    ):
        raise ValueError(f"{name} must be a finite number {'>=' if zero else '>'} 0, got {value!r}")
    return float(value)
