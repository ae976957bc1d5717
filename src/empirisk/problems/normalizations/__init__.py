"""Normalizations of network layers: adding one is a file, a row of REGISTRY and a case of ``cpp/network``."""

from empirisk.problems.normalizations.base import Normalization
from empirisk.problems.normalizations.batch import BatchNormalization
from empirisk.problems.normalizations.layer import LayerNormalization

REGISTRY: dict[str, type] = {
    "batch": BatchNormalization,
    "layer": LayerNormalization,
}

__all__ = [
    "REGISTRY",
    "BatchNormalization",
    "LayerNormalization",
    "Normalization",
]


def __dir__() -> list[str]:
    return sorted(__all__)
