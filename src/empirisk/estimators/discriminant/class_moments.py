"""Weights, means and scatter of classes as sums over row blocks, which add up without cancellation.

Chan, Golub and LeVeque, American Statistician 37 (1983): two sets of rows are joined by their means and their
sums of squares about them; nothing is subtracted that is large beside what is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.row_blocks import Block
from empirisk.typing import Array, IndexArray

__all__ = ["ClassMoments", "class_parts"]

# Rows of a class that are copied together at a time, so that both passes over them stay in the cache.
ROWS = 8_192


def class_parts(block: Block, n_classes: int) -> Iterator[tuple[int, Any, Array]]:
    """Yield the rows of positive weight by class, some at a time: class code, rows, weights."""
    X, codes, weight = block.design.X, np.asarray(block.y), np.asarray(block.weight)
    for a in range(0, len(codes), ROWS):
        part, here, s = X[a : a + ROWS], codes[a : a + ROWS], weight[a : a + ROWS]
        order = np.argsort(here, kind="stable")
        order = order[s[order] > 0.0]
        ends = np.searchsorted(here[order], np.arange(n_classes + 1))
        for k in np.flatnonzero(np.diff(ends)):
            rows: IndexArray = order[ends[k] : ends[k + 1]]
            yield int(k), part[rows], np.ascontiguousarray(s[rows], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Moments of K classes.

    Parameters
    ----------
    kind : {"each", "pooled", "diagonal"}
        Which scatter is kept.
    weight : array, shape (K,)
        S_k, the sum of the weights of a class; a class without rows has weight 0 and the mean 0.
    mean : array, shape (K, p)
        ``m_k = sum_{i in k} s_i x_i / S_k``.
    scatter : array
        ``sum_{i in k} s_i (x_i - m_k)(x_i - m_k)'``: of each class, shape (K, p, p); their sum over the
        classes, shape (p, p); or the diagonal of each, shape (K, p).

    Examples
    --------
    >>> ends = (1e9, 1e9 + 2.0)
    >>> one, two = (ClassMoments("diagonal", np.ones(1), np.full((1, 1), m), np.zeros((1, 1))) for m in ends)
    >>> both = one + two
    >>> float(both.mean[0, 0]) - 1e9, float(both.scatter[0, 0])
    (1.0, 2.0)
    """

    kind: str
    weight: Array
    mean: Array
    scatter: Array

    @classmethod
    def of(cls, block: Block, n_classes: int, kind: str) -> ClassMoments:
        """Return the moments of one block of rows with class codes."""
        p = block.design.shape[1]
        shape = {"each": (n_classes, p, p), "pooled": (p, p), "diagonal": (n_classes, p)}[kind]
        total = cls(kind, np.zeros(n_classes), np.zeros((n_classes, p)), np.zeros(shape))
        for k, rows, s in class_parts(block, n_classes):
            total._take(k, rows, None if s.min() == s.max() == 1.0 else s)
        return total

    def _take(self, k: int, rows: Any, s: Array | None) -> None:
        """Add rows of class k to these moments, in place."""
        mean, squares = _loops.col_moments(rows, s)
        scatter = squares if self.kind == "diagonal" else _loops.gram(rows, s, mean, True)
        self._join(k, float(len(rows)) if s is None else float(s.sum()), mean, scatter)

    def _join(self, k: int, weight: float, mean: Array, scatter: Array) -> None:
        """Add moments of class k to these, in place; of pooled scatter what the means add to it."""
        total = float(self.weight[k]) + weight
        share, apart = weight / total, mean - self.mean[k]
        square = apart**2 if self.kind == "diagonal" else np.outer(apart, apart)
        here = self.scatter if self.kind == "pooled" else self.scatter[k]
        here += scatter + (float(self.weight[k]) * share) * square
        self.mean[k] += share * apart
        self.weight[k] = total

    def __add__(self, other: ClassMoments) -> ClassMoments:
        """Return the moments of both sets of rows together."""
        both = ClassMoments(self.kind, self.weight.copy(), self.mean.copy(), self.scatter.copy())
        nothing = np.zeros(self.scatter.shape[-2:] if self.kind != "diagonal" else self.scatter.shape[-1:])
        for k in map(int, np.flatnonzero(other.weight > 0.0)):
            both._join(
                k,
                float(other.weight[k]),
                other.mean[k],
                nothing if self.kind == "pooled" else other.scatter[k],
            )
        if self.kind == "pooled":
            both.scatter[:] += other.scatter
        return both

    @property
    def live(self) -> Any:
        """Whether a class has rows of positive weight, shape (K,)."""
        return np.asarray(self.weight > 0.0)
