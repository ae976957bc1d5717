"""The scale of the noise of a regression: from absolute deviations, or with the regression itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses import Absolute, Huber
from empirisk.losses.quantile import weighted_quantile
from empirisk.penalties import Zero
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.base import solve
from empirisk.typing import Array

__all__ = ["JointScale", "joint_scale", "median_scale"]

# The median of |t| under a standard normal law is 1/NORMAL.
NORMAL = 1.482602218505602
# Residuals below this share of the targets are those of rows on the plane.
NULL = 1e-10
STEPS = 60
SMALLEST = 1e-9  # share of the spread of y at which a scale counts as 0


def median_scale(problem: LinearProblem, max_steps: int = 10_000) -> float:
    """1.4826 times the median absolute residual of a least-absolute-deviations fit without a penalty.

    The fit passes through as many rows as it has parameters: their residuals of 0 are left out (Maronna,
    Martin, Yohai & Salibian-Barrera 2019, Robust Statistics, section 4.4).  When nothing is left (fewer rows
    than parameters, say) the residuals are those of the median of y; 0 when y is constant.
    """
    plain = replace(problem, loss=Absolute(), penalty=Zero())
    w = solve(plain, max_steps=max_steps).w
    eps = NULL if problem.design.dtype == np.float64 else 1e-5
    y, s = problem.data.y, problem.data.weight
    size = float(np.abs(y[s > 0.0]).max(initial=0.0))
    for scores in (problem.scores(w), plain.null_scores):
        r = np.abs(y - scores)
        live = (s > 0.0) & (r > eps * size)
        if live.any():
            return NORMAL * float(weighted_quantile(r[live], s[live], 0.5))
    return 0.0


@dataclass(frozen=True)
class JointScale:
    """A scale, the parameters at it, and how far it is from stationary."""

    scale: float
    w: Array
    residual: float


def joint_scale(problem: LinearProblem, delta: float, solver: Any, tol: float, max_steps: int) -> JointScale:
    """The scale s that minimises ``(1/S) sum_i s_i (huber_{delta s}(r_i)/s + s/2) + penalty`` with w.

    The minimum over w is convex in s, and its derivative is ``(1 - m(s)) / 2``, ``m(s) = (1/S) sum_i s_i
    min((r_i/s)^2, delta^2)``: a bracket of its sign is halved by secants of log m in log s, each from the fit
    before.

    When m stays below 1 however small s is (too many rows lie on one plane) the minimum is at s = 0, where
    the loss is ``delta |r|``; the scale is 0 then.
    """
    strength = problem.penalty.l1 + problem.penalty.l2
    centred = problem.data.y - problem.null_scores
    size = float(np.sqrt(weighted_sum(problem.data.weight, centred**2) / problem.data.total_weight))
    if size == 0.0:
        return JointScale(0.0, problem.null, 0.0)

    def at(s: float, w: Array) -> tuple[float, Solution]:
        here = replace(problem, loss=Huber(delta * s))
        here = here.with_strength(strength * s) if strength else here
        found = solve(here, solver, w0=w, tol=tol, max_steps=max_steps)
        return _excess(here, found.w, s, delta), found

    low, high = 0.0, np.inf
    s, w, value, last = 0.7 * size, problem.null, 0.0, None
    for _ in range(STEPS):
        value, found = at(s, w)
        w = found.w
        if abs(value) <= 0.01 * tol or abs(high - low) <= 1e-15 * s:
            return JointScale(s, w, abs(np.expm1(value)))
        low, high = (s, high) if value > 0.0 else (low, s)
        if s < SMALLEST * size or value < np.log(SMALLEST):
            return JointScale(0.0, w, 0.0)
        s, last = _next(s, value, last, low, high), (s, value)
    return JointScale(s, w, abs(np.expm1(value)))


def _excess(problem: LinearProblem, w: Array, s: float, delta: float) -> float:
    """``log m(s)`` at parameters w."""
    r = (problem.data.y - problem.scores(w)) / s
    m = float(weighted_sum(problem.data.weight, np.minimum(r * r, delta * delta))) / problem.data.total_weight
    return float(np.log(max(m, 1e-300)))


def _next(s: float, value: float, last: tuple[float, float] | None, low: float, high: float) -> float:
    """The secant of log m in log s, or the fixed point ``s sqrt(m)``, inside the bracket."""
    step = 0.5 * value
    if last is not None and last[1] != value:
        slope = (value - last[1]) / np.log(s / last[0])
        if slope < -1e-3:
            step = -value / slope
    proposal = s * float(np.exp(np.clip(step, -3.0, 3.0)))
    if low < proposal < high:
        return proposal
    return (
        float(np.sqrt(low * high))
        if low > 0.0 and np.isfinite(high)
        else (0.1 * high if low == 0.0 else 10.0 * low)
    )
