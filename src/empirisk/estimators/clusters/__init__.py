"""Estimators that group rows.  Adding one is a class on Clusterer and a row of REGISTRY."""

from empirisk.estimators.clusters.agglomerative import AgglomerativeClustering
from empirisk.estimators.clusters.base import Clusterer
from empirisk.estimators.clusters.divisive import DivisiveClustering
from empirisk.estimators.clusters.gaussian_mixture import GaussianMixture
from empirisk.estimators.clusters.k_means import KMeans
from empirisk.estimators.clusters.k_medoids import KMedoids
from empirisk.estimators.clusters.mini_batch_k_means import MiniBatchKMeans
from empirisk.estimators.clusters.mixture import Mixture
from empirisk.estimators.clusters.spectral import SpectralClustering

REGISTRY: dict[str, type] = {
    "AgglomerativeClustering": AgglomerativeClustering,
    "DivisiveClustering": DivisiveClustering,
    "GaussianMixture": GaussianMixture,
    "KMeans": KMeans,
    "KMedoids": KMedoids,
    "MiniBatchKMeans": MiniBatchKMeans,
    "Mixture": Mixture,
    "SpectralClustering": SpectralClustering,
}

__all__ = [
    "REGISTRY",
    "AgglomerativeClustering",
    "Clusterer",
    "DivisiveClustering",
    "GaussianMixture",
    "KMeans",
    "KMedoids",
    "MiniBatchKMeans",
    "Mixture",
    "SpectralClustering",
]


def __dir__() -> list[str]:
    return sorted(__all__)
