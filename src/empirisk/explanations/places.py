"""Places along a numeric column at which a model is asked."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["places"]

Array = NDArray[np.floating]


def places(x: Array, size: int, method: Literal["linear", "nearest"] = "linear") -> Array:
    """Return at most so many places of a column, from its 1 % to its 99 % quantile.

    Few distinct values are all taken.  Otherwise the places are quantiles of the rows; where ties leave fewer
    of them (most rows are 0, say), the places that are missing are quantiles of the distinct values between
    the first and the last one, so that a long tail is seen too.

    Parameters
    ----------
    x : array, shape (n,)
        Values without NaN, one at least.
    size : int
        Places at most, >= 1.
    method : "linear" or "nearest"
        As in :func:`numpy.quantile`: "nearest" takes values of the column only.

    Examples
    --------
    >>> import numpy as np
    >>> tail = np.append(np.zeros(900), np.arange(1.0, 101.0))
    >>> places(tail, 5, "nearest")
    array([ 0., 23., 45., 67., 90.])
    """
    distinct = np.unique(x)
    if len(distinct) <= size:
        return distinct
    shares = np.linspace(0.01, 0.99, size) if size > 1 else np.array([0.5])
    found = np.unique(np.quantile(x, shares, method=method))
    between = distinct[(distinct > found[0]) & (distinct < found[-1])]
    if len(found) == size or not len(between):
        return found
    more = np.linspace(0.0, 1.0, size - len(found) + 2)[1:-1]
    return np.unique(np.append(found, np.quantile(between, more, method="nearest")))
