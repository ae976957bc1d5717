"""Limited-memory BFGS in preconditioned variables, for many rows or many columns.

Two preconditioners: the diagonal of the Hessian (implicit centring and scaling), or, for n >> p, the
Cholesky factor of the Hessian of a subsample of rows at a warm start fitted on that subsample.  With the
latter a handful of passes over all rows replaces as many exact Hessians.  Where a handful is not enough (rare
events, a few rows that count for many) the exact Hessian takes the place of the subsample's.
Liu & Nocedal 1989 (two-loop recursion); Erdogdu & Montanari 2015 (sub-sampled Hessians).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from scipy.linalg.blas import daxpy

from empirisk.data.sums import inner
from empirisk.problems.linear_scores import LinearScores
from empirisk.solvers.base import State
from empirisk.solvers.line_search import backtrack
from empirisk.solvers.precondition import classwise, diagonal, exact, subsample
from empirisk.typing import Array, Capability

__all__ = ["LBFGS"]

MEMORY = 20  # pairs of differences
# Steps that a good preconditioner needs.
FEW = 6
# Steps after which softmax problems get a new preconditioner: early ones see the wrong curvature.
REFRESH = (10, 40, 160)


@dataclass(frozen=True)
class LBFGSState(State):
    """Iterate, inverse-Hessian guess, and the last pairs (steps, gradient changes)."""

    inverse: Callable[[Array], Array] | None = None
    steps: int = 0
    pairs: tuple[Pair, ...] = ()


@dataclass(frozen=True)
class LBFGS:
    """Quasi-Newton with a certificate in mind: the gradient norm decides when to ask for one.

    Notes
    -----
    Two passes over the data per step (one fused read), O(p MEMORY) extra.
    """

    name = "lbfgs"
    needs = frozenset({Capability.LINEAR, Capability.GRAD, Capability.SMOOTH_PENALTY})

    def init(self, problem: LinearScores, w0: Array | None = None) -> LBFGSState:
        found = subsample(problem, w0)
        if found is not None:
            w, inverse, passes = found
            e = problem.evaluate(w)
            if problem.objective(w, e) <= problem.facts.null_loss:
                return LBFGSState(w, e, False, False, passes + 1.0, "", inverse)
        w, inverse, passes = diagonal(problem, w0)
        return LBFGSState(w, problem.evaluate(w), False, False, passes + 1.0, "", inverse)

    def step(self, problem: LinearScores, state: LBFGSState) -> LBFGSState:
        here = state.evaluation or problem.evaluate(state.w)
        if state.steps in (REFRESH if problem.n_outputs else _exact_steps(problem)):
            inverse = classwise(problem, here) if problem.n_outputs else exact(problem, here)
            if inverse is not None:
                state = replace(state, inverse=inverse, pairs=())
        grad = problem.gradient(state.w, here)
        direction = -_two_loop(grad, state.pairs, state.inverse)
        slope = inner(grad, direction)
        value = problem.objective(state.w, here)
        trials = 0

        def along(t: float) -> tuple[float, float, Any]:
            nonlocal trials
            trials += 1
            w = state.w + t * direction
            e = problem.evaluate(w)
            g = problem.gradient(w, e)
            new = problem.objective(w, e)
            return new, inner(g, direction), (w, e, g)

        found = backtrack(along, value, slope) if slope < 0.0 else None
        passes = state.n_passes + trials
        if found is None:
            if state.pairs:  # start again from the preconditioner alone
                return replace(state, pairs=(), n_passes=passes, check=True)
            return replace(state, done=True, check=True, n_passes=passes)
        w, e, g = found[1]
        pair = Pair.of(w - state.w, g - grad, state.inverse)
        pairs = state.pairs if pair is None else (*state.pairs, pair)[-MEMORY:]
        steps = state.steps + 1
        return LBFGSState(w, e, _promising(problem, g), False, passes, "", state.inverse, steps, pairs)


def _exact_steps(problem: LinearScores) -> tuple[int, ...]:
    """Steps before which the Hessian of all rows is formed: it costs about p/16 passes."""
    first = max(FEW, problem.n_params // 16)
    return tuple(first * 2**k for k in range(6))


def _promising(problem: LinearScores, g: Array) -> bool:
    """Whether the duality gap can be small: with an L2 penalty it is about ``||grad||^2 / (2 l2)``.

    Without one the certificate is the KKT residual, which costs nothing beside a step.
    """
    l2 = problem.penalty.l2
    if l2 <= 0.0:
        return True
    coef, _ = problem.split(g)
    # Twice the default tolerance: a certificate that is far from it costs passes and proves nothing.
    return inner(coef, coef) / (2.0 * l2) <= 2e-6 * max(problem.facts.null_excess, 1e-300)


def _two_loop(grad: Array, pairs: tuple[Pair, ...], inverse: Callable[[Array], Array] | None) -> Array:
    """Return the inverse Hessian of the pairs times a gradient."""
    q = grad.reshape(-1).copy()
    coefficients = []
    for pair in reversed(pairs):
        a = float(pair.step.dot(q)) / pair.product
        daxpy(pair.change, q, a=-a)
        coefficients.append(a)
    r = inverse(q.reshape(grad.shape)).reshape(-1) if inverse is not None else q
    if pairs:
        r = r * pairs[-1].scale
    for pair, a in zip(pairs, reversed(coefficients), strict=True):
        daxpy(pair.step, r, a=a - float(pair.change.dot(r)) / pair.product)
    return r.reshape(grad.shape)


@dataclass(frozen=True)
class Pair:
    """A step and the change of the gradient along it, as vectors.

    Parameters
    ----------
    step, change : arrays
        Both flat.
    product : float
        Their inner product, which is positive.
    scale : float
        What brings the preconditioner to the curvature along this step.
    """

    step: Array
    change: Array
    product: float
    scale: float

    @classmethod
    def of(cls, step: Array, change: Array, inverse: Callable[[Array], Array] | None) -> Pair | None:
        """Return the pair, or None without positive curvature, which makes the Hessian indefinite."""
        s, c = step.reshape(-1), change.reshape(-1)
        product, squares = float(s.dot(c)), float(c.dot(c))
        if not product > 1e-14 * math.sqrt(squares) * math.sqrt(float(s.dot(s))):
            return None
        curved = squares if inverse is None else float(c.dot(inverse(change).reshape(-1)))
        return cls(s, c, product, product / max(curved, 1e-300))
