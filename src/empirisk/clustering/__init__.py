"""Searches for groups of rows: seeds, centres and medoids, and bounds on how good groups can be."""

from empirisk.clustering.assign import assign
from empirisk.clustering.axis_bound import axis_bound
from empirisk.clustering.lower_bound import InertiaBound, inertia_lower_bound
from empirisk.clustering.medoids import build_medoids, exchange_medoids
from empirisk.clustering.one_dimensional import LineClusters, best_line_clusters
from empirisk.clustering.seedings import REGISTRY as SEEDINGS
from empirisk.clustering.semidefinite_bound import semidefinite_bound

__all__ = [
    "SEEDINGS",
    "InertiaBound",
    "LineClusters",
    "assign",
    "axis_bound",
    "best_line_clusters",
    "build_medoids",
    "exchange_medoids",
    "inertia_lower_bound",
    "semidefinite_bound",
]


def __dir__() -> list[str]:
    return sorted(__all__)
