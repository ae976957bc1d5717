"""The Dirichlet distribution: shares of k parts that sum to 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import betainc, betaincinv, polygamma

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions import dirichlet_forms as forms
from empirisk.distributions.base import POSITIVE, Distribution, numbers
from empirisk.distributions.dirichlet_link import concentrations
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.shares import ROUNDING, check_vector
from empirisk.distributions.uniformity import anderson_darling
from empirisk.typing import Array, Interval

__all__ = ["Dirichlet"]


@dataclass(frozen=True, eq=False)
class Dirichlet(ExponentialMember):
    """``p(x) = Gamma(sum a) / prod Gamma(a_j) prod x_j^(a_j - 1)`` for shares x that sum to 1.

    The density is one in the first k - 1 shares.  ``phi(x) = log x``, ``h(x) = 1 / prod x_j``, ``eta = a``,
    ``A(eta) = sum log Gamma(eta_j) - log Gamma(sum eta)``.

    Parameters
    ----------
    concentration : sequence of floats, shape (k,), default (1.0, 1.0)
        The numbers a, above 0; the mean share of part j is ``a_j / sum a``.

    Examples
    --------
    >>> Dirichlet([2.0, 1.0, 1.0]).log_prob([[0.5, 0.25, 0.25]]).round(4)
    array([1.0986])
    """

    concentration: Any = (1.0, 1.0)

    name = "dirichlet"
    closed_form = False
    simplex = True

    def __post_init__(self) -> None:
        a = check_vector(self.name, "concentration", self.concentration, POSITIVE, 2)
        object.__setattr__(self, "concentration", a)

    @classmethod
    def member(cls, columns: int, **structure: Any) -> Self:
        """Return the law with all concentrations 1, a part for each column."""
        return cls(np.ones(columns))

    @property
    def coordinates(self) -> dict[str, tuple[float, Interval]]:
        """The concentrations, by part, in the order in which a fit estimates them."""
        return {f"concentration[{j}]": (float(v), POSITIVE) for j, v in enumerate(self.concentration)}

    def at(self, theta: Array) -> Self:
        """Return the law with these concentrations."""
        return self.with_parameters(concentration=np.asarray(theta))

    @property
    def dimension(self) -> int:
        """One number for each part, which is how many numbers a draw has."""
        return len(self.concentration)

    @property
    def support(self) -> Interval:
        """The numbers between 0 and 1; those of a row sum to 1, too."""
        return Interval(0.0, 1.0, low_closed=False, high_closed=False)

    def check(self, x: Array) -> None:
        """Refuse rows that are not between 0 and 1, or do not sum to 1."""
        Distribution.check(self, x)
        bad = np.flatnonzero(np.abs(x.sum(axis=1) - 1.0) > ROUNDING)
        if len(bad):
            raise ValueError(
                f"x sums to {x[bad[0]].sum():.8g} in row {bad[0]} ({len(bad)} such rows in all), and the "
                f"{self.title} to 1; divide rows by their sums"
            )

    @property
    def natural(self) -> Array:
        """The concentrations, the natural parameters of this law."""
        return np.asarray(self.concentration)

    def from_natural(self, eta: Array) -> Self:
        """Return the law with the concentrations eta."""
        return self.at(eta)

    def natural_jacobian(self) -> Array:
        """Return the identity: the natural parameters are the concentrations."""
        return np.eye(len(self.concentration))

    def statistics(self, x: Array) -> Array:
        """Return the logarithms of the shares."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(x)

    def log_base(self, x: Array) -> Array:
        """Return ``-sum log x_j``, the logarithm of h for each row."""
        return np.asarray(-self.statistics(x).sum(axis=1))

    def base_sum(self, x: Array, weight: Array, sums: Array) -> float:
        """Return minus the sums of the logarithms: log h is so much of the statistics."""
        return -float(sums.sum())

    def log_partition(self, eta: Array) -> float:
        """Return ``sum log Gamma(eta_j) - log Gamma(sum eta)``, the log-partition at natural
        parameters eta.
        """
        return forms.log_beta(eta)

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``psi(eta_j) - psi(sum eta)``, psi the digamma function."""
        return forms.mean_logarithms(eta)

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``diag(psi'(eta)) - psi'(sum eta)``, the covariance of the statistics at eta."""
        return np.asarray(np.diag(polygamma(1, eta)) - polygamma(1, eta.sum()))

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law whose mean logarithms are those of the rows, by Newton's method."""
        a, left = concentrations(mean)
        return self.at(a), left

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with these mean shares and this sum of their variances."""
        spread = float(np.trace(variance))
        total = float((mean * (1.0 - mean)).sum()) / spread - 1.0 if spread > 0.0 else np.inf
        if not 0.0 < total < np.inf:
            raise ValueError(
                f"the shares of x have a summed variance of {spread:.4g}, and a Dirichlet law with their "
                f"means one between 0 and {float((mean * (1.0 - mean)).sum()):.4g}; look at where x comes "
                "from"
            )
        return self.at(np.asarray(mean) * total)

    def log_prob(self, x: Any) -> Array:
        """Return the logarithm of the density; -inf for rows that are no shares with the sum 1."""
        rows = numbers(x, self.dimension)
        inside = self.support.contains(rows).all(axis=1) & (np.abs(rows.sum(axis=1) - 1.0) <= ROUNDING)
        safe = np.where(inside[:, None], rows, 0.5)
        return np.where(inside, forms.log_density(self.natural, safe), -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent rows of shares of this law, from a seed."""
        return generator_of(random_state).dirichlet(self.concentration, size)

    def moments(self) -> tuple[Array, Array]:
        """Return ``m = a / sum a`` and ``(diag(m) - m m') / (1 + sum a)``, the mean and the variance of a
        draw.
        """
        total = float(self.concentration.sum())
        m = self.concentration / total
        return m, (np.diag(m) - np.outer(m, m)) / (1.0 + total)

    def mode(self) -> Array:
        """Return ``(a_j - 1) / (sum a - k)``, where all a are above 1; else the mode is at a border."""
        if not (self.concentration > 1.0).all():
            j = int(np.argmin(self.concentration))
            raise ValueError(
                f"the Dirichlet law has concentration {self.concentration[j]:g} for part {j} and is largest "
                "where that part is 0: give a prior with concentrations above 1, or read the mean of the "
                "posterior instead"
            )
        return np.asarray((self.concentration - 1.0) / (self.concentration.sum() - len(self.concentration)))

    def discrepancy(self, x: Array) -> tuple[float, str]:
        """Return the distances of Anderson and Darling of the shares that are left, one after the other.

        ``x_j / (x_j + ... + x_k)`` are independent with the laws ``Beta(a_j, a_(j+1) + ... + a_k)``.
        """
        a = self.concentration
        left, rest = np.cumsum(x[:, ::-1], axis=1)[:, ::-1], np.cumsum(a[::-1])[::-1]
        shares = np.clip(x[:, :-1] / np.maximum(left[:, :-1], 1e-300), 0.0, 1.0)
        chances = betainc(a[:-1], rest[1:], shares)
        return sum(map(anderson_darling, chances.T)), "Anderson-Darling of the shares that are left"

    def credible(self, level: float) -> Array:
        """Return the middle of each share, which has a Beta law."""
        a, tail = self.concentration, 0.5 * (1.0 - level)
        rest = a.sum() - a
        return np.column_stack([betaincinv(a, rest, tail), betaincinv(a, rest, 1.0 - tail)])

    def frozen(self) -> Any:
        """Return ``scipy.stats.dirichlet`` with these concentrations, which is the same law in SciPy."""
        from scipy import stats

        return stats.dirichlet(self.concentration)

    def entropy(self) -> float:
        """Return ``A(a) - sum (a_j - 1) (psi(a_j) - psi(sum a))``, the entropy of the law in nats."""
        return forms.entropy(self.natural)

    def kl(self, other: Dirichlet) -> float:
        """Return ``log B(c) - log B(a) + (a - c) . E phi``, c the concentrations of `other`."""
        return forms.divergence(self.natural, other.natural)

    def inverse_information(self) -> Array:
        """Return the inverse of the Fisher information, whose determinant cancels for large ones."""
        return forms.inverse_information(self.natural)
