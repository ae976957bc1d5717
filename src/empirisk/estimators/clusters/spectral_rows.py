"""The rows of eigenvectors grouped by k-means, and whether given groups are a fixed point of it."""

from __future__ import annotations

import warnings

import numpy as np

from empirisk.estimators.clusters.k_means import KMeans
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.typing import Array, IndexArray

__all__ = ["grouped", "settled"]


def grouped(points: Array, k: int, n_init: int, seed: int, weight: Array) -> IndexArray:
    """Return the groups of the best of several runs of k-means, with weights of the points."""
    if k == 1:
        return np.zeros(len(points), dtype=np.intp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)  # the fixed point is checked by `settled`
        found = KMeans(k, n_init=n_init, random_state=seed).fit(points, sample_weight=weight)
    return np.asarray(found.labels_, dtype=np.intp)


def settled(points: Array, labels: IndexArray, weight: Array) -> bool:
    """Return whether no point is nearer to the weighted mean of another group than to that of its own.

    Differences of a millionth of the spread of the points are rounding.
    """
    k = int(labels.max(initial=0)) + 1
    size = np.bincount(labels, weight, k)
    if (size == 0.0).any():
        return False
    sums = np.stack([np.bincount(labels, weight * column, k) for column in points.T], axis=1)
    means = sums / size[:, None]
    square = ((points[:, None, :] - means[None, :, :]) ** 2).sum(axis=2)
    own = square[np.arange(len(points)), labels]
    return bool((own <= square.min(axis=1) + 1e-6 * float(points.var(axis=0).sum())).all())
