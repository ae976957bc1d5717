"""Metrics of rows, as frozen objects.  Adding one is a file and a row of REGISTRY."""

from typing import Any

from empirisk.neighbors.metrics.base import Metric
from empirisk.neighbors.metrics.cosine import Cosine
from empirisk.neighbors.metrics.hamming import Hamming
from empirisk.neighbors.metrics.haversine import Haversine
from empirisk.neighbors.metrics.minkowski import Chebyshev, Euclidean, Manhattan, Minkowski
from empirisk.neighbors.metrics.precomputed import PrecomputedDistances
from empirisk.neighbors.metrics.user import UserMetric

REGISTRY: dict[str, type] = {
    "chebyshev": Chebyshev,
    "cosine": Cosine,
    "euclidean": Euclidean,
    "hamming": Hamming,
    "haversine": Haversine,
    "manhattan": Manhattan,
    "minkowski": Minkowski,
    "precomputed": PrecomputedDistances,
}

__all__ = [
    "REGISTRY",
    "Chebyshev",
    "Cosine",
    "Euclidean",
    "Hamming",
    "Haversine",
    "Manhattan",
    "Metric",
    "Minkowski",
    "PrecomputedDistances",
    "UserMetric",
    "metric_of",
]


def metric_of(given: Any) -> Metric:
    """Return the metric that a name, an object or a function of two rows stands for.

    Raises
    ------
    ValueError
        For what is none, with the names that are known.
    """
    if isinstance(given, Metric) and not isinstance(given, type):
        return given
    if isinstance(given, str) and given in REGISTRY:
        made: Metric = REGISTRY[given]()
        return made
    if callable(given) and not isinstance(given, type):
        return UserMetric(given)
    known = ", ".join(sorted(REGISTRY))
    raise ValueError(
        f"metric must be one of {known}, a metric object or a function of two rows, got {given!r}"
    )


def __dir__() -> list[str]:
    return sorted(__all__)
