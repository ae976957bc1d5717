"""Clusters that no row is nearest to take the rows that are farthest from their centres.

The first empty cluster takes the row of positive weight with the largest squared distance to its centre (of
equal ones the first row), the next that with the largest distance to its centre and to the row just taken,
and so on.  Rows that are alone in their cluster stay.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.clustering.assign import Labels
from empirisk.clustering.seedings.base import dense_rows, too_many
from empirisk.typing import Array, IndexArray

__all__ = ["fill_empty"]


def fill_empty(
    X: Any,
    weight: Array | None,
    centers: Array,
    shift: Array | None,
    label: Labels,
    total: Array,
    mass: Array,
) -> IndexArray:
    """Give each empty cluster a row, and return these rows.

    ``label``, ``total`` (sums of ``x - shift``) and ``mass`` are changed in place.

    Raises
    ------
    ValueError
        Where all rows lie on their centres: there are fewer distinct rows than clusters.
    """
    square, scratch = np.empty(X.shape[0]), np.empty(X.shape[0], dtype=np.int32)
    _loops.nearest_centers(X, centers, shift, scratch, square)
    if weight is not None:
        square[weight == 0.0] = 0.0
    near, taken = np.empty((X.shape[0], 1), dtype=X.dtype), []
    for cluster in np.flatnonzero(mass <= 0.0):
        row = _farthest(square, label, mass, weight)
        if row < 0:
            raise too_many(len(mass), int((mass > 0.0).sum()))
        w = 1.0 if weight is None else float(weight[row])
        x = dense_rows(X, [row])[0] - (0.0 if shift is None else shift)
        old = label[row]
        total[old] -= w * x
        mass[old] -= w
        total[cluster], mass[cluster], label[row] = w * x, w, cluster
        _loops.seed_step(X, None, np.array([row]), -1, near)
        np.minimum(square, near[:, 0], out=square)
        taken.append(row)
    return np.array(taken, dtype=np.intp)


def _farthest(square: Array, label: Labels, mass: Array, weight: Array | None) -> int:
    """The farthest row that is not alone in its cluster, -1 where all lie on their centres."""
    masked = square.copy()
    while True:
        row = int(np.argmax(masked))
        if not masked[row] > 0.0:
            return -1
        if mass[label[row]] > (1.0 if weight is None else weight[row]):
            return row
        masked[row] = 0.0
