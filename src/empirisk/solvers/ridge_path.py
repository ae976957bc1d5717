"""All ridge fits and their leave-one-out errors from one eigendecomposition.

With centred rows ``a_i = sqrt(s_i/S) (x_i - m)`` and ``A'A = V diag(l) V'`` (or ``AA'`` when n < p),

    w(alpha) = V diag(1/(l + alpha)) V' A' y~          for every alpha
    loo residual_i = r_i / (1 - u_i q_i),      q_i = 1/S + sum_j (a_i.V_j)^2 / (s_i (l_j + alpha))

where a row is left out with all its weight and all its copies, u_i in all, and the total strength ``S
alpha`` stays as it is: the errors are free of the scale of the weights.
Golub, Heath & Wahba 1979 (Technometrics 21); Allen 1974 (PRESS).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from empirisk.data.sums import weighted_sum
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.normal_equations import cross_products, normal_equations, row_gram
from empirisk.typing import Array

__all__ = ["RidgeBasis", "RidgePath", "ridge_basis", "ridge_path"]

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
        Standard error of that mean over what is left out together.
    """

    alphas: Array
    params: Array
    loo_loss: Array
    loo_se: Array


@dataclass(frozen=True)
class RidgeBasis:
    """The eigenvectors of ``A'A`` that the rows can see, whatever the targets.

    Parameters
    ----------
    values : array, shape (r,)
        Eigenvalues.
    V : array, shape (p, r)
        Eigenvectors.
    P : array, shape (n, r), or None
        Those of ``AA'`` where the rows are fewer than the columns.
    """

    values: Array
    V: Array
    P: Array | None = None

    def target(self, problem: LinearProblem, Y: Array) -> Array:
        """Return ``V' A' y~`` of the centred targets Y, shape (r, m)."""
        if self.P is None:
            kept = problem.facts.normal
            v = cross_products(problem)[0] if kept is None else kept.target
            return np.asarray(self.V.T @ v.reshape(len(self.V), -1))
        root = np.sqrt(problem.data.weight / problem.data.total_weight)
        return np.asarray(np.sqrt(self.values)[:, None] * (self.P.T @ (root * Y.T).T))


def ridge_basis(problem: LinearProblem) -> RidgeBasis:
    """Return the eigenbasis of a dense problem, O(n p min(n, p))."""
    n, p = problem.design.shape
    if p <= n:
        normal = normal_equations(problem)
        kept = normal is problem.facts.normal
        values, V = eigh(normal.gram, overwrite_a=not kept, check_finite=False)
        return RidgeBasis(np.maximum(values, 0.0), V)
    mean, _ = problem.moments
    values, P = eigh(row_gram(problem), overwrite_a=True, check_finite=False)
    keep = values > values[-1] * len(values) * np.finfo(np.float64).eps
    values, P = values[keep], P[:, keep]
    root = np.sqrt(problem.data.weight / problem.data.total_weight)
    # V = A' P diag(l^-1/2): the right singular vectors that the data can see
    scaled = (root * (P / np.sqrt(values)).T).T
    V = problem.design.rmatvec(scaled.astype(problem.design.dtype, copy=False)).astype(np.float64)
    V -= np.multiply.outer(mean, scaled.sum(axis=0))
    return RidgeBasis(values, V, P)


def ridge_path(
    problem: LinearProblem, alphas: Array, together: Array | None = None, basis: RidgeBasis | None = None
) -> RidgePath:
    """Solve a dense ridge problem for all alphas at once.

    Parameters
    ----------
    problem : LinearProblem
    alphas : array, shape (a,)
    together : array, shape (n,), optional
        Weight of each row with all its copies, which are left out together; default the row's own.
    basis : RidgeBasis, optional
        Of the same rows and weights, where it is known already.

    Notes
    -----
    O(n p min(n, p)) once, O(n min(n, p)) for each alpha.
    """
    data, total = problem.data, problem.data.total_weight
    alphas = np.asarray(alphas, dtype=np.float64)
    y = np.asarray(data.y, dtype=np.float64)
    y_mean = np.asarray(weighted_sum(data.weight, y) / total if problem.intercept else np.zeros(y.shape[1:]))
    Y = (y - y_mean).reshape(len(y), -1)
    p = problem.data.n_cols
    basis = basis or ridge_basis(problem)
    values, V, b = basis.values, basis.V, basis.target(problem, Y)
    mean, _ = problem.moments
    # coefs[j, a, t]: coefficients in the eigenbasis, then in the user's columns
    inner = b[:, None, :] / (values[:, None] + alphas)[:, :, None]
    coefs = np.einsum("pj,jat->apt", V, inner, optimize=True)
    units = data.weight if together is None else together
    sums, spread = _loo(problem, mean, Y, V, values, alphas, inner, units)
    coefs = coefs.reshape(len(alphas), p, *y.shape[1:])
    params = coefs
    if problem.intercept:
        b0 = y_mean - np.tensordot(coefs, mean, axes=([1], [0]))
        params = np.concatenate([coefs, b0[:, None]], axis=1)
    loss = sums / total
    live = data.weight > 0.0
    count = float((data.weight[live] / units[live]).sum())
    # sum_i s_i u_i (l_i - loss)^2 / S^2: of units of one weight, the variance of a mean
    second = spread[1] - 2.0 * loss * spread[0] + loss**2 * float(np.sum(data.weight / total * units / total))
    se = np.sqrt(np.maximum(second, 0.0) * count / max(count - 1.0, 1.0))
    return RidgePath(alphas, params, loss, se)


def _loo(
    problem: LinearProblem,
    mean: Array,
    Y: Array,
    V: Array,
    values: Array,
    alphas: Array,
    inner: Array,
    units: Array,
) -> tuple[Array, Array]:
    """Return the sums over the rows of ``s l``, per alpha; of ``s u l / S^2`` and ``s u l^2 / S^2``."""
    data, total = problem.data, problem.data.total_weight
    shrink = 1.0 / (values[:, None] + alphas)
    base = 1.0 / total if problem.intercept else 0.0
    m = Y.shape[1]
    flat = inner.reshape(len(values), -1)
    sums, spread = np.zeros(len(alphas)), np.zeros((2, len(alphas)))
    offset = mean @ V
    for start in range(0, len(Y), BLOCK):
        rows = slice(start, start + BLOCK)
        U = problem.design.X[rows] @ V.astype(problem.design.dtype, copy=False) - offset
        U = np.asarray(U, dtype=np.float64)
        s = data.weight[rows]
        residual = Y[rows, None, :] - (U @ flat).reshape(len(U), len(alphas), m)
        q = base + (U * U) @ shrink / total
        # Leave-one-out by leverages; a row that alone determines its own fit has 1 - h = 0 up to rounding.
        residual /= np.maximum(1.0 - units[rows, None] * q, 1e-15)[:, :, None]
        loss = 0.5 * (residual**2).sum(axis=2)
        sums += s @ loss
        both = s / total * (units[rows] / total)
        spread += both @ loss, both @ loss**2
    return sums, spread
