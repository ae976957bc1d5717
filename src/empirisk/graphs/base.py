"""The contract of a similarity graph: a rule that turns rows into a symmetric matrix of weights >= 0.

Rows are vertices, and the weight of an edge says how alike its two rows are.  von Luxburg 2007, Statistics
and Computing 17, section 2.2, has the four rules that are usual.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, Protocol, runtime_checkable

import numpy as np

from empirisk.data.design import as_design
from empirisk.data.finite import check_finite
from empirisk.data.sparse_cells import canonical, is_sparse
from empirisk.neighbors import Index, metric_of

__all__ = ["SimilarityGraph", "count_of", "index_of", "number_of"]


@runtime_checkable
class SimilarityGraph(Protocol):
    """A rule that makes the weights of a graph from rows, as a frozen object.

    Attributes
    ----------
    name : str
        Registry name.
    """

    @property
    def name(self) -> str: ...

    def matrix(self, X: Any) -> Any:
        """Return the weights W, shape (n, n): symmetric, >= 0, no row is joined with itself.

        Sparse rules give a sorted CSR matrix in which every stored weight is positive, the others an array.
        """
        ...


def index_of(X: Any, metric: Any) -> Index:
    """Return checked rows, ready to be searched for neighbours."""
    design = as_design(canonical(X))
    check_finite(design)
    made = metric_of(metric)
    rows = design.X.tocsr() if is_sparse(design.X) else np.ascontiguousarray(design.X)
    made.check(rows, True)
    return Index(rows, made)


def count_of(name: str, value: Any) -> int:
    """Return an integer >= 1; anything else is refused by the name of the parameter."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or int(value) < 1:
        raise ValueError(f"{name} must be an integer >= 1, got {value!r}")
    return int(value)


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
