"""Bounds that spare rows the centres that cannot be nearest (Ding et al., ICML 2015, "Yinyang K-means").

A row knows how far its own centre is at most, and for each group of centres how far the others are at least.
By the triangle inequality both stay true when they are changed by the ways that centres go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.clustering.assign import Labels, pieces
from empirisk.data.brief import Brief
from empirisk.typing import Array, IndexArray

__all__ = ["Bounds"]

# Centres of a group: few enough that their ways are alike, and whole panels of vectors. Groups of 8, 16 and
# 24 were slower by up to a fifth (5e5 x 32 with 64 centres, 5e4 x 64 with 256; either precision).
GROUP = 32
MOST_GROUPS = 64


@dataclass(repr=False)
class Bounds(Brief):
    """Bounds of the distances between rows and centres, which the compiled loop keeps.

    Build with :meth:`of`.  Labels have the same bits as without bounds: rows are spared only where rounding
    could not change their label.
    """

    X: Any
    shift: Array | None
    square: Array
    order: IndexArray
    group: IndexArray
    walked: Array
    group_walked: Array
    upper: Array
    lower: Array
    looked: int = 0

    @classmethod
    def of(cls, X: Any, centers: Array, shift: Array | None, square: Array) -> Bounds:
        """Return bounds that know nothing yet, with centres in groups of neighbours."""
        n, k = X.shape[0], len(centers)
        width = _loops.panel_width(X.dtype == np.float32)
        size = width * -(-max(min(GROUP, k), -(-k // MOST_GROUPS)) // width)
        groups = _neighbours(centers, size)
        order = np.full((len(groups), size), -1, dtype=np.int64)
        group = np.empty(k, dtype=np.intp)
        for g, members in enumerate(groups):
            order[g, : len(members)] = np.sort(members)
            group[members] = g
        upper = np.full(n, np.inf, dtype=np.float32)
        lower = np.zeros((len(groups), n), dtype=np.float32)
        return cls(X, shift, square, order, group, np.zeros(k), np.zeros(len(groups)), upper, lower)

    def assign(self, centers: Array, label: Labels) -> int:
        """Write the labels, and return how many have changed."""
        moved = self.looked = 0
        for piece in pieces(self.X.shape[0], centers.size):
            part = slice(None) if piece is None else piece
            lower = np.ascontiguousarray(self.lower[:, part])
            count = _loops.nearest_centers_bounded(
                self.X if piece is None else self.X[part],
                centers,
                self.shift,
                self.order,
                self.square[part],
                self.walked,
                self.group_walked,
                self.upper[part],
                lower,
                label[part],
            )
            if piece is not None:
                self.lower[:, part] = lower
            moved, self.looked = moved + count[0], self.looked + count[1]
        return moved

    @property
    def share(self) -> float:
        """The share of the pairs of a row and a group that had to meet in the last pass."""
        return self.looked / self.lower.size

    def walk(self, ways: Array) -> None:
        """Take note of the ways that the centres go, shape (K, p)."""
        # Rounding of norms and of the running sums is covered.
        far = np.sqrt((ways**2).sum(axis=1)) * (1.0 + 1e-12)
        self.walked += far
        self.walked *= 1.0 + 1e-15
        most = np.zeros(len(self.group_walked))
        np.maximum.at(most, self.group, far)
        self.group_walked += most
        self.group_walked *= 1.0 + 1e-15

    def forget(self, rows: IndexArray) -> None:
        """Know nothing about some rows, whose labels were set by hand."""
        self.upper[rows] = np.inf
        self.lower[:, rows] = 0.0


def _neighbours(centers: Array, size: int) -> list[Any]:
    """Return the centres in groups of at most so many: halves along the widest column, again and again."""
    todo: list[Any] = [np.arange(len(centers))]
    out: list[Any] = []
    while todo:
        members = todo.pop()
        if len(members) <= size:
            out.append(members)
            continue
        here = centers[members]
        column = int(np.argmax(here.var(axis=0)))
        ranked = members[np.argsort(here[:, column], kind="stable")]
        groups = -(-len(members) // size)
        cut = size * (groups // 2)
        todo += [ranked[cut:], ranked[:cut]]
    return out
