"""Gaussian parts, whatever their covariances have in common.

``log f(x) = -(p log(2 pi) + log |Sigma_k| + (x - m_k)' Sigma_k^-1 (x - m_k)) / 2``.  A part is its mean and
the lower Cholesky factor of its covariance, or its standard deviations.  Sums are taken about the current
means, so that a distant origin costs no digits.  With a ridge c each part is penalised by
``c S tr(Sigma_k^-1 V) / 2``, V the variances of the columns and S the sum of the weights, which keeps the
likelihood bounded; the best parameters are then those of the scatter ``S_k + c S V``.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.linalg.lapack import dtrtri

from empirisk import _loops
from empirisk.data.memory import refuse_memory
from empirisk.data.row_blocks import Block
from empirisk.mixtures.base import DegenerateError, Family, Parts, Sums, TableFacts, refuse_empty
from empirisk.mixtures.columns import refuse_large, refuse_without_spread
from empirisk.typing import Array

__all__ = ["GaussianFamily", "inverse_factors", "log_volumes"]

# Multiply-adds of one call of the loop: half a second, after which Python hears Ctrl-C.
WORK = 4e9
STRETCH = 2048  # rows whose sums the loop merges at once
# A part whose deviation in a column is below this share of that of all rows has collapsed.
COLLAPSED = 1e-10
GROWS = "the likelihood grows without limit there"


class GaussianFamily(Family):
    """Base of the Gaussian families; a subclass says what its covariances share.

    ``full`` says whether factors are triangles (of the columns' axes otherwise), ``shared`` whether there is
    one for all parts, ``isotropic`` whether one number serves all columns.
    """

    targets: bool = False
    extrapolates: bool = False
    takes_ridge: bool = True
    full: ClassVar[bool] = True
    shared: ClassVar[bool] = False
    isotropic: ClassVar[bool] = False

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the best covariances (F, p, p), or variances (F, p) or (F, 1).

        Parameters
        ----------
        mass : array, shape (K,)
            Expected rows.
        scatter : array, shape (K, p, p) or (K, p)
            Sums of squares about the means.
        """
        raise NotImplementedError

    def best(self, parts: Parts, mass: Array, scatter: Array) -> Array:
        """Return the best covariances; where these are searched for, from the current parts on."""
        return self.covariances(mass, scatter)

    def check(self, block: Block, names: Any = None) -> None:
        """Refuse cells whose squares overflow, by column."""
        refuse_large(block.design.X, names)

    def check_table(self, low: Array, top: Array, n: int, names: Any = None) -> None:
        """Refuse columns without a spread, or whose squares leave the range of float64."""
        # One deviation for all columns may be that of the others.
        refuse_without_spread(low[:-1], top[:-1], n, names, together=self.isotropic)

    def shapes(self, n_parts: int, n_columns: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the means and of the factors."""
        first = 1 if self.shared else n_parts
        width = 1 if self.isotropic else n_columns
        factor = (first, n_columns, n_columns) if self.full else (first, width)
        return {"means": (n_parts, n_columns), "factors": factor}

    def units(self, facts: TableFacts) -> Parts:
        """Return the deviations of the columns, by which rows of factors are measured, too."""
        unit = facts.deviations
        if self.isotropic:
            return {"means": unit, "factors": unit.max(keepdims=True)}
        return {"means": unit, "factors": unit[:, None] if self.full else unit}

    def inside(self, parts: Parts) -> bool:
        """Return whether deviations, or the diagonals of factors, are positive."""
        factors = parts["factors"]
        return bool(((np.diagonal(factors, axis1=1, axis2=2) if self.full else factors) > 0.0).all())

    def about(self, centres: Array, facts: TableFacts) -> Parts:
        """Return the centres as means, with the spread of all columns."""
        k, p = centres.shape
        shape = self.shapes(k, p)["factors"]
        spread = np.sqrt(np.where(facts.variance > 0.0, facts.variance, 1.0))
        if self.isotropic:
            spread = np.full(1, math.sqrt(float(np.mean(spread**2))))
        factor = np.diag(spread) if self.full else spread
        return {
            "means": np.array(centres, dtype=np.float64),
            "factors": np.broadcast_to(factor, shape).copy(),
        }

    def expect(
        self, parts: Parts, log_weights: Array, block: Block, given: Array | None = None
    ) -> tuple[float, Sums]:
        """Return the log-likelihood of a block, and masses, first and second sums about the means."""
        means = parts["means"]
        k, p = means.shape
        cells = p * p if self.full else p
        inverse, scale = self._prepared(parts, log_weights)
        X, n = block.design.X, block.design.shape[0]
        total = np.zeros(1 + k * (1 + p + cells))
        step = max(1, int(WORK / (k * max(cells, 8)) / STRETCH)) * STRETCH
        for a in range(0, n, step):
            at = slice(a, a + step)
            chances = None if given is None else given[at]
            total += _loops.gaussian_mixture_pass(X[at], means, inverse, scale, block.weight[at], chances)[0]
        mass, first, second = np.split(total[1:], [k, k + k * p])
        second = second.reshape((k, p, p) if self.full else (k, p))
        if self.full:
            second = second + np.tril(second, -1).transpose(0, 2, 1)
        return float(total[0]), (mass, first.reshape(k, p), second)

    def rows(self, parts: Parts, log_weights: Array, block: Block) -> tuple[Array, Array]:
        """Return log-densities and chances of the rows of a block."""
        k = len(log_weights)
        refuse_memory("chances of the components", 8.0 * len(block.weight) * (k + 1), "ask for fewer rows")
        inverse, scale = self._prepared(parts, log_weights)
        _, density, chance = _loops.gaussian_mixture_pass(
            block.design.X, parts["means"], inverse, scale, rows=True, sums=False
        )
        return density, chance

    def _prepared(self, parts: Parts, log_weights: Array) -> tuple[Array, Array]:
        """Return inverse factors in the width of the columns, and the logarithm of each part at its mean."""
        factors, p = parts["factors"], parts["means"].shape[1]
        inverse = inverse_factors(factors) if self.full else np.broadcast_to(
            1.0 / factors, (len(factors), p)
        )  # fmt: skip
        volume = log_volumes(factors, p)
        return np.ascontiguousarray(inverse), np.asarray(
            log_weights - volume - 0.5 * p * math.log(2.0 * math.pi) + np.zeros(len(log_weights))
        )

    def maximise(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return weighted means, and the covariances that the family allows; a collapse is named."""
        mass, first, _ = sums
        refuse_empty(mass, facts)
        shift = first / mass[:, None]
        scatter = self._scatter(sums, shift, facts)
        self._refuse_collapse(mass, scatter, facts)
        with np.errstate(all="ignore"):  # a singular scatter is named below
            try:
                covariance = self.best(parts, mass, scatter)
            except np.linalg.LinAlgError:
                covariance = np.full((1, *scatter.shape[1:]), np.nan)
        factors = self._factors(covariance, facts)
        return {"means": parts["means"] + shift, "factors": factors}

    def _scatter(self, sums: Sums, shift: Array, facts: TableFacts) -> Array:
        """Return sums of squares about means that are moved by `shift`, with those of the ridge."""
        mass, first, second = sums
        ridge = facts.ridge * facts.total * facts.variance
        if not self.full:
            out: Array = second - shift * (2.0 * first - mass[:, None] * shift) + ridge
            return out
        cross = first[:, :, None] * shift[:, None, :]
        square = mass[:, None, None] * shift[:, :, None] * shift[:, None, :]
        return second - cross - cross.transpose(0, 2, 1) + square + np.diag(ridge)

    def _refuse_collapse(self, mass: Array, scatter: Array, facts: TableFacts) -> None:
        """Refuse parts of next to no spread, on which the likelihood has no maximum."""
        square = np.diagonal(scatter, axis1=1, axis2=2) if self.full else scatter
        resolution = 4.0 * facts.eps * (np.abs(facts.mean) + np.sqrt(facts.variance))
        least = np.maximum(COLLAPSED**2 * facts.variance, resolution**2)
        small = ~(square > least * mass[:, None])
        if self.shared:
            small = np.broadcast_to(small.all(axis=0), small.shape)
        if self.isotropic:
            small = np.broadcast_to(small.all(axis=1)[:, None], small.shape)
        for k in np.flatnonzero(small.any(axis=1)):
            j = int(np.flatnonzero(small[k])[0])
            alone = f"{mass[k]:.3g}" == "1"
            same = "it holds a single row" if alone else f"{mass[k]:.3g} rows that are the same there"
            raise DegenerateError(
                None if self.shared else int(k),
                f"has no spread in {facts.column(j)} ({same}): {GROWS}",
            )

    def _factors(self, covariance: Array, facts: TableFacts) -> Array:
        """Return lower factors or deviations; a covariance without an inverse is named."""
        if not self.full:
            bad = ~(np.isfinite(covariance) & (covariance > 0.0)).all(axis=1)
            if bad.any():
                k = int(np.flatnonzero(bad)[0])
                raise DegenerateError(None if self.shared else k, f"has a variance of 0: {GROWS}")
            return np.asarray(np.sqrt(covariance))
        p = covariance.shape[1]
        out = np.zeros_like(covariance)
        for k, sigma in enumerate(covariance):
            if not np.isfinite(sigma).all():
                common = self.shared or len(covariance) == 1
                raise DegenerateError(None if common else k, f"has a singular covariance: {GROWS}")
            scale = np.sqrt(np.diagonal(sigma))
            try:
                lower = np.linalg.cholesky(sigma / scale[:, None] / scale)
                pivots = np.diagonal(lower) ** 2
            except np.linalg.LinAlgError:
                lower, pivots = np.eye(p), np.linalg.eigvalsh(sigma / scale[:, None] / scale)[::-1]
            if not pivots.min() > 64.0 * p * facts.eps:
                j = int(np.argmin(pivots))
                raise DegenerateError(
                    None if self.shared else k,
                    f"has a singular covariance (its rows lie in a plane; {facts.column(j)} follows from "
                    f"others there): {GROWS}",
                )
            out[k] = lower * scale[:, None]
        return out

    def expected(self, at: Parts, about: Parts, sums: Sums, facts: TableFacts) -> float:
        """Return the expected logarithms of the Gaussian densities, without the weights."""
        mass, p = sums[0], at["means"].shape[1]
        scatter = self._scatter(sums, at["means"] - about["means"], facts)
        factors = at["factors"]
        if self.full:
            inverse = inverse_factors(factors)
            trace = np.einsum("kij,kij->k", inverse @ scatter, np.broadcast_to(inverse, scatter.shape))
        else:
            trace = (scatter / factors**2).sum(axis=1)
        normal = p * math.log(2.0 * math.pi) + 2.0 * log_volumes(factors, p)
        return -0.5 * float((mass * normal + trace).sum())

    def penalty(self, parts: Parts, facts: TableFacts) -> float:
        """Return ``c S sum_k tr(Sigma_k^-1 V) / 2``, which is 0 without a ridge."""
        if facts.ridge == 0.0:
            return 0.0
        factors, k = parts["factors"], len(parts["means"])
        if self.full:
            each = (inverse_factors(factors) ** 2 * facts.variance).sum(axis=(1, 2))
        else:
            each = (facts.variance / factors**2).sum(axis=1)
        return 0.5 * facts.ridge * facts.total * float(np.broadcast_to(each, k).sum())

    def gradient(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return derivatives in the means and in the numbers of the factors, each taken as free.

        Where the factors of a family are tied to each other (VEE, EVV, ...) they are not free, and the
        derivatives do not vanish at the best of the family.
        """
        mass, first, _ = sums
        factors, p = parts["factors"], parts["means"].shape[1]
        scatter = self._scatter(sums, np.zeros_like(first), facts)
        if self.shared:
            scatter, count = scatter.sum(axis=0, keepdims=True), mass.sum(keepdims=True)
        else:
            count = mass
        if self.full:
            inverse = inverse_factors(factors)
            means = np.einsum("kji,kj->ki", np.broadcast_to(inverse, (len(mass), p, p)),
                              (inverse @ first[:, :, None])[:, :, 0])  # fmt: skip
            across = inverse.transpose(0, 2, 1)
            slope = np.tril(across @ inverse @ scatter @ across)
            slope -= count[:, None, None] * np.eye(p) / np.where(np.eye(p) > 0.0, factors, 1.0)
            return {"means": means, "factors": slope}
        slope = scatter / factors**3 - count[:, None] / factors
        if self.isotropic:
            slope = slope.sum(axis=1, keepdims=True)
        return {"means": first / factors**2, "factors": slope}

    def draw(self, parts: Parts, part: int, count: int, rng: np.random.Generator) -> Array:
        """Return ``m_k + L z`` with standard normal z."""
        mean, factors = parts["means"][part], parts["factors"]
        factor = factors[0 if self.shared else part]
        z = rng.standard_normal((count, len(mean)))
        return np.asarray(mean + (z @ factor.T if self.full else z * factor))

    def covariances_of(self, parts: Parts) -> Array:
        """Return covariances without what the family makes equal: matrices, variances, or single numbers."""
        factors = parts["factors"]
        out = factors @ factors.transpose(0, 2, 1) if self.full else factors**2
        out = out[:, 0] if self.isotropic else out
        return np.asarray(out[0] if self.shared else out)

    def matrices(self, parts: Parts) -> Array:
        """Return all covariances as matrices (K, p, p)."""
        factors, (k, p) = parts["factors"], parts["means"].shape
        if self.full:
            out = factors @ factors.transpose(0, 2, 1)
        else:
            out = np.broadcast_to(factors**2, (len(factors), p))[:, :, None] * np.eye(p)
        return np.broadcast_to(out, (k, p, p))


def inverse_factors(factors: Array) -> Array:
    """Return the inverses of lower triangles (F, p, p)."""
    return np.stack([dtrtri(lower, lower=1)[0] for lower in factors])


def log_volumes(factors: Array, p: int) -> Array:
    """Return half the logarithms of the determinants of the covariances, (F,)."""
    if factors.ndim == 3:
        return np.asarray(np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1))
    return np.asarray(np.log(np.broadcast_to(factors, (len(factors), p))).sum(axis=1))
