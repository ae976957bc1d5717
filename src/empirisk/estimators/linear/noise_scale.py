"""The scale of the noise of a regression: from absolute deviations, or with the regression itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses import Absolute, Huber, Loss
from empirisk.losses.quantile import weighted_quantile
from empirisk.penalties import Zero
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.auto import choose
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["Scale", "joint_scale", "median_scale", "replace_loss", "residual_of"]

# The median of |t| under a standard normal law is 1/NORMAL.
NORMAL = 1.482602218505602
# Residuals below this share of the targets are those of rows on the plane.
NULL = 1e-10
STEPS = 60  # of scale and fit in turn; where they do not settle, the last ones stand
SMALLEST = 1e-9  # share of the spread of y at which a scale counts as 0


@dataclass(frozen=True)
class Scale:
    """A scale, and parameters near those that belong to it."""

    scale: float
    w: Array | None


def median_scale(problem: LinearProblem, max_steps: int = 10_000) -> Scale:
    """1.4826 times the median absolute residual of a least-absolute-deviations fit without a penalty.

    The fit passes through as many rows as it has parameters: their residuals of 0 are left out (Maronna,
    Martin, Yohai & Salibian-Barrera 2019, Robust Statistics, section 4.4).  When nothing is left (fewer rows
    than parameters, say) the residuals are those of the median of y; 0 when y is constant.
    """
    if problem.moved is not None:
        return _far(problem, median_scale(problem.moved[1], max_steps))
    plain = replace(replace_loss(problem, Absolute()), penalty=Zero())
    plain.facts.known_moments = problem.moments
    w = solve(plain, max_steps=max_steps).w
    eps = NULL if problem.design.dtype == np.float64 else 1e-5
    y, s = problem.data.y, problem.data.weight
    size = float(np.abs(y[s > 0.0]).max(initial=0.0))
    for scores in (problem.scores(w), plain.null_scores):
        r = np.abs(y - scores)
        live = (s > 0.0) & (r > eps * size)
        if live.any():
            return Scale(NORMAL * float(weighted_quantile(r[live], s[live], 0.5)), w)
    return Scale(0.0, w)


def _far(problem: LinearProblem, found: Scale) -> Scale:
    assert problem.moved is not None
    return found if found.w is None else replace(found, w=problem.moved[0].to_far(found.w))


def joint_scale(problem: LinearProblem, delta: float, solver: Any, tol: float, max_steps: int) -> Scale:
    """The scale s that minimises ``(1/S) sum_i s_i (huber_{delta s}(r_i)/s + s/2) + penalty`` with w.

    A step for w at fixed s and the exact s at fixed w in turn: the function is convex in both together, and
    symmetric noise hardly ties them.  The scale of given residuals solves ``m(s) = (1/S) sum_i s_i
    min((r_i/s)^2, delta^2) = 1``.

    When m stays below 1 however small s is (too many rows lie on one plane) the minimum is at s = 0, where
    the loss is ``delta |r|``; the scale is 0 then.
    """
    if problem.moved is not None:
        return _far(problem, joint_scale(problem.moved[1], delta, solver, tol, max_steps))
    strength = problem.penalty.l1 + problem.penalty.l2
    centred = problem.data.y - problem.null_scores
    size = math.sqrt(_mean(problem, centred**2))
    w, s = problem.null, size
    for _ in range(STEPS):
        r = np.abs(problem.data.y - problem.scores(w))
        before, s = s, scale_of(problem, r, delta, SMALLEST * size)
        if s == 0.0 or abs(s - before) <= 0.01 * tol * s:
            break
        here = replace_loss(problem, Huber(delta * s))
        here = here.with_strength(strength * s) if strength else here
        newton = solver == "auto" and choose(here) == "newton"
        w = solve(here, solver, w0=w, tol=0.01 * tol, max_steps=2 if newton else max_steps).w
    return Scale(s, w)


def scale_of(problem: LinearProblem, r: Array, delta: float, least: float) -> float:
    """Return the root of ``mean min((r/s)^2, delta^2) = 1`` in s, or 0 when it is below `least`."""
    square, cap = r * r, delta * delta
    s = math.sqrt(_mean(problem, square))  # not below the root, because the minimum only lowers the mean
    if not s > least:
        return 0.0
    for _ in range(200):
        inside = square <= cap * s * s
        weight = _mean(problem, inside.astype(np.float64))
        rest = 1.0 - cap * (1.0 - weight)  # mean_inside r^2 = s^2 rest, when `inside` is right
        after = math.sqrt(_mean(problem, np.where(inside, square, 0.0)) / rest) if rest > 0.0 else 0.0
        if after <= least:
            return 0.0
        if after >= s:
            break
        s = after
    return s


def residual_of(problem: LinearProblem, r: Array, delta: float, s: float) -> float:
    """``|mean min((r/s)^2, delta^2) - 1|``: by how much a scale s misses its equation."""
    return abs(_mean(problem, np.minimum((r / s) ** 2, delta * delta)) - 1.0)


def _mean(problem: LinearProblem, v: Array) -> float:
    return float(weighted_sum(problem.data.weight, v)) / problem.data.total_weight


def replace_loss(problem: LinearProblem, loss: Loss) -> LinearProblem:
    """Return the same problem with another loss; the moments of the columns are kept."""
    other = replace(problem, loss=loss)
    other.facts.known_moments = problem.moments
    if problem.moved is None and getattr(loss, "of_difference", False):
        other.facts.settled = True
    return other
