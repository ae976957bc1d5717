"""Criteria for the number of clusters, one a file.  Adding one is a file and a row of REGISTRY."""

from empirisk.partitions.criteria.base import Criterion, Evidence, Judged
from empirisk.partitions.criteria.bic import BicCriterion
from empirisk.partitions.criteria.calinski_harabasz import CalinskiHarabaszCriterion
from empirisk.partitions.criteria.distortion import DistortionCriterion
from empirisk.partitions.criteria.gap import GapCriterion
from empirisk.partitions.criteria.silhouette import SilhouetteCriterion
from empirisk.partitions.criteria.stability import StabilityCriterion

REGISTRY: dict[str, type[Criterion]] = {
    "silhouette": SilhouetteCriterion,
    "calinski_harabasz": CalinskiHarabaszCriterion,
    "distortion": DistortionCriterion,
    "gap": GapCriterion,
    "bic": BicCriterion,
    "stability": StabilityCriterion,
}

__all__ = [
    "REGISTRY",
    "BicCriterion",
    "CalinskiHarabaszCriterion",
    "Criterion",
    "DistortionCriterion",
    "Evidence",
    "GapCriterion",
    "Judged",
    "SilhouetteCriterion",
    "StabilityCriterion",
]


def __dir__() -> list[str]:
    return sorted(__all__)
