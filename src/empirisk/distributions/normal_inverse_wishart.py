"""The normal-inverse-Wishart distribution: what is known of the mean and the covariance of a Gaussian vector.

Gelman, Carlin, Stern, Dunson, Vehtari and Rubin, Bayesian Data Analysis (2013), section 3.6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import brentq
from scipy.special import chdtri, stdtr, stdtrit

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import LINE, POSITIVE, Observations, check_between
from empirisk.distributions.multivariate_gaussian import root_of
from empirisk.distributions.shares import check_vector
from empirisk.distributions.stirling import deviance, stirling_rest
from empirisk.typing import Array, Interval

__all__ = ["NormalInverseWishart"]

# Nodes of the integral over a variance: the integrand is smooth, and is known to about 1e-9 with these.
_AT, _WEIGHT = np.polynomial.legendre.leggauss(200)


@dataclass(frozen=True, eq=False)
class NormalInverseWishart:
    """``C`` is inverse Wishart with n degrees of freedom and scale P, and m given C is ``N(u, C / k)``.

    ``p(m, C) = c det(C)^(-(n + d + 2)/2) exp(-tr(P C^-1)/2 - k (m - u)' C^-1 (m - u)/2)``; it is the
    conjugate prior of a :class:`MultivariateGaussian`, and for one column the normal-inverse-gamma law with
    shape n/2 and scale P/2.

    Parameters
    ----------
    mean : sequence of floats, shape (d,)
        The mean u of m.
    strength : float, default 1.0
        The number k of rows that u is worth, above 0.
    freedom : float, optional
        Degrees of freedom n, above d - 1: the number of rows that P is worth.  d + 2 when left out, so that
        C has the mean P.
    scale : matrix, shape (d, d), optional
        P, symmetric and positive definite; the identity when left out.

    Examples
    --------
    >>> prior = NormalInverseWishart([0.0, 0.0], 1.0, 6.0, [[4.0, 1.0], [1.0, 2.0]])
    >>> prior.mode()  # the mean, then the covariances on and above the diagonal
    array([0. , 0. , 0.4, 0.1, 0.2])
    """

    mean: Any
    strength: float = 1.0
    freedom: float | None = None
    scale: Any = None

    name: ClassVar[str] = "normal_inverse_wishart"

    def __post_init__(self) -> None:
        mean = check_vector(self.name, "mean", self.mean, LINE)
        d = len(mean)
        check_between(self.name, "strength", self.strength, POSITIVE)
        freedom = d + 2.0 if self.freedom is None else self.freedom
        check_between(self.name, "freedom", freedom, Interval(d - 1.0, math.inf, False, False))
        P = np.eye(d) if self.scale is None else np.array(self.scale, dtype=np.float64)
        if P.shape != (d, d) or not np.isfinite(P).all() or not np.array_equal(P, P.T):
            raise ValueError(
                f"scale of the {self.name} distribution must be a symmetric matrix of finite numbers, {d} by "
                f"{d}, as mean is long"
            )
        P.flags.writeable = False
        for name, value in (("mean", mean), ("freedom", float(freedom)), ("scale", P)):
            object.__setattr__(self, name, value)
        self._root.flags.writeable = False  # a singular matrix is refused here

    @cached_property
    def _root(self) -> Array:
        """The lower triangle R with ``P = R R'``."""
        return root_of(self.scale)

    @property
    def dimension(self) -> int:
        """The length d of the mean; the covariance is d by d."""
        return len(self.mean)

    @property
    def title(self) -> str:
        """How a sentence names the law, in words."""
        return "normal-inverse-Wishart distribution"

    @property
    def _freedom(self) -> float:
        """Degrees of freedom of each variance, and of the Student laws: ``n - d + 1``."""
        return float(self.freedom or 0.0) - self.dimension + 1.0

    def log_prob(self, mean: Any, covariance: Any) -> float:
        """Return the logarithm of the density at one mean and one covariance.

        The density is one in the entries of m and in those of C on and above the diagonal.

        Parameters
        ----------
        mean : array, shape (d,)
        covariance : array, shape (d, d)
            Symmetric; -inf is returned where it is not positive definite.
        """
        d, n, k = self.dimension, float(self.freedom or 0.0), float(self.strength)
        C = np.asarray(covariance, dtype=np.float64)
        try:
            L = np.linalg.cholesky(C)
        except np.linalg.LinAlgError:
            return -math.inf
        # Stirling's formula for each factor of the multivariate Gamma function, each with an eigenvalue of
        # P C^-1 / 2: no two numbers of the size of n log n are subtracted.
        half = solve_triangular(L, self._root, lower=True)
        rate = 0.5 * np.linalg.svd(half, compute_uv=False) ** 2
        i = np.arange(d)
        x = 0.5 * (n - i)
        each = (
            0.5 * np.log(x / (2.0 * math.pi)) - stirling_rest(x) - deviance(x, rate) + 0.5 * i * np.log(rate)
        )
        norm = 0.5 * d * math.log(k / (2.0 * math.pi)) - 0.25 * d * (d - 1) * math.log(math.pi)
        gap = solve_triangular(L, np.asarray(mean, dtype=np.float64) - self.mean, lower=True)
        log_det = 2.0 * float(np.log(np.diag(L)).sum())
        return norm + float(each.sum()) - 0.5 * ((d + 2.0) * log_det + k * float(gap @ gap))

    def sample(self, size: int, random_state: Seed = None) -> tuple[Array, Array]:
        """Return independent means, (size, d), and covariances, (size, d, d), by Bartlett's triangle.

        Parameters
        ----------
        size : int
            How many.
        random_state : int, Generator, RandomState or None, default None
            Seed.
        """
        d, n, rng = self.dimension, float(self.freedom or 0.0), generator_of(random_state)
        # With P = R R' and W = A A' Wishart, C = R W^-1 R' has the law; A is triangular.
        A = np.zeros((size, d, d))
        for i in range(d):
            A[:, i, i] = np.sqrt(rng.gamma(0.5 * (n - i), 2.0, size))
            A[:, i, :i] = rng.standard_normal((size, i))
        half = self._root @ np.linalg.inv(A).transpose(0, 2, 1)
        C = half @ half.transpose(0, 2, 1)
        z = rng.standard_normal((size, d))
        return self.mean + np.einsum("sij,sj->si", half, z) / math.sqrt(self.strength), C

    def updated(self, data: Observations) -> Self:
        """Return the law after rows, which add their number, their mean and their squares about it.

        ``k + N``, ``(k u + N x)/(k + N)``, ``n + N`` and ``P + S + k N/(k + N) (x - u)(x - u)'`` with N rows
        of the mean x and the scatter S.
        """
        rows, mean = data.centred()
        total, first, squares = rows.map_sum(
            lambda x, s: (s.sum(), (s[:, None] * x).sum(axis=0), (s[:, None] * x).T @ x)
        )
        total, rest = float(total), first / total
        mean, k = mean + rest, float(self.strength)
        S = squares - total * np.outer(rest, rest)
        gap = mean - self.mean
        P = self.scale + 0.5 * (S + S.T) + (k * total / (k + total)) * np.outer(gap, gap)
        return type(self)(
            self.mean + gap * (total / (k + total)), k + total, float(self.freedom or 0.0) + total, P
        )

    def mode(self) -> Array:
        """Return u and the entries of ``P / (n + d + 2)`` on and above the diagonal, where it is largest."""
        C = self.scale / (float(self.freedom or 0.0) + self.dimension + 2.0)
        return np.concatenate([self.mean, C[np.triu_indices(self.dimension)]])

    def moments(self) -> tuple[Array, Array]:
        """Return means and covariance of m and of the entries of C on and above the diagonal.

        They are infinite where the degrees of freedom are too few: n at most d + 1 for means of C and the
        covariance of m, at most d + 3 for covariances of C.
        """
        d, v, P = self.dimension, self._freedom, self.scale
        i, j = np.triu_indices(d)
        mean = P / (v - 2.0) if v > 2.0 else np.full((d, d), math.inf)
        q = len(i)
        out = np.zeros((d + q, d + q))
        out[:d, :d] = mean / self.strength
        if v > 4.0:
            pairs = P[np.ix_(i, i)] * P[np.ix_(j, j)] + P[np.ix_(i, j)] * P[np.ix_(j, i)]
            own = 2.0 * np.outer(P[i, j], P[i, j])
            out[d:, d:] = (own + (v - 2.0) * pairs) / ((v - 1.0) * (v - 2.0) ** 2 * (v - 4.0))
        else:
            out[d:, d:] = math.inf
        return np.concatenate([self.mean, mean[i, j]]), out

    def credible(self, level: float) -> Array:
        """Return the middle of each entry of m, of each variance and of each covariance, (d + d(d + 1)/2, 2).

        m has Student's law and a variance is ``P_ii / chi2``; a covariance is ``C_ii B``, where the slope B
        has Student's law and is independent of the variance, so that its distribution is an integral over
        that.
        """
        tail, v = 0.5 * (1.0 - level), self._freedom
        P, k = self.scale, float(self.strength)
        half = float(stdtrit(v, 1.0 - tail)) * np.sqrt(np.diag(P) / (v * k))
        out = [np.column_stack([self.mean - half, self.mean + half])]
        for i, j in zip(*(map(int, at) for at in np.triu_indices(self.dimension)), strict=True):
            if i == j:
                ends = P[i, i] / chdtri(v, np.array([1.0 - tail, tail]))
                out.append(np.sort(ends)[None, :])
            else:
                out.append(np.array([[self._slope_end(i, j, tail), self._slope_end(i, j, 1.0 - tail)]]))
        return np.concatenate(out)

    def _slope_end(self, i: int, j: int, q: float) -> float:
        """Return the quantile q of ``C_ij = C_ii B``, by bisection of an integral over C_ii."""
        v, P = self._freedom, self.scale
        variance = P[i, i] / chdtri(v, 0.5 * (_AT + 1.0))
        slope = P[i, j] / P[i, i]
        width = math.sqrt((P[j, j] - P[i, j] * slope) / (P[i, i] * (v + 1.0)))

        def beyond(c: float) -> float:
            """Return by how much the chance of at most c exceeds q."""
            return float(0.5 * _WEIGHT @ stdtr(v + 1.0, (c / variance - slope) / width)) - q

        reach = math.sqrt(P[i, i] * P[j, j]) / v
        while beyond(-reach) > 0.0 or beyond(reach) < 0.0:
            reach *= 2.0
        return float(brentq(beyond, -reach, reach, xtol=1e-13 * reach, rtol=1e-12))

    def predictive(self) -> Any:
        """Return the law of a new row as ``scipy.stats.multivariate_t``, with ``logpdf`` and ``rvs``.

        It is Student's with ``v = n - d + 1`` degrees of freedom, the centre u and the shape ``P (k + 1)/(k
        v)``.
        """
        from scipy import stats

        k, v = float(self.strength), self._freedom
        freedom: Any = v
        return stats.multivariate_t(self.mean, self.scale * (k + 1.0) / (k * v), df=freedom)
