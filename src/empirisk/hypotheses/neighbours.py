"""Nearest neighbours: every labelling of different points."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from empirisk.hypotheses.base import Best, Spatial
from empirisk.hypotheses.growth import Growth, power_of_two
from empirisk.hypotheses.points import Labelled
from empirisk.typing import Array

__all__ = ["NearestNeighbours", "Prototypes"]


@dataclass(frozen=True, eq=False)
class Prototypes:
    """The label of the nearest prototype."""

    points: Array
    labels: NDArray[np.bool_]

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        return np.asarray(self.labels[KDTree(self.points).query(points)[1]])

    def __str__(self) -> str:
        return f"the label of the nearest of {len(self.points)} prototypes"


class NearestNeighbours(Spatial):
    """``h(x) =`` the label of the nearest of finitely many labelled prototypes.

    Parameters
    ----------
    n_features : int, optional
        Number of coordinates d; by default that of the points.

    Notes
    -----
    VC dimension infinite, growth function ``2^n``: prototypes at the points themselves give them any labels.
    ``fit`` keeps every distinct point with the label of the larger weight, so that only copies with different
    labels leave a training error: the class can express everything, and the error on the training rows says
    nothing about new ones.

    References
    ----------
    Shalev-Shwartz and Ben-David 2014, Understanding Machine Learning, chapter 19.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, size=200)
    >>> NearestNeighbours().fit(X, y).training_error_
    0.0
    >>> NearestNeighbours().vc_dimension()
    inf
    """

    name = "nearest_neighbours"
    words = "nearest-neighbour rules"

    def __init__(self, n_features: int | None = None) -> None:
        self.n_features = n_features

    def vc_dimension(self) -> float:
        """Return infinity: each of any number of different points can carry a label of its own."""
        return math.inf

    def _growth(self, n: int) -> Growth:
        return Growth(power_of_two(n), True, "prototypes at the points")

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        n = len(points)
        return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)

    def _best(self, data: Labelled) -> Best:
        labels = data.gain > 0.0
        return Best(Prototypes(data.points, labels), None, "every distinct point keeps its heavier label")
