"""Epochs over groups of columns, each group measured along its principal axes.

A rotation within a group leaves ``||w_g||`` alone and makes the curvature of the group diagonal, so that the
loops minimise over a whole group exactly.  A Gram matrix is rotated once; columns stay where they are, and
the axes are applied to products with them.
"""

from __future__ import annotations

import numpy as np

from empirisk import _loops
from empirisk.data.sums import weighted_sum
from empirisk.penalties.base import Penalty
from empirisk.solvers.quadratic import Quadratic
from empirisk.typing import Array, IndexArray

__all__ = ["GroupRun"]


class GroupRun:
    """The sub-problem of a working set whose groups lie one after the other."""

    def __init__(self, task: Quadratic, w: Array, penalty: Penalty) -> None:
        labels, strength = penalty.blocks(len(w))
        self.task = task
        self.start = np.concatenate([[0], np.flatnonzero(np.diff(labels)) + 1, [len(w)]]).astype(np.int64)
        self.strength = strength[labels[self.start[:-1]]]
        self.axes: list[tuple[slice, Array]] = []
        if task.gram is not None:
            self.gram = task.gram.gram.copy()
            self._rotate()
            self.q = self._into(task.q)
            live = task.h > 0.0
            self.r_square = float(weighted_sum(task.u[live], task.u[live] / task.h[live]))
            self.flops_of_epoch = float(len(w)) ** 2 + 1.0
        else:
            self._look_along(task)
            self.u = np.append(task.u, 0.0)
            X, index = task.columns.X, task.index
            stored = np.diff(X.indptr)[index].sum() if task.columns.sparse else len(task.u) * len(index)
            self.flops_of_epoch = 4.0 * float(stored) + 1.0
        self.w = self._into(w)

    def _places(self) -> list[slice]:
        return [slice(int(a), int(b)) for a, b in zip(self.start[:-1], self.start[1:], strict=True)]

    def _rotate(self) -> None:
        """Bring the blocks of the groups of the Gram matrix to diagonal form."""
        G = self.gram
        for at in self._places():
            if at.stop - at.start == 1:
                continue
            size, V = np.linalg.eigh(G[at, at])
            self.axes.append((at, V))
            G[:, at] = G[:, at] @ V
            G[at] = V.T @ G[at]
            G[at, at] = np.diag(np.maximum(size, 0.0))

    def _look_along(self, task: Quadratic) -> None:
        """The curvatures along the axes of each group, from the Gram matrix of the group alone."""
        self.curvature = np.empty(len(task.index))
        for at in self._places():
            mean = np.zeros(at.stop - at.start) if task.mean is None else task.mean[at]
            size, V = np.linalg.eigh(_gram(task, task.index[at], mean))
            self.curvature[at] = np.maximum(size, 0.0)
            self.axes.append((at, V))
        self.flat = np.concatenate([V.ravel() for _, V in self.axes])

    def _into(self, v: Array) -> Array:
        out = v.copy()
        for at, V in self.axes:
            out[at] = V.T @ v[at]
        return out

    def solution(self) -> Array:
        """Return the coefficients, rotated back to the columns as they were given."""
        out = self.w.copy()
        for at, V in self.axes:
            out[at] = V @ self.w[at]
        return out

    def __call__(
        self, penalty: object, epochs: int, tol_gap: float, tol_move: float
    ) -> tuple[int, float, float]:
        """Run some epochs, and return how many, the gap, and the largest move."""
        task = self.task
        if task.gram is not None:
            done, gap, move, self.r_square = _loops.descend_groups(
                self.gram, self.r_square, self.q, self.w, self.start, self.strength, epochs, tol_gap, tol_move
            )
            return done, gap, move
        done, gap, move, _ = _loops.descend_group_columns(
            task.columns.X, task.index, task.h, task.mean, self.curvature, self.u, self.w,
            self.start, self.strength, self.flat, epochs, tol_gap, tol_move,
        )  # fmt: skip
        return done, gap, move


def _gram(task: Quadratic, index: IndexArray, mean: Array) -> Array:
    """``(X - m)' diag(h) (X - m)`` for the columns of one group."""
    X, k = task.columns.X, len(index)
    if not task.columns.sparse:
        out = np.zeros((k, k))
        _loops.gram_columns(X, index, task.h, mean, 0, out)
        return out
    block = X[:, index].astype(np.float64, copy=False)
    product = (block.multiply(task.h[:, None]).T @ block).toarray()
    return np.asarray(product - float(task.h.sum()) * np.outer(mean, mean))
