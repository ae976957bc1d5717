"""How good and how sure a grouping of rows is: indices, agreements of partitions, the number of clusters."""

from empirisk.partitions.agreements import (
    AdjustedMutualInformation,
    AdjustedRand,
    VariationOfInformation,
)
from empirisk.partitions.choose_k import choose_k
from empirisk.partitions.compare import PartitionComparison, compare_partitions
from empirisk.partitions.indices import CalinskiHarabasz, DaviesBouldin, Inertia, Silhouette, index_of
from empirisk.partitions.k_choice import KChoice
from empirisk.partitions.regrouped import Regrouped
from empirisk.partitions.stability import PartitionStability, partition_stability

__all__ = [
    "AdjustedMutualInformation",
    "AdjustedRand",
    "CalinskiHarabasz",
    "DaviesBouldin",
    "Inertia",
    "KChoice",
    "PartitionComparison",
    "PartitionStability",
    "Regrouped",
    "Silhouette",
    "VariationOfInformation",
    "choose_k",
    "compare_partitions",
    "index_of",
    "partition_stability",
]


def __dir__() -> list[str]:
    return sorted(__all__)
