"""Coordinate descent for the squared loss with an L1, elastic-net or positivity part.

One step chooses a working set of columns, those nearest to the constraints of the dual problem,
minimises over it by cyclic coordinate descent with Anderson acceleration, and looks at all remaining
columns once: that pass gives the next dual point, its gap, the columns that are safely zero, and the
certificate.

Massias, Gramfort & Salmon 2018, Celer: a fast solver for the lasso with dual extrapolation; Johnson &
Guestrin 2015, Blitz; Bertrand & Massias 2021, Anderson acceleration of coordinate descent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.columns import Columns
from empirisk.solvers.quadratic import GramSet, Quadratic, gram_fits
from empirisk.solvers.screening import ALL_AT_ONCE, FIRST_SET, choose, constraint_size, safely_zero
from empirisk.solvers.working_set import minimise
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["Coordinate", "CoordinateState"]

BALLAST = 3  # a Gram matrix this much larger than the support is built anew
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class CoordinateState(State):
    """The iterate and what is known about the columns.

    Parameters
    ----------
    columns : Columns
        Access, means and norms.
    h : array, shape (n,)
        ``s_i / S``.
    v : array, shape (p,)
        ``x_j . theta`` at w, not scaled; screened columns keep the value they had.
    gap : float
        Duality gap at w; infinite without an L1 or L2 part.
    scale : float
        What makes theta feasible.
    alive : array of int
        Columns that may be nonzero at the optimum.
    gram : GramSet or None
        Gram matrix of the columns that were ever in a working set.
    fresh : bool
        Whether v belongs to w in all columns; if not, it only ranks them.
    """

    columns: Columns | None = None
    h: Array | None = None
    v: Array | None = None
    gap: float = np.inf
    scale: float = 1.0
    alive: IndexArray | None = None
    gram: GramSet | None = None
    fresh: bool = True


# Relative gap of a sub-problem that is the whole problem and is cheap: it has its Gram matrix, or X is small.
WHOLE = 1e-14
SMALL = 100_000


@dataclass(frozen=True)
class Coordinate:
    """Working sets, gap-safe screening, coordinate descent with Anderson acceleration.

    Parameters
    ----------
    accuracy : float, default 0
        Relative gap to which each sub-problem is solved at least; 0 leaves it to the gap of the whole.
    warm : CoordinateState, optional
        Where a solve of the same data at another strength ended: its columns, Gram matrix and ranking
        are used.

    Notes
    -----
    A step reads X once, or only its unscreened columns.  Memory: the Gram matrix of the working set,
    at most a tenth of X or 64 MB, and vectors.

    Examples
    --------
    >>> from empirisk.data import ArrayBlocks, Design
    >>> from empirisk.losses import HalfSquared
    >>> from empirisk.penalties import L1
    >>> from empirisk.solvers.solve import solve
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> data = ArrayBlocks(Design(X), np.array([3.0, 0.5, -3.0, -0.5]), np.ones(4))
    >>> solve(LinearProblem(HalfSquared(), L1(0.5), data, intercept=False), Coordinate()).w
    array([2., 0.])
    """

    accuracy: float = 0.0
    warm: CoordinateState | None = None

    name = "coordinate"
    needs = frozenset(
        {Capability.DESIGN, Capability.QUADRATIC, Capability.SEPARABLE_PENALTY, Capability.SCALAR_SCORE}
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> CoordinateState:
        if self.warm is not None and self.warm.columns is not None:
            alive = np.flatnonzero(self.warm.columns.norm > 0.0)
            return self.warm.then(gap=np.inf, scale=1.0, alive=alive, fresh=False, done=False, n_passes=0.0)
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0 or problem.data.n_cols == 0:
            return CoordinateState(problem.null.copy())
        columns = Columns.of(problem)
        h = problem.data.weight.astype(np.float64, copy=False) / problem.data.total_weight
        alive = np.flatnonzero(columns.norm > 0.0)
        state = CoordinateState(w, columns=columns, h=h, alive=alive)
        coef = problem.split(w)[0].copy()
        if w0 is None and len(alive) <= ALL_AT_ONCE:  # nothing to screen or to choose: no look at it
            first = problem.null_evaluation
            v, read = _correlations(problem, state, h * (problem.data.y - first.scores), coef)
            return state.then(evaluation=first, v=v, n_passes=read)
        coef[columns.norm == 0.0] = 0.0
        if problem.penalty.positive:
            coef = np.maximum(coef, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            state = self.look(problem, state, coef)
        if np.isfinite(state.evaluation.loss):
            return state
        return self.look(problem, state.then(v=None), np.zeros_like(coef))

    def step(self, problem: LinearProblem, state: Any) -> CoordinateState:
        if state.columns is None:
            stopped: CoordinateState = state.then(done=True)
            return stopped
        coef = problem.split(state.w)[0]
        index, gram = self.working_set(problem, state, coef)
        u = state.h * (problem.data.y - state.evaluation.scores)
        task = Quadratic(
            state.columns,
            index,
            state.h,
            u,
            state.v[index] if state.fresh else state.columns.correlations(u, index),
            state.columns.mean[index] if problem.intercept else None,
            state.columns.norm[index] ** 2,
            gram,
        )
        size = float(np.sqrt(2.0 * problem.null_loss))
        tol_gap = (1e-3 if gram is not None else 0.03) * state.gap
        accuracy = self.accuracy
        cheap = gram is not None or problem.design.size <= SMALL
        if cheap and len(index) >= len(state.alive):
            # Nothing is left out: the whole problem to the last digits costs next to nothing.
            accuracy = WHOLE
        if accuracy > 0.0:
            tol_gap = min(tol_gap, accuracy * problem.null_loss)
        # Below the rounding of the objective no gap can be measured.
        tol_gap = max(tol_gap, 1e-15 * size**2)
        moved, _, _ = minimise(task, coef[index], problem.penalty, tol_gap, 1e-15 * size)
        new = coef.copy()
        new[index] = moved
        done = bool(np.array_equal(new, coef)) and len(index) >= len(state.alive)
        return self.look(problem, state.then(gram=gram), new).then(done=done)

    def working_set(
        self, problem: LinearProblem, state: CoordinateState, coef: Array
    ) -> tuple[IndexArray, GramSet | None]:
        """Return the columns to work on, and their Gram matrix when it is worth its memory."""
        assert state.columns is not None
        assert state.alive is not None
        assert state.v is not None
        assert state.h is not None
        columns, penalty = state.columns, problem.penalty
        held: IndexArray = np.flatnonzero(coef)
        gram = state.gram or GramSet(columns, state.h)
        if len(gram.index) > BALLAST * max(len(held), FIRST_SET):
            gram = GramSet(columns, state.h)
        if len(gram.index) > 0:
            held = gram.index
        size = constraint_size(state.v, penalty.positive)
        index = choose(size, columns.norm, penalty.l1, state.scale, state.alive, held)
        if not gram_fits(columns, max(len(index), len(held))):
            return index, None
        new = index
        if len(gram.index):
            outside = np.ones(problem.data.n_cols, dtype=bool)
            outside[gram.index] = False
            new = index[outside[index]]
        gram = gram.with_features(new, columns.mean[new])
        return gram.index, gram

    def look(self, problem: LinearProblem, state: CoordinateState, coef: Array) -> CoordinateState:
        """Return the scores, intercept, correlations, gap and screening at new coefficients: one pass
        over X.
        """
        assert state.columns is not None
        assert state.h is not None
        assert state.alive is not None
        columns, h, y, penalty = state.columns, state.h, problem.data.y, problem.penalty
        z = columns.scores(coef)
        b = float(weighted_sum(h, y - z)) if problem.intercept else 0.0
        z += b
        r = y - z
        u = h * r
        loss, covered = 0.5 * float(weighted_sum(u, r)), float(weighted_sum(u, y))
        v, read = _correlations(problem, state, u, coef)
        alive_v = v[state.alive]
        scale = penalty.feasible_scale(alive_v)
        rest = penalty.conjugate(scale * alive_v)
        gap = loss + penalty.value(coef) + rest + scale * (scale * loss - covered)
        rounding = 8.0 * EPS * (abs(loss) + abs(covered) + rest)
        gap = max(gap, rounding) if np.isfinite(gap) else np.inf
        alive = state.alive
        if penalty.l1 > 0.0 and gap < state.gap:
            size = constraint_size(scale * alive_v, penalty.positive)
            zero = safely_zero(size, columns.norm[alive], penalty.l1, gap, 1.0)
            zero &= coef[alive] == 0.0
            alive = alive[~zero]
        w = problem.join(coef, b)
        evaluation = Evaluation(loss, problem.join(-v, -float(u.sum())), z)
        return state.then(
            w=w, evaluation=evaluation, v=v, gap=gap, scale=scale, alive=alive,
            fresh=True, n_passes=state.n_passes + read, check=True,
        )  # fmt: skip


def _correlations(
    problem: LinearProblem, state: CoordinateState, u: Array, coef: Array
) -> tuple[Array, float]:
    """``x_j . u`` for the columns that are alive, and the share of X that was read."""
    assert state.columns is not None
    assert state.alive is not None
    columns, alive, p = state.columns, state.alive, len(coef)
    if state.v is None and not np.any(coef):  # the null model, whose gradient others ask for too
        v = -problem.split(problem.null_evaluation.grad)[0]
        v -= float(u.sum()) * columns.mean
        v[columns.norm == 0.0] = 0.0
        return v, 1.0
    few = len(alive) < (p / 64 if columns.rows_first else 0.8 * p)
    if not few or state.v is None:
        v = columns.correlations(u)
        v[columns.norm == 0.0] = 0.0
        return v, 1.0
    v = state.v.copy()
    v[alive] = columns.correlations(u, alive)
    return v, len(alive) / p
