"""The contract of distributions: a density with parameters, and what rows drawn from it tell about them.

A distribution is a frozen object whose fields are its parameters.  Those that form an exponential family

    p(x) = h(x) exp(eta . phi(x) - A(eta))

say so by deriving from :class:`ExponentialMember`, and owe the five functions of the formula; densities,
likelihood fits and divergences follow.  The others owe what they are asked for one by one.  Nothing here
knows how rows are stored: all that a fit needs is a sum over row blocks, or a few of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from empirisk.data.seeds import Seed
from empirisk.distributions.lattice import counts_near
from empirisk.distributions.odd_rows import check_held, guard, numbers
from empirisk.distributions.parameters import check_between, check_count
from empirisk.results import Certificate
from empirisk.typing import Array, Interval

__all__ = [
    "LINE",
    "POSITIVE",
    "Distribution",
    "Fitted",
    "Observations",
    "check_between",
    "check_count",
    "check_held",
    "numbers",
]

# Least eigenvalue of a matrix with the diagonal 1 that is told from a singular one.
SINGULAR = 1e-13
# The finite numbers, and those above 0.
LINE = Interval(low_closed=False, high_closed=False)
POSITIVE = Interval(0.0, math.inf, low_closed=False, high_closed=False)


class Observations(Protocol):
    """What a family may ask of rows: sums over blocks of plain numbers, with weights above 0."""

    @property
    def total(self) -> float:
        """The sum of the weights of all rows that are present."""
        ...

    def map_sum(
        self,
        f: Callable[[Array, Array], Any],
        quick: Callable[[Array, Array | None, float], Any] | None = None,
        /,
    ) -> Any:
        """Return the sum of ``f(rows, weights)`` over the blocks, entry by entry, f a sum over rows itself.

        ``quick(column, weights, origin)`` gives the same of a block by a compiled loop, or None."""
        ...

    def gathered(self) -> tuple[Array, Array]:
        """Return all rows and weights side by side, for estimates that are no sums."""
        ...

    def centred(self) -> tuple[Observations, Any]:
        """Return the rows less their mean, and the mean: what is squared there has not lost its digits."""
        ...


@dataclass(frozen=True)
class Fitted:
    """The member of a family that a fit has found.

    Parameters
    ----------
    distribution : Distribution
    certificate : Certificate
        How far its likelihood can be from the largest one.
    log_likelihood : float or None
        Of the rows, where the sums of the fit give it; else one more pass over the rows does.
    """

    distribution: Any
    certificate: Certificate
    log_likelihood: float | None = None


@dataclass(frozen=True, eq=False)
class Distribution:
    """A law of one number, or of d numbers; frozen, its fields are its parameters.

    ``name`` is the key of the registry.  ``discrete`` says whether ``log_prob`` is the logarithm of a chance
    or of a density.  ``domains`` gives the interval of each parameter that is estimated: intervals of
    parameters never leave it.  ``structure`` names the fields that a fit must be told (the number of trials).
    ``located`` says whether the rows of a shifted law are shifted rows: fits then subtract the mean of the
    rows first, against cancellation.  ``regular`` says whether the support stays where it is when the
    parameters move, without which there is no Fisher information.
    """

    name: ClassVar[str]
    discrete: ClassVar[bool] = False
    domains: ClassVar[Mapping[str, Interval]] = {}
    structure: ClassVar[tuple[str, ...]] = ()
    located: ClassVar[bool] = False
    regular: ClassVar[bool] = True

    # How fast ``|log p(x)|`` grows with |x|: like its power, 0 for slower than any; and the order up to which
    # a draw has moments.  They tell which divergences are infinite.
    growth: ClassVar[float] = 0.0
    # Whether rows have a fixed sum, so that the density is one in all numbers but the last.
    simplex: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        guard(cls)

    @property
    def support(self) -> Interval:
        """The interval outside of which the law has no mass, coordinate by coordinate."""
        return Interval()

    @property
    def supports(self) -> tuple[Interval, ...]:
        """The interval of each number of a row outside of which it has no mass."""
        return (self.support,) * max(1, self.dimension)

    @property
    def moment_order(self) -> float:
        """The order below which a draw has moments: infinite but for laws with heavy tails."""
        return math.inf

    @property
    def dimension(self) -> int:
        """How many numbers a draw is made of; 0 where a draw is one plain number."""
        return 0

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the fields by name, in their order."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def with_parameters(self, **values: Any) -> Self:
        """Return the same law with other values of the named parameters."""
        unknown = sorted(values.keys() - self.parameters.keys())
        if unknown:
            has = list(self.parameters)
            raise TypeError(f"{unknown[0]!r} is no parameter of the {self.title}: it has {has}")
        return replace(self, **values)

    @classmethod
    def member(cls, columns: int, **structure: Any) -> Self:
        """Return some member of the family for rows of so many columns, with the structure that is known."""
        return cls(**structure)

    @property
    def coordinates(self) -> dict[str, tuple[float, Interval]]:
        """The plain numbers that are estimated, by name, each with the interval that it stays in."""
        return {name: (float(getattr(self, name)), domain) for name, domain in self.domains.items()}

    def at(self, theta: Array) -> Self:
        """Return the member with these numbers as its coordinates, in their order."""
        return self.with_parameters(**dict(zip(self.domains, map(float, theta), strict=True)))

    @property
    def tangent(self) -> Array:
        """The projector onto the directions in which the coordinates may move; shares keep their sum."""
        return np.eye(len(self.coordinates))

    def log_prob(self, x: Any) -> Array:
        """Return the logarithm of the density, or of the chance, of each row; -inf outside of the support."""
        raise NotImplementedError

    def frozen(self) -> Any:
        """Return the same law as a frozen distribution of scipy.stats."""
        raise lacking(self, "counterpart in scipy.stats")

    def quantile(self, u: Any) -> Array:
        """Return the smallest number with ``cdf`` of at least u; laws of one number have it."""
        if self.dimension:
            raise lacking(self, "quantiles, being one of several numbers")
        return np.asarray(self.frozen().ppf(np.asarray(u, dtype=np.float64)))

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return so many independent draws, (size,) or (size, d)."""
        raise NotImplementedError

    def moments(self) -> tuple[Any, Any]:
        """Return mean and variance of a draw: two numbers, or an array of d and a matrix."""
        raise NotImplementedError

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x, for each row; laws of one number have it."""
        raise lacking(self, "distribution function, being one of several numbers")

    def entropy(self) -> float:
        """Return ``-E log p(x)`` in nats, the entropy of the law."""
        raise NotImplementedError

    def fisher_information(self) -> Array:
        """Return ``E s s'``, s the derivatives of log p(x) in the coordinates."""
        raise lacking(self, "Fisher information, since its support moves with the parameters")

    def score(self, x: Any) -> Array:
        """Return the derivatives of ``log_prob`` in the coordinates, (n, k), along ``tangent``."""
        raise lacking(self, "derivatives, since its support moves with the parameters")

    def inverse_information(self) -> Array:
        """Return the inverse of the Fisher information: the covariance of estimates times the rows."""
        F = self.fisher_information()
        if not np.isfinite(F).all():
            raise OverflowError  # which becomes a sentence about units
        unit = 1.0 / np.sqrt(np.diag(F))
        # In units of their own errors: parameters may be of any size, and what is singular is told.
        values, vectors = np.linalg.eigh(F * np.outer(unit, unit)) if np.isfinite(unit).all() else ([0.0], F)
        if not np.min(values) > SINGULAR:
            raise ValueError(
                f"the Fisher information of the {self.title} is singular to rounding: the rows do not tell "
                "its parameters apart; leave out statistics that are constant or combinations of others"
            )
        half = unit[:, None] * vectors / np.sqrt(values)
        return np.asarray(half @ half.T)

    def estimate_covariance(self, n: float) -> Array:
        """Return the covariance of the estimates of maximum likelihood from n rows."""
        return np.asarray(self.inverse_information() / n)

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return the ends and the method of exact intervals by coordinate, where self was fitted to n rows.

        They hold the true number with a chance of `level` at least, for any n, when the rows follow the law.
        """
        return {}

    def comparable(self, other: Any) -> bool:
        """Return whether ``kl`` has a formula for another member: for the same structure and shapes."""
        known = [f for f in self.structure if f in self.parameters]
        same = all(np.array_equal(self.parameters[f], other.parameters[f]) for f in known)
        return same and self.coordinates.keys() == other.coordinates.keys()

    def kl(self, other: Any) -> float:
        """Return ``E log(p(x) / q(x))`` under p, this law; q is a law of the same family."""
        raise NotImplementedError

    def shifted(self, by: Any) -> Self:
        """Return the law of ``x + by``; for laws that are ``located``."""
        raise lacking(self, "member for shifted rows")

    @property
    def possible(self) -> Interval:
        """The numbers that some member of the family can draw: the support, unless parameters move it."""
        return self.support

    def check(self, x: Array) -> None:
        """Refuse rows that no member of the family can draw, by row."""
        inside = self.possible.contains(x)
        if self.discrete:
            inside &= np.floor(x) == x
        if inside.all():
            return
        bad = np.flatnonzero(~(inside if x.ndim == 1 else inside.all(axis=1)))
        kind = "whole numbers" if self.discrete else "numbers"
        raise ValueError(
            f"x holds {_first(x, int(bad[0]))} in row {bad[0]} ({len(bad)} such rows in all), and the "
            f"{self.title} is a law of {kind} in {self.possible}; take them out, or choose another law"
        )

    @property
    def title(self) -> str:
        """How a sentence names the law."""
        return f"{self.name.replace('_', ' ')} distribution"

    def maximise(self, data: Observations) -> Fitted:
        """Return the member of the family with the largest likelihood; self says the structure."""
        raise NotImplementedError

    # The orders of the central moments that fix a member, beside its mean.
    orders: ClassVar[tuple[int, ...]] = (2,)

    # Whether the name alone says which family it is.
    by_name: ClassVar[bool] = True
    # Parameters whose estimate by moments has no normal law, and why.
    unsure_by_moments: ClassVar[Mapping[str, str]] = {}

    def moment_rows(self, x: Array) -> Array:
        """Return the numbers whose moments are matched: the rows themselves."""
        return x

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the member with these moments (of the fewest orders that fix it)."""
        raise NotImplementedError

    # Which law of the parameters keeps its form when rows are seen, if one does.
    conjugate: ClassVar[str] = ""

    def posterior(self, prior: Any, data: Observations) -> Any:
        """Return the law of the parameters after the rows, for a prior of the family `conjugate` names."""
        raise NotImplementedError

    def discrepancy(self, x: Array) -> tuple[float, str]:
        """Return how far rows of several numbers are from the law, and what the distance is called."""
        raise lacking(self, "distance to rows of several numbers; compare column by column")

    def separation(self, other: Any) -> float | None:
        """Return ``|L^-1 (m - l)|`` from a law with the same covariance ``L L'`` where both are Gaussian, or
        None elsewhere.
        """
        return None

    def atoms(self) -> Array | None:
        """Return rows that carry all mass but what is rounded to 0, or None where they cannot be listed."""
        return counts_near(self) if self.discrete and not self.dimension else None

    def mode(self) -> Array:
        """Return the likeliest row: where the density is largest; for laws that serve as priors."""
        raise lacking(self, "mode in closed form")

    def credible(self, level: float) -> Array:
        """Return the middle `level` of each coordinate of a row, (d, 2); for laws of parameters."""
        tail = 0.5 * (1.0 - level)
        return np.asarray(self.quantile([tail, 1.0 - tail]))[None, :]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.parameters, other.parameters
        return all(np.array_equal(mine[key], theirs[key]) for key in mine)

    def __hash__(self) -> int:
        return hash((self.name, *(np.asarray(v).tobytes() for v in self.parameters.values())))


# Methods that laws inherit follow the rules for odd arguments, too.
guard(Distribution)


def lacking(law: Distribution, what: str) -> ValueError:
    """Return the error for something that a law does not have."""
    return ValueError(f"the {law.title} has no {what}")


def _first(x: Array, row: int) -> str:
    """The words for a row that is refused: its number, or its numbers where there are several."""
    return f"{x[row]:g}" if x.ndim == 1 else np.array2string(x[row], threshold=6, precision=4)
