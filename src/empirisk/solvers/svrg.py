"""Stochastic gradients with reduced variance (SVRG): a linear rate at the price of single rows.

At a point w whose scores are known, every row's derivative ``r_i = l'(y_i, z_i)`` and their mean gradient G
are known too, and the step

    w <- prox(w - size ((l'(y_i, x_i.w) - r_i) x_i + G))

has the full gradient as its mean and a variance that vanishes at the optimum (Johnson and Zhang 2013; Xiao
and Zhang 2014).  The next point is the mean of the iterates of the second half of an epoch, which takes away
most of the variance that is left: measured, an epoch gains three digits instead of one half.

SAGA replaces r_i whenever it meets row i; here all of them are replaced once an epoch, by the same pass that
the certificate needs: the proof is free, and rounding cannot pile up in a table of gradients.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.seeds import Seed, check_seed
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.stochastic_rows import StochasticRows, curvature_scale, random_order, stochastic_rows
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["SVRG"]

# Steps between two full gradients are at least this many: tiny problems would else be all overhead.
SHORTEST = 500
# First step over 1 / (smoothness of the longest row): few rows are that long.
BOLD = 2.0
# Rounding of an objective, as a share of it: below, the gradient still tells what the value no longer does.
SLACK = 1e-13
# Failed epochs in a row, each with half the step of the one before, after which nothing more is to be had.
FAILURES = 12


@dataclass(frozen=True)
class SVRGState(State):
    """`size` is the step size of the next epoch, `value` the objective at w."""

    rows: StochasticRows | None = None
    size: float = 0.0
    value: float = math.inf
    epoch: int = 0
    failures: int = 0


@dataclass(frozen=True)
class SVRG:
    """Variance-reduced stochastic proximal gradient, one epoch a step.

    For losses with a bounded second derivative whose slope is compiled (half squared, logistic, squared
    hinge, Huber), with L1, L2, both or no penalty; dense or sparse.

    Parameters
    ----------
    step_size : float or "auto", default "auto"
        Step size in the coordinates of :mod:`empirisk.solvers.stochastic_rows`; ``"auto"`` is 2 over the
        smoothness of the longest row, halved whenever an epoch does not lower the objective.
    seed : int, Generator, RandomState or None, default 0
        Of the order of the rows: an epoch meets every row once, in a fresh random order (of blocks of 8
        neighbours where X exceeds the caches).  A generator is drawn from once, when the solver is made.

    Notes
    -----
    Two passes over the data per step.  The error falls by a constant factor per epoch once the number of rows
    exceeds the condition number, whatever the latter is; below, an epoch does as much as that many steps of
    gradient descent would.  CSC and column-major arrays are converted once, a copy of X.

    Sparse X: the part G and the penalty of a column are applied when a row stores it, times (rows / rows
    that store it): the mean is unchanged, and a step costs the stored values of its row (Pedregosa, Leblond
    and Lacoste-Julien 2017 for SAGA).

    References
    ----------
    Johnson & Zhang, NIPS 2013; Xiao & Zhang, SIAM J. Optim. 24 (2014); Pedregosa, Leblond & Lacoste-Julien,
    NIPS 2017.
    """

    step_size: float | str = "auto"
    seed: Seed = 0

    name = "svrg"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.ROW_SLOPE,
            Capability.GRAD,
            Capability.BOUNDED_CURVATURE,
            Capability.SEPARABLE_PENALTY,
            Capability.SCALAR_SCORE,
            Capability.CONVEX,
        }
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed(self.seed, "seed"))

    def init(self, problem: LinearProblem, w0: Array | None = None) -> SVRGState:
        """Begin at w0, or at the null model, whose scores cost no pass."""
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0:
            return SVRGState(w, done=True)
        rows = stochastic_rows(problem, stored_only=True)
        e = problem.null_evaluation if w0 is None else problem.evaluate(w)
        size = BOLD / (curvature_scale(problem) * max(rows.longest, 1e-300))
        value = e.loss + problem.penalty.value(problem.split(w)[0])
        return SVRGState(w, e, n_passes=2.0, rows=rows, size=size, value=value)

    def step(self, problem: LinearProblem, state: Any) -> SVRGState:
        now: SVRGState = state
        rows = now.rows
        if rows is None or not math.isfinite(now.value):
            return replace(now, done=True, diverged=rows is not None)
        order = _order(rows, np.random.default_rng([check_seed(self.seed), now.epoch]))
        w = rows.outside(_epoch(problem, rows, now, order))
        now = replace(now, epoch=now.epoch + 1, n_passes=now.n_passes + 1.0 + len(order) / len(rows.active))
        e = problem.evaluate(w) if np.isfinite(w).all() else None
        value = math.inf if e is None else e.loss + problem.penalty.value(problem.split(w)[0])
        if value <= now.value + SLACK * abs(now.value):
            return replace(now, w=w, evaluation=e, value=value, failures=0)
        failures = now.failures + 1
        return replace(now, size=0.5 * now.size, failures=failures, done=failures >= FAILURES)


def _epoch(problem: LinearProblem, rows: StochasticRows, state: SVRGState, order: IndexArray) -> Array:
    """Return the mean of the iterates of the second half of an epoch, in the coordinates of the steps."""
    here = state.evaluation
    assert here is not None
    anchor = np.asarray(problem.loss.grad(problem.data.y, here.scores), dtype=np.float64)
    drift, penalty = rows.gradient(here.grad), rows.penalty(problem)
    size, half = np.array([state.size]), len(order) // 2
    v = rows.inside(state.w)
    rows.steps(v, order[:half], size, every=len(order), anchor=anchor, drift=drift, **penalty)
    total = np.zeros_like(v)
    rows.steps(v, order[half:], size, every=len(order), anchor=anchor, drift=drift, sum=total, **penalty)
    # A mean of iterates that are 0 now and then is not 0: what the last one says about zeros holds.
    return (
        np.where(v == 0.0, 0.0, total / (len(order) - half))
        if problem.penalty.l1 > 0.0
        else total / (len(order) - half)
    )


def _order(rows: StochasticRows, rng: np.random.Generator) -> IndexArray:
    """Whole random orders of the rows, one after the other."""
    times = -(-SHORTEST // len(rows.active))
    return np.concatenate([random_order(rows, rng) for _ in range(times)])
