"""Frank-Wolfe steps over a bounded set: linear minimisation instead of projection.

Frank and Wolfe (1956); Jaggi, International Conference on Machine Learning (2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.sums import inner
from empirisk.problems.intercept import best_intercept
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.typing import Array, Capability

__all__ = ["FrankWolfe"]

DROP = 1e-14  # shares of points that are rounding


@dataclass(frozen=True)
class Atoms(State):
    """The iterate as a convex combination of points of the set."""

    points: Array | None = None
    shares: Array | None = None


@dataclass(frozen=True)
class FrankWolfe:
    """``s = argmin_{s in C} grad f(w).s``; weight moves to s from the worst point that w is made of.

    The intercept is minimised exactly before each step.  ``grad f(w).(w - s) >= f(w) - min f`` is the
    certificate: on a set it is the duality gap.

    Parameters
    ----------
    pairwise : bool, default True
        False takes the plain step towards s.

    Notes
    -----
    Two products with X and a line search on the scores a step.  Plain steps:
    ``f(w_T) - min f <= 2 C/(T + 2)``, C the curvature constant; pairwise steps on polytopes converge linearly
    for strongly convex f.  On curved sets the points add up and steps are as slow as plain ones.

    References
    ----------
    Frank & Wolfe 1956; Jaggi 2013 (ICML); Lacoste-Julien & Jaggi 2015 (NeurIPS).

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.penalties import Simplex
    >>> ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(3), [3.0, 1.0, 0.0])
    >>> er.solve(replace(ridge, penalty=Simplex()), "frank_wolfe").w.round(6)
    array([1., 0., 0.])
    """

    pairwise: bool = True

    name = "frank_wolfe"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.GRAD,
            Capability.LINEAR_ORACLE,
            Capability.CONVEX,
            Capability.SCALAR_SCORE,
        }
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> Atoms:
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0:
            return Atoms(w)
        coef, b = problem.split(w)
        coef = np.asarray(problem.penalty.prox(coef, 0.0))
        w = problem.join(coef, b)
        return Atoms(w, problem.evaluate(w), True, n_passes=2.0, points=coef[:, None], shares=np.ones(1))

    def step(self, problem: LinearProblem, state: Any) -> Atoms:
        if state.points is None or not math.isfinite(state.evaluation.loss):
            stopped: Atoms = replace(state, done=True)
            return stopped
        state = self._centre(problem, state)
        grad = problem.split(state.evaluation.grad)[0]
        coef, b = problem.split(state.w)
        bounded: Any = problem.penalty
        s = bounded.linear_minimizer(grad)
        worst = int(np.argmax(grad @ state.points))
        d, most = s - coef, 1.0
        if self.pairwise and state.shares[worst] < 1.0:
            d, most = s - state.points[:, worst], float(state.shares[worst])
        slope = inner(grad, d)
        if not slope < 0.0:
            ended: Atoms = replace(state, done=True, check=True)
            return ended
        product = problem.design.matvec(d.astype(problem.design.dtype, copy=False)).astype(np.float64)
        t = _line(problem, state.evaluation.scores, product, most)
        if t == 0.0:
            ended = replace(state, done=True, check=True)
            return ended
        points, shares = _moved(state, s, worst, t, most < 1.0)
        coef = points @ shares
        w = problem.join(coef, b)
        return Atoms(
            w,
            problem.evaluate(w),
            state.n_passes <= 4.0,
            n_passes=state.n_passes + 3.0,
            points=points,
            shares=shares,
        )

    @staticmethod
    def _centre(problem: LinearProblem, state: Atoms) -> Atoms:
        """Return the best intercept for these coefficients."""
        assert state.evaluation is not None
        if not problem.intercept:
            return state
        coef, b = problem.split(state.w)
        data, scores = problem.data, state.evaluation.scores - b
        b = best_intercept(problem.loss, data.y, data.weight, scores, start=b)
        w = problem.join(coef, b)
        ended: Atoms = replace(state, w=w, evaluation=problem.evaluate(w), n_passes=state.n_passes + 2.0)
        return ended


def _moved(state: Any, s: Array, worst: int, t: float, pairwise: bool) -> tuple[Array, Array]:
    """Return the points and shares after a step t towards s, from the worst point or from all of them."""
    same = np.flatnonzero((state.points == s[:, None]).all(axis=0))
    points, shares = state.points, state.shares.copy()
    if len(same) == 0:
        points, shares = np.column_stack([points, s]), np.append(shares, 0.0)
    at = int(same[0]) if len(same) else len(shares) - 1
    if pairwise:
        shares[worst] = max(shares[worst] - t, 0.0)
        shares[at] += t
    else:
        shares *= 1.0 - t
        shares[at] += t
    keep = shares > DROP
    return points[:, keep], shares[keep] / shares[keep].sum()


def _line(problem: LinearProblem, z: Array, product: Array, most: float) -> float:
    """Return the step in [0, most] that minimises the mean loss of ``z + t product``: safeguarded Newton
    steps.
    """
    data, loss = problem.data, problem.loss
    share = data.weight / data.total_weight

    def slope(t: float) -> float:
        return float((share * product) @ loss.grad(data.y, z + t * product))

    low, high = 0.0, most
    if not slope(0.0) < 0.0:
        return 0.0
    if slope(most) <= 0.0:
        return most
    t = 0.5 * most
    for _ in range(100):
        g = slope(t)
        low, high = (t, high) if g < 0.0 else (low, t)
        bend = float((share * product**2) @ loss.hess(data.y, z + t * product))
        new = t - g / bend if bend > 0.0 else 0.5 * (low + high)
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - t) <= 1e-15 * max(t, new) or g == 0.0:
            break
        t = new
    return t
