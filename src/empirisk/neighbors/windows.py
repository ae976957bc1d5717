"""Windows: how the weight of a row falls with its distance from a query, in units of a bandwidth.

Silverman 1986, Density Estimation for Statistics and Data Analysis, chapters 3 and 4; Cleveland, Journal of
the American Statistical Association 74 (1979), on the tricube.  Adding one is a class, a row of REGISTRY, and
a functor in `cpp/neighbors/windows.hpp`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.special import betaln, gammaln

from empirisk.typing import Array

__all__ = ["REGISTRY", "Boxcar", "Epanechnikov", "Gaussian", "Tricube", "Window", "window_of"]


class Window(Protocol):
    """A weight ``k(u)`` of rows at a distance of u bandwidths, falling from ``k(0) = 1``.

    Attributes
    ----------
    name : str
        Registry name, and that of the compiled form.
    bounded : bool
        Whether rows beyond one bandwidth have no weight.
    """

    name: ClassVar[str]
    bounded: ClassVar[bool]

    def weights(self, square: Array) -> Array:
        """Return ``k(u)`` for squares of u, in plain NumPy."""
        ...

    def log_mass(self, p: int) -> float:
        """Return the logarithm of the integral of ``k(||u||)`` over p columns."""
        ...

    def deviation(self, p: int) -> float:
        """Return the standard deviation of one of p columns under the density ``k(||u||)``."""
        ...

    def radii(self, generator: np.random.Generator, p: int, count: int) -> Array:
        """Draw ``||u||`` under the density ``k(||u||)`` of p columns."""
        ...


def _log_ball(p: int) -> float:
    """Return the logarithm of the volume of the unit ball of p columns."""
    return float(0.5 * p * np.log(np.pi) - gammaln(0.5 * p + 1.0))


class Gaussian:
    """``k(u) = exp(-u^2 / 2)``: every row has weight, however far it is."""

    name: ClassVar[str] = "gaussian"
    bounded: ClassVar[bool] = False

    def weights(self, square: Array) -> Array:
        return np.asarray(np.exp(-0.5 * square))

    def log_mass(self, p: int) -> float:
        return float(0.5 * p * np.log(2.0 * np.pi))

    def deviation(self, p: int) -> float:
        return 1.0

    def radii(self, generator: np.random.Generator, p: int, count: int) -> Array:
        return np.asarray(np.sqrt(generator.chisquare(p, count)))


class Epanechnikov:
    """``k(u) = 1 - u^2`` within one bandwidth, which has the least asymptotic error of a density."""

    name: ClassVar[str] = "epanechnikov"
    bounded: ClassVar[bool] = True

    def weights(self, square: Array) -> Array:
        return np.asarray(np.maximum(1.0 - square, 0.0))

    def log_mass(self, p: int) -> float:
        return _log_ball(p) + float(np.log(2.0 / (p + 2.0)))

    def deviation(self, p: int) -> float:
        return float((p + 4.0) ** -0.5)

    def radii(self, generator: np.random.Generator, p: int, count: int) -> Array:
        return np.asarray(np.sqrt(generator.beta(0.5 * p, 2.0, count)))


class Tricube:
    """``k(u) = (1 - u^3)^3`` within one bandwidth: smooth at its end."""

    name: ClassVar[str] = "tricube"
    bounded: ClassVar[bool] = True

    def weights(self, square: Array) -> Array:
        inside = np.minimum(square, 1.0)
        return np.asarray((1.0 - inside * np.sqrt(inside)) ** 3)

    def log_mass(self, p: int) -> float:
        return _log_ball(p) + float(np.log(p / 3.0) + betaln(p / 3.0, 4.0))

    def deviation(self, p: int) -> float:
        return float(np.exp(0.5 * (betaln((p + 2.0) / 3.0, 4.0) - betaln(p / 3.0, 4.0))) / np.sqrt(p))

    def radii(self, generator: np.random.Generator, p: int, count: int) -> Array:
        return np.asarray(np.cbrt(generator.beta(p / 3.0, 4.0, count)))


class Boxcar:
    """``k(u) = 1`` within one bandwidth, its end included, and 0 beyond."""

    name: ClassVar[str] = "boxcar"
    bounded: ClassVar[bool] = True

    def weights(self, square: Array) -> Array:
        return np.asarray(square <= 1.0, dtype=np.float64)

    def log_mass(self, p: int) -> float:
        return _log_ball(p)

    def deviation(self, p: int) -> float:
        return float((p + 2.0) ** -0.5)

    def radii(self, generator: np.random.Generator, p: int, count: int) -> Array:
        return np.asarray(generator.random(count) ** (1.0 / p))


REGISTRY: dict[str, type[Window]] = {
    "boxcar": Boxcar,
    "epanechnikov": Epanechnikov,
    "gaussian": Gaussian,
    "tricube": Tricube,
}


def window_of(given: Any) -> Window:
    """Return the window that a name stands for.

    Raises
    ------
    ValueError
        For what is none, with the names that are known.

    Examples
    --------
    >>> window_of("tricube").weights(np.array([0.0, 0.25, 2.0])).round(4).tolist()
    [1.0, 0.6699, 0.0]
    """
    if isinstance(given, str) and given in REGISTRY:
        return REGISTRY[given]()
    raise ValueError(f"window must be one of {', '.join(sorted(REGISTRY))}, got {given!r}")
