"""Conjugate gradients on the normal equations: matrix-free least squares and ridge.

Works on ``H u = g`` with ``H = D^-1 (X~' diag(s) X~ / S + l2 I) D^-1`` through products with X alone;
centring and scaling are implicit, so sparse data stay sparse.
Hestenes & Stiefel 1952; the residual is recomputed from X at every restart.

Steps from 0 stay in the span of the rows, in the units that they are taken in: of many minimisers they find
the one with the smallest norm in these units.  Where the columns leave many, the units are those of w.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import lapack

from empirisk.data.threads import one_thread
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.standardise import Standardisation, standardise
from empirisk.typing import Array, Capability

__all__ = ["ConjugateGradient"]

# Iterations in one step, that is between two true gradients (and certificates).
BURST = 25
FLAT = 1e-13  # share of the largest curvature at which a direction has none
# Columns up to which collinear ones are looked for, cells of a row from which products of dense blocks of
# rows are quicker, and the condition of the correlations beyond which rounding makes columns collinear.
MOST_COLUMNS = 1_000
MANY_CELLS = 100
BLOCK = 4_096
COLLINEAR = 1e12


@dataclass(frozen=True)
class CGState(State):
    """Iterate, its change of variables, and the last objective."""

    standard: Standardisation | None = None
    objective: float = np.inf
    stalls: int = 0


@dataclass(frozen=True)
class ConjugateGradient:
    """One step is a burst of CG iterations from the true gradient.

    Notes
    -----
    Two passes over the data per iteration; about ``sqrt(condition)`` iterations per digit.
    """

    name = "conjugate_gradient"
    needs = frozenset({Capability.DESIGN, Capability.QUADRATIC, Capability.SMOOTH_PENALTY})

    def init(self, problem: LinearProblem, w0: Array | None = None) -> CGState:
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        e = problem.evaluate(w)
        objective = e.loss + problem.penalty.value(w[: problem.data.n_cols])
        return CGState(w, e, False, False, 2.0, "", _units(problem), objective)

    def step(self, problem: LinearProblem, state: Any) -> CGState:
        standard = state.standard
        p = problem.data.n_cols
        grad = state.evaluation.grad.copy()
        grad[:p] += problem.penalty.l2 * state.w[:p]
        g = standard.grad_to_u(grad)
        u, used = _burst(problem, standard, -g[:p])
        full = np.concatenate([u, -g[p:]]) if problem.intercept else u
        w = state.w + standard.to_w(full)
        e = problem.evaluate(w)
        objective = e.loss + problem.penalty.value(w[:p])
        # Where a decrease is within the rounding of the objective, the gradient tells: it falls on, or grows
        # by what rounding left along directions without curvature.
        before, after = float(np.sqrt((g * g).sum())), _steepness(problem, standard, w, e)
        flat = objective >= state.objective * (1.0 - 1e-15)
        stalls = state.stalls + 1 if flat and after > 0.5 * before else 0
        if objective > state.objective * (1.0 + 1e-14) or (flat and after > before):
            w, e, objective = state.w, state.evaluation, state.objective
        return CGState(
            w,
            e,
            True,
            stalls >= 3 or used == 0,
            state.n_passes + 2.0 * used + 2.0,
            "",
            standard,
            objective,
            stalls,
        )


def _steepness(problem: LinearProblem, standard: Standardisation, w: Array, e: Any) -> float:
    """Return the length of the gradient of the objective in the units of the steps."""
    p = problem.data.n_cols
    grad = e.grad.copy()
    grad[:p] += problem.penalty.l2 * w[:p]
    g = standard.grad_to_u(grad)
    return float(np.sqrt((g * g).sum()))


def _burst(problem: LinearProblem, standard: Standardisation, rhs: Array) -> tuple[Array, int]:
    """Take at most BURST steps of conjugate gradients for ``H u = rhs`` from 0, every column of rhs by
    itself.
    """
    data, design, l2 = problem.data, problem.design, problem.penalty.l2
    share = data.weight / data.total_weight

    def product(u: Array) -> Array:
        w = (u.T / standard.scale).T
        z = design.matvec(w.astype(design.dtype, copy=False)).astype(np.float64) - standard.mean @ w
        weighted = (share * z.T).T
        v = design.rmatvec(weighted.astype(design.dtype, copy=False)).astype(np.float64)
        v -= np.multiply.outer(standard.mean, weighted.sum(axis=0))
        return ((v + l2 * w).T / standard.scale).T

    u = np.zeros_like(rhs)
    r, d = rhs.copy(), rhs.copy()
    rr = (r * r).sum(axis=0)
    start, steepest = rr.copy(), np.zeros_like(rr)
    used = 0
    for _ in range(BURST):
        # Directions of rounding size would only add noise.
        if not np.any(rr > 1e-30 * start):
            break
        Hd = product(d)
        used += 1
        curvature = (d * Hd).sum(axis=0)
        # What rounding leaves of a direction without curvature would be followed without end.
        length = (d * d).sum(axis=0)
        steepness = np.divide(curvature, length, out=np.zeros_like(rr), where=length > 0.0)
        steepest = np.maximum(steepest, steepness)
        alpha = np.divide(rr, curvature, out=np.zeros_like(rr), where=steepness > FLAT * steepest)
        u += alpha * d
        r -= alpha * Hd
        new = (r * r).sum(axis=0)
        beta = np.divide(new, rr, out=np.zeros_like(rr), where=rr > 0.0)
        d = r + beta * d
        rr = new
    return u, used


def _units(problem: LinearProblem) -> Standardisation:
    """Return the units of the steps: columns of length 1, or as they are where there are many minimisers."""
    standard = standardise(problem)
    if problem.penalty.l2 > 0.0 or _determined(problem, standard):
        return standard
    return replace(standard, scale=np.ones_like(standard.scale))


def _determined(problem: LinearProblem, standard: Standardisation) -> bool:
    """Return whether rows without a penalty have one minimiser, as far as that can be seen at little cost."""
    X: Any = problem.design.X
    p = problem.data.n_cols
    if p > int(np.count_nonzero(problem.data.weight)) - int(problem.intercept):
        return False
    if p > MOST_COLUMNS or not problem.design.sparse:
        return True
    G = _products(X.tocsr(), problem.data.weight / problem.data.total_weight)
    G -= np.outer(standard.mean, standard.mean)
    G /= np.outer(standard.scale, standard.scale)
    norm = float(np.abs(G).sum(axis=0).max(initial=0.0))
    factor, failed = lapack.dpotrf(G, lower=True)
    rcond, _ = (0.0, 0) if failed else lapack.dpocon(factor, norm, uplo="L")
    return bool(rcond * COLLINEAR > 1.0)


def _products(rows: Any, share: Array) -> Array:
    """Return ``X' diag(s) X`` of sparse rows with float64 sums."""
    root = np.sqrt(share)[:, None]
    if rows.nnz <= MANY_CELLS * rows.shape[0]:
        scaled = rows.astype(np.float64).multiply(root).tocsr()
        return np.asarray((scaled.T @ scaled).toarray())
    G = np.zeros((rows.shape[1], rows.shape[1]))
    with one_thread():
        for a in range(0, rows.shape[0], BLOCK):
            part = root[a : a + BLOCK] * rows[a : a + BLOCK].toarray()
            G += part.T @ part
    return G
