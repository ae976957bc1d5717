"""The log-cosh loss: a copy-me file for a loss.

Copy to src/empirisk/losses/<name>.py, rename, change the formulas, add one row to REGISTRY in
src/empirisk/losses/__init__.py and one to SAMPLES in tests/conformance/loss_samples.py (the formula again, in
mpmath).  tests/conformance/test_loss_contract.py and test_losses.py then test it: derivatives by finite
differences, the conjugate by Fenchel and Young, the constants by sampling, far scores.

The base class finds the conjugate and the best constant by a search; write them out where you know them.
A loss with kinks sets ``offers = frozenset({Capability.CONJUGATE})``: solvers that need a gradient refuse it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from empirisk.losses.base import ScalarLoss
from empirisk.typing import Array, Interval

__all__ = ["LogCosh"]


@dataclass(frozen=True)
class LogCosh(ScalarLoss):
    """``l(y, z) = log cosh(z - y)``: a square near the target, straight lines far from it.

    Conjugate: ``u y + ((1+u) log(1+u) + (1-u) log(1-u)) / 2`` for ``|u| <= 1``, else +inf.

    Examples
    --------
    >>> LogCosh().value(np.array([0.0, 0.0]), np.array([0.0, 1000.0])).round(3)
    array([  0.   , 999.307])
    """

    name = "log_cosh"
    y_domain = Interval()
    curvature = (0.0, 1.0)
    lipschitz = 1.0

    def value(self, y: Array, z: Array) -> Array:
        r = np.abs(z - y)
        # Each form keeps its digits on its side of 1: near 0 a difference of logarithms would lose them.
        near = np.log1p(2.0 * np.sinh(0.5 * np.minimum(r, 1.0)) ** 2)
        return np.where(r < 1.0, near, r + np.log1p(np.exp(-2.0 * r)) - math.log(2.0))

    def grad(self, y: Array, z: Array) -> Array:
        return np.tanh(z - y)

    def hess(self, y: Array, z: Array) -> Array:
        e = np.exp(-2.0 * np.abs(z - y))
        return 4.0 * e / (1.0 + e) ** 2

    def conjugate(self, y: Array, u: Array) -> Array:
        inside = np.abs(u) <= 1.0
        v, small = np.clip(u, -1.0, 1.0), np.clip(u, -0.5, 0.5)
        near = 0.5 * np.log1p(-small * small) + small * np.arctanh(small)
        far = 0.5 * (xlogy(1.0 + v, 1.0 + v) + xlogy(1.0 - v, 1.0 - v))
        entropy = np.where(np.abs(u) < 0.5, near, far)
        return np.where(inside, u * y + entropy, np.inf)

    def mean(self, z: Array) -> Array:
        return z
