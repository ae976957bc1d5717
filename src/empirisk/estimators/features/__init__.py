"""Feature maps, which expand columns.  Adding one is a class on FeatureMap and a row of REGISTRY."""

from empirisk.estimators.features.fourier import FourierFeatures
from empirisk.estimators.features.orthogonal_polynomials import OrthogonalPolynomials
from empirisk.estimators.features.polynomial_regression import polynomial_regression

REGISTRY: dict[str, type] = {
    "FourierFeatures": FourierFeatures,
    "OrthogonalPolynomials": OrthogonalPolynomials,
}

__all__ = ["REGISTRY", "FourierFeatures", "OrthogonalPolynomials", "polynomial_regression"]


def __dir__() -> list[str]:
    return sorted(__all__)
