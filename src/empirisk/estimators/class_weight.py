"""Class weights as factors on the row weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.checks import check_number
from empirisk.typing import Array, IndexArray

__all__ = ["apply_class_weight", "class_factors"]


def apply_class_weight(class_weight: Any, classes: Any, codes: IndexArray, weight: Array) -> Array:
    """Multiply row weights by the factor of their class, as :func:`class_factors` says."""
    factors = class_factors(class_weight, classes, codes, weight)
    return weight if factors is None else np.asarray(weight * factors[codes])


def class_factors(class_weight: Any, classes: Any, codes: IndexArray, weight: Array) -> Array | None:
    """Return the factor of each class, shape (K,), by the labels and weights of training rows; None for 1.

    ``"balanced"`` gives class k the factor ``S / (K S_k)``, S_k its total weight, so that weights still
    equal repetition.

    Raises
    ------
    ValueError
        For a label that is not in the data, a negative factor, or another type.
    """
    if class_weight is None:
        return None
    totals = np.bincount(codes, weights=weight, minlength=len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}')
        live = totals > 0.0
        return np.where(live, weight.sum() / (live.sum() * np.where(live, totals, 1.0)), 0.0)
    if not isinstance(class_weight, dict):
        raise ValueError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}')
    labels = [c.item() if isinstance(c, np.generic) else c for c in classes]
    unknown = [key for key in class_weight if key not in labels]
    if unknown:
        raise ValueError(f"class_weight names {unknown[0]!r}, which is not a class of y ({labels})")
    return np.array([check_number(f"class_weight[{c!r}]", class_weight.get(c, 1.0), 0.0) for c in labels])
