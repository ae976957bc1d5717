"""A primal-dual interior point for piecewise linear losses, ended exactly by a crossover.

Steps: `central_path.py`; the end: `crossover.py`.  With many rows and few columns the optimum of a small part
of the rows tells on which side most others lie (Portnoy & Koenker 1997, Statistical Science 12):
`far_rows.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.central_path import Point, advance, relative_gap, start
from empirisk.solvers.crossover import Sides, crossover, from_sides, sides_near
from empirisk.solvers.far_rows import near_optimum, worth_it
from empirisk.solvers.kinked_rows import KinkedRows, kinked_rows
from empirisk.typing import Array, Capability

__all__ = ["InteriorPoint"]

NEAR = 1e-4  # relative gap from which the crossover is tried,
AGAIN = 1e-2  # share of its gap at which a crossover from the same sides is tried again,
SMALL = 1e-13  # and at which iterates are as good as rounding lets them be


@dataclass(frozen=True)
class InteriorState(State):
    """The rows and the iterate; `basis` spans the columns when they are dependent.

    From the sides `failed`, seen at the gap `failed_at`, the crossover did not reach an optimum.
    """

    rows: KinkedRows | None = None
    point: Point | None = None
    basis: Array | None = None
    gap: float = np.inf
    failed: Sides | None = None
    failed_at: float = np.inf


@dataclass(frozen=True)
class InteriorPoint:
    """Primal-dual predictor-corrector steps, then the exact optimum from the rows on their kinks.

    Parameters
    ----------
    far_rows : bool, default True
        With many rows, find the side of most of them from a sample first; the answer is the same.

    Notes
    -----
    O(n p^2 + p^3) a step, 10 to 25 steps; with `far_rows` they are steps of some (n p)^(2/3) rows, and the
    rest is passes over X.
    """

    far_rows: bool = True

    name = "interior_point"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.PIECEWISE_LINEAR,
            Capability.SEPARABLE_PENALTY,
            Capability.FREE_SIGNS,
            Capability.SCALAR_SCORE,
        }
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> InteriorState:
        w = problem.zeros() if w0 is None else np.array(w0, dtype=np.float64)
        if problem.data.total_weight == 0.0 or problem.n_params == 0:
            return InteriorState(w, done=True)
        rows = kinked_rows(problem)
        state = InteriorState(w, None, False, False, 1.0, "", rows)
        return state if w0 is None else _cross(state, rows.standard.to_u(w), None) or state

    def step(self, problem: LinearProblem, state: Any) -> InteriorState:
        rows = state.rows
        if rows is None or state.done:
            stopped: InteriorState = replace(state, done=True)
            return stopped
        if state.point is None:
            if self.far_rows and worth_it(rows):
                near = near_optimum(rows)
                ended = None if near is None else _cross(state, near, None)
                if ended is not None:
                    return ended
            # A start of zeros is no news.
            w0 = rows.standard.to_u(state.w) if np.any(state.w) else None
            basis, point = start(rows, w0)
            state = replace(state, basis=basis, point=point, n_passes=state.n_passes + 4.0)
        moved = advance(rows, state.point, state.basis)
        gap = relative_gap(rows, moved)
        after: InteriorState = state.then(
            w=rows.standard.to_w(moved.w), hint=rows.theta(moved.u), point=moved, gap=gap,
            check=gap <= SMALL, done=gap <= SMALL or not np.isfinite(gap), n_passes=state.n_passes + 5.0,
        )  # fmt: skip
        if gap > NEAR:
            return after
        # What failed from these sides would fail again, but for what is left open where rows are equal.
        sides = sides_near(rows, moved.w, moved.u)
        if sides is None or (sides.like(state.failed) and gap > AGAIN * state.failed_at):
            return after
        found = from_sides(rows, moved.w, sides)
        return after.then(failed=sides, failed_at=gap) if found is None else _ended(after, found)


def _cross(state: InteriorState, w: Array, u: Array | None) -> InteriorState | None:
    """Return the state at the exact optimum near standardised parameters w, when the crossover finds one."""
    assert state.rows is not None
    found = crossover(state.rows, w, u)
    return None if found is None else _ended(state, found)


def _ended(state: InteriorState, found: tuple[Array, Array]) -> InteriorState:
    assert state.rows is not None
    return replace(
        state, w=state.rows.standard.to_w(found[0]), hint=state.rows.theta(found[1]), check=True, done=True,
        n_passes=state.n_passes + 3.0,
    )  # fmt: skip
