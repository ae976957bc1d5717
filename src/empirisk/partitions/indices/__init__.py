"""Indices of a partition, one a file.  Adding one is a file and a row of REGISTRY."""

from typing import Any

from empirisk.partitions.indices.base import Index
from empirisk.partitions.indices.calinski_harabasz import CalinskiHarabasz
from empirisk.partitions.indices.davies_bouldin import DaviesBouldin
from empirisk.partitions.indices.inertia import Inertia
from empirisk.partitions.indices.silhouette import Silhouette

REGISTRY: dict[str, type[Index]] = {
    "calinski_harabasz": CalinskiHarabasz,
    "davies_bouldin": DaviesBouldin,
    "inertia": Inertia,
    "silhouette": Silhouette,
}

__all__ = ["REGISTRY", "CalinskiHarabasz", "DaviesBouldin", "Index", "Inertia", "Silhouette", "index_of"]


def index_of(given: Any) -> Index:
    """Return the index that a name or an object stands for.

    Examples
    --------
    >>> index_of("silhouette").greater_is_better
    True
    """
    if isinstance(given, Index) and not isinstance(given, type):
        return given
    if isinstance(given, str) and given in REGISTRY:
        made: Index = REGISTRY[given]()
        return made
    raise ValueError(f"index must be one of {', '.join(REGISTRY)}, or an index object, got {given!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
