"""The Laplacian kernel: it falls with the sum of the absolute differences, and has a peak at 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.base import Loop
from empirisk.kernels.words import check_width, gamma_of
from empirisk.typing import Array

__all__ = ["Laplacian"]


@dataclass(frozen=True)
class Laplacian(MercerKernel):
    """``k(x, x') = exp(-gamma sum_j |x_j - x'_j|)``.

    Parameters
    ----------
    gamma : float > 0, "scale", "median" or None, default None
        As in :class:`Gaussian`; its words are the same numbers.  Without one it is ``"scale"``.

    Examples
    --------
    >>> Laplacian(1.0).block(np.array([[0.0], [1.0]])).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    gamma: float | str | None = None
    name = "laplacian"
    stationary = True
    normalised = True

    def __post_init__(self) -> None:
        check_width(self.name, self.gamma, None)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Gamma, the rate of the fall."""
        if not isinstance(self.gamma, float | int):
            raise ValueError(f"the kernel {self.title} is to learn gamma from rows: call resolved(X) first")
        return {"gamma": float(self.gamma)}

    @property
    def loop(self) -> Loop:
        """The compiled function of the sum of absolute differences."""
        return Loop("manhattan", "laplacian", (self.parameters["gamma"],))

    def resolved(self, X: Any, weight: Array | None = None) -> Self:
        """Return the kernel with a number for gamma."""
        return replace(self, gamma=gamma_of(self.gamma, X, weight))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return ``k log k`` by the logarithm of gamma."""
        block = self.block(A, B)
        with np.errstate(divide="ignore", invalid="ignore"):
            return [np.where(block > 0.0, block * np.log(block), 0.0)]

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array:
        """Draw from the Cauchy distribution of scale gamma in each column."""
        return np.asarray(self.parameters["gamma"] * generator.standard_cauchy((n_columns, count)))
