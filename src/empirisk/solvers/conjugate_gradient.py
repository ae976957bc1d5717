"""Conjugate gradients on the normal equations: matrix-free least squares and ridge.

Works on ``H u = g`` with ``H = D^-1 (X~' diag(s) X~ / S + l2 I) D^-1`` through products with X alone;
centring and scaling are implicit, so sparse data stay sparse.
Hestenes & Stiefel 1952; the residual is recomputed from X at every restart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.standardise import Standardisation, standardise
from empirisk.typing import Array, Capability

__all__ = ["ConjugateGradient"]

# Iterations in one step, that is between two true gradients (and certificates).
BURST = 25
FLAT = 1e-13  # share of the largest curvature at which a direction has none


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
        return CGState(w, e, False, False, 2.0, "", standardise(problem), objective)

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
        # A decrease within the rounding of the objective is none.
        stalls = state.stalls + 1 if objective >= state.objective * (1.0 - 1e-15) else 0
        if objective > state.objective:
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
