"""Symmetric matrices that are known by their products with vectors, and one that is given.

What the search for the smallest eigenvalues asks of a matrix: Parlett 1998, The Symmetric Eigenvalue Problem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from empirisk.data.brief import Brief
from empirisk.data.sparse_cells import is_sparse
from empirisk.typing import Array

__all__ = ["MatrixOperator", "Operator"]


class Operator(Protocol):
    """A symmetric matrix that is known by its products.

    Attributes
    ----------
    n : int
        Rows and columns.
    bound : float
        No eigenvalue is larger in size; proved, not estimated.
    null : sparse matrix, shape (n, c)
        Orthonormal eigenvectors of the smallest eigenvalue 0 that are known beforehand; c may be 0.
    """

    @property
    def n(self) -> int: ...
    @property
    def bound(self) -> float: ...
    @property
    def null(self) -> Any: ...

    def product(self, V: Array) -> Array:
        """Return the operator times the columns of V, shape (n, m)."""
        ...

    def dense(self) -> Array:
        """Return the operator as an array, for few rows."""
        ...

    def entries(self) -> Any:
        """Return the operator as a matrix, CSR where it is sparse."""
        ...

    def approximate_inverse(self) -> Callable[[Array], Array] | None:
        """Return a symmetric positive approximation of the inverse, where one is known."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class MatrixOperator(Brief):
    """Any symmetric matrix as an operator, dense or sparse.

    Parameters
    ----------
    matrix : array or sparse matrix, shape (n, n)
        Symmetric; its upper and lower halves are taken to agree.

    Examples
    --------
    >>> MatrixOperator(np.array([[2.0, -1.0], [-1.0, 2.0]])).bound
    3.0
    """

    matrix: Any

    @property
    def n(self) -> int:
        """Rows and columns of the matrix."""
        return int(self.matrix.shape[0])

    @cached_property
    def bound(self) -> float:
        """The largest sum of sizes in a row, which no eigenvalue exceeds (Gershgorin)."""
        return float(np.max(abs(self.matrix).sum(axis=1), initial=0.0))

    @cached_property
    def null(self) -> sp.csr_array:
        """A matrix of no columns: nothing is known beforehand."""
        return sp.csr_array((self.n, 0))

    def product(self, V: Array) -> Array:
        """Return the matrix times the columns of V."""
        return np.asarray(self.matrix @ V)

    def dense(self) -> Array:
        """Return the matrix as an array."""
        return np.asarray(self.matrix.toarray() if is_sparse(self.matrix) else self.matrix)

    def entries(self) -> Any:
        """Return the matrix as it is."""
        return self.matrix

    def approximate_inverse(self) -> Callable[[Array], Array] | None:
        """Return None: no inverse is known."""
        return None
