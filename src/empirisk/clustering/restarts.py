"""K-means from several starts, of which the hopeless ones are given up early.

A start is given up after step t >= 5 where neither ten more steps as good as the last nor twice what the best
completed start gained after its step t would bring it below that start's end.  That is a rule of thumb, since
a later step may gain more; the best of the completed starts is returned, and the first is always completed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from empirisk.clustering.assign import assigned
from empirisk.clustering.lloyd import Lloyd, LloydRun
from empirisk.clustering.seedings import Seeding
from empirisk.data.sums import weighted_sum
from empirisk.typing import Array

__all__ = ["Restarts", "run_restarts"]


@dataclass(frozen=True)
class Restarts:
    """The best run, and where each start ended.

    Parameters
    ----------
    best : LloydRun
        The completed run with the smallest objective, the first of equal ones.
    objectives : array, shape (n_init,)
        Objective of the centres that each start was left with, weighted mean of squared distances.
    given_up : array of bool, shape (n_init,)
        Which starts were not completed.
    passes : int
        How often the starts have read the rows, one pass a step.
    """

    best: LloydRun
    objectives: Array
    given_up: NDArray[np.bool_]
    passes: int

    def ending(self, inertia: float) -> Restarts:
        """Return the same with this objective for the best start, which may have gone on from its end."""
        objectives = self.objectives.copy()
        objectives[np.argmin(np.where(self.given_up, np.inf, objectives))] = inertia
        return replace(self, objectives=objectives)

    @property
    def sentence(self) -> str:
        """How far the starts are apart; "" for one of them."""
        if len(self.objectives) == 1:
            return ""
        done = self.objectives[~self.given_up]
        lost = int(self.given_up.sum())
        ended = f"; of {len(self.objectives)} starts "
        if len(done) == 1:
            ended += f"one ended at {done[0]:.6g}"
        else:
            ended += f"{len(done)} ended between {done.min():.6g} and {done.max():.6g}"
        return ended + (f", {lost} given up early" if lost else "")


def run_restarts(
    lloyd: Lloyd,
    seeding: Seeding,
    n_clusters: int,
    n_init: int,
    rng: np.random.Generator,
    tol: float,
    max_iter: int,
) -> Restarts:
    """Run Lloyd's steps from so many seedings.

    Parameters
    ----------
    lloyd : Lloyd
        Rows, weights and the algorithm.
    seeding : Seeding
        What chooses the starts.
    n_clusters, n_init : int
        K and the number of starts.
    rng : numpy.random.Generator
        What draws them.
    tol, max_iter : float, int
        As :meth:`Lloyd.run`.
    """
    best: LloydRun | None = None
    objectives, given_up = np.empty(n_init), np.zeros(n_init, dtype=bool)
    passes, least = 0, np.inf
    for r in range(n_init):
        centers = seeding.centers(lloyd.X, lloyd.weight, n_clusters, rng)
        run = lloyd.run(centers, tol, max_iter, None if best is None else best.path)
        objectives[r], given_up[r] = _reached(lloyd, run, tol), run.given_up
        passes += len(run.path)
        if not run.given_up and (best is None or objectives[r] < least):
            best, least = run, objectives[r]
    assert best is not None
    return Restarts(best, objectives, given_up, passes)


def _reached(lloyd: Lloyd, run: LloydRun, tol: float) -> float:
    """Return the objective of the centres of a run; its path is about the means that they would move to."""
    if run.given_up or run.step <= tol:
        return run.path[-1] + run.step
    # Stopped by max_iter: rows that fill an empty cluster are not where its centre is yet.
    squares = assigned(lloyd.X, run.centers)[1]
    s = lloyd.weight
    return float(squares.sum() if s is None else weighted_sum(s, squares)) / lloyd.total
