"""Proximal Newton for smooth convex losses with an L1, elastic-net or positivity part; vector scores too.

One step chooses a working set of columns and, on it, repeats: the quadratic model of the loss at
the current scores, its minimiser by coordinate descent with the intercept as a free coordinate, a line
search that moves the scores along.  Vector scores (softmax) are treated one output at a time, where the
model's curvature is exact; a common shift of a coefficient over the outputs, which softmax cannot see, is
chosen to make the penalty smallest.  Then one pass over X gives the next dual point and its gap.

The Gram matrix of a model is used again as long as the curvatures have changed little.
Lee, Sun & Saunders 2014, Proximal Newton-type methods; Friedman, Hastie & Tibshirani 2010 (glmnet).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.problems.certify import duality_gap
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.intercept import best_intercept
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.columns import Columns
from empirisk.solvers.newton_block import NewtonBlocks
from empirisk.solvers.quadratic import GramSet
from empirisk.solvers.screening import choose, constraint_size, safely_zero
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["ProxNewton", "ProxNewtonState"]

SWEEPS = 12  # quadratic models of each output in one step
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ProxNewtonState(State):
    """The iterate and what is known about the columns.

    Parameters
    ----------
    columns : Columns
        Access, means and norms.
    v : array, shape (p,) or (p, k)
        Minus the gradient of the mean loss; screened columns keep the value they had.
    gap, scale : float
        Duality gap at w, and what makes the dual point feasible.
    alive : array of int
        Columns that may be nonzero at the optimum.
    grams : tuple of GramSet or None
        One per output.
    """

    columns: Columns | None = None
    v: Array | None = None
    gap: float = np.inf
    scale: float = 1.0
    alive: IndexArray | None = None
    grams: tuple[GramSet | None, ...] = ()


@dataclass(frozen=True)
class ProxNewton:
    """Working sets, gap-safe screening, quadratic models solved by coordinate descent.

    Parameters
    ----------
    accuracy : float, default 0
        Relative gap to which each working set is solved at least; 0 leaves it to the gap of the whole.
    warm : ProxNewtonState, optional
        Where a solve of the same data at another strength ended.

    Notes
    -----
    A step reads X once, or only its unscreened columns, and the working set several times.

    Examples
    --------
    >>> from empirisk.data import ArrayBlocks, Design
    >>> from empirisk.losses import Logistic
    >>> from empirisk.penalties import L1
    >>> from empirisk.solvers.solve import solve
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> data = ArrayBlocks(Design(X), np.array([1.0, 1.0, -1.0, 1.0]), np.ones(4))
    >>> w = solve(LinearProblem(Logistic(), L1(0.125), data, intercept=False), ProxNewton()).w
    >>> w.round(4)  # the slope of log(1 + exp(-z)) at w_0 is -1/4
    array([1.0986, 0.    ])
    """

    accuracy: float = 0.0
    warm: ProxNewtonState | None = None

    name = "prox_newton"
    newton = True
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.GRAD,
            Capability.HESS,
            Capability.SEPARABLE_PENALTY,
            Capability.CONJUGATE,
        }
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> ProxNewtonState:
        if self.warm is not None and self.warm.columns is not None:
            alive = np.flatnonzero(self.warm.columns.norm > 0.0)  # v only ranks the columns from here on
            return replace(self.warm, gap=np.inf, scale=1.0, alive=alive, done=False, n_passes=0.0)
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0 or problem.data.n_cols == 0:
            return ProxNewtonState(problem.null.copy())
        columns = Columns.of(problem)
        state = ProxNewtonState(w, columns=columns, alive=np.flatnonzero(columns.norm > 0.0))
        coef, b = problem.split(w)
        coef = coef.copy()
        coef[columns.norm == 0.0] = 0.0
        if problem.penalty.positive:
            coef = np.maximum(coef, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            z = problem.data.without_absent(columns.scores(coef) + b)
            value = problem.mean_loss(z) + problem.penalty.value(coef)
        if not value <= problem.null_loss:  # the null model is a better start (or the only finite one)
            coef, b = np.zeros_like(coef), problem.split(problem.null)[1]
        return self.look(problem, state, coef, b)

    def step(self, problem: LinearProblem, state: Any) -> ProxNewtonState:
        if state.columns is None:
            stopped: ProxNewtonState = replace(state, done=True)
            return stopped
        coef, b = problem.split(state.w)
        support = np.flatnonzero(coef if coef.ndim == 1 else np.any(coef != 0.0, axis=1))
        blocks = NewtonBlocks(problem, state.columns, coef, b, state.evaluation.scores, state.grams)
        index, missing, sweeps = self.working_set(problem, state, blocks, support)
        goal = (0.3 if missing else 0.01) * state.gap
        blocks.descend(
            min(goal, self.accuracy * problem.null_excess) if self.accuracy > 0.0 else goal, sweeps
        )
        new = coef.copy()
        new[index] = blocks.w
        done = bool(np.array_equal(new, coef))
        moved = self.look(problem, replace(state, grams=blocks.grams), new, blocks.b)
        return replace(moved, done=done and len(index) >= len(state.alive))

    def working_set(
        self, problem: LinearProblem, state: ProxNewtonState, blocks: NewtonBlocks, support: IndexArray
    ) -> tuple[IndexArray, bool, int]:
        """Set the blocks to work: on which columns, whether new ones violate, and for how many sweeps."""
        assert state.columns is not None
        assert state.v is not None
        assert state.alive is not None
        held = blocks.reusable(support)
        size = constraint_size(state.v, problem.penalty.positive)
        index = choose(size, state.columns.norm, problem.penalty.l1, state.scale, state.alive, held)
        blocks.work_on(index)
        return index, bool(np.any(size[index[len(held) :]] > problem.penalty.l1)), SWEEPS

    def screened(
        self, problem: LinearProblem, state: ProxNewtonState, v: Array, gap: float, coef: Array
    ) -> IndexArray:
        """Return the columns that stay alive, given a feasible v and its gap."""
        assert state.columns is not None
        assert state.alive is not None
        alive, penalty = state.alive, problem.penalty
        size = constraint_size(v[alive], penalty.positive)
        zero = safely_zero(size, state.columns.norm[alive], penalty.l1, gap, problem.loss.curvature[1])
        kept: IndexArray = alive[~(zero & (constraint_size(coef[alive], False) == 0.0))]
        return kept

    def look(self, problem: LinearProblem, state: ProxNewtonState, coef: Array, b: Array) -> ProxNewtonState:
        """Return the scores, best intercept, gradient, gap and screening at new coefficients: one pass over
        X.
        """
        assert state.columns is not None
        assert state.alive is not None
        columns, data, loss, penalty = state.columns, problem.data, problem.loss, problem.penalty
        z = data.without_absent(columns.scores(coef))
        if problem.intercept:
            b = best_intercept(loss, data.y, data.weight, z, b)
            z = data.without_absent(z + b)
        slope = loss.grad(data.y, z)
        u = -((data.weight / data.total_weight) * slope.T).T
        value = problem.mean_loss(z)
        v, read = _correlations(problem, state, u, coef)
        w = problem.join(coef, b)
        evaluation = Evaluation(value, problem.join(-v, -u.sum(axis=0)), z)
        certificate = duality_gap(problem, w, evaluation)
        gap = max(certificate.value, certificate.floor)
        alive = state.alive
        scale = penalty.feasible_scale(v)
        if gap < state.gap:
            alive = self.screened(problem, state, scale * v, gap, coef)
        return replace(
            state, w=w, evaluation=evaluation, v=v, gap=gap, scale=scale, alive=alive,
            n_passes=state.n_passes + read, check=True,
        )  # fmt: skip


def _correlations(
    problem: LinearProblem, state: ProxNewtonState, u: Array, coef: Array
) -> tuple[Array, float]:
    """``X' u`` for the columns that are alive, and the share of X that was read."""
    assert state.columns is not None
    assert state.alive is not None
    columns, alive, p = state.columns, state.alive, len(coef)
    few = len(alive) < (p / 64 if columns.rows_first else 0.8 * p)
    if few and state.v is not None:
        v = state.v.copy()
        v[alive] = columns.correlations(u, alive)
        return v, len(alive) / p
    v = columns.correlations(u)
    v[columns.norm == 0.0] = 0.0
    return v, 1.0
