"""The number of different rows, which bounds the number of clusters that mean something."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["refuse_too_few"]


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
            f"n_clusters = {k} is more than the {different} distinct rows of positive weight in X (n_samples "
            f"= {X.shape[0]}): give n_clusters <= {different}"
        )
