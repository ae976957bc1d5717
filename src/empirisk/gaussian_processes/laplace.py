"""Laplace's approximation of a Gaussian process that sees labels through the logistic function.

Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, sections 3.4 and 5.5.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg.blas import dger
from scipy.special import expit, log_expit

from empirisk.gaussian_processes.covariance import Covariance
from empirisk.gaussian_processes.factor import Factor
from empirisk.typing import Array

__all__ = ["LaplaceEvidence", "Mode", "find_mode", "latent_variance", "predictive_root"]

STEPS = 100
NEAR = 1e-8  # of the total weight: from here Newton's method squares the error in each step
ENOUGH = 1e-25  # of the total weight: the mode is right to 1e-12, and so is the slope of its log-determinant


@dataclass(frozen=True, eq=False)
class Mode:
    """The maximum of ``sum_i s_i log sigma(t_i f_i) - f' K^-1 f / 2`` with labels t of -1 and 1.

    Parameters
    ----------
    a : array, shape (n,)
        ``K^-1 f``, the weights of the latent function.
    f : array, shape (n,)
        The latent values of the rows.
    gap : float
        At most so much is the objective below its maximum.  Minus the objective is 1-strongly convex in the
        norm of ``f' K^-1 f``, so that ``r' K r / 2`` bounds it, r the gradient of the likelihood minus a.
    steps : int
        Newton steps.
    """

    a: Array
    f: Array
    gap: float
    steps: int


def find_mode(matrix: Array, t: Array, weight: Array, start: Array | None = None) -> Mode:
    """Return the mode by Newton's method with step halving.

    Parameters
    ----------
    matrix : array, shape (n, n)
        K.
    t : array, shape (n,)
        Labels, -1 and 1.
    weight : array, shape (n,)
    start : array, shape (n,), optional
        Weights a where the search begins.
    """
    a = np.zeros(len(t)) if start is None else start
    f = matrix @ a
    total, now = float(weight.sum()), _objective(a, f, t, weight)
    best = Mode(a, f, np.inf, 0)
    for step in range(STEPS + 1):
        slope = weight * t * expit(-t * f)
        r = slope - a
        gap = max(0.0, 0.5 * float(r @ (matrix @ r)))
        near = gap <= NEAR * total
        if near and gap >= 0.5 * best.gap:  # rounding is all that is left
            return best
        if gap < best.gap:
            best = Mode(a, f, gap, step)
        if gap <= ENOUGH * total or step == STEPS:
            return best
        w = weight * expit(f) * expit(-f)
        root = np.sqrt(w)
        b = w * f + slope
        new = b - root * _inside(matrix, root).solve(root * (matrix @ b))
        d, size = new - a, 1.0
        df = matrix @ d
        # Near the end the objective is flat to its last digit, and whole steps are right.
        while not near and size > 1e-10 and not _objective(a + size * d, f + size * df, t, weight) > now:
            size *= 0.5
        a, f = a + size * d, f + size * df
        now = _objective(a, f, t, weight)
    return best


def _objective(a: Array, f: Array, t: Array, weight: Array) -> float:
    return float(weight @ log_expit(t * f)) - 0.5 * float(a @ f)


def _inside(matrix: Array, root: Array) -> Factor:
    """Return the factor of ``B = I + W^(1/2) K W^(1/2)``, whose eigenvalues are at least 1."""
    return Factor.over(_identity_and(matrix, root)) or Factor.of(_identity_and(matrix, root))


def _identity_and(matrix: Array, root: Array) -> Array:
    inside = np.multiply(matrix, root, order="C")
    inside *= root[:, None]
    inside[np.diag_indices_from(inside)] += 1.0
    return inside


@dataclass(frozen=True, eq=False)
class LaplaceEvidence:
    """Laplace's approximation of the evidence, summed over several labellings of the same rows.

    ``log q = sum_i s_i log sigma(t_i f_i) - f' K^-1 f / 2 - log|B| / 2`` at the mode f.

    Parameters
    ----------
    covariance : Covariance
        Kernel, rows and weights.
    labels : array, shape (k, n)
        -1 and 1, a row for each labelling; all have the same kernel.
    """

    covariance: Covariance
    labels: Array
    # The last mode of each labelling: that of the next parameters of a search is near to it.
    _near: dict[int, Array] = field(default_factory=dict, init=False, repr=False)
    title = "Laplace log marginal likelihood"

    @property
    def observations(self) -> float:
        """The total weight, once for each labelling."""
        return float(self.covariance.weight.sum()) * len(self.labels)

    def modes(self, theta: Array) -> list[Mode]:
        """Return the mode of each labelling."""
        matrix = self.covariance.block(self.covariance.at(theta)[0])
        return [find_mode(matrix, t, self.covariance.weight) for t in self.labels]

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Return the value and the exact gradient, which follows the mode as it moves."""
        c = self.covariance
        kernel, _ = c.at(theta)
        matrix = c.values(kernel)
        value, adjoint = 0.0, np.zeros_like(matrix)
        for k, t in enumerate(self.labels):
            mode = find_mode(matrix, t, c.weight, self._begin(k, matrix, t))
            self._near[k] = mode.a
            more, part = _one(matrix, t, c.weight, mode)
            value += more
            adjoint += part
        return value, np.array(c.slopes(kernel, adjoint, matrix))

    def _begin(self, k: int, matrix: Array, t: Array) -> Array | None:
        """Return the last mode of labelling k where it is better than 0 for this matrix, too."""
        a = self._near.get(k)
        if a is None:
            return None
        weight = self.covariance.weight
        zero = -float(weight.sum()) * np.log(2.0)
        return a if _objective(a, matrix @ a, t, weight) > zero else None


def _one(matrix: Array, t: Array, weight: Array, mode: Mode) -> tuple[float, Array]:
    """Return the approximate evidence of one labelling, and its slope by the matrix: of entries (i, j) and
    (j, i) of the slope the sum alone counts.
    """
    f, a = mode.f, mode.a
    up, down = expit(f), expit(-f)
    root = np.sqrt(weight * up * down)
    inside = _inside(matrix, root)
    value = _objective(a, f, t, weight) - inside.half_log_det
    slope = weight * t * expit(-t * f)

    def spread(v: Array) -> Array:
        """Return ``v - R K v`` with ``R = W^(1/2) B^-1 W^(1/2)``, the inverse of ``K + W^-1``."""
        return np.asarray(v - root * inside.solve(root * (matrix @ v)))

    # The variance of f_i times W'_i is 1 - (B^-1)_ii times this factor: the weight of a sure row cancels.
    turn = -0.5 * (down - up)
    kept, lower = _last_triangle(inside)
    through = spread(turn * (1.0 - kept))
    lower *= -root[:, None]
    lower *= root
    lower[np.diag_indices_from(lower)] *= 0.5
    lower = dger(0.5, a, a, a=lower, overwrite_a=1)
    return value, np.asarray(dger(1.0, through, slope, a=lower, overwrite_a=1).T)


def _last_triangle(inside: Factor) -> tuple[Array, Array]:
    """Return the diagonal of ``B^-1`` and its lower triangle."""
    lower = inside.half_inverse()
    return np.diagonal(lower).copy(), lower


def predictive_root(matrix: Array, mode: Mode, weight: Array) -> tuple[Array, Factor]:
    """Return ``W^(1/2)`` and the factor of B, from which variances of new rows are made."""
    root = np.sqrt(weight * expit(mode.f) * expit(-mode.f))
    return root, _inside(matrix, root)


def latent_variance(diagonal: Any, cross: Array, root: Array, inside: Factor) -> Array:
    """Return ``k(x, x) - k' (K + W^-1)^-1 k`` for the columns k of `cross`, at least 0."""
    half = inside.half_solve(root[:, None] * cross)
    left: Array = np.asarray(diagonal, dtype=np.float64) - np.einsum("ij,ij->j", half, half)
    return np.maximum(left, 0.0)
