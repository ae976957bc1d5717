"""Vertices of a graph as points: the vectors of the smallest eigenvalues of a Laplacian, read by rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.sparse_cells import is_sparse
from empirisk.graphs import LaplacianOperator
from empirisk.problems import SpectralProblem
from empirisk.results import Certificate
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["Eigenvectors", "embedded", "proof_budget", "signed", "smallest"]

# The sine of the angle to the eigenspace that a fit goes on to, where the gap tells the spaces apart.
SINE = 0.01
# What a fit with 10 starts of k-means costs, in multiplications of a sparse factor that take as long: each
# fit, each vertex, each stored weight of a sparse and of a dense graph, and each vertex for each vector of a
# further step of the search.  `python -m bench.inertia` shows what that says beside seconds.
FIT, VERTEX, SPARSE, FULL, STEP = 1e8, 8e4, 2e3, 1e3, 2e3
REMEDY = ", a third of what the rest of a fit takes (prove(X) counts all the same)"
# Vectors of the search beside the wanted ones.
GUARD = 4
# The proof takes at most a quarter of a fit, itself included.
SHARE = 1.0 / 3.0
# Vectors are asked for anew at most so often, each time with a smaller tolerance.
TRIES = 3


@dataclass(frozen=True, eq=False)
class Eigenvectors:
    """The smallest eigenvalues of a Laplacian that is symmetric, and orthonormal vectors.

    Parameters
    ----------
    values : array, shape (k,)
        Rising; those of the components are 0.
    vectors : array, shape (n, k)
    following : float or None
        What the next eigenvalue is at most; None where all are asked for.
    certificate : Certificate
    n_iter : int
        Steps of the solver.
    """

    values: Array
    vectors: Array
    following: float | None
    certificate: Certificate
    n_iter: int


def smallest(
    operator: LaplacianOperator, k: int, tol: float, max_iter: int, prove: bool = False
) -> Eigenvectors:
    """Return the k smallest eigenvalues of L, or of L_s, and their vectors with signs by :func:`signed`.

    Parameters
    ----------
    operator : LaplacianOperator
        Of a graph without isolated vertices.
    k : int
        At most n.
    tol : float
        Residual over the bound of the spectrum that is asked for, at least; the search goes on until the sine
        of the angle to the eigenspace is 0.01, where there is a gap that tells it apart.
    max_iter : int
        Steps of the solver.
    prove : bool, default False
        Whether the certificate says if the eigenvalues are the smallest ones, within :func:`proof_budget`.
    """
    problem = SpectralProblem(operator, k)
    solution = solve(problem, "eigen", tol=tol, max_steps=max_iter, check_every=1)
    steps = 0
    for _ in range(TRIES):
        steps += solution.n_steps
        spectrum = problem.evaluate(solution.w)
        following = problem.next_value(spectrum, solution.dual)
        gap = 0.0 if following is None else following - float(spectrum.values[-1])
        goal = SINE * gap / operator.bound if operator.bound > 0.0 else 0.0
        if not 1e-13 < goal < solution.certificate.relative or not solution.status.ok:
            break
        solution = solve(problem, "eigen", w0=solution.w, tol=goal, max_steps=max_iter, check_every=1)
    solution.require()
    count = operator.null.shape[1]
    values = np.maximum(spectrum.values, 0.0)
    values[:count] = 0.0
    # The null space is known exactly: its vectors are kept as they are, and the others turned across them.
    known = operator.null[:, : min(k, count)].toarray()
    rest = spectrum.vectors - known @ (known.T @ spectrum.vectors)
    vectors = known
    if known.shape[1] < k:
        # Where further eigenvalues are as good as 0, any column may lie along the null space: none is dropped
        # by its number, but the direction of `rest` that is left over.
        further = k - known.shape[1]
        basis = np.linalg.svd(rest, full_matrices=False)[0][:, :further]
        vectors = np.hstack([known, SpectralProblem(operator, further).evaluate(basis).vectors])
    certificate = solution.certificate
    if prove:
        budget = proof_budget(operator, k, steps)
        certificate = problem.proved(certificate, spectrum, following, budget, REMEDY)
    return Eigenvectors(values, signed(vectors), following, certificate, steps)


def proof_budget(operator: LaplacianOperator, k: int, n_iter: int) -> float:
    """Return the work that a proof may take: a third of that of the rest of a fit, by counts and no clock.

    Parameters
    ----------
    operator : LaplacianOperator
        Of the graph of the fit.
    k : int
        Eigenvalues that are wanted.
    n_iter : int
        Steps of the search.

    Examples
    --------
    >>> path = LaplacianOperator(np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1))
    >>> f"{proof_budget(path, 2, 1):.2g}"
    '3.3e+07'
    """
    stored = SPARSE * operator.W.nnz if is_sparse(operator.W) else FULL * operator.n**2
    steps = VERTEX + STEP * (k + GUARD) * (n_iter - 1)
    return SHARE * (FIT + operator.n * steps + stored)


def signed(V: Array) -> Array:
    """Return columns whose entry of largest size is positive; of several such entries the first counts.

    Examples
    --------
    >>> signed(np.array([[1.0, 0.5], [-2.0, 0.5]]))
    array([[-1. ,  0.5],
           [ 2. ,  0.5]])
    """
    # Entries that agree to twelve digits count as equal: rounding shall not choose between them.
    size = np.abs(V)
    first = np.argmax(size >= size.max(axis=0) * (1.0 - 1e-12), axis=0)
    return np.asarray(V * np.where(V[first, np.arange(V.shape[1])] < 0.0, -1.0, 1.0))


def embedded(W: Any, vectors: Array, laplacian: str, count: Array) -> Array:
    """Return the points of the vertices, shape (n, k), from orthonormal vectors of L or L_s.

    Parameters
    ----------
    W : array or CSR, shape (n, n)
        Weights without isolated vertices.
    vectors : array, shape (n, k)
        Of L for ``"unnormalised"``, else of L_s.
    laplacian : {"unnormalised", "random_walk", "symmetric"}
        The rows of the vectors, of which each copy has its share; times ``D^(-1/2)``, which solves ``L u =
        lambda D u``; or each over its length.
    count : array, shape (n,)
        How many rows a vertex stands for.
    """
    if laplacian == "unnormalised":
        return np.asarray(vectors / np.sqrt(count)[:, None])
    if laplacian == "random_walk":
        degree = np.asarray(W.sum(axis=1)).ravel()
        return np.asarray(vectors / np.sqrt(degree)[:, None])
    length = np.linalg.norm(vectors, axis=1)
    # A vertex at the origin has no direction: it stays there.
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0)[:, None])
