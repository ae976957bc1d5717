"""What pruning weighs against the number of leaves: losses of nodes, and of rows at nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import xlogy

from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["ROW_LOSSES", "node_risk", "smoothed"]

RowLoss = Callable[[Array, Array], Array]


def node_risk(tree: Trees, kind: str) -> Array:
    """Loss of each node's own prediction, summed over its training rows, shape (N,).

    Parameters
    ----------
    tree : Trees
        Whose values are class shares, means or medians.
    kind : str
        "misclassification", "gini" and "entropy" are read off the shares; any other name is the criterion
        that the tree was grown by.

    Examples
    --------
    >>> tree = Trees.stump(0, 0.5, [[1.0, 0.0], [0.25, 0.75]], n_features=1)
    >>> node_risk(tree, "misclassification")
    array([0.75, 0.  , 0.25])
    """
    p = tree.value
    if kind == "misclassification":
        lost = _whole(tree.weight - _whole(tree.weight * p.max(axis=1), tree.weight), tree.weight)
        return np.maximum(lost, 0.0)
    if kind == "gini":
        return np.asarray(np.maximum(tree.weight * (1.0 - (p**2).sum(axis=1)), 0.0))
    if kind == "entropy":
        return np.asarray(np.maximum(-tree.weight * xlogy(p, p).sum(axis=1), 0.0))
    return np.maximum(tree.weight * tree.heterogeneity, 0.0)


def _whole(mass: Array, weight: Array) -> Array:
    """Counts that went through a division become whole again, so that ties stay ties."""
    near = np.rint(mass)
    return np.where(np.abs(mass - near) <= 1e-9 * np.maximum(weight, 1e-300), near, mass)


def smoothed(tree: Trees) -> Array:
    """Values of the nodes with one row's weight of the root's value mixed in: no share or rate is 0.

    A held-out row of a class that a leaf has not seen would make the log loss infinite.
    """
    unit = tree.weight[0] / max(float(tree.count[0]), 1.0)
    mass = tree.weight[:, None]
    return np.asarray((mass * tree.value + unit * tree.value[0]) / (mass + unit))


def _error(y: Array, value: Array) -> Array:
    return np.asarray(value.argmax(axis=1) != y, dtype=np.float64)


def _brier(y: Array, value: Array) -> Array:
    own = value[np.arange(len(y)), y.astype(np.intp)]
    return np.asarray((value**2).sum(axis=1) - 2.0 * own + 1.0)


def _log_loss(y: Array, value: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(value[np.arange(len(y)), y.astype(np.intp)]))


def _squared(y: Array, value: Array) -> Array:
    return np.asarray((y - value[:, 0]) ** 2)


def _absolute(y: Array, value: Array) -> Array:
    return np.abs(y - value[:, 0])


def _poisson(y: Array, value: Array) -> Array:
    mean = value[:, 0]
    return np.asarray(2.0 * (xlogy(y, y / mean) - y + mean))


# Loss of targets y at predictions, shape (n, k): what the criterion of the same name is the mean of.
ROW_LOSSES: dict[str, RowLoss] = {
    "absolute_error": _absolute,
    "entropy": _log_loss,
    "gini": _brier,
    "misclassification": _error,
    "poisson": _poisson,
    "squared_error": _squared,
}
