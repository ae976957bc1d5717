"""The evidence of a Gaussian process with Gaussian noise: the density of the targets, given the parameters.

Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, equations 2.30, 5.8 and 5.9.  A row of
weight s is s observations at one place with the same target: their likelihood is that of one observation with
variance ``noise / s`` times ``(2 pi noise)^(-(s - 1)/2) s^(-1/2)``, an identity for whole numbers s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyr

from empirisk.gaussian_processes.covariance import Covariance
from empirisk.gaussian_processes.factor import Factor
from empirisk.typing import Array

__all__ = ["Evidence", "repetitions"]

LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class Evidence:
    """``log N(y; 0, K + noise / s)`` and its exact gradient by the logarithms of the parameters.

    Parameters
    ----------
    covariance : Covariance
        Kernel, rows, weights and noise.
    y : array, shape (n,)
        Targets, centred.

    Examples
    --------
    >>> from empirisk.kernels import Gaussian
    >>> rows, y = np.array([[0.0], [1.0]]), np.array([0.5, -0.5])
    >>> model = Evidence(Covariance(Gaussian(1.0), rows, np.ones(2), 0.1, True), y)
    >>> value, gradient = model(model.covariance.start)
    >>> round(value, 4), gradient.shape
    (-2.2154, (2,))
    """

    covariance: Covariance
    y: Array
    title = "log marginal likelihood"

    @property
    def observations(self) -> float:
        """The number of observations, which is the total weight."""
        return float(self.covariance.weight.sum())

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Return the value and the gradient: one factor, one inverse, and a pass over n^2 a parameter."""
        c = self.covariance
        kernel, noise = c.at(theta)
        block, own = c.values(kernel), noise / c.weight
        factor = Factor.over(_noisy(block, own)) or Factor.of(_noisy(block, own))
        a = factor.solve(self.y)
        value = self.value(factor, a, noise)
        # d value = sum (a a' - inverse) * dK / 2: no product of matrices is needed.  All are symmetric: the
        # lower triangle with half of the diagonal gives the same sums as half of the whole.
        lower = dsyr(-1.0, a, lower=1, a=factor.half_inverse(instead=True), overwrite_a=1)
        lower[np.diag_indices_from(lower)] *= 0.5
        gradient = [-slope for slope in c.slopes(kernel, lower.T, block)]
        if c.learn_noise:
            gradient.append(repetitions(c.weight, noise)[1] - float(np.diagonal(lower) @ own))
        return value, np.array(gradient)

    def value(self, factor: Factor, a: Array, noise: float) -> float:
        """Return the value alone, from the factor of ``K + noise / s`` and ``a = (K + noise / s)^-1 y``."""
        value = -0.5 * float(self.y @ a) - factor.half_log_det - 0.5 * len(self.y) * LOG_2PI
        return value + repetitions(self.covariance.weight, noise)[0]


def _noisy(block: Array, own: Array) -> Array:
    """Return a copy of the matrix of the kernel with the variances of the noise on its diagonal."""
    matrix = np.array(block, order="C")
    matrix[np.diag_indices_from(matrix)] += own
    return matrix


def repetitions(weight: Array, noise: float) -> tuple[float, float]:
    """Return what weights other than 1 add to the evidence, and its derivative by log noise."""
    slope = -0.5 * float((weight - 1.0).sum())
    return slope * (LOG_2PI + float(np.log(noise))) - 0.5 * float(np.log(weight).sum()), slope
