"""Columns in double precision, moved to their means, so that far origins cost no digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.typing import Array

__all__ = ["centred"]


def centred(design: Design, weight: Array) -> tuple[Any, Array]:
    """Return the columns less their means, and the means; sparse columns stay where they are.

    Parameters
    ----------
    design : Design
        n rows, p columns.
    weight : array, shape (n,)
        Weights of the rows in the means.

    Examples
    --------
    >>> centred(Design(np.array([[1.0], [3.0]])), np.ones(2))[0].ravel().tolist()
    [-1.0, 1.0]
    """
    if design.sparse:
        return design.X.tocsr().astype(np.float64), np.zeros(design.shape[1])
    X = np.asarray(design.X, dtype=np.float64)
    live = weight > 0.0
    mean = weight[live] @ X[live] / weight.sum()
    return X - mean, mean
