"""The Gaussian distribution of d numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammainc, ndtr

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import LINE, POSITIVE, Fitted, Observations, numbers
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.shares import check_vector
from empirisk.distributions.stirling import deviance
from empirisk.distributions.uniformity import anderson_darling
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Interval

__all__ = ["MultivariateGaussian"]

# Least ratio of a pivot of the correlations to 1 that tells columns from combinations of others.
SINGULAR = 1e-14


@dataclass(frozen=True, eq=False)
class MultivariateGaussian(ExponentialMember):
    """``p(x) = exp(-(x - m)' C^-1 (x - m) / 2) / sqrt(det(2 pi C))``.

    ``phi(x)`` holds x and the products ``x_i x_j``, i <= j; ``eta`` holds ``C^-1 m`` and the entries of
    ``-C^-1 / 2``, those beside the diagonal twice; ``A = m' C^-1 m / 2 + log det(2 pi C) / 2``.

    Parameters
    ----------
    mean : sequence of floats, shape (d,), default (0.0,)
        The mean m.
    covariance : matrix, shape (d, d), or None
        The covariance C, symmetric and positive definite; the identity when left out.

    Examples
    --------
    >>> MultivariateGaussian([0.0, 1.0], [[2.0, 1.0], [1.0, 2.0]]).log_prob([[0.0, 1.0]]).round(4)
    array([-2.3872])
    """

    mean: Any = (0.0,)
    covariance: Any = None

    name = "multivariate_gaussian"
    growth = 2.0
    located = True

    def __post_init__(self) -> None:
        mean = check_vector(self.name, "mean", self.mean, LINE)
        C = np.eye(len(mean)) if self.covariance is None else np.array(self.covariance, dtype=np.float64)
        if C.shape != 2 * mean.shape or not np.isfinite(C).all() or not np.array_equal(C, C.T):
            raise ValueError(
                f"covariance of the {self.name} distribution must be a symmetric matrix of finite numbers, "
                f"{len(mean)} by {len(mean)}, as mean is long"
            )
        C.flags.writeable = False
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "covariance", C)
        self.root.flags.writeable = False  # a singular matrix is refused here

    @classmethod
    def member(cls, columns: int, **structure: Any) -> Self:
        """Return the standard law of so many numbers."""
        return cls(np.zeros(columns))

    @property
    def dimension(self) -> int:
        """The length of the mean, which is how many numbers a draw has."""
        return len(self.mean)

    @cached_property
    def root(self) -> Array:
        """The lower triangle L with ``C = L L'``."""
        return root_of(self.covariance)

    @property
    def precision(self) -> Array:
        """The inverse of the covariance matrix, by which deviations are weighed."""
        half = solve_triangular(self.root, np.eye(self.dimension), lower=True)
        return np.asarray(half.T @ half)

    @property
    def _pairs(self) -> tuple[Any, Any]:
        """The places of the diagonal and of what stands above it."""
        return np.triu_indices(self.dimension)

    @property
    def coordinates(self) -> dict[str, tuple[float, Interval]]:
        """The means, then the covariances on and above the diagonal."""
        out = {f"mean[{j}]": (float(m), LINE) for j, m in enumerate(self.mean)}
        for i, j in zip(*self._pairs, strict=True):
            out[f"covariance[{i},{j}]"] = (float(self.covariance[i, j]), POSITIVE if i == j else LINE)
        return out

    def at(self, theta: Array) -> Self:
        """Return the law with these means and covariances."""
        d = self.dimension
        return self.with_parameters(mean=np.asarray(theta[:d]), covariance=self._square(theta[d:]))

    def _square(self, upper: Array) -> Array:
        """Return the symmetric matrix with these entries on and above the diagonal."""
        out = np.zeros((self.dimension, self.dimension))
        out[self._pairs] = upper
        return np.asarray(np.triu(out) + np.triu(out, 1).T)

    @property
    def _times(self) -> Array:
        """How often an entry stands in the matrix: once on the diagonal, else twice."""
        i, j = self._pairs
        return np.where(i == j, 1.0, 2.0)

    @property
    def natural(self) -> Array:
        """``C^-1 m`` and the entries of ``-C^-1 / 2``, those beside the diagonal twice."""
        P = self.precision
        return np.concatenate([P @ self.mean, -0.5 * P[self._pairs] * self._times])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with the precision and the mean that eta holds."""
        d = self.dimension
        C = np.linalg.inv(self._square(-2.0 * eta[d:] / self._times))
        C = 0.5 * (C + C.T)
        return self.with_parameters(mean=C @ eta[:d], covariance=C)

    def natural_jacobian(self) -> Array:
        """Return the derivatives of eta: ``d(C^-1) = -C^-1 dC C^-1``, ``d(C^-1 m) = C^-1 dm + d(C^-1) m``."""
        d, P, (i, j) = self.dimension, self.precision, self._pairs
        out = np.zeros((d + len(i), d + len(i)))
        out[:d, :d] = P
        for column, (a, b) in enumerate(zip(i, j, strict=True)):
            change = -(np.outer(P[:, a], P[b]) + np.outer(P[:, b], P[a])) * (0.5 if a == b else 1.0)
            out[:d, d + column] = change @ self.mean
            out[d:, d + column] = -0.5 * change[i, j] * self._times
        return out

    def statistics(self, x: Array) -> Array:
        """Return x and the products of its entries."""
        i, j = self._pairs
        return np.column_stack([x, x[:, i] * x[:, j]])

    def log_partition(self, eta: Array) -> float:
        """Return ``m' C^-1 m / 2 + log det(2 pi C) / 2``, the log-partition at natural parameters eta."""
        law = self.from_natural(eta)
        return float(0.5 * law.mean @ eta[: self.dimension] + law._log_volume)

    @property
    def _log_volume(self) -> float:
        """``log det(2 pi C) / 2``, the part of the density that no row changes."""
        return float(np.log(np.diag(self.root)).sum() + 0.5 * self.dimension * math.log(2.0 * math.pi))

    def mean_statistics(self, eta: Array) -> Array:
        """Return m and the entries of ``C + m m'``."""
        law = self.from_natural(eta)
        second = law.covariance + np.outer(law.mean, law.mean)
        return np.concatenate([law.mean, second[self._pairs]])

    def covariance_statistics(self, eta: Array) -> Array:
        """Return the covariances of x and of its products (Isserlis' theorem)."""
        law = self.from_natural(eta)
        C, m, (a, b) = law.covariance, law.mean, self._pairs
        mixed = C[:, a] * m[b] + C[:, b] * m[a]
        outer = np.outer(m, m)
        four = products(C, C, a, b) + products(C, outer, a, b) + products(outer, C, a, b)
        return np.block([[C, mixed], [mixed.T, four]])

    def inverse_information(self) -> Array:
        """Return C for the means, ``C_ac C_bd + C_ad C_bc`` for the covariances, 0 between the two."""
        d, (a, b) = self.dimension, self._pairs
        none = np.zeros((d, len(a)))
        return np.block([[self.covariance, none], [none.T, products(self.covariance, self.covariance, a, b)]])

    def fisher_information(self) -> Array:
        """Return ``C^-1`` for the means and the weighted products of its entries for the covariances."""
        d, P, (a, b) = self.dimension, self.precision, self._pairs
        none = np.zeros((d, len(a)))
        four = 0.25 * np.outer(self._times, self._times) * products(P, P, a, b)
        return np.block([[P, none], [none.T, four]])

    def score(self, x: Any) -> Array:
        """Return ``g = C^-1 (x - m)`` and ``(g g' - C^-1) / 2``, entries beside the diagonal twice."""
        P, (i, j) = self.precision, self._pairs
        g = (numbers(x, self.dimension) - self.mean) @ P
        return np.column_stack([g, 0.5 * self._times * (g[:, i] * g[:, j] - P[i, j])])

    def maximise(self, data: Observations) -> Fitted:
        """Return the law with the mean and the covariance (divided by n) of the rows: two sums over them."""
        rows, mean = data.centred()
        total, first, squares = rows.map_sum(
            lambda x, s: (s.sum(), (s[:, None] * x).sum(axis=0), (s[:, None] * x).T @ x)
        )
        rest = first / total
        member = self.matched(mean + rest, squares / total - np.outer(rest, rest))
        claim = "log-likelihood - its maximum = 0 but for rounding: the maximum has a closed form"
        return Fitted(member, Certificate(Kind.EXACT, 0.0, 1.0, claim))

    conjugate = "normal_inverse_wishart"

    def posterior(self, prior: Any, data: Observations) -> Any:
        """Return the law of mean and covariance after the rows: two sums over them."""
        if prior.dimension != self.dimension:
            raise ValueError(
                f"prior is about {prior.dimension} numbers and the rows of x have {self.dimension}; give "
                "one of their length"
            )
        return prior.updated(data)

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law with the mean and the covariance that the means of the statistics hold."""
        m = mean[: self.dimension]
        return self.matched(m, self._square(mean[self.dimension :]) - np.outer(m, m)), 0.0

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with this mean and covariance."""
        C = 0.5 * (variance + variance.T)
        return self.with_parameters(mean=np.asarray(mean), covariance=C)

    def log_prob(self, x: Any) -> Array:
        """Return ``-|L^-1 (x - m)|^2 / 2 - log det(2 pi C) / 2``, the logarithm of the density of
        each row.
        """
        gap = solve_triangular(self.root, (numbers(x, self.dimension) - self.mean).T, lower=True)
        return np.asarray(-0.5 * (gap * gap).sum(axis=0) - self._log_volume)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent rows ``m + L z``, z standard."""
        z = generator_of(random_state).standard_normal((size, self.dimension))
        return np.asarray(self.mean + z @ self.root.T)

    def moments(self) -> tuple[Array, Array]:
        """Return m and C, the mean and the variance of a draw."""
        return self.mean, self.covariance

    def frozen(self) -> Any:
        """Return ``scipy.stats.multivariate_normal`` with these parameters, which is the same law in
        SciPy.
        """
        from scipy import stats

        return stats.multivariate_normal(self.mean, self.covariance)

    def entropy(self) -> float:
        """Return ``log det(2 pi e C) / 2``, the entropy of the law in nats."""
        return self._log_volume + 0.5 * self.dimension

    def kl(self, other: MultivariateGaussian) -> float:
        """Return ``(tr(D^-1 C) - d + (m - l)' D^-1 (m - l) + log(det D / det C)) / 2``.

        Here l and D are those of `other`.
        """
        half = solve_triangular(other.root, self.root, lower=True)
        gap = solve_triangular(other.root, self.mean - other.mean, lower=True)
        ratios = np.diag(half) ** 2
        return float(0.5 * ((np.tril(half, -1) ** 2).sum() + deviance(1.0, ratios).sum() + gap @ gap))

    def discrepancy(self, x: Array) -> tuple[float, str]:
        """Return the distances of Anderson and Darling of the columns of ``L^-1 (x - m)`` and of their
        squared lengths, summed up: columns are standard, lengths chi-square with d degrees of freedom.
        """
        z = solve_triangular(self.root, (x - self.mean).T, lower=True)
        chances = [*ndtr(z), gammainc(0.5 * self.dimension, 0.5 * (z * z).sum(axis=0))]
        return sum(map(anderson_darling, chances)), "Anderson-Darling of whitened columns and lengths"

    def separation(self, other: Any) -> float | None:
        """Return the distance of the means by Mahalanobis, where both laws have the same covariance."""
        if type(other) is not type(self) or not np.array_equal(self.covariance, other.covariance):
            return None
        return float(np.linalg.norm(solve_triangular(self.root, self.mean - other.mean, lower=True)))

    def shifted(self, by: Any) -> Self:
        """Return the law with the mean m + by."""
        return self.with_parameters(mean=self.mean + by)


def products(A: Array, B: Array, a: Any, b: Any) -> Array:
    """Return ``A_ac B_bd + A_ad B_bc`` for all pairs (a, b) and (c, d)."""
    at = np.ix_
    return np.asarray(A[at(a, a)] * B[at(b, b)] + A[at(a, b)] * B[at(b, a)])


def root_of(C: Array) -> Array:
    """Return the lower triangle L with ``C = L L'``, or refuse a singular matrix in a sentence."""
    scale = np.sqrt(np.diag(C))
    trouble = "a column is constant" if not (np.diag(C) > 0.0).all() else ""
    if not trouble:
        try:
            half = np.linalg.cholesky(C / np.outer(scale, scale))
            if (np.diag(half) ** 2 > SINGULAR).all():
                return np.asarray(scale[:, None] * half)
        except np.linalg.LinAlgError:
            pass
        trouble = "a column is a combination of others, or there are no more rows than columns"
    raise ValueError(
        f"covariance of the multivariate_gaussian distribution is not positive definite: {trouble}; the law "
        "would have no density, and a likelihood no maximum. Leave columns out, or take more rows"
    )
