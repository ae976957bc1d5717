"""Feature maps, from rows to features.  Adding one is a class on FeatureMap (or ColumnMap, where each column
becomes functions of it) and a row of REGISTRY.
"""

from empirisk.estimators.features.fourier import FourierFeatures
from empirisk.estimators.features.kernel_pca import KernelPCA
from empirisk.estimators.features.nystroem import Nystroem
from empirisk.estimators.features.orthogonal_polynomials import OrthogonalPolynomials
from empirisk.estimators.features.pca import PCA
from empirisk.estimators.features.polynomial_regression import polynomial_regression
from empirisk.estimators.features.random_fourier import RandomFourierFeatures
from empirisk.estimators.features.random_projection import RandomProjection
from empirisk.estimators.features.random_relu import RandomReluFeatures

REGISTRY: dict[str, type] = {
    "FourierFeatures": FourierFeatures,
    "KernelPCA": KernelPCA,
    "Nystroem": Nystroem,
    "OrthogonalPolynomials": OrthogonalPolynomials,
    "PCA": PCA,
    "RandomFourierFeatures": RandomFourierFeatures,
    "RandomProjection": RandomProjection,
    "RandomReluFeatures": RandomReluFeatures,
}

__all__ = [
    "PCA",
    "REGISTRY",
    "FourierFeatures",
    "KernelPCA",
    "Nystroem",
    "OrthogonalPolynomials",
    "RandomFourierFeatures",
    "RandomProjection",
    "RandomReluFeatures",
    "polynomial_regression",
]


def __dir__() -> list[str]:
    return sorted(__all__)
