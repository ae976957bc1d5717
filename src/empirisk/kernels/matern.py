"""The Matern kernels: functions of a distance that are differentiable as often as their smoothness says.

Stein 1999, Interpolation of Spatial Data; Rasmussen and Williams 2006, section 4.2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.base import Loop
from empirisk.kernels.pairs import squared_distances
from empirisk.kernels.words import check_width
from empirisk.typing import Array

__all__ = ["Matern"]


@dataclass(frozen=True)
class Matern(MercerKernel):
    """``exp(-r)``, ``(1 + r) exp(-r)`` or ``(1 + r + r^2/3) exp(-r)``, ``r = sqrt(2 nu) ||x - x'|| /
    length_scale``.

    Parameters
    ----------
    length_scale : float > 0, default 1.0
    nu : {0.5, 1.5, 2.5}, default 1.5
        Functions of the kernel's space are differentiable fewer than nu times; 0.5 is the exponential kernel.

    Examples
    --------
    >>> Matern(1.0, 0.5).block(np.array([[0.0], [1.0]])).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    length_scale: float = 1.0
    nu: float = 1.5
    name = "matern"
    stationary = True
    normalised = True

    def __post_init__(self) -> None:
        check_width(self.name, None, self.length_scale)
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"nu of the kernel 'matern' must be 0.5, 1.5 or 2.5, got {self.nu!r}")

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The length scale; the smoothness is no number to be learned."""
        return {"length_scale": self.length_scale}

    @property
    def loop(self) -> Loop:
        """The compiled function of the squared distance."""
        return Loop("squared_distance", "matern", (2.0 * self.nu, 1.0 / self.length_scale))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return ``-r k'(r)`` by the logarithm of the length scale."""
        r = np.sqrt(2.0 * self.nu * squared_distances(A, B)) / self.length_scale
        r = np.minimum(r, 800.0)  # exp(-800) is 0, and powers of larger r overflow
        factor = {0.5: r, 1.5: r * r, 2.5: r * r * (1.0 + r) / 3.0}[self.nu]
        return [np.asarray(factor * np.exp(-r))]

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array:
        """Draw from Student's law with 2 nu degrees of freedom, scaled by one over the length."""
        normal = generator.standard_normal((n_columns, count))
        return np.asarray(
            normal / np.sqrt(generator.chisquare(2.0 * self.nu, count) / (2.0 * self.nu)) / self.length_scale
        )
