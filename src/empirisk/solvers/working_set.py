"""The sub-problem on a working set: a weighted quadratic over a few columns, with an L1 and an L2 part.

    min_w  sum_i h_i (r_i(w))^2 / 2  +  l1 |w|_1  +  l2 |w|^2 / 2

Dense columns are turned into a Gram matrix, which grows with the set and is kept from step to step;
sparse columns, and sets whose Gram matrix would be too large, are visited in place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from empirisk import _loops
from empirisk.penalties.base import Penalty
from empirisk.solvers.columns import Columns
from empirisk.typing import Array, IndexArray

__all__ = ["GramSet", "Quadratic", "gram_fits", "minimise"]

EPOCHS_OF_CALL = 1000
FLOPS_OF_CALL = 3e8  # keeps one call of the loops well below a second
FREE_GRAM_BYTES = 64e6


def gram_fits(columns: Columns, k: int) -> bool:
    """Whether a Gram matrix of k columns is worth its memory: small, or a tenth of X."""
    return not columns.sparse and 8.0 * k * k <= max(FREE_GRAM_BYTES, 0.1 * columns.X.nbytes)


@dataclass
class GramSet:
    """A growing set of columns with ``G = (X - m)' diag(h) (X - m)`` of its members.

    Members are appended and never leave, so that a later, larger set costs only its new columns.
    """

    columns: Columns
    h: Array
    mean: Array
    index: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    store: Array = field(default_factory=lambda: np.empty((0, 0)))

    def extend(self, features: IndexArray) -> None:
        """Add features that are not members yet; O(n k) per new one."""
        if len(features) == 0:
            return
        held = len(self.index)
        total = held + len(features)
        if total > len(self.store):
            capacity = total if held == 0 else max(total, 2 * len(self.store))
            grown = np.empty((capacity, capacity))
            grown[:held, :held] = self.store[:held, :held]
            self.store = grown
        self.index = np.concatenate([self.index, features])
        _loops.gram_columns(self.columns.X, self.index, self.h, self.mean[self.index], held, self.store)

    @property
    def gram(self) -> Array:
        """The part of the store that is in use."""
        return self.store[: len(self.index), : len(self.index)]


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The sub-problem at the current point.

    Parameters
    ----------
    columns : Columns
        Where the columns come from.
    index : array of int
        The working set.
    h : array, shape (n,)
        Curvature of each row.
    u : array, shape (n,)
        ``h_i r_i``, minus the derivative of the smooth part in the scores.
    q : array, shape (k,)
        Correlations ``x_j . u``, minus the gradient.
    mean : array, shape (p,) or None
        What the columns are centred on; None without an intercept.
    gram : GramSet or None
        Its members are `index`; None to visit the columns in place.
    """

    columns: Columns
    index: IndexArray
    h: Array
    u: Array
    q: Array
    mean: Array | None
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
    run = _gram_run(task, w) if task.gram is not None else _column_run(task, w)
    epochs, gap = 0, np.inf
    while epochs < max_epochs:
        done, gap, move = run(penalty, min(max_epochs - epochs, EPOCHS_OF_CALL), tol_gap, tol_move)
        epochs += done
        if gap <= tol_gap or move <= tol_move:
            break
    return w, epochs, gap


def _gram_run(task: Quadratic, w: Array):  # type: ignore[no-untyped-def]
    assert task.gram is not None  # noqa: S101  (for the type checker)
    gram, q = task.gram.gram, task.q.copy()
    live = task.h > 0.0
    r_square = [float(task.u[live] @ (task.u[live] / task.h[live]))]

    def run(penalty: Penalty, epochs: int, tol_gap: float, tol_move: float) -> tuple[int, float, float]:
        epochs = min(epochs, max(20, int(FLOPS_OF_CALL / (len(w) ** 2 + 1))))
        done, gap, move, r_square[0] = _loops.descend_gram(
            gram, r_square[0], q, w, penalty.l1, penalty.l2, penalty.positive, epochs, tol_gap, tol_move
        )
        return done, gap, move

    return run


def _column_run(task: Quadratic, w: Array):  # type: ignore[no-untyped-def]
    columns, index = task.columns, task.index
    mean, curvature = columns.curvature(task.h, index)
    if task.mean is None:
        curvature = curvature + float(task.h.sum()) * mean**2
    u = np.append(task.u, 0.0)
    size = float(np.diff(columns.X.indptr)[index].sum()) if columns.sparse else float(len(task.u) * len(index))

    def run(penalty: Penalty, epochs: int, tol_gap: float, tol_move: float) -> tuple[int, float, float]:
        epochs = min(epochs, max(5, int(FLOPS_OF_CALL / (4.0 * size + 1.0))))
        done, gap, move, _ = _loops.descend_columns(
            columns.X, index, task.h, None if task.mean is None else mean, curvature, u, w,
            penalty.l1, penalty.l2, penalty.positive, epochs, tol_gap, tol_move,
        )  # fmt: skip
        return done, gap, move

    return run
