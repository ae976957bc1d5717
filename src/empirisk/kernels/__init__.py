"""Mercer kernels: symmetric functions of two rows, as frozen objects.

Adding one is a file and a row of REGISTRY.
"""

from typing import Any

from empirisk.kernels.algebra import OnColumns, Product, Scaled, Sum
from empirisk.kernels.analytic import Analytic
from empirisk.kernels.arc_cosine import ArcCosine
from empirisk.kernels.base import Kernel
from empirisk.kernels.choose import kernel_of as _kernel_of
from empirisk.kernels.gaussian import Gaussian
from empirisk.kernels.gram import Gram
from empirisk.kernels.laplacian import Laplacian
from empirisk.kernels.linear import Linear
from empirisk.kernels.matern import Matern
from empirisk.kernels.periodic import Periodic
from empirisk.kernels.polynomial import Polynomial
from empirisk.kernels.precomputed import Precomputed
from empirisk.kernels.psd import PSDCheck, check_psd
from empirisk.kernels.rational_quadratic import RationalQuadratic
from empirisk.kernels.user import UserKernel

REGISTRY: dict[str, type] = {
    "analytic": Analytic,
    "arc_cosine": ArcCosine,
    "gaussian": Gaussian,
    "laplacian": Laplacian,
    "linear": Linear,
    "matern": Matern,
    "periodic": Periodic,
    "polynomial": Polynomial,
    "precomputed": Precomputed,
    "rational_quadratic": RationalQuadratic,
}

__all__ = [
    "REGISTRY",
    "Analytic",
    "ArcCosine",
    "Gaussian",
    "Gram",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "OnColumns",
    "PSDCheck",
    "Periodic",
    "Polynomial",
    "Precomputed",
    "Product",
    "RationalQuadratic",
    "Scaled",
    "Sum",
    "UserKernel",
    "check_psd",
    "kernel_of",
]


def kernel_of(given: Any) -> Kernel:
    """Return the kernel that a name, an object or a function of two blocks of rows stands for."""
    return _kernel_of(given, REGISTRY)


def __dir__() -> list[str]:
    return sorted(__all__)
