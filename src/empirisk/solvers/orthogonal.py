"""Orthogonal routes of least squares: pivoted QR for full rank, SVD for the minimum-norm answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular, svd

from empirisk.data.sums import weighted_sum
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.factor import Factor
from empirisk.solvers.standardise import Standardisation
from empirisk.typing import Array

__all__ = ["centred_matrix", "min_norm_factor"]


def centred_matrix(problem: LinearProblem, standard: Standardisation) -> Array:
    """``diag(sqrt(s/S)) (X - 1 m') diag(1/scale)``, with ``sqrt(l2)/scale`` rows below for a penalty.

    A copy of the data: these routes are for problems that the Gram matrix cannot solve.
    """
    X = np.asarray(problem.design.X, dtype=np.float64)
    A = (X - standard.mean) / standard.scale
    A *= np.sqrt(problem.data.weight / problem.data.total_weight)[:, None]
    if problem.penalty.l2 > 0.0:
        A = np.vstack([A, np.diag(np.sqrt(problem.penalty.l2) / standard.scale)])
    return A


def min_norm_factor(problem: LinearProblem, standard: Standardisation, sd: Array) -> Factor:
    """Pivoted QR when the standardised columns have full rank, else SVD."""
    p = problem.data.n_cols
    scale = standard.scale
    if problem.penalty.l2 > 0.0:
        scale = np.sqrt(sd**2 + problem.penalty.l2)
    unit = Standardisation(standard.mean, scale, problem.intercept)
    A = centred_matrix(problem, unit)
    A[:, (sd == 0.0) & (problem.penalty.l2 == 0.0)] = 0.0
    tolerance = max(A.shape) * float(np.finfo(problem.design.dtype).eps)
    if A.shape[0] >= p:
        Q, R, pivot = qr(A, mode="economic", pivoting=True, check_finite=False)
        diagonal = np.abs(np.diag(R))
        if diagonal.size and diagonal[-1] > tolerance * diagonal[0]:
            return _qr_factor(problem, unit, (Q, R, pivot), float((diagonal[0] / diagonal[-1]) ** 2))
    # The smallest norm is meant in the user's units, so the null space is found in scaled units
    # (where rank is decided) and its component is removed in the original ones.
    U, sigma, Vt = svd(A, full_matrices=False, check_finite=False)
    rank = int(np.count_nonzero(sigma > tolerance * max(float(sigma.max(initial=0.0)), 1e-300)))
    inverse = np.divide(1.0, sigma, out=np.zeros_like(sigma), where=np.arange(len(sigma)) < rank)
    project = _row_space_projector(Vt[:rank], unit.scale)

    def apply_inverse(v: Array) -> Array:
        return project(Vt.T @ ((inverse**2) * (Vt @ v).T).T)

    def solve(grad: Array) -> Array:
        u = unit.grad_to_u(grad)
        out = apply_inverse(u[:p])
        return problem.join(out, (u[p] if problem.intercept else 0.0) - unit.mean @ out)

    def solve_targets() -> Array:
        target, y_mean = _targets(problem, A.shape[0])
        coef = project(Vt.T @ (inverse * (U.T @ target).T).T)
        return problem.join(coef, y_mean - unit.mean @ coef)

    note = (
        f"the columns have rank {rank} of {p}: of all minimisers this is the one of smallest norm"
        if problem.penalty.l2 == 0.0
        else ""
    )
    smallest = float(sigma[rank - 1]) if rank else 1.0
    condition = (float(sigma[0]) / smallest) ** 2 if rank else 1.0
    return Factor(solve, solve_targets, condition, rank, 4.0, note)


def _row_space_projector(Vt: Array, scale: Array) -> Callable[[Array], Array]:
    """Map scaled coefficients u to ``w = u / scale`` and drop what the data cannot see.

    The visible directions in w are the row space of ``Vt diag(scale)``.
    """
    Q, _ = qr((Vt * scale).T, mode="economic", check_finite=False)

    def project(u: Array) -> Array:
        w = (u.T / scale).T
        return Q @ (Q.T @ w)

    full = Vt.shape[0] == Vt.shape[1]
    return (lambda u: (u.T / scale).T) if full else project


def _targets(problem: LinearProblem, rows: int) -> tuple[Array, Array]:
    data = problem.data
    y = np.asarray(data.y, dtype=np.float64)
    y_mean = weighted_sum(data.weight, y) / data.total_weight if problem.intercept else np.zeros(y.shape[1:])
    top = (np.sqrt(data.weight / data.total_weight) * (y - y_mean).T).T
    target = np.zeros((rows, *y.shape[1:]))
    target[: len(top)] = top
    return target, np.asarray(y_mean)


def _qr_factor(
    problem: LinearProblem, unit: Standardisation, factor: tuple[Array, Array, Any], condition: float
) -> Factor:
    Q, R, pivot = factor
    p = R.shape[1]

    def unpivot(v: Array) -> Array:
        out = np.empty_like(v)
        out[pivot] = v
        return out

    def solve(grad: Array) -> Array:
        u = unit.grad_to_u(grad)
        half = solve_triangular(R, u[:p][pivot], trans="T", check_finite=False)
        u[:p] = unpivot(solve_triangular(R, half, check_finite=False))
        return unit.to_w(u)

    def solve_targets() -> Array:
        target, y_mean = _targets(problem, Q.shape[0])
        u = unpivot(solve_triangular(R, Q.T @ target, check_finite=False))
        return unit.to_w(np.concatenate([u, y_mean[None]]) if problem.intercept else u)

    return Factor(solve, solve_targets, condition, p, 4.0)
