"""Which rows of a table are equal."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.typing import IndexArray

__all__ = ["places_of"]


def places_of(X: Any) -> IndexArray:
    """Return the place of each row, which equal rows share, numbered in the order of their first rows.

    Parameters
    ----------
    X : array or CSR, shape (n, p)
        Checked rows.

    Examples
    --------
    >>> places_of(np.array([[3.0, 1.0], [0.0, 1.0], [3.0, 1.0]]))
    array([0, 1, 0])
    """
    n = X.shape[0]
    if not isinstance(X, np.ndarray):
        # The product of a sparse row with a vector is summed in its own order: equal rows, equal numbers.
        X = np.asarray(X @ np.random.default_rng(0).normal(size=X.shape[1]))[:, None]
    if len(np.unique(X[:, 0])) == n:  # the usual case, without a look at all columns
        return np.arange(n)
    _, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.intp)
    number[np.argsort(first)] = np.arange(len(first))
    return number[place.ravel()]
