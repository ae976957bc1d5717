"""Newton's method on augmented Lagrangians: piecewise linear losses of many rows and few columns.

With multipliers m and a width s > 0 the loss of a row is replaced by its envelope

    M(z) = max_t  -l*(-t) - t z - s (t - m)^2 / 2

whose derivative is ``-t``.  The sum is minimised by Newton's method: its Hessian has only the rows with t
inside its interval, and the line search is along the scores.  Then ``m <- t``, and s shrinks.  Thanks to the
multipliers the optimum is reached, to rounding, while s is still far from 0.  Rows far from their kinks are
set aside meanwhile and looked at again after each round.

Rockafellar 1976 (Mathematics of Operations Research 1); Li, Sun & Toh 2018 (SIAM J. Optimization 28); Yan &
Li 2020 (Optimization Methods and Software 35) for support vector machines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import inner, weighted_sum
from empirisk.losses.dual_rows import dual_rows
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.envelope import Envelope, Rows, distance
from empirisk.solvers.standardise import standardise
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["AugmentedNewton"]

WIDE = 3.0  # the first width, in units of the scores, from no starting point
NARROW = 0.05  # and from the minimiser over a part of the rows
SHRINK = 0.3  # the next width over the last, unless too few rows would lie inside
PART = 40  # rows per parameter of that part
PROMISING = 1e-5  # of the null model's loss: gaps that are worth a certificate


@dataclass(frozen=True)
class AugmentedState(State):
    """`multipliers` and the dual values `t` of all rows, in units of the costs; the width of the envelope.

    `moved` is how far the scores went in the last round, `v` the sum of ``share t x``.
    """

    rows: Rows | None = None
    multipliers: Array | None = None
    t: Array | None = None
    v: Array | None = None
    width: float = 1.0
    moved: float = np.inf


@dataclass(frozen=True)
class AugmentedNewton:
    """One round a step: minimise the envelope, then move the multipliers.

    For the hinge, perceptron, absolute, quantile and epsilon-insensitive losses with an L2 penalty.

    Notes
    -----
    O(n p) per Newton step while all rows are at work, then O(p) for each row near its kink; O(p^3) and
    O(a p^2), a the rows inside, for the Hessian.  Some 60 Newton steps reach the optimum to rounding.  Needs
    a copy of the rows near their kinks, a fraction of X, and of X itself when it is CSC.
    """

    name = "augmented_newton"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.DUAL_STEP,
            Capability.PIECEWISE_LINEAR,
            Capability.L2_PENALTY,
            Capability.SMOOTH_PENALTY,
            Capability.SCALAR_SCORE,
        }
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> AugmentedState:
        if problem.data.total_weight == 0.0:
            return AugmentedState(problem.null.copy())
        rows, unit = _rows(problem), _unit(problem)
        w: Array
        if w0 is not None and np.isfinite(problem.scores(w0)).all():
            w = np.array(w0, dtype=np.float64)
            width = _crowd(problem, rows, problem.scores(w), NARROW * unit)
        else:
            w, width = self._from_part(problem, rows, unit)
        z = problem.scores(w)
        # At width 0 the multipliers would jump between the ends of their intervals.
        m = rows.dual.step(z, width) if width < WIDE * unit else np.zeros(len(z))
        state = AugmentedState(w, rows=rows, multipliers=m, width=width, n_passes=2.0)
        t = rows.dual.step(z - width * m, width)
        return _offer(problem, state, z, t, rows.sum(rows.share * t))

    def _from_part(self, problem: LinearProblem, rows: Rows, unit: float) -> tuple[Array, float]:
        """Return where to begin: near the minimiser over some rows, or at the null model."""
        live = np.flatnonzero(rows.share)
        size = max(PART * problem.n_params, 2_000)
        if len(live) < 4 * size:
            return problem.null.copy(), WIDE * unit
        some = np.sort(np.random.default_rng(0).choice(live, size, replace=False))
        data = ArrayBlocks(rows.design.rows(some), problem.data.y[some], problem.data.weight[some])
        part = replace(problem, data=data)
        state = self.init(part)
        while state.width > NARROW * unit and not state.done:
            state = self.step(part, state)
        return state.w, NARROW * unit

    def step(self, problem: LinearProblem, state: Any) -> AugmentedState:
        if state.rows is None:
            stopped: AugmentedState = replace(state, done=True)
            return stopped
        rows, width, before = state.rows, state.width, state.evaluation.scores
        near = _near(state)
        work = Envelope(problem, rows, near, state.w, before, state.multipliers, state.t, state.v, width)
        steps, settled = work.minimise()
        z = problem.scores(work.w) if steps else before
        t = rows.dual.step(z - width * state.multipliers, width)
        # Rows that had been set aside and do move: the next round has them.
        surprised = _surprised(state.t, t, near)
        v = work.v
        if len(surprised):
            v = v + rows.take(surprised).sum((rows.share * (t - state.t))[surprised])
        share_read = 1.0 if near is None else len(near) / len(z)
        after = replace(
            state,
            w=work.w,
            moved=float(np.abs(z - before).max(initial=0.0)),
            n_passes=state.n_passes + 1.0 + 2.0 * steps * share_read,
        )
        still = steps == 0 and np.array_equal(t, state.multipliers)
        if settled and len(surprised) == 0:
            after = replace(after, multipliers=t, width=_narrower(problem, state, z, t))
        return replace(_offer(problem, after, z, t, v), done=still)


def _rows(problem: LinearProblem) -> Rows:
    X = problem.design.X
    by_rows = Design(X.tocsr()) if problem.design.sparse and X.format == "csc" else problem.design
    dual = dual_rows(problem.loss, problem.data.y)
    share = problem.data.weight / problem.data.total_weight
    if dual.cost is not None:
        share = share * dual.cost
    return Rows(by_rows, share, dual, standardise(problem))


def _unit(problem: LinearProblem) -> float:
    """Return a typical distance of a score from its kink: 1 for labels, the spread of the targets else."""
    if problem.loss.labels:
        return 1.0
    away = np.abs(problem.data.y - problem.null_scores)
    typical = float(weighted_sum(problem.data.weight, away)) / problem.data.total_weight
    return typical if typical > 0.0 else 1.0


def _crowd(problem: LinearProblem, rows: Rows, z: Array, most: float) -> float:
    """Small beside the distance of as many scores from their kinks as there are parameters."""
    far = np.sort(np.abs(np.abs(rows.dual.center - z) - rows.dual.tube)[rows.share > 0.0])
    return float(np.clip(0.01 * far[min(problem.n_params, len(far) - 1)], 1e-4 * most, most))


def _near(state: AugmentedState) -> IndexArray | None:
    """Return the rows that the next round may move; None for all."""
    assert state.rows is not None
    assert state.evaluation is not None
    assert state.multipliers is not None
    if not np.isfinite(state.moved):
        return None
    away = distance(state.rows.dual, state.evaluation.scores, state.multipliers, state.width)
    near = np.flatnonzero((away <= 2.0 * state.moved + 10.0 * state.width) & (state.rows.share > 0.0))
    return near if 2 * len(near) <= len(away) else None


def _surprised(before: Array, after: Array, near: IndexArray | None) -> IndexArray:
    """Return the rows beside the near ones whose dual values changed all the same."""
    if near is None:
        return np.empty(0, dtype=np.intp)
    changed = before != after
    changed[near] = False
    return np.flatnonzero(changed)


def _narrower(problem: LinearProblem, state: AugmentedState, z: Array, t: Array) -> float:
    """Return the next width: less than a third, but more where fewer rows than parameters would be inside."""
    assert state.rows is not None
    enough = min(problem.n_params + 1, _inside(state, z, t, 1.0))
    for factor in (SHRINK, 0.5):
        if _inside(state, z, t, factor) >= enough:
            return factor * state.width
    return 0.7 * state.width


def _inside(state: AugmentedState, z: Array, t: Array, factor: float) -> int:
    assert state.rows is not None
    return int(np.count_nonzero(distance(state.rows.dual, z, t, factor * state.width) < 0.0))


def _offer(problem: LinearProblem, state: AugmentedState, z: Array, t: Array, v: Array) -> AugmentedState:
    """Return the state with what certifies it: t as dual values, and whether that is worth a look."""
    assert state.rows is not None
    dual, l2 = state.rows.dual, problem.penalty.l2
    left = l2 * problem.split(state.w)[0] - v
    theta = t if dual.cost is None else t * dual.cost
    slope = -float(state.rows.share @ t)
    return replace(
        state,
        evaluation=Evaluation(problem.mean_loss(z), problem.join(-v, slope), z),
        hint=theta,
        t=t,
        v=v,
        check=inner(left, left) / (2.0 * l2) <= PROMISING * problem.null_excess,
    )
