"""Lloyd's steps on a problem whose rows need not be in memory.

Lloyd, IEEE Transactions on Information Theory 28(2), 1982: each centre goes to the mean of the rows that are
nearest to it, which never raises the objective.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.problems.kmeans import KMeansProblem
from empirisk.solvers.base import State
from empirisk.typing import Array, Capability

__all__ = ["LloydSteps"]


@dataclass(frozen=True)
class LloydSteps:
    """``c_k <- mean_k`` of the nearest rows; a centre without rows goes to the row that is farthest off.

    Notes
    -----
    One pass over the rows a step, and one more for each centre that has lost its rows.

    Examples
    --------
    >>> import empirisk as er
    >>> rows = er.data.BlockList.cut(np.array([[0.0], [1.0], [8.0], [9.0]]), np.zeros(4))
    >>> found = er.solve(er.problems.KMeansProblem(rows, np.array([[0.0], [1.0]])), "lloyd")
    >>> found.w.ravel(), found.status.name
    (array([0.5, 8.5]), 'CERTIFIED')
    """

    name = "lloyd"
    needs = frozenset({Capability.MEANS})

    def init(self, problem: KMeansProblem, w0: Array | None) -> State:
        """Return the first centres, with the pass that finds their rows."""
        w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
        return State(w, problem.evaluate(w), n_passes=1.0)

    def step(self, problem: KMeansProblem, state: State) -> State:
        """Return the means of the nearest rows, with the pass that finds theirs."""
        e = state.evaluation
        empty = int((e.mass <= 0.0).sum())
        w = problem.refilled(state.w, e) if empty else e.means
        done = bool(np.array_equal(w, state.w))
        after = e if done else problem.evaluate(w)
        return State(w, after, done=done, n_passes=state.n_passes + empty + (not done))
