"""The logistic loss for labels -1 and +1: the log-loss of the probability ``1 / (1 + exp(-z))``."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from empirisk.losses.abilities import PassSums
from empirisk.losses.base import SMOOTH, ScalarLoss
from empirisk.losses.dual_rows import DualRows
from empirisk.typing import Array, Capability, Interval

__all__ = ["Logistic"]


@dataclass(frozen=True)
class Logistic(ScalarLoss):
    """``l(y, z) = log(1 + exp(-y z))`` with ``y`` in {-1, +1}.

    Conjugate, with ``a = -u y``: ``a log a + (1-a) log(1-a)`` for ``0 <= a <= 1``, else +inf.

    Examples
    --------
    >>> loss = Logistic()
    >>> loss.value(np.array([1.0, -1.0]), np.array([0.0, -800.0]))
    array([0.69314718, 0.        ])
    """

    name = "logistic"
    labels = True
    log_odds = True
    ratio = "odds ratio"
    title = "Logistic regression"
    unit_dispersion = True
    concordance = 1.0
    shifts = False
    fused = True
    row_slope = True
    y_domain = Interval(-1.0, 1.0)
    escape = "classes"
    curvature = (0.0, 0.25)
    lipschitz = 1.0
    offers = SMOOTH | {Capability.DUAL_STEP}

    def value(self, y: Array, z: Array) -> Array:
        return np.logaddexp(0.0, -y * z)

    def grad(self, y: Array, z: Array) -> Array:
        return -y * expit(-y * z)

    def hess(self, y: Array, z: Array) -> Array:
        # The product of both tails keeps its relative precision where q (1 - q) would cancel.
        return expit(z) * expit(-z)

    def conjugate(self, y: Array, u: Array) -> Array:
        a = -u * y
        inside = (a >= 0.0) & (a <= 1.0)
        a = np.clip(a, 0.0, 1.0)
        return np.where(inside, xlogy(a, a) + xlogy(1.0 - a, 1.0 - a), np.inf)

    def mean(self, z: Array) -> Array:
        return expit(z)

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        if dispersion != 1.0:
            raise ValueError(f"dispersion must be 1 for the logistic loss, got {dispersion!r}")
        return np.zeros_like(y)

    def null_rows(self, y: Array, s: Array, k: int) -> tuple[Array, Array]:
        """Return one row for each label."""
        positive = y > 0.0
        return np.array([-1.0, 1.0]), np.array([float(s[~positive].sum()), float(s[positive].sum())])

    def repair(self, sums: PassSums) -> tuple[float, Array] | None:
        """Return the cost of shrinking one side by ``f = |g| / (heavier side)``.

        The conjugate rises by at most ``f log 2``, because ``0 >= l* >= -log 2`` and ``|theta| <= 1``; the
        gradient of column j moves by at most ``f rms_j``.
        """
        g = abs(float(sums.slope))
        shrink = g / (0.5 * (float(sums.mean(np.abs(sums.row_slopes))) + g))
        return shrink * math.log(2.0), np.abs(sums.grad) + shrink * sums.column_rms

    def best_constant(self, y: Array, s: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(s[y > 0].sum()) - np.log(s[y < 0].sum()))

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.minimum(y, 0.0), np.maximum(y, 0.0), logistic=True)
