"""Leaves without an event answer a small rate, never exactly 0."""

from __future__ import annotations

import numpy as np

from empirisk.trees.structure import Trees

__all__ = ["positive_rates"]


def positive_rates(trees: Trees, mean: float, *, rare: bool = False) -> Trees:
    """Nodes with the mean 0 get ``u m / (w + u)``: one row of weight u and of the mean m of all rows is
    mixed in.

    A mean of exactly 0 makes the Poisson deviance of every later event infinite.

    Parameters
    ----------
    trees : Trees
        Values are means, shape (N, 1).
    mean : float
        Of all training targets, > 0.
    rare : bool, default False
        Take the weight w of the tree's root instead of the node's: a floor so small that a mean over trees
        keeps its level.

    Examples
    --------
    >>> trees = Trees.stump(0, 0.5, [[0.0], [3.0]], n_features=1)
    >>> positive_rates(trees, 1.5).value.ravel()
    array([1.5 , 0.75, 3.  ])
    """
    none = ~(trees.value[:, 0] > 0.0)
    if not none.any():
        return trees
    sizes = np.diff(trees.start)
    root, count = trees.weight[trees.start[:-1]], trees.count[trees.start[:-1]]
    unit = np.repeat(root / np.maximum(count, 1), sizes)
    mass = np.repeat(root, sizes) if rare else trees.weight
    value = np.array(trees.value)
    value[none, 0] = (unit * mean / (mass + unit))[none]
    return trees.with_values(value)
