"""Two labels of any kind, and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from empirisk.typing import Array

__all__ = ["check_weight", "two_labels"]


def two_labels(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels in order, and for each row whether it bears the larger one.

    A sample may show one label alone.  Of the usual pairs (0 and 1, -1 and 1, False and True) the other
    one is then known; any other single label counts as the positive one.
    """
    check_classification_targets(y)
    labels = np.asarray(y)
    classes = np.unique(labels)
    if len(classes) > 2:
        # The words "Only binary classification is supported" are what scikit-learn's checks look for.
        shown = ", ".join(repr(c) for c in classes[:4].tolist())
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(labels)}: "
            f"y holds {len(classes)} labels ({shown}, ...); a hypothesis class has two"
        )
    if len(classes) == 1:
        pair = _pair(classes)
        return pair, labels == pair[-1]
    return classes, labels == classes[1]


def _pair(classes: NDArray[Any]) -> NDArray[Any]:
    """Return the pair that a single label belongs to, or the label alone."""
    if classes.dtype == bool:
        return np.array([False, True])
    if np.issubdtype(classes.dtype, np.number) and classes[0] in (-1, 0, 1):
        low = -1 if classes[0] == -1 else 0
        return np.array([low, 1], dtype=classes.dtype)
    return classes


def check_weight(sample_weight: Any, n: int) -> Array:
    """Return the weights >= 0, not all zero; ones by default."""
    if sample_weight is None:
        return np.ones(n)
    if getattr(getattr(sample_weight, "dtype", None), "kind", "") == "c":
        raise ValueError("sample_weight holds complex numbers; a weight is a real number >= 0")
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight must hold one number for each of the {n} rows, got shape {weight.shape}"
        )
    bad = np.flatnonzero(~(weight >= 0.0) | ~np.isfinite(weight))
    if len(bad):
        raise ValueError(f"sample_weight must be finite and >= 0, got {weight[bad[0]]:g} in row {bad[0]}")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row: nothing is left to fit")
    return weight
