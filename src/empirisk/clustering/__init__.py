"""Searches for groups of rows: seeds, centres and medoids, and bounds on how good groups can be."""

from empirisk.clustering.one_dimensional import LineClusters, best_line_clusters

__all__ = ["LineClusters", "best_line_clusters"]


def __dir__() -> list[str]:
    return sorted(__all__)
