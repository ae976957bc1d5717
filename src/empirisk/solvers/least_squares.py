"""Direct least squares and ridge: pick the cheapest factorisation that is safe.

=====================================  ==============================================================
situation                              route
=====================================  ==============================================================
p <= n, scaled condition^2 < 1e11      Gram matrix of the standardised columns, Cholesky, refinement
p > n, well conditioned                n x n dual Gram matrix, Cholesky, refinement
otherwise, full rank                   pivoted QR of the standardised columns, refinement
otherwise                              SVD: the minimiser of smallest norm
=====================================  ==============================================================

Refinement repeats ``w <- w - H^-1 grad F(w)`` with the gradient taken from X itself, so that an error of
the Gram matrix does not reach the answer (Bjorck 1996, Numerical Methods for Least Squares, 2.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.factor import Factor
from empirisk.solvers.factorise import factorise
from empirisk.typing import Array, Capability

__all__ = ["LeastSquares"]

# Sides of a matrix from which a second BLAS thread pays for a factorisation.
LARGE_FACTOR = 1_000
# Numbers of X up to which residuals are computed in extended precision; wide floats have no fast products.
MOST_EXTENDED = 200_000


@dataclass(frozen=True)
class DirectState(State):
    """Iterate, factorisation, and the size of the last correction."""

    factor: Factor | None = None
    correction: float = np.inf


@dataclass(frozen=True)
class LeastSquares:
    """Factorise once, then refine.

    Notes
    -----
    O(n p min(n, p)) for the factorisation, O(n p) for each refinement.
    """

    name = "least_squares"
    needs = frozenset({Capability.DESIGN, Capability.QUADRATIC, Capability.SMOOTH_PENALTY, Capability.DENSE})

    def large(self, problem: LinearProblem) -> bool:
        """Return whether a factorisation of this size is worth a second BLAS thread."""
        return min(problem.design.shape) > LARGE_FACTOR

    def init(self, problem: LinearProblem, w0: Array | None = None) -> DirectState:
        return DirectState(problem.zeros())

    def step(self, problem: LinearProblem, state: Any) -> DirectState:
        if state.factor is None:
            return self._first(problem)
        factor = state.factor
        e = state.evaluation
        delta = factor.solve(_gradient(problem, state.w, e.grad))
        w = state.w - delta
        size = _relative_size(problem, delta, w)
        if size >= 0.5 * state.correction and size > 1e-2:
            return self._end(state)
        e = problem.evaluate(w)
        # Corrections shrink geometrically until they only shuffle the last bits.
        done = size <= 1e-15 or size >= 0.5 * state.correction
        return DirectState(w, e, True, done, state.n_passes + 2.0, state.note, factor, size)

    def _first(self, problem: LinearProblem) -> DirectState:
        factor = factorise(problem)
        w = factor.solve_targets()
        e = problem.evaluate(w)
        passes = factor.n_passes + 2.0
        correction = np.inf
        # A Cholesky answer is off by about eps * condition: one correction is worth a pass when that shows.
        if factor.condition > 1e3 and problem.data.total_weight > 0.0:
            for _ in range(3):
                delta = factor.solve(_gradient(problem, w, e.grad))
                size = _relative_size(problem, delta, w)
                if not size < 0.5 * correction:
                    break
                w, correction = w - delta, size
                e = problem.evaluate(w)
                passes += 2.0
                if size <= 1e-14:
                    break
        return DirectState(w, e, True, False, passes, factor.note, factor, correction)

    @staticmethod
    def _end(state: DirectState) -> DirectState:
        return DirectState(
            state.w, state.evaluation, True, True, state.n_passes, state.note, state.factor, state.correction
        )


def _gradient(problem: LinearProblem, w: Array, grad: Array) -> Array:
    coef, _ = problem.split(w)
    extended = _extended_gradient(problem, w)
    out = grad.copy() if extended is None else extended
    out[: len(coef)] += problem.penalty.l2 * coef
    return out


def _relative_size(problem: LinearProblem, delta: Array, w: Array) -> float:
    """Return the size of a correction relative to w, each column in units of its own standard deviation."""
    _, variance = problem.moments
    sd = np.sqrt(variance)
    p = len(sd)
    top = float(np.abs(delta[:p].T * sd).max(initial=0.0))
    bottom = float(np.abs(w[:p].T * sd).max(initial=0.0))
    if problem.intercept:
        top = max(top, float(np.abs(delta[p]).max(initial=0.0)))
        bottom = max(bottom, float(np.abs(w[p]).max(initial=0.0)))
    return top / bottom if bottom > 0.0 else 0.0


def _extended_gradient(problem: LinearProblem, w: Array) -> Array | None:
    """Gradient of the mean loss at w, rounded once; None where extended precision is not to be had.

    Refinement converges to the exact answer of the stored numbers only when the residual is known to more
    digits than the solution (Wilkinson 1963; Bjorck 1996, section 2.9).  On polynomial data this is worth
    three to five decimal digits, and on a few thousand numbers it costs microseconds.  It is not for sparse,
    float32 or larger data, nor on platforms whose ``long double`` is a double.
    """
    X = problem.design.X
    wide = np.longdouble
    if problem.design.sparse or X.dtype != np.float64 or X.size > MOST_EXTENDED:
        return None
    if np.finfo(wide).eps >= np.finfo(np.float64).eps or not problem.loss.quadratic:
        return None
    A = X.astype(wide)
    coef, b = problem.split(np.asarray(w, dtype=wide))
    share = (problem.data.weight / problem.data.total_weight).astype(wide)
    slope = (share * (A @ coef + b - problem.data.y).T).T
    # Not problem.join(): the intercept's row must keep the extended precision too.
    rows = [A.T @ slope, slope.sum(axis=0)[None]] if problem.intercept else [A.T @ slope]
    return np.concatenate(rows).astype(np.float64)
