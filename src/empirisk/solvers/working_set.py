"""The sub-problem on a working set: a weighted quadratic over a few columns, with an L1 and an L2 part.

    min_w  sum_i h_i (r_i(w))^2 / 2  +  l1 |w|_1  +  l2 |w|^2 / 2         or  +  sum_g c_g ||w_g||

Dense columns are turned into a Gram matrix, which grows with the set and is kept from step to step;
sparse columns, and sets whose Gram matrix would be too large, are visited in place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from empirisk import _loops
from empirisk.data.sums import weighted_sum
from empirisk.penalties.base import Penalty
from empirisk.solvers.columns import Columns
from empirisk.solvers.group_run import GroupRun
from empirisk.typing import Array, IndexArray

__all__ = ["GramSet", "Quadratic", "gram_fits", "minimise"]

FLOPS_OF_CALL = 3e8  # keeps one call of the loops well below a second
FREE_GRAM_BYTES = 64e6  # a Gram matrix up to this size is always worth its memory


def gram_fits(columns: Columns, k: int) -> bool:
    """Return whether a Gram matrix of k columns is worth its memory: small, or a tenth of X."""
    return not columns.sparse and 8.0 * k * k <= max(FREE_GRAM_BYTES, 0.1 * columns.X.nbytes)


class _Store:
    """Memory of a growing matrix, and how much of it is in use by the longest set that shares it."""

    def __init__(self, capacity: int) -> None:
        self.array = np.empty((capacity, capacity))
        self.filled = 0


@dataclass(frozen=True, eq=False)
class GramSet:
    """A growing set of columns with ``G = (X - m)' diag(h) (X - m)`` of its members.

    Members are appended and never leave, so that a later, larger set costs only its new columns.

    Parameters
    ----------
    columns : Columns
        Where the columns come from.
    h : array, shape (n,)
        Curvature of each row.
    index : array of int, shape (k,)
        The members.
    mean : array, shape (k,)
        Their h-weighted means; zero without an intercept.
    """

    columns: Columns
    h: Array
    index: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    mean: Array = field(default_factory=lambda: np.empty(0))
    store: _Store = field(default_factory=lambda: _Store(0))

    @property
    def gram(self) -> Array:
        """G, a view of shape (k, k)."""
        return self.store.array[: len(self.index), : len(self.index)]

    def with_features(self, features: IndexArray, mean: Array) -> GramSet:
        """The set with more members; O(n k) for each.

        The memory is shared with the new set, unless another set has been grown from this one before.
        """
        if len(features) == 0:
            return self
        held, total = len(self.index), len(self.index) + len(features)
        store = self.store
        if store.filled != held or total > len(store.array):
            store = _Store(total if held == 0 else total + total // 2)
            store.array[:held, :held] = self.gram
        index, mean = np.concatenate([self.index, features]), np.concatenate([self.mean, mean])
        _loops.gram_columns(self.columns.X, index, self.h, mean, held, store.array)
        store.filled = total
        return GramSet(self.columns, self.h, index, mean, store)


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The sub-problem at the current point.

    Parameters
    ----------
    columns : Columns
        Where the columns come from.
    index : array of int, shape (k,)
        The working set.
    h : array, shape (n,)
        Curvature of each row.
    u : array, shape (n,)
        ``h_i r_i``, minus the derivative of the smooth part in the scores.
    q : array, shape (k,)
        Correlations ``(x_j - m_j) . u``, minus the gradient.
    mean : array, shape (k,), or None
        The h-weighted means m when there is an intercept.
    curvature : array, shape (k,)
        ``sum_i h_i (x_ij - m_j)^2``.
    gram : GramSet or None
        Its members are `index`; None to visit the columns in place.
    """

    columns: Columns
    index: IndexArray
    h: Array
    u: Array
    q: Array
    mean: Array | None
    curvature: Array
    gram: GramSet | None


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
