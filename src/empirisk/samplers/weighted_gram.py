"""Weighted products of columns with a constant column, for Hessians of losses of scores."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.data.design import Design
from empirisk.typing import Array

__all__ = ["weighted_gram"]


def weighted_gram(design: Design, second: Array, intercept: bool) -> Array:
    """``[X 1]' diag(second) [X 1]``, without the column of ones where there is no intercept.

    Parameters
    ----------
    design : Design
    second : array, shape (n,)
        Weights of the rows; negative ones cost a copy of X.
    intercept : bool
    """
    X = design.X
    p = X.shape[1]
    out = np.zeros((p + int(intercept), p + int(intercept)))
    if design.sparse:
        out[:p, :p] = (X.T @ (sp.diags_array(second) @ X)).toarray()
    elif second.min() < 0.0:  # the loop takes roots of the weights; this loss is not convex
        dense = X.astype(np.float64)
        out[:p, :p] = (dense.T * second) @ dense
    else:
        out[:p, :p] = _loops.gram(X, second)
    if intercept:
        out[p, :p] = out[:p, p] = design.rmatvec(second.astype(design.dtype))
        out[p, p] = second.sum()
    return out
