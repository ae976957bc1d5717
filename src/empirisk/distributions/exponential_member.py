"""Exponential families: ``p(x) = h(x) exp(eta . phi(x) - A(eta))`` with natural parameters eta.

The gradient of A is the mean of the statistics phi, its Hessian their covariance; the likelihood is concave
in eta, and largest where the mean of phi under the law is that of the rows: ``eta = g(mean phi)``, g the
link (Brown, Fundamentals of Statistical Exponential Families, 1986; chapter 5 for the maximum).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.distributions.base import Distribution, Fitted, Observations, check_held, numbers
from empirisk.distributions.one_pass import added
from empirisk.results import Certificate, Kind
from empirisk.typing import Array

__all__ = ["ExponentialMember"]


@dataclass(frozen=True, eq=False)
class ExponentialMember(Distribution):
    """A law with natural parameters eta of shape (k,).

    ``closed_form`` says whether the likeliest member is written in the sums, or found by an iteration.

    Methods that take eta are about the family with the structure of self (its number of trials); the values
    of its parameters play no part there.
    """

    closed_form: ClassVar[bool] = True
    # The statistics phi by the names of `one_pass.added`, for laws whose log h is a sum of them or 0.
    added: ClassVar[tuple[str, ...]] = ()

    @property
    def natural(self) -> Array:
        """The natural parameters eta, (k,), the natural parameters of this law."""
        raise NotImplementedError

    def from_natural(self, eta: Array) -> Self:
        """Return the member with natural parameters eta."""
        raise NotImplementedError

    def statistics(self, x: Array) -> Array:
        """Return phi of each row, (n, k)."""
        raise NotImplementedError

    def log_base(self, x: Array) -> Array:
        """Return ``log h`` of each row, (n,)."""
        return np.zeros(len(x))

    def log_partition(self, eta: Array) -> float:
        """Return A(eta), the log-partition at natural parameters eta."""
        raise NotImplementedError

    def mean_statistics(self, eta: Array) -> Array:
        """Return the gradient of A, the mean of phi: the inverse link, (k,)."""
        raise NotImplementedError

    def covariance_statistics(self, eta: Array) -> Array:
        """Return the Hessian of A, the covariance of phi, (k, k)."""
        raise NotImplementedError

    def link(self, mean: Array) -> Array:
        """Return the natural parameters at which phi has this mean."""
        return self.likeliest(mean)[0].natural

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the member at which phi has this mean, and what is left of ``|E phi - mean|``.

        What is left is measured in standard deviations of phi, and is 0 where the member has a closed form.
        """
        raise NotImplementedError

    def likeliest_of(self, mean: Array, rows: Observations) -> tuple[Self, float]:
        """Return what ``likeliest`` does, with the rows where the mean of phi has lost their digits."""
        return self.likeliest(mean)

    def natural_jacobian(self) -> Array:
        """Return the derivatives of eta in the parameters that ``domains`` names, (k, number of these)."""
        raise NotImplementedError

    def log_prob(self, x: Any) -> Array:
        """Return ``log h(x) + eta . phi(x) - A(eta)`` of each row; -inf outside of the support."""
        rows = numbers(x, self.dimension)
        eta = self.natural
        return self.log_base(rows) + self.statistics(rows) @ eta - self.log_partition(eta)

    def fisher_information(self) -> Array:
        """Return ``J' (hess A) J``, J the derivatives of eta in the parameters."""
        J = self.natural_jacobian()
        return np.asarray(J.T @ self.covariance_statistics(self.natural) @ J)

    def score(self, x: Any) -> Array:
        """Return ``(phi(x) - E phi) J`` of each row, J the derivatives of eta in the parameters."""
        rows = numbers(x, self.dimension)
        return np.asarray(
            (self.statistics(rows) - self.mean_statistics(self.natural)) @ self.natural_jacobian()
        )

    def entropy(self) -> float:
        """Return ``A(eta) - eta . E phi``, for members with h = 1; the others have formulas of their own."""
        eta = self.natural
        return self.log_partition(eta) - float(eta @ self.mean_statistics(eta))

    def kl(self, other: Any) -> float:
        """Return ``A(eta') - A(eta) - (eta' - eta) . E phi``, eta' that of `other`."""
        eta, theirs = self.natural, other.natural
        gap = self.log_partition(theirs) - self.log_partition(eta)
        return float(gap - (theirs - eta) @ self.mean_statistics(eta))

    def posterior(self, prior: Any, data: Observations) -> Any:
        """Return the law of the parameters after the rows: it needs the sum of phi alone."""
        sums = data.map_sum(lambda x, weight: weighted_sum(weight, self.statistics(x)))
        return self.updated(prior, data.total, sums)

    def updated(self, prior: Any, n: float, sums: Array) -> Any:
        """Return the prior after n rows with these sums of phi."""
        raise NotImplementedError

    def likelihood_of(self, total: float, sums: Array, base: float) -> float | None:
        """Return ``eta . sum phi - S A(eta) + sum log h``, or None where a natural parameter is infinite."""
        eta = self.natural
        return float(eta @ sums - total * self.log_partition(eta) + base) if np.isfinite(eta).all() else None

    def sums(self, x: Array, weight: Array) -> tuple[Array, float]:
        """Return the weighted sums of phi and of log h over rows, all that a likelihood needs of them."""
        sums = column_sums(weight, self.statistics(x))
        return sums, self.base_sum(x, weight, sums)

    def base_sum(self, x: Array, weight: Array, sums: Array) -> float:
        """Return the weighted sum of log h; where that is linear in phi its sums know it without the rows."""
        return float(weighted_sum(weight, self.log_base(x)))

    def maximise(self, data: Observations) -> Fitted:
        """Return the member whose mean of phi is that of the rows: one sum over the blocks."""
        rows, origin = data.centred() if self.located else (data, 0.0)

        def quick(x: Array, weight: Array | None, shift: float) -> Any:
            found = added(self, x, weight, self.added, shift)
            return found and (*found, self.base_sum(np.zeros(0), np.zeros(0), found[1]))

        total, sums, base = rows.map_sum(
            lambda x, weight: (weight.sum(), *self.sums(x, weight)), quick if self.added else None
        )
        check_held(sums)
        member, left = self.likeliest_of(sums / total, rows)
        likelihood = member.likelihood_of(total, sums, float(base))
        member = member.shifted(origin) if self.located else member
        if self.closed_form:
            claim = "log-likelihood - its maximum = 0 but for rounding: the maximum has a closed form"
            return Fitted(member, Certificate(Kind.EXACT, 0.0, 1.0, claim), likelihood)
        claim = (
            f"the means of the statistics differ from those of the rows by {left:.1g} standard deviations, "
            "and by so much is the mean log-likelihood, which is concave, not stationary"
        )
        return Fitted(member, Certificate(Kind.STATIONARITY, left, 1.0, claim), likelihood)


def column_sums(weight: Array, phi: Array) -> Array:
    """Return the weighted sum of each column: few long sums are quicker than one over short rows.

    Quickest where each column lies in one piece of memory, as ``np.stack(...).T`` leaves it.

    Examples
    --------
    >>> column_sums(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [3.0, 1.0]])).tolist()
    [7.0, 2.0]
    """
    if phi.shape[1] > 8:
        return weighted_sum(weight, phi)
    return np.array([np.multiply(weight, column).sum() for column in phi.T])
