"""Leave-one-out predictions of a Gaussian process in closed form, and their log-likelihood.

Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, section 5.4.2.  One of the s
observations that a row of weight s stands for is left out at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.gaussian_processes.covariance import Covariance
from empirisk.gaussian_processes.evidence import LOG_2PI
from empirisk.gaussian_processes.factor import Factor
from empirisk.typing import Array

__all__ = ["LeftOut", "left_out"]


def left_out(a: Array, inverse: Array, weight: Array, noise: float) -> tuple[Array, Array]:
    """Return residual and variance of each observation, predicted without it.

    ``variance = noise / c`` and ``residual = noise a / (s c)`` with ``c = 1 - 1/s + noise B_ii / s^2``, where
    ``B = (K + noise / s)^-1`` and ``a = B y``; for s = 1 these are ``1 / B_ii`` and ``a / B_ii``.

    Parameters
    ----------
    a : array, shape (n,)
    inverse : array, shape (n,)
        The diagonal of B.
    weight : array, shape (n,)
        At least 1.
    noise : float
    """
    c = 1.0 - 1.0 / weight + noise * inverse / weight**2
    return noise * a / (weight * c), noise / c


@dataclass(frozen=True, eq=False)
class LeftOut:
    """``sum_i s_i log p(y_i | all observations but one of y_i)`` and its exact gradient.

    Parameters
    ----------
    covariance : Covariance
        Kernel, rows, weights (at least 1) and noise.
    y : array, shape (n,)
        Targets, centred.
    """

    covariance: Covariance
    y: Array
    title = "leave-one-out log-likelihood"

    @property
    def observations(self) -> float:
        """The number of observations, which is the total weight."""
        return float(self.covariance.weight.sum())

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Return the value and the gradient, by two products of matrices for all parameters together."""
        co, s = self.covariance, self.covariance.weight
        kernel, noise = co.at(theta)
        block = co.values(kernel)
        own, matrix = noise / s, block.copy()
        matrix[np.diag_indices_from(matrix)] += own
        factor = Factor.of(matrix)
        a, inverse = factor.solve(self.y), factor.inverse()
        diagonal = np.diagonal(inverse).copy()
        c = 1.0 - 1.0 / s + noise * diagonal / s**2
        square = noise * a**2 / (s**2 * c)
        value = 0.5 * float(s @ (np.log(c) - LOG_2PI - np.log(noise) - square))
        # Slopes of the value by a_i and by the diagonal of the inverse; d inverse = - inverse dK inverse.
        by_a = -noise * a / (s * c)
        by_c = 0.5 * s * (1.0 + square) / c
        by_diagonal = by_c * noise / s**2
        adjoint = -((inverse * by_diagonal) @ inverse)
        adjoint -= np.outer(inverse @ by_a, a)  # of entries (i, j) and (j, i) the sum alone counts
        gradient = co.slopes(kernel, adjoint, block)
        if co.learn_noise:
            direct = float(by_c @ (noise * diagonal / s**2)) - 0.5 * float(s @ (1.0 + square))
            gradient.append(float(np.diagonal(adjoint) @ own) + direct)
        return value, np.array(gradient)
