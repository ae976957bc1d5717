"""The three Laplacians of a graph, as matrices and as operators whose null space is known exactly.

von Luxburg 2007, Statistics and Computing 17, section 3: propositions 1 to 4 (5 and 6 of the Lyon notes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.data.sparse_cells import is_sparse
from empirisk.graphs.adjacency import adjacency, components, degrees
from empirisk.graphs.multilevel import Multilevel
from empirisk.typing import Array

__all__ = ["LAPLACIANS", "LaplacianOperator", "laplacian"]

LAPLACIANS = ("unnormalised", "symmetric", "random_walk")


def laplacian(W: Any, kind: str = "unnormalised") -> Any:
    """Return a Laplacian of a graph: ``L = D - W``, ``L_s = D^-1/2 L D^-1/2`` or ``L_w = D^-1 L``.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.
    kind : {"unnormalised", "symmetric", "random_walk"}, default "unnormalised"
        L, L_s or L_w; the last is not symmetric.

    Returns
    -------
    array or csr_array, shape (n, n)
        Dense or sparse as W is.

    Raises
    ------
    ValueError
        For weights that are no graph, with the entry, and for another kind.

    Notes
    -----
    A vertex of degree 0 has no ``D^-1``: its row and column of L_s and L_w are 0, as those of L are, so that
    it is a component of its own with the eigenvalue 0 for all three.

    Examples
    --------
    >>> laplacian([[0, 2, 0], [2, 0, 1], [0, 1, 0]])
    array([[ 2., -2.,  0.],
           [-2.,  3., -1.],
           [ 0., -1.,  1.]])
    >>> laplacian([[0, 2], [2, 0]], "random_walk")
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    check_kind(kind)
    W = adjacency(W)
    d = degrees(W)
    L = sp.csr_array(sp.diags_array(d) - W) if is_sparse(W) else np.diag(d) - W
    if kind == "unnormalised":
        return L
    power = inverse(d) if kind == "random_walk" else np.sqrt(inverse(d))
    left = sp.diags_array(power)
    if kind == "random_walk":
        return sp.csr_array(left @ L) if is_sparse(W) else power[:, None] * L
    return sp.csr_array(left @ L @ left) if is_sparse(W) else power[:, None] * L * power


def check_kind(kind: Any) -> None:
    """Refuse a word that stands for no Laplacian."""
    if kind not in LAPLACIANS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, LAPLACIANS))}, got {kind!r}")


def inverse(d: Array) -> Array:
    """Return 1/d, and 0 where d is 0."""
    return np.divide(1.0, d, out=np.zeros_like(d), where=d > 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class LaplacianOperator(Brief):
    """Products with L or L_s, which are symmetric, for the search of their smallest eigenvalues.

    The eigenvectors of L_w are those of L_s times ``D^-1/2``, with the same eigenvalues.

    Parameters
    ----------
    W : array or CSR
        Weights as :func:`adjacency` returns them.
    normalised : bool, default False
        Whether the operator is L_s.
    mass : array, shape (n,), optional
        How many rows each vertex stands for, m: the operator is ``M^-1/2 L M^-1/2`` where it is not L_s.

    Attributes
    ----------
    n : int
        Vertices.
    bound : float
        No eigenvalue is larger: twice the largest degree over its mass (discs of Gershgorin), or
        2.
    null : csr_array, shape (n, c)
        An orthonormal basis of the null space: the indicators of the components, times ``D^(1/2)`` for L_s
        and ``M^(1/2)`` for L, each of length 1; found by graph search.

    Examples
    --------
    >>> path = LaplacianOperator(adjacency([[0, 1], [1, 0]]))
    >>> path.product(np.array([[1.0, 1.0], [1.0, -1.0]]))
    array([[ 0.,  2.],
           [ 0., -2.]])
    >>> path.bound, path.null.toarray().round(4).ravel().tolist()
    (2.0, [0.7071, 0.7071])
    """

    W: Any
    normalised: bool = False
    mass: Array | None = None
    degree: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", np.asarray(self.W.sum(axis=1), dtype=np.float64).ravel())

    @property
    def n(self) -> int:
        """The number of vertices, which is that of the rows of W."""
        return int(self.W.shape[0])

    @cached_property
    def bound(self) -> float:
        """A number that no eigenvalue exceeds."""
        if self.normalised:
            return 2.0
        outwards = self.degree - self.W.diagonal()
        return 2.0 * float((outwards if self.mass is None else outwards / self.mass).max())

    @cached_property
    def _size(self) -> Array | None:
        """What the vertices weigh: their degrees for L_s, else their masses, None where these are 1."""
        return self.degree if self.normalised else self.mass

    @cached_property
    def _parts(self) -> tuple[Array, Any]:
        """The diagonal and the matrix whose difference the operator is."""
        if self._size is None:
            return self.degree, self.W
        root = np.sqrt(inverse(self._size))
        if is_sparse(self.W):
            scaled = self.W.copy()
            scaled.data *= root[self.W.indices] * np.repeat(root, np.diff(self.W.indptr))
        else:
            refuse_memory("the normalised weights", 8.0 * self.W.size, "take a sparse graph")
            scaled = root[:, None] * self.W
            scaled *= root
        diagonal = (self.degree > 0.0).astype(np.float64) if self.normalised else self.degree / self._size
        return diagonal, scaled

    def product(self, V: Array) -> Array:
        """Return the operator times the columns of V."""
        diagonal, matrix = self._parts
        return np.asarray(diagonal[:, None] * V - matrix @ V, dtype=np.float64)

    def dense(self) -> Array:
        """Return the operator as an array, shape (n, n)."""
        return self.product(np.eye(self.n))

    def entries(self) -> Any:
        """Return the operator as a matrix, CSR where the weights are sparse."""
        diagonal, matrix = self._parts
        if is_sparse(matrix):
            return sp.csr_array(sp.diags_array(diagonal) - matrix)
        A = -matrix
        A[np.diag_indices_from(A)] += diagonal
        return A

    @cached_property
    def null(self) -> sp.csr_array:
        """An orthonormal basis of the null space, one column a component."""
        count, label = components(self.W)
        value = np.ones(self.n) if self._size is None else np.sqrt(self._size)
        if self.normalised:
            value[self.degree == 0.0] = 1.0
        length = np.sqrt(np.bincount(label, value * value, count))
        return sp.csr_array((value / length[label], label, np.arange(self.n + 1)), shape=(self.n, count))

    def approximate_inverse(self) -> Callable[[Array], Array] | None:
        """Return a symmetric approximate inverse on the complement of the null space.

        Of dense weights it is one over the diagonal of L, and None for L_s, whose diagonal is 1.
        """
        if not is_sparse(self.W):
            return None if self.normalised else self._over_diagonal
        levels = self._levels
        if self._size is None:
            return levels.solve
        root = np.sqrt(self._size)[:, None]
        return lambda R: root * levels.solve(root * R)

    def _over_diagonal(self, R: Array) -> Array:
        """Return columns over the diagonal of the operator, which is 0 for vertices without an edge alone."""
        diagonal = self.degree - self.W.diagonal()
        diagonal = diagonal if self.mass is None else diagonal / self.mass
        return np.asarray(R / np.where(diagonal > 0.0, diagonal, 1.0)[:, None])

    @cached_property
    def _levels(self) -> Multilevel:
        """The hierarchy of smaller graphs, made once for all searches with this operator."""
        return Multilevel.of(self.W)
