"""Mercer kernels: symmetric functions of two rows, as frozen objects.

Adding one is a file and a row of REGISTRY.
"""

from typing import Any

from empirisk.kernels.algebra import OnColumns, Product, Scaled, Sum
from empirisk.kernels.base import Kernel
from empirisk.kernels.choose import kernel_of as _kernel_of
from empirisk.kernels.gaussian import Gaussian
from empirisk.kernels.linear import Linear
from empirisk.kernels.precomputed import Precomputed

REGISTRY: dict[str, type] = {
    "gaussian": Gaussian,
    "linear": Linear,
    "precomputed": Precomputed,
}

__all__ = [
    "REGISTRY",
    "Gaussian",
    "Kernel",
    "Linear",
    "OnColumns",
    "Precomputed",
    "Product",
    "Scaled",
    "Sum",
    "kernel_of",
]


def kernel_of(given: Any) -> Kernel:
    """Return the kernel that a name, an object or a callable stands for."""
    return _kernel_of(given, REGISTRY)


def __dir__() -> list[str]:
    return sorted(__all__)
