"""Rows of overlapping Gaussian groups, and some of the rows as first means in place of targets."""

from __future__ import annotations

from typing import Any

import numpy as np


def gaussian_groups(n: int, p: int, k: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of k groups with correlated columns, and k first means.

    Means and columns have unit variance, so that neighbouring groups overlap.
    """
    rng = np.random.default_rng(0)
    means = rng.normal(size=(k, p))
    turns = 0.1 * rng.normal(size=(k, p, p)) + np.eye(p)
    X = np.empty((n, p))
    for j in range(k):
        X[j::k] = means[j] + rng.standard_normal((len(X[j::k]), p)) @ turns[j].T
    return X.astype(dtype), X[rng.choice(n, k, replace=False)].astype(dtype)
