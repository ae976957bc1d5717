"""All ridge fits and their leave-one-out errors from one eigendecomposition.

With centred rows ``a_i = sqrt(s_i/S) (x_i - m)`` and ``A'A = V diag(l) V'`` (or ``AA'`` when n < p),

    w(alpha) = V diag(1/(l + alpha)) V' A' y~          for every alpha
    loo residual_i = r_i / (1 - min(1, s_i) q_i),      q_i = 1/S + sum_j (a_i.V_j)^2 / (s_i (l_j + alpha))

where leaving out one copy of a row keeps the total strength ``S alpha`` as it is.
Golub, Heath & Wahba 1979 (Technometrics 21); Allen 1974 (PRESS).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from empirisk import _loops
from empirisk.data.sums import weighted_sum
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.normal_equations import normal_equations
from empirisk.typing import Array

__all__ = ["RidgePath", "ridge_path"]

# Rows handled at a time: bounds the extra memory by BLOCK * (p + 2 alphas) numbers.
BLOCK = 1024


@dataclass(frozen=True)
class RidgePath:
    """Every ridge fit on a grid of strengths.

    Parameters
    ----------
    alphas : array, shape (a,)
        Strengths, > 0.
    params : array, shape (a, p [+ 1], [m])
        Parameters in the problem's layout.
    loo_loss : array, shape (a,)
        Weighted mean of half the squared leave-one-out residuals, summed over the m targets.
    loo_se : array, shape (a,)
        Standard error of that mean over the rows.
    """

    alphas: Array
    params: Array
    loo_loss: Array
    loo_se: Array


def ridge_path(problem: LinearProblem, alphas: Array) -> RidgePath:
    """Solve a dense ridge problem for all alphas at once.

    Notes
    -----
    O(n p min(n, p)) once, O(n min(n, p)) for each alpha.
    """
    data, total = problem.data, problem.data.total_weight
    alphas = np.asarray(alphas, dtype=np.float64)
    y = np.asarray(data.y, dtype=np.float64)
    y_mean = np.asarray(weighted_sum(data.weight, y) / total if problem.intercept else np.zeros(y.shape[1:]))
    Y = (y - y_mean).reshape(len(y), -1)
    n, p = problem.design.shape
    values, V, b = _primal(problem) if p <= n else _dual(problem, Y)
    mean, _ = problem.moments
    # coefs[j, a, t]: coefficients in the eigenbasis, then in the user's columns
    inner = b[:, None, :] / (values[:, None] + alphas)[:, :, None]
    coefs = np.einsum("pj,jat->apt", V, inner, optimize=True)
    squares, sums = _loo(problem, mean, Y, V, values, alphas, inner)
    coefs = coefs.reshape(len(alphas), p, *y.shape[1:])
    params = coefs
    if problem.intercept:
        b0 = y_mean - np.tensordot(coefs, mean, axes=([1], [0]))
        params = np.concatenate([coefs, b0[:, None]], axis=1)
    loss = sums / total
    se = np.sqrt(np.maximum(squares / total - loss**2, 0.0) / max(total - 1.0, 1.0))
    return RidgePath(alphas, params, loss, se)


def _primal(problem: LinearProblem) -> tuple[Array, Array, Array]:
    """Eigenvalues, eigenvectors, and the targets in the eigenbasis."""
    normal = normal_equations(problem)
    values, V = eigh(normal.gram, overwrite_a=True, check_finite=False)
    return np.maximum(values, 0.0), V, V.T @ normal.target.reshape(len(V), -1)


def _dual(problem: LinearProblem, Y: Array) -> tuple[Array, Array, Array]:
    mean, _ = problem.moments
    data, total = problem.data, problem.data.total_weight
    weight = None if data.unit_weights else data.weight
    K = _loops.gram_rows(problem.design.X, weight, mean if problem.intercept else None) / total
    values, P = eigh(K, overwrite_a=True, check_finite=False)
    keep = values > values[-1] * len(values) * np.finfo(np.float64).eps
    values, P = values[keep], P[:, keep]
    root = np.sqrt(data.weight / total)
    # V = A' P diag(l^-1/2): the right singular vectors that the data can see
    scaled = (root * (P / np.sqrt(values)).T).T
    V = problem.design.rmatvec(scaled.astype(problem.design.dtype, copy=False)).astype(np.float64)
    V -= np.multiply.outer(mean, scaled.sum(axis=0))
    return values, V, np.sqrt(values)[:, None] * (P.T @ (root * Y.T).T)


def _loo(
    problem: LinearProblem, mean: Array, Y: Array, V: Array, values: Array, alphas: Array, inner: Array
) -> tuple[Array, Array]:
    """Weighted sums over rows of the squared and of the plain leave-one-out loss, per alpha."""
    data, total = problem.data, problem.data.total_weight
    shrink = 1.0 / (values[:, None] + alphas)
    base = 1.0 / total if problem.intercept else 0.0
    m = Y.shape[1]
    flat = inner.reshape(len(values), -1)
    sums, squares = np.zeros(len(alphas)), np.zeros(len(alphas))
    offset = mean @ V
    for start in range(0, len(Y), BLOCK):
        rows = slice(start, start + BLOCK)
        U = problem.design.X[rows] @ V.astype(problem.design.dtype, copy=False) - offset
        U = np.asarray(U, dtype=np.float64)
        s = data.weight[rows]
        residual = Y[rows, None, :] - (U @ flat).reshape(len(U), len(alphas), m)
        q = base + (U * U) @ shrink / total
        residual /= np.maximum(1.0 - np.minimum(s, 1.0)[:, None] * q, 1e-15)[:, :, None]
        loss = 0.5 * (residual**2).sum(axis=2)
        sums += s @ loss
        squares += s @ loss**2
    return squares, sums
