"""A Gaussian process seen through m inducing points: a lower bound of its evidence, and how much it loses.

Titsias 2009, AISTATS 5 (the bound, equation 9); its counterpart from above is that of Titsias 2014
(Variational inference for Gaussian and Dirichlet processes), also in Burt, Rasmussen and van der Wilk 2020,
JMLR 21, who choose the points greedily.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.gaussian_processes.covariance import Covariance
from empirisk.gaussian_processes.evidence import LOG_2PI, repetitions
from empirisk.gaussian_processes.factor import Factor
from empirisk.kernels import Kernel
from empirisk.typing import Array, IndexArray

__all__ = ["InducingBound", "spread_rows"]

ROWS = 4096  # of a block of kernel values between inducing points and rows
FEW = 16  # rows whose own derivatives are taken from one small block
SHARE = 1e-10  # of the mean of its diagonal, added to K_mm: the bound stays one (it is that of noisy points)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What one pass over the rows leaves, with ``V = L^-1 K_mn`` and ``L L' = K_mm``.

    In these coordinates the matrix to be factorised, ``B = I + V diag(precision) V'``, has no eigenvalue
    below 1, however near the points are to each other.
    """

    kernel: Kernel
    noise: float
    precision: Array
    prior: Factor
    inside: Array
    seen: Factor
    a: Array
    lost: float
    fitted: float


@dataclass(frozen=True, eq=False)
class InducingBound:
    """``log N(y; 0, Q + D) - sum_i (k(x_i, x_i) - Q_ii) / (2 d_i)``, at most the evidence.

    ``Q = K_nm K_mm^-1 K_mn`` and ``D = diag(d) = noise / s``.  The difference to the evidence is the
    Kullback-Leibler divergence of the approximate posterior from the exact one.

    Parameters
    ----------
    covariance : Covariance
        Kernel, rows, weights and noise.
    y : array, shape (n,)
        Targets, centred.
    points
        The m inducing points.
    """

    covariance: Covariance
    y: Array
    points: Any
    title = "variational bound of the log marginal likelihood"

    @property
    def observations(self) -> float:
        """The number of observations, which is the total weight."""
        return float(self.covariance.weight.sum())

    def _blocks(self) -> Iterator[slice]:
        for start in range(0, len(self.y), ROWS):
            yield slice(start, start + ROWS)

    def _prior(self, kernel: Kernel) -> Factor:
        own = np.array(kernel.block(self.points), dtype=np.float64)
        own[np.diag_indices_from(own)] += SHARE * float(np.mean(np.diagonal(own)))
        return Factor.of(own)

    def _inside(self, kernel: Kernel, prior: Factor, precision: Array) -> tuple[Array, Array, float]:
        """Return ``B``, ``V diag(precision) y``, and the weighted sum of the prior variances."""
        c, m = self.covariance, len(prior.lower)
        inside, b, total = np.eye(m), np.zeros(m), 0.0
        for rows in self._blocks():
            cross = np.asarray(kernel.block(self.points, c.rows[rows]), dtype=np.float64)
            v = prior.half_solve(cross)
            scaled = v * precision[rows]
            inside += scaled @ v.T
            b += scaled @ self.y[rows]
            total += float(precision[rows] @ kernel.diagonal(c.rows[rows]))
        return inside, b, total

    def _sums(self, theta: Array) -> _Seen:
        c = self.covariance
        kernel, noise = c.at(theta)
        precision, prior = c.weight / noise, self._prior(kernel)
        inside, b, total = self._inside(kernel, prior, precision)
        seen = Factor.of(inside)
        half = seen.solve(b)
        lost = max(0.0, total - float(np.trace(inside) - len(inside)))
        a = prior.half_solve_transposed(half)
        return _Seen(kernel, noise, precision, prior, inside, seen, a, lost, float(b @ half))

    def _gaussian(self, t: _Seen) -> float:
        """Return ``log N(y; 0, Q + D)`` with what weights add."""
        square = float(t.precision @ self.y**2) - t.fitted
        log_det = t.seen.half_log_det - 0.5 * float(np.log(t.precision).sum())
        return (
            -0.5 * square
            - log_det
            - 0.5 * len(self.y) * LOG_2PI
            + repetitions(self.covariance.weight, t.noise)[0]
        )

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Return the bound and its exact gradient, O(n m^2)."""
        t, c = self._sums(theta), self.covariance
        value = self._gaussian(t) - 0.5 * t.lost
        kept_part = np.eye(len(t.a)) - t.seen.inverse()
        both = t.prior.between(kept_part)
        by_own = 0.5 * (t.prior.between(kept_part - t.inside + np.eye(len(t.a))) - np.outer(t.a, t.a))
        derivatives = t.kernel.derivatives(self.points)
        # The share of the diagonal that is added moves with the kernel.
        by_own[np.diag_indices_from(by_own)] += SHARE * float(np.trace(by_own)) / len(by_own)
        gradient = np.array([float(np.vdot(by_own, each)) for each in derivatives])
        by_noise = 0.0
        for rows in self._blocks():
            part, y, lam = c.rows[rows], self.y[rows], t.precision[rows]
            cross = np.asarray(t.kernel.block(self.points, part), dtype=np.float64)
            kept, fit = both @ cross, t.a @ cross
            adjoint = (kept + np.outer(t.a, y - fit)) * lam
            if len(gradient):
                gradient += [float(np.vdot(adjoint, e)) for e in t.kernel.derivatives(self.points, part)]
                gradient -= 0.5 * np.array([lam @ d for d in _own_derivatives(t.kernel, part)])
            reach = np.einsum("ij,ij->j", cross, kept)
            residual = 0.5 * (reach - np.asarray(t.kernel.diagonal(part)) - (y - fit) ** 2)
            by_noise -= float(lam @ residual) + 0.5 * len(y)
        if c.learn_noise:
            gradient = np.append(gradient, by_noise + repetitions(c.weight, t.noise)[1])
        return value, gradient

    def gap(self, theta: Array) -> float:
        """Return an upper bound of evidence minus bound: what the points lose at most, in nats.

        ``log N(y; 0, K + D) <= -log|Q + D|/2 - y' (Q + D + t I)^-1 y / 2 - ...`` with ``t = tr(K - Q)``.
        """
        t = self._sums(theta)
        inside, _, total = self._inside(t.kernel, t.prior, np.ones(len(self.y)))
        rest = max(0.0, total - float(np.trace(inside) - len(inside)))
        wider = 1.0 / (1.0 / t.precision + rest)
        inside, b, _ = self._inside(t.kernel, t.prior, wider)
        square = float(wider @ self.y**2) - float(b @ Factor.of(inside).solve(b))
        narrow = float(t.precision @ self.y**2) - t.fitted
        return max(0.0, 0.5 * (narrow - square) + 0.5 * t.lost)

    def left_out(self, theta: Array) -> tuple[Array, Array]:
        """Return residual and variance of each observation, predicted without it; points and numbers stay.

        With ``q = v'B^-1 v``, v the row's column of V, one observation of a row less makes it ``q / c`` with
        ``c = 1 - q / noise`` (B changes by rank one), and the residual ``(y - mean) / c``.  Weights are
        at least 1.  O(n m^2).
        """
        t, c = self._sums(theta), self.covariance
        residual, variance = np.empty(len(self.y)), np.empty(len(self.y))
        for rows in self._blocks():
            cross = np.asarray(t.kernel.block(self.points, c.rows[rows]), dtype=np.float64)
            v = t.prior.half_solve(cross)
            own = np.asarray(t.kernel.diagonal(c.rows[rows]), dtype=np.float64)
            beside = np.maximum(own - np.einsum("ij,ij->j", v, v), 0.0)
            half = t.seen.half_solve(v)
            q = np.einsum("ij,ij->j", half, half)
            left = np.maximum(1.0 - q / t.noise, np.finfo(np.float64).eps)
            residual[rows] = (self.y[rows] - t.a @ cross) / left
            variance[rows] = beside + q / left + t.noise
        return residual, variance

    def factors(self, theta: Array) -> tuple[Array, Factor, Factor]:
        """Return the weights of the posterior mean, and the factors of its covariance."""
        t = self._sums(theta)
        return t.a, t.prior, t.seen


def _own_derivatives(kernel: Kernel, rows: Any) -> list[Array]:
    """Return the derivatives of ``k(x_i, x_i)`` by the logarithms of the parameters."""
    if kernel.normalised:
        return [np.zeros(rows.shape[0]) for _ in kernel.derivatives(rows[:1])]
    parts = [kernel.derivatives(rows[i : i + FEW]) for i in range(0, rows.shape[0], FEW)]
    return [np.concatenate([np.diagonal(p[j]) for p in parts]) for j in range(len(parts[0]))]


def spread_rows(kernel: Kernel, rows: Any, m: int) -> IndexArray:
    """Return m row numbers, each next one where the ones before leave the largest prior variance.

    A partial Cholesky factorisation with pivots, O(n m^2); fewer where nothing is left to explain.
    """
    n = rows.shape[0]
    # Rows that explain equally much are taken by their content, so that the order of the rows does not count.
    order = np.argsort(rows @ np.sqrt(np.arange(2.0, 2.0 + rows.shape[1])), kind="stable")
    rows = rows[order]
    left = np.array(kernel.diagonal(rows), dtype=np.float64)
    whole = float(left.max())
    columns = np.zeros((min(m, n), n))
    chosen: list[int] = []
    for k in range(min(m, n)):
        j = int(left.argmax())
        if left[j] <= 1e-12 * whole:
            break
        cross = np.asarray(kernel.block(rows[j : j + 1], rows), dtype=np.float64)[0]
        columns[k] = (cross - columns[:k, j] @ columns[:k]) / np.sqrt(left[j])
        left = np.maximum(left - columns[k] ** 2, 0.0)
        left[j] = 0.0
        chosen.append(j)
    return order[np.array(chosen, dtype=np.intp)]
