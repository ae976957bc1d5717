"""Factorisations of ``H = X~' diag(s) X~ / S + l2 I`` for dense designs, X~ the centred columns.

Each one solves ``H delta = g`` for gradients and ``H w = X~' diag(s) y~ / S`` for the targets.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg import lapack

from empirisk.data.sums import weighted_sum
from empirisk.problems.facts import NormalEquations
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.factor import Factor
from empirisk.solvers.normal_equations import normal_equations, row_gram
from empirisk.solvers.orthogonal import min_norm_factor
from empirisk.solvers.standardise import Standardisation, column_scales
from empirisk.typing import Array

__all__ = ["factorise"]

# Cholesky of the Gram matrix with refinement converges while condition(H) * eps << 1; beyond this
# the orthogonal routes take over.  The margin of 4e4 over 1/eps keeps the contraction below 1e-3.
SAFE_CONDITION = 1e11


def factorise(problem: LinearProblem) -> Factor:
    """Return the cheapest safe factorisation of a dense quadratic problem."""
    p = problem.data.n_cols
    rows = int(np.count_nonzero(problem.data.weight)) - int(problem.intercept)
    if p == 0 or problem.data.total_weight == 0.0:
        return _only_intercept(problem)
    # Before the moments: with many rows the normal equations bring them along.
    normal = normal_equations(problem) if p <= rows else None
    mean, sd = column_scales(problem)
    standard = Standardisation(mean, np.where(sd > 0.0, sd, 1.0), problem.intercept)
    factor = None
    if normal is not None:
        factor = _primal(problem, standard, normal)
    elif rows > 0:
        factor = _dual(problem, standard)
    return factor or min_norm_factor(problem, standard, sd)


def _only_intercept(problem: LinearProblem) -> Factor:
    def solve(grad: Array) -> Array:
        return grad * 0.0 if problem.data.total_weight == 0.0 else grad.copy()

    return Factor(solve, lambda: problem.null.copy(), 1.0, 0, 0.0)


def _primal(problem: LinearProblem, standard: Standardisation, normal: NormalEquations) -> Factor | None:
    scale = standard.scale
    H = normal.gram / np.multiply.outer(scale, scale)
    if problem.penalty.l2 > 0.0:
        H.flat[:: len(scale) + 1] += problem.penalty.l2 / scale**2
    # Equilibrate: with a penalty the diagonal is not 1 for columns of tiny scale.
    diagonal = np.sqrt(H.diagonal())
    if not (diagonal.min() > 0.0 and diagonal.max() < math.inf):
        return None
    H /= diagonal
    H /= diagonal[:, None]
    factor, condition = _cholesky(H)
    if factor is None or condition > SAFE_CONDITION:
        return None
    unit = Standardisation(standard.mean, scale * diagonal, problem.intercept)
    return _cholesky_factor(problem, unit, normal, factor, condition)


def _cholesky(H: Array) -> tuple[Any, float]:
    """Cholesky factor and condition estimate, or (None, inf) when H is not positive definite."""
    norm = float(np.abs(H).sum(axis=0).max(initial=0.0))
    # H is symmetric: its transpose is the order that LAPACK reads, and nothing is copied.
    factor, info = lapack.dpotrf(H.T, lower=1, clean=0, overwrite_a=1)
    if info != 0:
        return None, np.inf
    rcond, info = lapack.dpocon(factor, norm, uplo="L")
    return factor, (1.0 / rcond if info == 0 and rcond > 0.0 else np.inf)


def _solved(factor: Any, b: Array) -> Array:
    """Return ``H^-1 b`` from the Cholesky factor of H."""
    return np.asarray(lapack.dpotrs(factor, b, lower=1)[0])


def _cholesky_factor(
    problem: LinearProblem, unit: Standardisation, normal: NormalEquations, factor: Any, condition: float
) -> Factor:
    p = len(unit.scale)

    def solve(grad: Array) -> Array:
        u = unit.grad_to_u(grad)
        u[:p] = _solved(factor, u[:p])
        return unit.to_w(u)

    def solve_targets() -> Array:
        u = _solved(factor, (normal.target.T / unit.scale).T)
        return unit.to_w(np.concatenate([u, normal.y_mean[None]]) if problem.intercept else u)

    return Factor(solve, solve_targets, condition, p, 2.0)


def _dual(problem: LinearProblem, standard: Standardisation) -> Factor | None:
    """``w = X~' D a``, ``(D X~ X~' D / S + l2 I) a = D y~ / S`` with ``D = diag(sqrt(s))``, for n < p.

    Without a penalty this is the minimiser of smallest norm when X~ has full row rank.
    """
    data, total = problem.data, problem.data.total_weight
    root = np.sqrt(np.asarray(data.weight, dtype=np.float64))
    K = row_gram(problem)
    trace = float(np.trace(K))
    if not (trace > 0.0 and np.isfinite(trace)):
        return None
    live = root > 0.0
    unit = root / np.sqrt(total)
    if problem.intercept:
        # D 1 spans the null space that centring makes; lifting it changes no solution.
        K += trace / max(int(live.sum()) - 1, 1) * np.outer(unit, unit)
    K[np.diag_indices_from(K)] += problem.penalty.l2
    K[~live, ~live] += trace  # rows without weight: any positive pivot will do
    factor, condition = _cholesky(K)
    if factor is None or condition > SAFE_CONDITION:
        return None

    def through_dual(a: Array) -> Array:
        weighted = (root * a.T).T
        coef = problem.design.rmatvec(weighted.astype(problem.design.dtype, copy=False))
        return np.asarray(coef - np.multiply.outer(standard.mean, weighted.sum(axis=0)), dtype=np.float64)

    def lift(coef: Array, b: Array) -> Array:
        return problem.join(coef, b - standard.mean @ coef)

    def solve_targets() -> Array:
        y_mean = (
            weighted_sum(data.weight, data.y) / total if problem.intercept else np.zeros(data.y.shape[1:])
        )
        target = (root * (data.y - y_mean).T).T / total
        return lift(through_dual(_solved(factor, target)), y_mean)

    def solve(grad: Array) -> Array:
        # Woodbury: (A'A + l2)^-1 g = (g - A'(AA' + l2)^-1 A g) / l2; without l2 the range part alone.
        coef, b = problem.split(grad)
        g = coef - np.multiply.outer(standard.mean, b) if problem.intercept else coef
        Ag = problem.design.matvec(g.astype(problem.design.dtype, copy=False)) - standard.mean @ g
        scaled = (root * Ag.T).T / total
        inner = _solved(factor, scaled)
        if problem.penalty.l2 > 0.0:
            return lift((g - through_dual(inner)) / problem.penalty.l2, b)
        return lift(through_dual(_solved(factor, inner)), b)

    rows = int(live.sum())
    note = f"{problem.data.n_cols} columns for {rows} rows: this is the minimiser of smallest norm"
    if problem.penalty.l2 > 0.0:
        note = ""
    return Factor(solve, solve_targets, condition, rows - int(problem.intercept), 3.0, note)
