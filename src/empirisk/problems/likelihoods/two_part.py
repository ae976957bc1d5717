"""Counts with a part of their own for zeros: hurdles and mixtures with structural zeros.

Mullahy, Journal of Econometrics 33 (1986); Lambert, Technometrics 34 (1992).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from empirisk.data.brief import Brief
from empirisk.problems.base import Layout, Part
from empirisk.problems.likelihoods.base import Sums
from empirisk.problems.likelihoods.count_pieces import count_piece, truncated_piece
from empirisk.typing import Array

__all__ = ["Hurdle", "TwoPart", "ZeroInflated"]


@dataclass(frozen=True, eq=False, repr=False)
class TwoPart(Brief):
    """A likelihood in two scores and a log dispersion: ``x.w + b + offset``, ``v.u + c`` and k.

    Parameters
    ----------
    X, V : array or sparse matrix, shape (n, p), (n, q)
        Columns of the counts, and of the zeros; each part has an intercept of its own.
    y : array, shape (n,)
        Counts.
    weight : array, shape (n,)
        Weights >= 0.
    offset : array, shape (n,)
        Known part of the score of the counts.
    dispersed : bool
        Whether counts are negative binomial, with k, or Poisson.
    """

    X: Any
    V: Any
    y: Array
    weight: Array
    offset: Array
    dispersed: bool = False

    name = ""

    @property
    def convex(self) -> bool:
        """Whether the negative log-likelihood is convex."""
        return False

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of columns of the counts."""
        return len(self.y), int(self.X.shape[1])

    @cached_property
    def layout(self) -> Layout:
        """Coefficients and intercept of the counts, then of the zeros, then the log dispersion."""
        parts = [
            Part("coefficients", self.X.shape[1]), Part("intercept", 1, penalised=False),
            Part("zero coefficients", self.V.shape[1]), Part("zero intercept", 1, penalised=False),
            Part("log dispersion", int(self.dispersed), penalised=False),
        ]  # fmt: skip
        return Layout((sum(part.rows for part in parts),), tuple(parts))

    @cached_property
    def _live(self) -> tuple[Any, Any, Array, Array, Array]:
        """Columns with a constant, y, weights and offset of the rows with weight; others hold anything."""
        live = np.flatnonzero(self.weight > 0.0)
        return (
            _with_constant(self.X[live]), _with_constant(self.V[live]), self.y[live], self.weight[live],
            self.offset[live],
        )  # fmt: skip

    def _scores(self, w: Array) -> tuple[Array, Array, float | None]:
        """Return both scores of the rows with weight, and the log dispersion."""
        X, V, _, _, offset = self._live
        p, q = X.shape[1], V.shape[1]
        k = float(w[p + q]) if self.dispersed else None
        return np.asarray(X @ w[:p]) + offset, np.asarray(V @ w[p : p + q]), k

    def _rows(self, z: Array, t: Array, k: float | None, y: Array) -> tuple[Array, ...]:
        """Return log-likelihood, slopes in z, t, k and curvatures zz, zt, tt, zk, tk, kk of each row."""
        raise NotImplementedError

    def sums(self, w: Array, hessian: bool) -> Sums:
        """Return value and derivatives in one pass."""
        X, V, y, s, _ = self._live
        if not np.isfinite(w).all():
            return Sums(np.inf, np.zeros(len(w)))
        rows = [s * r / s.sum() for r in self._rows(*self._scores(w), y)]
        value, z, t, k, zz, zt, tt, zk, tk, kk = rows
        if not np.isfinite(value).all():
            return Sums(np.inf, np.zeros(len(w)))
        tail = [float(k.sum())] if self.dispersed else []
        grad = -np.concatenate([X.T @ z, V.T @ t, tail])
        if not hessian:
            return Sums(-float(value.sum()), grad)
        H = np.block([[_cross(X, zz, X), _cross(X, zt, V)], [_cross(V, zt, X), _cross(V, tt, V)]])
        if self.dispersed:
            side = np.concatenate([X.T @ zk, V.T @ tk])[:, None]
            H = np.block([[H, side], [side.T, np.array([[kk.sum()]])]])
        return Sums(-float(value.sum()), grad, -H)

    def slopes(self, w: Array) -> Array:
        """Return the gradient of the loss of each row; 0 for rows without weight."""
        X, V, y, _, _ = self._live
        _, z, t, k, *_ = self._rows(*self._scores(w), y)
        dense = [M.toarray() if hasattr(M, "toarray") else M for M in (X, V)]
        parts = [z[:, None] * dense[0], t[:, None] * dense[1], *([k[:, None]] if self.dispersed else [])]
        out = np.zeros((len(self.y), len(w)))
        out[self.weight > 0.0] = -np.hstack(parts)
        return out

    def sizes(self, w: Array) -> Array:
        """Return the mean size of the terms whose sums are the gradient."""
        X, V, y, s, _ = self._live
        _, z, _, k, *_ = self._rows(*self._scores(w), y)
        terms = [(s * (y + np.abs(z))) @ np.abs(X), s @ np.abs(V)]
        terms += [[float(s @ (y + 1.0 + np.abs(k)))]] if self.dispersed else []
        return np.asarray(np.concatenate(terms) / s.sum())

    def moves(self, w: Array, directions: Array) -> Sequence[Array]:
        """Return the moves of both scores and of the log dispersion."""
        X, V, *_ = self._live
        p, q = X.shape[1], V.shape[1]
        return np.asarray(X @ directions[:p]), np.asarray(V @ directions[p : p + q]), directions[p + q :]

    def shrinkage(self, w: Array, reach: Sequence[Array]) -> float:
        """Nothing is known of the curvature around a point."""
        return 0.0

    def start(self) -> Array:
        """Return the parameters without columns: the mean of the counts above 0, and the share of zeros."""
        X, V, y, s, offset = self._live
        p, q = X.shape[1], V.shape[1]
        w = np.zeros(p + q + int(self.dispersed))
        w[p - 1] = np.log(max(float(s @ y) / float(s @ np.exp(offset)), 1e-300))
        share = float(np.clip(s @ (y == 0.0) / s.sum(), 0.02, 0.98))
        w[p + q - 1] = self._start_of_zeros(share)
        return w

    def _start_of_zeros(self, share: float) -> float:
        """Return the score of zeros where their share is known."""
        raise NotImplementedError

    def mean(self, z: Array, t: Array, k: float | None) -> tuple[Array, Array, Array, Array]:
        """Return the expected count of rows with these scores, and its slopes in z, t and k."""
        raise NotImplementedError

    def chance_of_zero(self, z: Array, t: Array, k: float | None) -> Array:
        """Return the probability of 0 of rows with these scores."""
        raise NotImplementedError


class ZeroInflated(TwoPart):
    """``P(0) = pi + (1 - pi) f(0)``, ``P(y) = (1 - pi) f(y)``, with ``logit(pi) = v.u + c``.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((4, 0)), np.array([0.0, 0.0, 0.0, 2.0])
    >>> model = ZeroInflated(X, X, y, np.ones(4), np.zeros(4))
    >>> model.layout.shape
    (2,)
    """

    name = "zero_inflated"

    def _rows(self, z: Array, t: Array, k: float | None, y: Array) -> tuple[Array, ...]:
        f, pi = count_piece(y, z, k), expit(t)
        q = np.where(y == 0.0, expit(t - f.value), 0.0)  # the chance of a structural zero
        v = q * (1.0 - q)
        value = np.where(y == 0.0, np.logaddexp(t, f.value), f.value) - np.logaddexp(0.0, t)
        return (
            value, (1.0 - q) * f.z, q - pi, (1.0 - q) * f.k,
            v * f.z * f.z + (1.0 - q) * f.zz, -v * f.z, v - pi * (1.0 - pi),
            v * f.z * f.k + (1.0 - q) * f.zk, -v * f.k, v * f.k * f.k + (1.0 - q) * f.kk,
        )  # fmt: skip

    def _start_of_zeros(self, share: float) -> float:
        return float(np.log(0.5 * share / (1.0 - 0.5 * share)))

    def mean(self, z: Array, t: Array, k: float | None) -> tuple[Array, Array, Array, Array]:
        """Return ``(1 - pi) exp(z)`` with its slopes in z, t and k."""
        m = expit(-t) * np.exp(z)
        return m, m, -expit(t) * m, np.zeros(len(z))

    def chance_of_zero(self, z: Array, t: Array, k: float | None) -> Array:
        """Return ``pi + (1 - pi) f(0)``, zeros of both kinds together."""
        return np.asarray(expit(t) + expit(-t) * np.exp(count_piece(np.zeros(len(z)), z, k).value))


class Hurdle(TwoPart):
    """``P(0) = pi``, ``P(y) = (1 - pi) f(y) / (1 - f(0))``, with ``logit(pi) = v.u + c``.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((4, 0)), np.array([0.0, 0.0, 1.0, 2.0])
    >>> model = Hurdle(X, X, y, np.ones(4), np.zeros(4))
    >>> float(model.start()[1])  # half of the rows are 0
    0.0
    """

    name = "hurdle"

    def _rows(self, z: Array, t: Array, k: float | None, y: Array) -> tuple[Array, ...]:
        above = y > 0.0
        f, pi = truncated_piece(np.where(above, y, 1.0), z, k), expit(t)
        value = np.where(above, f.value, t) - np.logaddexp(0.0, t)
        zero = np.zeros(len(y))
        z1, k1, zz, zk, kk = (np.where(above, part, 0.0) for part in (f.z, f.k, f.zz, f.zk, f.kk))
        return value, z1, np.where(above, -pi, 1.0 - pi), k1, zz, zero, -pi * (1.0 - pi), zk, zero, kk

    def _start_of_zeros(self, share: float) -> float:
        return float(np.log(share / (1.0 - share)))

    def mean(self, z: Array, t: Array, k: float | None) -> tuple[Array, Array, Array, Array]:
        """Return ``(1 - pi) exp(z) / (1 - f(0))`` with its slopes in z, t and k."""
        none = count_piece(np.zeros(len(z)), z, k)
        m = expit(-t) * np.exp(z) / -np.expm1(none.value)
        u = -np.exp(none.value) / np.expm1(none.value)
        return m, m * (1.0 + u * none.z), -expit(t) * m, m * u * none.k

    def chance_of_zero(self, z: Array, t: Array, k: float | None) -> Array:
        """Return ``pi``, the chance that the hurdle is not taken."""
        return np.asarray(expit(t))

    @property
    def convex(self) -> bool:
        """Whether counts are Poisson: an exponential family stays one without its zeros."""
        return not self.dispersed


def _with_constant(X: Any) -> Any:
    """Return the columns and a constant behind them."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    return np.hstack([X, np.ones((X.shape[0], 1))])


def _cross(A: Array, v: Array, B: Array) -> Array:
    """Return ``A' diag(v) B``, columns of A by columns of B."""
    return np.asarray(A.T @ (B * v[:, None]))
