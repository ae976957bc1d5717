"""The sub-problem on a working set: a weighted quadratic over a few columns, with an L1 and an L2 part.

    min_w  sum_i h_i (r_i(w))^2 / 2  +  l1 |w|_1  +  l2 |w|^2 / 2         or  +  sum_g c_g ||w_g||

Dense columns are turned into a Gram matrix, which grows with the set and is kept from step to step;
sparse columns, and sets whose Gram matrix would be too large, are visited in place.
"""

from __future__ import annotations

import numpy as np

from empirisk import _loops
from empirisk.data.sums import weighted_sum
from empirisk.penalties.base import Penalty
from empirisk.solvers.group_run import GroupRun
from empirisk.solvers.quadratic import Quadratic
from empirisk.typing import Array

__all__ = ["minimise"]

FLOPS_OF_CALL = 3e8  # keeps one call of the loops well below a second


def minimise(
    task: Quadratic, w: Array, penalty: Penalty, tol_gap: float, tol_move: float, max_epochs: int = 10_000
) -> tuple[Array, int, float]:
    """Coordinate descent from w until the sub-problem's duality gap is at most tol_gap.

    Without an L1 part there is no gap: it ends when no coordinate moves its column by more than
    tol_move.  Returns the coefficients, the epochs, and the last gap.
    """
    w = w.copy()
    if len(w) == 0:
        return w, 0, 0.0
    run: _GramRun | _ColumnRun | GroupRun
    if penalty.grouped:
        run = GroupRun(task, w, penalty)
    else:
        run = _GramRun(task, w) if task.gram is not None else _ColumnRun(task, w)
    epochs, gap = 0, np.inf
    while epochs < max_epochs:
        limit = min(max_epochs - epochs, max(5, int(FLOPS_OF_CALL / run.flops_of_epoch)))
        done, gap, move = run(penalty, limit, tol_gap, tol_move)
        epochs += done
        if gap <= tol_gap or move <= tol_move:
            break
    if isinstance(run, GroupRun):
        w = run.solution()
    return w, epochs, gap


class _GramRun:
    """Epochs on the Gram matrix; w and the correlations move together."""

    def __init__(self, task: Quadratic, w: Array) -> None:
        assert task.gram is not None
        self.gram, self.q, self.w = task.gram.gram, task.q.copy(), w
        live = task.h > 0.0
        self.r_square = float(weighted_sum(task.u[live], task.u[live] / task.h[live]))
        self.flops_of_epoch = float(len(w)) ** 2 + 1.0

    def __call__(
        self, penalty: Penalty, epochs: int, tol_gap: float, tol_move: float
    ) -> tuple[int, float, float]:
        done, gap, move, self.r_square = _loops.descend_gram(
            self.gram, self.r_square, self.q, self.w, penalty.l1, penalty.l2, penalty.positive,
            epochs, tol_gap, tol_move,
        )  # fmt: skip
        return done, gap, move


class _ColumnRun:
    """Epochs on the columns of X in place; w and the weighted residual move together."""

    def __init__(self, task: Quadratic, w: Array) -> None:
        self.task, self.w = task, w
        self.u = np.append(task.u, 0.0)
        X, index = task.columns.X, task.index
        size = (
            float(np.diff(X.indptr)[index].sum()) if task.columns.sparse else float(len(task.u) * len(index))
        )
        self.flops_of_epoch = 4.0 * size + 1.0

    def __call__(
        self, penalty: Penalty, epochs: int, tol_gap: float, tol_move: float
    ) -> tuple[int, float, float]:
        task = self.task
        done, gap, move, _ = _loops.descend_columns(
            task.columns.X, task.index, task.h, task.mean, task.curvature, self.u, self.w,
            penalty.l1, penalty.l2, penalty.positive, epochs, tol_gap, tol_move,
        )  # fmt: skip
        return done, gap, move
