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
from scipy.special import chdtri, expit, gammainccinv, gammaincinv, stdtr, stdtrit

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import LINE, POSITIVE, Observations, check_between
from empirisk.distributions.gamma import Gamma
from empirisk.distributions.multivariate_gaussian import root_of
from empirisk.distributions.odd_rows import check_size
from empirisk.distributions.quadrature import panel_nodes
from empirisk.distributions.shares import check_vector
from empirisk.distributions.stirling import deviance, stirling_rest
from empirisk.results.estimate import check_level
from empirisk.typing import Array, Interval

__all__ = ["NormalInverseWishart"]

# How far a covariance that is given may be from symmetric, as a share of its largest entry.
_BENT = 1e-10
# How far integrals over a variance go in logits, their narrowest panels as a share of the widest, and the
# largest end.
_REACH, _FINE, _WIDEST = 40.0, 0.05, 1e300


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
        try:
            P = np.eye(d) if self.scale is None else np.array(self.scale)
            P = P.astype(np.float64) if P.dtype.kind in "biufO" else np.array(np.nan)
        except (TypeError, ValueError):
            P = np.array(np.nan)
        real = P.shape == (d, d) and np.isfinite(P).all()
        if not (real and np.array_equal(P, P.T)):
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
            Symmetric but for rounding; -inf is returned where it is not positive definite.  NaN in either
            gives NaN, and there is no density at what is infinite.
        """
        d = self.dimension
        m, C = self._entries("mean", mean, (d,)), self._entries("covariance", covariance, (d, d))
        if np.isnan(m).any() or np.isnan(C).any():
            return math.nan
        if np.isinf(m).any() or np.isinf(C).any():
            return -math.inf
        row, column = np.unravel_index(np.argmax(np.abs(C - C.T)), C.shape)
        if abs(C[row, column] - C[column, row]) > _BENT * np.abs(C).max():
            raise ValueError(
                f"covariance must be symmetric: it holds {C[row, column]:g} in row {row}, column {column} "
                f"and {C[column, row]:g} in row {column}, column {row}"
            )
        try:
            L = np.linalg.cholesky(0.5 * C + 0.5 * C.T)
        except np.linalg.LinAlgError:
            return -math.inf
        with np.errstate(all="ignore"):
            half, gap = (solve_triangular(L, v, lower=True) for v in (self._root, m - self.mean))
            # A density below the least float has the logarithm -inf.
            held = np.isfinite(half * half).all() and np.isfinite(gap * gap).all()
            return self._log_density(L, half, gap) if held else -math.inf

    def _log_density(self, L: Array, half: Array, gap: Array) -> float:
        """Return the logarithm of the density at ``C = L L'``, from ``L^-1 R`` and ``L^-1 (m - u)``."""
        d, n, k = self.dimension, float(self.freedom or 0.0), float(self.strength)
        # Stirling's formula for each factor of the multivariate Gamma function, each with an eigenvalue of
        # P C^-1 / 2: no two numbers of the size of n log n are subtracted.
        rate = 0.5 * np.linalg.svd(half, compute_uv=False) ** 2
        i = np.arange(d)
        x = 0.5 * (n - i)
        each = (
            0.5 * np.log(x / (2.0 * math.pi)) - stirling_rest(x) - deviance(x, rate) + 0.5 * i * np.log(rate)
        )
        norm = 0.5 * d * math.log(k / (2.0 * math.pi)) - 0.25 * d * (d - 1) * math.log(math.pi)
        log_det = 2.0 * float(np.log(np.diag(L)).sum())
        return norm + float(each.sum()) - 0.5 * ((d + 2.0) * log_det + k * float(gap @ gap))

    def _entries(self, name: str, value: Any, shape: tuple[int, ...]) -> Array:
        """Return an argument as floats of this shape, or refuse it by its name."""
        try:
            out = np.asarray(value)
            if out.dtype.kind in "biufO" and out.shape == shape:
                return out.astype(np.float64)
        except (TypeError, ValueError):
            pass
        raise ValueError(
            f"{name} must be real numbers of shape {shape}, since the law is one of {self.dimension} "
            f"columns, got {value!r:.60}"
        )

    def sample(self, size: int, random_state: Seed = None) -> tuple[Array, Array]:
        """Return independent means, (size, d), and covariances, (size, d, d), by Bartlett's triangle.

        Parameters
        ----------
        size : int
            How many.
        random_state : int, Generator, RandomState or None, default None
            Seed.

        Raises
        ------
        ValueError
            Draws beyond floats, as they come where the degrees of freedom hardly exceed d - 1.
        """
        check_size(size)
        d, n, rng = self.dimension, float(self.freedom or 0.0), generator_of(random_state)
        # With P = R R' and W = A A' Wishart, C = R W^-1 R' has the law; A is triangular.
        A = np.zeros((size, d, d))
        for i in range(d):
            A[:, i, i] = np.sqrt(rng.gamma(0.5 * (n - i), 2.0, size))
            A[:, i, :i] = rng.standard_normal((size, i))
        z = rng.standard_normal((size, d))
        held = bool((np.diagonal(A, axis1=1, axis2=2) > 0.0).all())
        with np.errstate(all="ignore"):
            half = self._root @ np.linalg.inv(A if held else np.eye(d)[None]).transpose(0, 2, 1)
            C = half @ half.transpose(0, 2, 1)
            m = self.mean + np.einsum("sij,sj->si", half, z[: len(half)]) / math.sqrt(self.strength)
        if not (held and np.isfinite(C).all() and np.isfinite(m).all()):
            raise ValueError(
                f"with freedom = {n:g} some draws of the {self.title} are beyond what floats hold (1e308): "
                f"it hardly exceeds d - 1 = {d - 1}; give a larger one"
            )
        return m, 0.5 * C + 0.5 * C.transpose(0, 2, 1)

    def comparable(self, other: Any) -> bool:
        """Return whether ``kl`` has a formula for another member: for as many columns."""
        return bool(self.dimension == other.dimension)

    def kl(self, other: NormalInverseWishart) -> float:
        """Return the divergence of the laws of C, and the mean of that of the laws of m given C.

        With the eigenvalues l_i of ``P^-1 Q`` it is the sum over i from 0 of ``KL(Gamma((n - i)/2, 1),
        Gamma((o - i)/2, l_i)) + i/2 (l_i - 1 - log l_i)``, and ``d (j/k - 1 - log(j/k))/2 + j n (u - w)' P^-1
        (u - w)/2``; w, j, o and Q are mean, strength, freedom and scale of `other`.  No term is below 0.
        """
        if type(other) is not type(self) or not self.comparable(other):
            raise ValueError(
                f"kl of the {self.title} compares two such laws of as many columns, got {other!r:.80}"
            )
        d, k, j = self.dimension, float(self.strength), float(other.strength)
        n, o = float(self.freedom or 0.0), float(other.freedom or 0.0)
        with np.errstate(all="ignore"):
            gap = solve_triangular(self._root, self.mean - other.mean, lower=True)
            half = solve_triangular(self._root, other._root, lower=True)
            ratio = np.linalg.svd(half, compute_uv=False) ** 2
            if not (np.isfinite(ratio) & (ratio > 0.0)).all():
                return math.inf  # beyond floats
            i = np.arange(d)
            pairs = zip(0.5 * (n - i), 0.5 * (o - i), ratio, strict=True)
            gammas = sum(Gamma(float(a)).kl(Gamma(float(b), float(r))) for a, b, r in pairs)
            rest = float((0.5 * i * deviance(1.0, ratio)).sum()) + 0.5 * d * float(deviance(1.0, j / k))
            return float(gammas + rest + 0.5 * j * n * float(gap @ gap))

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
        check_level(level)
        tail, v = 0.5 * (1.0 - float(level)), self._freedom
        P, k = self.scale, float(self.strength)
        half = -float(stdtrit(v, tail)) * np.sqrt(np.diag(P) / (v * k))
        out = [np.column_stack([self.mean - half, self.mean + half])]
        for i, j in zip(*(map(int, at) for at in np.triu_indices(self.dimension)), strict=True):
            if i == j:
                with np.errstate(divide="ignore"):
                    ends = P[i, i] / np.array([chdtri(v, tail), 2.0 * gammaincinv(0.5 * v, tail)])
                out.append(ends[None, :])
            else:
                # The upper end is less the lower one of the covariance with the other sign.
                out.append(np.array([[self._slope_end(i, j, tail, 1.0), -self._slope_end(i, j, tail, -1.0)]]))
        return np.concatenate(out)

    def _slope_end(self, i: int, j: int, q: float, sign: float) -> float:
        """Return the quantile q <= 1/2 of ``sign C_ij = C_ii B``, the root of an integral over C_ii.

        The integral is one over the logit s of the distribution function of chi-square: what is beyond 40 of
        log q has no weight, however small q is.  Panels are as wide as what they carry is smooth.
        """
        v, P = self._freedom, self.scale
        slope = sign * P[i, j] / P[i, i]
        width = math.sqrt((P[j, j] - P[i, j] * (P[i, j] / P[i, i])) / (P[i, i] * (v + 1.0)))
        # How far s goes while C_ii B passes c: the width of B against how fast log chi2 changes with s.
        step = width / max(abs(slope), 1e-300) / max(2.0 / v, 0.6 * math.sqrt(2.0 / v))
        low, high = math.log(q) - _REACH, _REACH
        cuts = np.linspace(low, high, math.ceil((high - low) / (4.0 * min(1.0, max(_FINE, step)))) + 1)
        s, weight = (a.ravel() for a in panel_nodes(cuts[:-1], cuts[1:]))
        share = weight * expit(s) * expit(-s)
        chi = 2.0 * np.where(s < 0.0, gammaincinv(0.5 * v, expit(s)), gammainccinv(0.5 * v, expit(-s)))

        def beyond(c: float) -> float:
            """Return by how much the chance of at most c exceeds q, as a share of q."""
            return float(share @ stdtr(v + 1.0, (c * (chi / P[i, i]) - slope) / width)) / q - 1.0

        reach = math.sqrt(P[i, i] * P[j, j]) / v
        while beyond(-reach) > 0.0 or beyond(reach) < 0.0:
            reach *= 2.0
            if not reach < _WIDEST:  # the end is beyond floats
                return -math.inf
        return float(brentq(beyond, -reach, reach, xtol=1e-14 * reach, rtol=1e-13))

    def predictive(self) -> Any:
        """Return the law of a new row as ``scipy.stats.multivariate_t``, with ``logpdf`` and ``rvs``.

        It is Student's with ``v = n - d + 1`` degrees of freedom, the centre u and the shape ``P (k + 1)/(k
        v)``.
        """
        from scipy import stats

        k, v = float(self.strength), self._freedom
        freedom: Any = v
        return stats.multivariate_t(self.mean, self.scale * (k + 1.0) / (k * v), df=freedom)
