"""The number of different rows, which bounds the number of clusters that mean something."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.typing import Array
from empirisk.wording import counted

__all__ = ["refuse_few_places", "refuse_too_few"]


def refuse_too_few(X: Any, k: int) -> None:
    """Refuse more clusters than there are different rows: equal rows would be told apart."""
    if isinstance(X, np.ndarray):
        # The usual cases, without a look at all rows: different numbers of a column are different rows.
        if len(np.unique(X[: 10 * k, 0])) >= k or len(np.unique(X[: 10 * k], axis=0)) >= k:
            return
        different = len(np.unique(X, axis=0))
    else:  # the product of a sparse row with a vector is summed in its own order: equal rows, equal numbers
        different = len(np.unique(X @ np.random.default_rng(0).normal(size=X.shape[1])))
    if different < k:
        raise ValueError(
            f"n_clusters = {k} is more than the {counted(different, 'distinct row')} of positive weight in X "
            f"(n_samples = {X.shape[0]}): give n_clusters <= {different}"
        )


def refuse_few_places(distances: Array, k: int) -> None:
    """Refuse more clusters than there are places in a matrix of distances: distance 0 is the same place."""
    left, places = np.arange(len(distances)), 0
    while len(left) and places < k:
        first, left = left[0], left[1:]
        left = left[distances[first, left] > 0.0]
        places += 1
    if places < k:
        raise ValueError(
            f"n_clusters = {k}, but the rows of positive weight are at {counted(places, 'different place')} "
            f"(distance 0 is the same place): give n_clusters <= {places}"
        )
