"""Searches for neighbours: exact, ties by the number of the row, the same for any number of threads."""

from empirisk.neighbors.index import ALGORITHMS, Index
from empirisk.neighbors.metrics import REGISTRY as METRICS
from empirisk.neighbors.metrics import Metric, metric_of

__all__ = ["ALGORITHMS", "METRICS", "Index", "Metric", "metric_of"]


def __dir__() -> list[str]:
    return sorted(__all__)
