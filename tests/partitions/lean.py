"""Estimators of a few lines, so that tests of what stands above them are quick and know what was called."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin


class LeanKMeans(ClusterMixin, BaseEstimator):
    """Lloyd's algorithm from k-means++ seeds, for dense rows."""

    fits = 0

    def __init__(self, n_clusters: int = 2, random_state: int | None = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def __sklearn_clone__(self) -> Self:
        return type(self)(self.n_clusters, self.random_state)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"n_clusters": self.n_clusters, "random_state": self.random_state}

    def set_params(self, **params: Any) -> Self:
        vars(self).update(params)
        return self

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        type(self).fits += 1
        rng = np.random.default_rng(self.random_state)
        w = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        centres = X[[rng.choice(len(X), p=w / w.sum())]]
        far = cdist(X, centres, "sqeuclidean")[:, 0]
        while len(centres) < self.n_clusters:
            new = X[[np.searchsorted(np.cumsum(w * far), rng.random() * (w * far).sum())]]
            centres = np.vstack([centres, new])
            far = np.minimum(far, cdist(X, new, "sqeuclidean")[:, 0])
        labels = np.full(len(X), -1)
        for _ in range(100):
            new_labels = cdist(X, centres, "sqeuclidean").argmin(axis=1)
            if (new_labels == labels).all():
                break
            labels = new_labels
            member = (labels == np.arange(len(centres))[:, None]) * w
            size = member.sum(axis=1)
            centres = np.where(size[:, None] > 0, member @ X / np.maximum(size, 1e-300)[:, None], centres)
        self.labels_ = labels
        return self


class LeanTree(ClusterMixin, BaseEstimator):
    """Numbers cut at their widest gaps: one fit, any number of clusters."""

    fits = 0

    def __init__(self, n_clusters: int = 2) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: Any, y: Any = None) -> Self:
        type(self).fits += 1
        self.x_ = np.asarray(X)[:, 0]
        self.labels_ = self.cut(self.n_clusters)
        return self

    def cut(self, n_clusters: int) -> Any:
        order = np.argsort(self.x_)
        gaps = np.argsort(-np.diff(self.x_[order]))[: n_clusters - 1]
        labels = np.zeros(len(order), dtype=int)
        labels[order] = np.searchsorted(np.sort(gaps), np.arange(len(order)) - 1, side="right")
        return labels
