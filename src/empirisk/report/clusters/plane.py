"""The map of the rows: the plane of the two leading principal components, in cells instead of rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.estimators.features.base import FewerComponentsWarning
from empirisk.estimators.features.pca import PCA
from empirisk.report.clusters.engine import Clustered

__all__ = ["CELLS", "Plane", "plane_of"]

Floats = NDArray[np.float64]
CELLS = 60  # of the grid, on each side
LOADINGS = 4  # columns that the name of an axis is made from


@dataclass(frozen=True)
class Plane:
    """Where the clusters lie in the plane that shows most of the variance.

    Parameters
    ----------
    cells : list of [x, y, cluster]
        Centres of the cells that hold rows of the cluster.
    centres : array of shape (k, 2)
    shares : list of float
        Share of the variance on each component, the largest first.
    loadings : list of list of (str, float)
        Of each of the two components the encoded columns that make it, the largest first.
    model : PCA
    """

    cells: list[list[float]]
    centres: Floats
    shares: list[float]
    loadings: list[list[tuple[str, float]]]
    model: Any


def plane_of(a: Clustered) -> Plane | None:
    """Return the map; None where only one encoded column varies."""
    X = a.prepared.matrix.X
    if (X.std(axis=0) > 0.0).sum() < 2:
        return None
    many = min(X.shape[1], len(X) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", FewerComponentsWarning
        )  # ten at most are shown, however many there are
        model = PCA(n_components=min(many, 10)).fit(X)
    at = np.asarray(model.transform(X), dtype=np.float64)[:, :2]
    k = a.split
    centres = np.array([at[a.parts == c].mean(axis=0) for c in range(k)])
    names = a.prepared.matrix.names
    loadings = []
    for axis in np.asarray(model.components_)[:2]:
        order = np.argsort(-np.abs(axis), kind="stable")[:LOADINGS]
        loadings.append([(names[j], float(axis[j])) for j in order if abs(axis[j]) > 0.05])
    shares = [float(s) for s in np.asarray(model.explained_variance_ratio_)]
    return Plane(_cells(at, a.parts), centres, shares, loadings, model)


def _cells(at: Floats, labels: NDArray[np.intp]) -> list[list[float]]:
    """Return the centres of the cells of a grid of 60 by 60 that hold rows, once for each cluster in them."""
    low, high = at.min(axis=0), at.max(axis=0)
    step = np.where(high > low, (high - low) / CELLS, 1.0)
    cell = np.minimum((at - low) / step, CELLS - 1).astype(np.intp)
    seen = np.unique(np.column_stack([cell, labels]), axis=0)
    centre = low + (seen[:, :2] + 0.5) * step
    return [
        [round(float(x), 4), round(float(y), 4), int(c)] for (x, y), c in zip(centre, seen[:, 2], strict=True)
    ]
