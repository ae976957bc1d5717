"""Links other than a family's own: what the own score of a family is as a function of the score under them.

A link g says ``g(mean) = z``.  Families have an own score t (the mean itself, its logarithm, its log odds),
and a link is here the function ``t(z)`` with two derivatives, and the open interval of scores that have a
mean. McCullagh and Nelder, Generalized Linear Models (1989), sections 2.3 and 4.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from empirisk.typing import Array

__all__ = ["LINKS", "Cauchit", "Change", "Link", "LogLog", "Power"]


class Change(NamedTuple):
    """The own score of the family at each score z, and its first two derivatives in z."""

    t: Array
    first: Array
    second: Array


class Link(Protocol):
    """A monotone function of the mean.

    Attributes
    ----------
    name : str
        How parameters call it.
    low, high : float
        Ends of the open interval of scores that have a mean in the range of positive means.
    own : frozenset of str
        Of which own scores ("mean", "log", "odds") it knows the change.
    """

    @property
    def name(self) -> str: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def own(self) -> frozenset[str]: ...

    def score(self, mean: Any) -> Any:
        """Return the score of a mean."""
        ...

    def change(self, own: str, z: Array) -> Change:
        """Return the family's own score and its derivatives at scores inside the interval."""
        ...


@dataclass(frozen=True)
class Power:
    """``z = mean^k`` for means > 0, with ``log(mean)`` for k = 0: identity, square root, logarithm, inverse.

    Parameters
    ----------
    name : str
        How parameters call it.
    exponent : float
        k.
    """

    name: str
    exponent: float

    @property
    def low(self) -> float:
        """0, because powers of positive means are positive; the logarithm has every score."""
        return 0.0 if self.exponent else -math.inf

    @property
    def high(self) -> float:
        """Infinite: means of families with an own score of this kind have no upper end."""
        return math.inf

    @property
    def own(self) -> frozenset[str]:
        """Probabilities have powers of their own, because they end at 1 as well."""
        return frozenset({"mean", "log"})

    def score(self, mean: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.power(mean, self.exponent) if self.exponent else np.log(mean)

    def change(self, own: str, z: Array) -> Change:
        k = self.exponent
        if own == "log":
            return Change(np.log(z) / k, 1.0 / (k * z), -1.0 / (k * z * z))
        with np.errstate(over="ignore"):
            if k == 0.0:
                e = np.exp(z)
                return Change(e, e, e)
            m = np.power(z, 1.0 / k)
            first = m / (k * z)
            return Change(m, first, first * (1.0 / k - 1.0) / z)


@dataclass(frozen=True)
class Risk:
    """``z = p`` or ``z = log(p)`` of a probability: its differences and ratios are coefficients.

    Parameters
    ----------
    name : str
        ``"identity"`` or ``"log"``.
    """

    name: str
    own = frozenset({"odds"})

    @property
    def low(self) -> float:
        """0 for probabilities, and none for their logarithms."""
        return 0.0 if self.name == "identity" else -math.inf

    @property
    def high(self) -> float:
        """The score that belongs to the probability 1."""
        return 1.0 if self.name == "identity" else 0.0

    def score(self, mean: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.asarray(mean) if self.name == "identity" else np.log(mean)

    def change(self, own: str, z: Array) -> Change:
        if self.name == "identity":
            first = 1.0 / (z * (1.0 - z))
            return Change(np.log(z) - np.log1p(-z), first, (2.0 * z - 1.0) * first * first)
        rest = -np.expm1(z)
        return Change(z - np.log(rest), 1.0 / rest, np.exp(z) / (rest * rest))


@dataclass(frozen=True)
class Cauchit:
    """``p = 1/2 + atan(z) / pi``: a probability that far scores leave uncertain."""

    name = "cauchit"
    low, high = -math.inf, math.inf
    own = frozenset({"odds"})

    def score(self, mean: Any) -> Any:
        return np.tan(math.pi * (np.asarray(mean) - 0.5))

    def change(self, own: str, z: Array) -> Change:
        # The smaller of p and 1 - p is atan(1 / |z|) / pi, whose digits 1/2 + atan(z) / pi would lose.
        small = np.arctan2(1.0, np.abs(z)) / math.pi
        t = np.where(z < 0.0, 1.0, -1.0) * (np.log(small) - np.log1p(-small))
        density = 1.0 / (math.pi * (1.0 + z * z))
        first = density / (small * (1.0 - small))
        bend = -2.0 * z / (1.0 + z * z) * first
        sign = np.where(z < 0.0, -1.0, 1.0)  # 2 p - 1 = sign (1 - 2 small)
        return Change(t, first, bend + first * first * sign * (1.0 - 2.0 * small))


@dataclass(frozen=True)
class LogLog:
    """``p = exp(-exp(-z))``: the complementary log-log link of the other label."""

    name = "loglog"
    low, high = -math.inf, math.inf
    own = frozenset({"odds"})

    def score(self, mean: Any) -> Any:
        with np.errstate(divide="ignore"):
            return -np.log(-np.log(mean))

    def change(self, own: str, z: Array) -> Change:
        # Beyond e^150 the probability is 0 in every format, and squares of e would overflow.
        e = np.exp(-np.maximum(z, -345.0 if z.dtype == np.float64 else -40.0))
        rest = np.maximum(-np.expm1(-e), np.finfo(z.dtype).tiny)
        first = e / rest
        return Change(-e - np.log(rest), first, first * (first * np.exp(-e) - 1.0))


LINKS: dict[str, dict[str, Link]] = {
    "power": {
        "identity": Power("identity", 1.0),
        "sqrt": Power("sqrt", 0.5),
        "log": Power("log", 0.0),
        "inverse": Power("inverse", -1.0),
        "inverse_squared": Power("inverse_squared", -2.0),
    },
    "odds": {
        "cauchit": Cauchit(),
        "loglog": LogLog(),
        "log": Risk("log"),
        "identity": Risk("identity"),
    },
}
