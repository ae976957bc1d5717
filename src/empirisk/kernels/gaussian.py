"""The Gaussian kernel, the one that is dense in the continuous functions of a compact set.

Steinwart 2001, JMLR 2 (universality); Schoelkopf and Smola 2002, Learning with Kernels, section 2.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.base import Loop
from empirisk.kernels.pairs import squared_distances, weighted_squares
from empirisk.kernels.words import check_width, gamma_of
from empirisk.typing import Array

__all__ = ["Gaussian"]


@dataclass(frozen=True)
class Gaussian(MercerKernel):
    """``k(x, x') = exp(-gamma ||x - x'||^2)``, or ``exp(-||x - x'||^2 / (2 length_scale^2))``.

    Parameters
    ----------
    gamma : float > 0, "scale", "median" or None, default None
        ``"scale"`` is 1/(number of columns * variance of all entries), ``"median"`` makes the length scale
        the median distance between rows.
    length_scale : float > 0 or None, default None
        In place of gamma: ``gamma = 1 / (2 length_scale^2)``.  Without either, gamma is ``"scale"``.

    Examples
    --------
    >>> Gaussian(gamma=1.0).block(np.array([[0.0], [1.0]])).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    gamma: float | str | None = None
    length_scale: float | None = None
    name = "gaussian"
    stationary = True
    normalised = True

    def __post_init__(self) -> None:
        check_width(self.name, self.gamma, self.length_scale)

    @property
    def _gamma(self) -> float:
        if self.length_scale is not None:
            return 0.5 / self.length_scale**2
        if not isinstance(self.gamma, float | int):
            raise ValueError(f"the kernel {self.title} is to learn gamma from rows: call resolved(X) first")
        return float(self.gamma)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The length scale where one was given, else gamma."""
        return {"gamma": self._gamma} if self.length_scale is None else {"length_scale": self.length_scale}

    @property
    def loop(self) -> Loop:
        """The compiled function of the squared distance."""
        return Loop("squared_distance", "gaussian", (self._gamma,))

    def resolved(self, X: Any, weight: Array | None = None) -> Self:
        """Return the kernel with a number for gamma."""
        if self.length_scale is not None:
            return self
        return replace(self, gamma=gamma_of(self.gamma, X, weight))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """``-gamma d k`` by log gamma, ``d k / length_scale^2`` by its logarithm, d the squared distance."""
        scaled = np.minimum(self._gamma * squared_distances(A, B), 800.0)  # exp(-800) is 0, inf times it NaN
        factor = -1.0 if self.length_scale is None else 2.0
        return [factor * scaled * np.exp(-scaled)]

    def log_slopes(self, product: Array, A: Any, B: Any = None) -> list[float] | None:
        """``-gamma sum_ij product_ij d_ij`` by log gamma, without the distances; None where they overflow."""
        factor = -1.0 if self.length_scale is None else 2.0
        unit = float(np.sqrt(self._gamma))  # brings rows of any scale to one whose squares can be summed
        with np.errstate(over="ignore", invalid="ignore"):
            total = weighted_squares(product, unit * A, None if B is None else unit * B)
        return [factor * total] if np.isfinite(total) else None

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array:
        """Draw from the normal distribution with variance ``2 gamma`` in each column."""
        return np.asarray(np.sqrt(2.0 * self._gamma) * generator.standard_normal((n_columns, count)))

    def attraction(self, A: Any, B: Any) -> Array:
        """Return the block itself, which the derivative is a multiple of."""
        return self.block(A, B)
