"""Agreements of two partitions, one a file.  Adding one is a file and a row of REGISTRY."""

from empirisk.partitions.agreements.adjusted_mutual_information import AdjustedMutualInformation
from empirisk.partitions.agreements.adjusted_rand import AdjustedRand
from empirisk.partitions.agreements.base import Agreement
from empirisk.partitions.agreements.variation_of_information import VariationOfInformation

REGISTRY: dict[str, type[Agreement]] = {
    "adjusted_rand": AdjustedRand,
    "adjusted_mutual_information": AdjustedMutualInformation,
    "variation_of_information": VariationOfInformation,
}

__all__ = ["REGISTRY", "AdjustedMutualInformation", "AdjustedRand", "Agreement", "VariationOfInformation"]


def __dir__() -> list[str]:
    return sorted(__all__)
