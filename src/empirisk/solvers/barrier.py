"""Interior points: Newton's method on the objective plus a logarithmic barrier of the constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.centred import Centred, centred, largest_curvature
from empirisk.solvers.fista import prox
from empirisk.solvers.inequalities import Inequalities, inequalities
from empirisk.solvers.newton import scalar_hessian
from empirisk.solvers.standardise import Standardisation
from empirisk.typing import Array, Capability

__all__ = ["Barrier"]

GROW = 20.0
LARGEST = 1e15  # of the barrier's inverse weight, relative to the problem's curvature
INNER = 60
TRUSTED = 2


@dataclass(frozen=True)
class BarrierState(State):
    """The interior point, the inverse weight t of the barrier, and what describes the set."""

    inside: Array | None = None
    t: float = 1.0
    described: Inequalities | None = None
    change: Centred | None = None
    step: float = 1.0
    fresh: bool = True


@dataclass(frozen=True)
class Barrier:
    """``v_t = argmin t F(v) - sum_i log(-g_i(v))`` such that ``E w = f``, for t growing by 20 a step.

    With m inequalities, ``F(v_t) - min F <= m/t``.  The point that is offered is one projected gradient step
    from v_t: it meets the borders that v_t comes near to.

    Notes
    -----
    A step takes Newton's method to the next centre: ``n p^2 + p^3`` each of some 5 to 15 times.  The set
    needs smooth inequalities and an interior point; the L1 ball has kinks and is refused.

    Raises
    ------
    ValueError
        When no interior point is found.

    References
    ----------
    Fiacco & McCormick 1968; Boyd & Vandenberghe 2004, sections 11.2 and 11.3.

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.penalties import Simplex
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(3), [3.0, 2.5, 0.0])
    >>> er.solve(replace(ridge, penalty=Simplex()), "barrier").w.round(6)
    array([0.75, 0.25, 0.  ])
    """

    name = "barrier"
    needs = frozenset(
        {
            Capability.GRAD,
            Capability.HESS,
            Capability.SMOOTH_BORDER,
            Capability.CONVEX,
            Capability.SCALAR_SCORE,
        }
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> BarrierState:
        null = problem.null if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0 or problem.data.n_cols == 0:
            return BarrierState(problem.null.copy())
        described = inequalities(problem.penalty, problem.data.n_cols)
        start = described.interior()
        if start is None:
            # Two sets that contradict each other are named here.
            problem.penalty.prox(np.zeros(problem.data.n_cols), 0.0)
            raise ValueError(
                f"the set {problem.penalty.name!r} has no interior point that a barrier could start from; "
                'use solver="projected_gradient"'
            )
        top = largest_curvature(problem)
        inside = problem.join(start, problem.split(null)[1])
        curvature = float(np.mean(problem.null_curvature)) or 1.0
        change = centred(problem, top)
        offered = change.to_w(prox(problem, change.to_v(null), 0.0))
        t = max(described.count, 1) / max(problem.null_excess, 1e-8 * top)
        return BarrierState(
            offered, problem.evaluate(offered), True, n_passes=28.0, inside=inside, t=t, described=described,
            change=change, step=1.0 / (top * curvature),
        )  # fmt: skip

    def step(self, problem: LinearProblem, state: Any) -> BarrierState:
        if state.inside is None or not math.isfinite(state.evaluation.loss):
            stopped: BarrierState = replace(state, done=True)
            return stopped
        if state.fresh:  # the start may be the answer
            looked: BarrierState = replace(state, fresh=False)
            return looked
        inside, evaluations = _centre(problem, state.described, state.inside, state.t)
        change, e = state.change, problem.evaluate(inside)
        v = change.to_v(inside) - state.step * change.grad_to_v(e.grad)
        offered = change.to_w(prox(problem, v, 0.0))
        done = state.t > LARGEST or state.described.count == 0
        passes = state.n_passes + 2.0 * evaluations + 4.0
        return BarrierState(
            offered, problem.evaluate(offered), True, done, passes, inside=inside, t=state.t * GROW,
            described=state.described, change=change, step=state.step,
        )  # fmt: skip


def _centre(problem: LinearProblem, s: Inequalities, w: Array, t: float) -> tuple[Array, int]:
    """Newton's method with equations and backtracking on ``t F + barrier``: the point, and evaluations."""
    p, q = problem.data.n_cols, problem.n_params
    plain = Standardisation(np.zeros(p), np.ones(p), problem.intercept)
    E = np.hstack([s.E, np.zeros((len(s.f), q - p))])
    evaluations, trusted = 1, 0
    e = problem.evaluate(w)
    value, grad_b, hess_b = s.barrier(w[:p])
    for _ in range(INNER):
        H = t * scalar_hessian(problem, plain, e)
        H[:p, :p] += hess_b
        g = t * e.grad
        g[:p] += grad_b
        d = _newton_step(H, g, E, s.f - s.E @ w[:p] if len(s.f) else np.zeros(0))
        slope = float(g @ d)
        if not np.isfinite(d).all():
            break
        if abs(slope) <= 1e-13 * (1.0 + t * abs(e.loss)):
            # The decrease drowns in rounding: full steps on trust, as long as they stay inside.
            trusted += 1
            if trusted > TRUSTED or not np.all(s.slacks(w[:p] + d[:p]) > 0.0):
                break
            w = w + d
            e, evaluations = problem.evaluate(w), evaluations + 1
            value, grad_b, hess_b = s.barrier(w[:p])
            continue
        size, old = 1.0, t * e.loss + value
        for _trial in range(60):
            new = w + size * d
            value, grad_b, hess_b = s.barrier(new[:p])
            evaluations += 1
            if math.isfinite(value):
                e = problem.evaluate(new)
                if t * e.loss + value <= old + 0.1 * size * min(slope, 0.0) + 1e-13 * abs(old):
                    break
            size *= 0.5
        else:
            return w, evaluations
        w = new
    return w, evaluations


def _newton_step(H: Array, g: Array, E: Array, missed: Array) -> Array:
    """The step of the quadratic model under ``E d = missed``, scaled: borders must not spoil the digits."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(H), 1e-300))
    k = len(missed)
    K = np.zeros((len(g) + k, len(g) + k))
    K[: len(g), : len(g)] = H * np.outer(scale, scale)
    K[len(g) :, : len(g)] = E * scale
    K[: len(g), len(g) :] = (E * scale).T
    rhs = np.concatenate([-g * scale, missed])
    return np.asarray(np.linalg.lstsq(K, rhs, rcond=None)[0][: len(g)] * scale)
