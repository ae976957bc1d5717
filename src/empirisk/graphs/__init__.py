"""Similarity graphs of rows, their Laplacians, and what cuts through them cost.

Adding a similarity graph is a file and a row of REGISTRY.
"""

from empirisk.graphs.adjacency import adjacency, components, degrees, isolated
from empirisk.graphs.base import SimilarityGraph
from empirisk.graphs.bridged import bridged
from empirisk.graphs.cuts import cut, normalized_cut, ratio_cut, volume
from empirisk.graphs.fully_connected import GaussianGraph
from empirisk.graphs.laplacians import LaplacianOperator, laplacian
from empirisk.graphs.minimum_cut import MinimumCut, minimum_cut
from empirisk.graphs.mutual import MutualNeighborGraph
from empirisk.graphs.nearest import NearestNeighborGraph
from empirisk.graphs.radius import RadiusGraph

REGISTRY: dict[str, type[SimilarityGraph]] = {
    "epsilon": RadiusGraph,
    "gaussian": GaussianGraph,
    "knn": NearestNeighborGraph,
    "mutual_knn": MutualNeighborGraph,
}

__all__ = [
    "REGISTRY",
    "GaussianGraph",
    "LaplacianOperator",
    "MinimumCut",
    "MutualNeighborGraph",
    "NearestNeighborGraph",
    "RadiusGraph",
    "SimilarityGraph",
    "adjacency",
    "bridged",
    "components",
    "cut",
    "degrees",
    "isolated",
    "laplacian",
    "minimum_cut",
    "normalized_cut",
    "ratio_cut",
    "volume",
]


def __dir__() -> list[str]:
    return sorted(__all__)
