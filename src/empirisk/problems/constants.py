"""The constants of a linear problem that rates and bounds ask for, each with the way it is known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from empirisk import _loops
from empirisk.problems.linear_objective import LinearObjective
from empirisk.problems.proofs import Constant
from empirisk.typing import Array

__all__ = ["Constant", "Constants", "constants"]

# Sides up to which all eigenvalues of the Gram matrix are computed.
DIRECT = 1_000


@dataclass(frozen=True)
class Constants:
    """Constants of ``F`` without kinks of the penalty, over all parameters (w, b).

    Parameters
    ----------
    L : Constant
        Lipschitz constant of the gradient of the mean loss plus the L2 part:
        ``lambda_max(c X~' diag(s) X~ / S + l2)``, c the largest second derivative of the loss and
        ``X~ = [X 1]``; infinite without such a c.
    mu : Constant
        Modulus of strong convexity of the same function, with c the smallest second derivative.
    rho : Constant
        Lipschitz constant of the mean loss: the loss' own times the longest row of ``X~``.
    row_norm : Constant
        ``max_i ||x~_i||`` over rows with weight.
    L_max : Constant
        Largest smoothness of a single row, ``c row_norm^2 + l2``.
    """

    L: Constant
    mu: Constant
    rho: Constant
    row_norm: Constant
    L_max: Constant


def constants(problem: LinearObjective) -> Constants:
    """All constants; O(n p min(n, p)) once up to 1000 rows or columns, some passes over X beyond.

    Examples
    --------
    >>> import empirisk as er
    >>> problem = er.Ridge(alpha=0.5, fit_intercept=False).problem(np.diag([2.0, 1.0]), [1.0, 1.0])
    >>> problem.constants.L.value, problem.constants.mu.value
    (2.5, 1.0)
    """
    low, high = problem.loss.curvature
    longest = _longest_row(problem)
    norm = Constant(longest, True, "the longest row of the data")
    slope = problem.loss.lipschitz
    rho = Constant(slope * longest if longest > 0.0 else 0.0, True, "slope of the loss times the longest row")
    row = high * longest**2 if longest > 0.0 else 0.0
    L_max = Constant(row + problem.penalty.l2, True, "curvature of the loss times the longest row, squared")
    bottom, top, how, proved = _ends(problem, low, high)
    return Constants(Constant(top, proved, how), Constant(bottom, proved, how), rho, norm, L_max)


def _longest_row(problem: LinearObjective) -> float:
    X, live = problem.design.X, problem.data.weight > 0.0
    squares = X.multiply(X).sum(axis=1) if problem.design.sparse else np.einsum("ij,ij->i", X, X)
    squares = np.asarray(squares, dtype=np.float64).ravel()[live] + float(problem.intercept)
    longest = math.sqrt(float(np.max(squares, initial=0.0)))
    # Squares in float32 may have been rounded down by as much, and the constant must be an upper bound.
    return longest * (1.0 + 1e-6) if X.dtype == np.float32 else longest


def _ends(problem: LinearObjective, low: float, high: float) -> tuple[float, float, str, bool]:
    """Extreme eigenvalues of ``c G + D``: the lowest for the smallest c, the highest for the largest."""
    n, p = problem.design.shape
    l2, q = problem.penalty.l2, problem.n_params
    D = np.append(np.full(p, l2), np.zeros(q - p))
    top_known = math.isfinite(high)
    if q <= DIRECT:
        G = _gram(problem)

        def end(c: float, at: int) -> float:
            return float(np.linalg.eigvalsh(c * G + np.diag(D))[at])

        bottom = max(end(low, 0), 0.0) if low >= 0.0 else 0.0
        top = end(high, -1) if top_known else math.inf
        return bottom, top, "eigenvalues of the Gram matrix", True
    bottom = l2 if not problem.intercept else 0.0
    if not top_known:
        return bottom, math.inf, "the second derivative of the loss has no bound", True
    if n <= DIRECT and not problem.design.sparse:
        root = np.sqrt(problem.data.weight / problem.data.total_weight)
        K = np.asarray(_loops.gram_rows(problem.design.X, problem.data.weight)) / problem.data.total_weight
        K = K + np.outer(root, root) * float(problem.intercept)
        top = high * float(np.linalg.eigvalsh(K)[-1]) + l2
        return bottom, top, "eigenvalues of the Gram matrix of the rows", True
    return bottom, high * _power(problem) + l2, "Lanczos iteration, which approaches from below", False


def _gram(problem: LinearObjective) -> Array:
    """``[X 1]' diag(s) [X 1] / S``: the Gram matrix of the rows, with a column of ones for an intercept."""
    data, X = problem.data, problem.design.X
    p = data.n_cols
    G = np.empty((problem.n_params, problem.n_params))
    if problem.design.sparse:
        G[:p, :p] = (X.T @ X.multiply(data.weight[:, None]).tocsr()).todense()
    else:
        G[:p, :p] = _loops.gram(X, data.weight)
    if problem.intercept:
        G[p, :p] = G[:p, p] = problem.design.rmatvec(data.weight.astype(X.dtype, copy=False))
        G[p, p] = data.total_weight
    return G / data.total_weight


def _power(problem: LinearObjective) -> float:
    """Return the largest eigenvalue of the Gram matrix by Lanczos' method, from a fixed start."""
    data, X, p = problem.data, problem.design.X, problem.data.n_cols
    share = data.weight / data.total_weight

    def product(w: Array) -> Array:
        w = np.ravel(w)
        z = np.asarray(X @ w[:p].astype(X.dtype, copy=False), dtype=np.float64)
        u = share * (z + (w[p] if problem.intercept else 0.0))
        return problem.join(np.asarray(X.T @ u.astype(X.dtype, copy=False), dtype=np.float64), u.sum())

    q = problem.n_params
    operator = LinearOperator((q, q), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=q)
    # Lanczos' values lie below the eigenvalue: that is why the constant counts as estimated, not as proved.
    return float(eigsh(operator, k=1, v0=start, tol=1e-4, return_eigenvectors=False)[0])
