"""New rows for which targets are predicted: looked at as the model that was sampled does."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data import Design
from empirisk.data.finite import check_finite
from empirisk.data.sparse_cells import canonical, is_sparse
from empirisk.typing import Array

__all__ = ["known_part", "new_rows"]


def new_rows(X: Any, columns: int, model: Any = None) -> Design:
    """Return rows as a design; other names, shapes and cells that are not finite are refused.

    Parameters
    ----------
    X : array, sparse matrix or frame, shape (rows, columns)
    columns : int
    model : fitted estimator, optional
        Which knows the names of its columns; without one they are told by their places.
    """
    if model is not None and not np.iscomplexobj(X):
        return Design(model._design(X))
    X = canonical(X) if is_sparse(X) else np.asarray(X)
    if X.dtype.kind not in "iufb" or X.ndim != 2 or X.shape[1] != columns:
        raise ValueError(
            f"X must be an array of real numbers with {columns} columns, those of the rows that were "
            f"sampled, got shape {X.shape} of {X.dtype}"
        )
    design = Design(X.astype(np.float64))
    check_finite(design)
    return design


def known_part(offset: Any, n: int) -> Array:
    """Return the known part of the scores of n rows; what is no finite number is refused by its row."""
    known = np.asarray(offset)
    if known.dtype.kind not in "iufb" or known.shape != (n,):
        raise ValueError(
            f"offset must have shape ({n},), one real number a row, got {known.shape} of {known.dtype}"
        )
    if not np.isfinite(known).all():
        row = int(np.argmin(np.isfinite(known)))
        raise ValueError(f"offset must be finite, got {known[row]:g} in row {row}")
    return known.astype(np.float64)
