"""Two classes that a sphere divides: the rows on which boosted stumps were first measured."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

NOISE = 0.02


def nested_spheres(n: int, p: int, seed: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Class 1 outside the median sphere of the first ten of p normal columns; 2 % of the labels are flipped.

    Hastie, Tibshirani and Friedman, The Elements of Statistical Learning (2009), equation 10.2, with
    columns of noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    inside = min(10, p)
    y = (X[:, :inside] ** 2).sum(axis=1) > chi2.median(inside)
    return X, (y ^ (rng.random(n) < NOISE)).astype(np.int64)
