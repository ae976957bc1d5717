"""The rational quadratic kernel: Gaussian kernels of many length scales, mixed.

Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.pairs import squared_distances
from empirisk.kernels.words import check_width, is_positive
from empirisk.typing import Array

__all__ = ["RationalQuadratic"]


@dataclass(frozen=True)
class RationalQuadratic(MercerKernel):
    """``k(x, x') = (1 + ||x - x'||^2 / (2 shape length_scale^2))^(-shape)``.

    Parameters
    ----------
    length_scale : float > 0, default 1.0
    shape : float > 0, default 1.0
        Infinitely large it is the Gaussian kernel of this length scale.

    Examples
    --------
    >>> RationalQuadratic().block(np.array([[0.0], [2.0**0.5]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    length_scale: float = 1.0
    shape: float = 1.0
    name = "rational_quadratic"
    stationary = True
    normalised = True

    def __post_init__(self) -> None:
        check_width(self.name, None, self.length_scale)
        if not is_positive(self.shape):
            raise ValueError(
                f"shape of the kernel {self.name!r} must be a finite number > 0, got {self.shape!r}"
            )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The length scale and the shape of the kernel."""
        return {"length_scale": self.length_scale, "shape": self.shape}

    def _share(self, A: Any, B: Any) -> Array:
        return np.asarray(squared_distances(A, B) / (2.0 * self.shape * self.length_scale**2))

    def block(self, A: Any, B: Any = None) -> Array:
        """Return ``(1 + d/(2 shape length_scale^2))^(-shape)``, d the squared distance."""
        return np.asarray(np.exp(-self.shape * np.log1p(self._share(A, B))))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return those by the logarithms of the length scale and of the shape."""
        u = self._share(A, B)
        k = np.exp(-self.shape * np.log1p(u))
        return [2.0 * self.shape * u / (1.0 + u) * k, self.shape * (u / (1.0 + u) - np.log1p(u)) * k]
