"""Trees whose splits several targets share, seen as the trees of one of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["of_target"]


def of_target(trees: Trees, value: Array, heterogeneity: Array) -> Trees:
    """Return the trees with the answers of one target, and with what each split takes from its heterogeneity.

    Parameters
    ----------
    trees : Trees
        Grown on several targets.
    value : array, shape (N, k)
        What the nodes say about the target.
    heterogeneity : array, shape (N,)
        Of the target in the nodes, per unit of weight.

    Examples
    --------
    >>> stump = Trees.stump(0, 1.5, [[1.0, 7.0], [5.0, 7.0]], 1)
    >>> of_target(stump, stump.value[:, :1], np.array([4.0, 0.0, 0.0])).gain
    array([8., 0., 0.])
    """
    inner = np.flatnonzero(trees.feature >= 0)
    left = np.repeat(trees.start[:-1], np.diff(trees.start))[inner] + trees.left[inner]
    cost = trees.weight * heterogeneity
    gain = np.zeros(len(cost))
    gain[inner] = np.maximum(cost[inner] - cost[left] - cost[left + 1], 0.0)
    return replace(trees, value=np.ascontiguousarray(value), heterogeneity=heterogeneity, gain=gain)
