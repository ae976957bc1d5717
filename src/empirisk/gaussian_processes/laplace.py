"""Laplace's approximation of a Gaussian process that sees labels through the logistic function.

Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, sections 3.4 and 5.5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, log_expit

from empirisk.gaussian_processes.covariance import Covariance
from empirisk.gaussian_processes.factor import Factor
from empirisk.typing import Array

__all__ = ["LaplaceEvidence", "Mode", "find_mode", "latent_variance", "predictive_root"]

STEPS = 100
NEAR = 1e-8  # of the total weight: from here Newton's method squares the error in each step
ENOUGH = 1e-22


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
    inside = root[:, None] * matrix * root
    inside[np.diag_indices_from(inside)] += 1.0
    return Factor.of(inside)


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
        matrix = c.block(kernel)
        value, adjoint = 0.0, np.zeros_like(matrix)
        for t in self.labels:
            more, part = _one(matrix, t, c.weight)
            value += more
            adjoint += part
        return value, np.array(c.slopes(kernel, adjoint, matrix))


def _one(matrix: Array, t: Array, weight: Array) -> tuple[float, Array]:
    """Return the approximate evidence of one labelling, and its symmetric slope by the matrix."""
    mode = find_mode(matrix, t, weight)
    f, a = mode.f, mode.a
    up, down = expit(f), expit(-f)
    w = weight * up * down
    root = np.sqrt(w)
    inside = _inside(matrix, root)
    value = _objective(a, f, t, weight) - inside.half_log_det
    # R = W^(1/2) B^-1 W^(1/2), the inverse of K + W^-1.
    R = root[:, None] * inside.inverse() * root
    half = inside.half_solve(root[:, None] * matrix)
    variance = np.diagonal(matrix) - np.einsum("ij,ij->j", half, half)
    third = w * (down - up)  # minus the third derivative of the log-likelihood
    by_mode = -0.5 * variance * third
    slope = weight * t * expit(-t * f)
    through = by_mode - R @ (matrix @ by_mode)
    cross = np.outer(through, slope)
    return value, 0.5 * np.outer(a, a) - 0.5 * R + 0.5 * (cross + cross.T)


def predictive_root(matrix: Array, mode: Mode, weight: Array) -> tuple[Array, Factor]:
    """Return ``W^(1/2)`` and the factor of B, from which variances of new rows are made."""
    root = np.sqrt(weight * expit(mode.f) * expit(-mode.f))
    return root, _inside(matrix, root)


def latent_variance(diagonal: Any, cross: Array, root: Array, inside: Factor) -> Array:
    """Return ``k(x, x) - k' (K + W^-1)^-1 k`` for the columns k of `cross`, at least 0."""
    half = inside.half_solve(root[:, None] * cross)
    left: Array = np.asarray(diagonal, dtype=np.float64) - np.einsum("ij,ij->j", half, half)
    return np.maximum(left, 0.0)
