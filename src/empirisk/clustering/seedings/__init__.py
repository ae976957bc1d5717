"""Seedings: the rows that k-means starts from.  Adding one is a file and a row of REGISTRY."""

from typing import Any

from empirisk.clustering.seedings.base import Seeding
from empirisk.clustering.seedings.farthest_first import FarthestFirst
from empirisk.clustering.seedings.given_centers import GivenCenters
from empirisk.clustering.seedings.k_means_parallel import KMeansParallel
from empirisk.clustering.seedings.k_means_plus_plus import KMeansPlusPlus
from empirisk.clustering.seedings.random_rows import RandomRows

REGISTRY: dict[str, type] = {
    "farthest-first": FarthestFirst,
    "k-means++": KMeansPlusPlus,
    "k-means||": KMeansParallel,
    "random": RandomRows,
}

__all__ = [
    "REGISTRY",
    "FarthestFirst",
    "GivenCenters",
    "KMeansParallel",
    "KMeansPlusPlus",
    "RandomRows",
    "Seeding",
    "seeding_of",
]


def seeding_of(given: Any) -> Seeding:
    """Return the seeding that a name, an object or an array of centres stands for.

    Raises
    ------
    ValueError
        For what is none, with the names that are known.

    Examples
    --------
    >>> seeding_of("random").name, seeding_of([[0.0], [1.0]]).name
    ('random', 'given')
    """
    if isinstance(given, str):
        if given not in REGISTRY:
            known = ", ".join(repr(name) for name in sorted(REGISTRY))
            raise ValueError(f"init must be one of {known}, a seeding or an array of centres, got {given!r}")
        made: Seeding = REGISTRY[given]()
        return made
    if isinstance(given, Seeding):
        return given
    return GivenCenters(given)


def __dir__() -> list[str]:
    return sorted(__all__)
