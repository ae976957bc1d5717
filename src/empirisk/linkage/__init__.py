"""Linkages as frozen objects, and trees of merged clusters.  Adding one is a file and a row of REGISTRY."""

from empirisk.linkage.average import Average
from empirisk.linkage.base import Linkage
from empirisk.linkage.centroid import Centroid
from empirisk.linkage.complete import Complete
from empirisk.linkage.median import Median
from empirisk.linkage.merge_tree import MergeTree
from empirisk.linkage.single import Single
from empirisk.linkage.ward import Ward
from empirisk.linkage.weighted import Weighted

REGISTRY: dict[str, type] = {
    "average": Average,
    "centroid": Centroid,
    "complete": Complete,
    "median": Median,
    "single": Single,
    "ward": Ward,
    "weighted": Weighted,
}

__all__ = [
    "REGISTRY",
    "Average",
    "Centroid",
    "Complete",
    "Linkage",
    "Median",
    "MergeTree",
    "Single",
    "Ward",
    "Weighted",
]


def __dir__() -> list[str]:
    return sorted(__all__)
