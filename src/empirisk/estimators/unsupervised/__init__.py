"""Estimators that learn from rows without targets.  Adding one is a class and a row of REGISTRY."""

from empirisk.estimators.unsupervised.kernel_density import KernelDensity
from empirisk.estimators.unsupervised.nearest_neighbors import NearestNeighbors
from empirisk.estimators.unsupervised.one_class_svm import OneClassSVM

REGISTRY: dict[str, type] = {
    "KernelDensity": KernelDensity,
    "NearestNeighbors": NearestNeighbors,
    "OneClassSVM": OneClassSVM,
}

__all__ = ["REGISTRY", "KernelDensity", "NearestNeighbors", "OneClassSVM"]


def __dir__() -> list[str]:
    return sorted(__all__)
