"""What the regression families with a log link share: the mean is the exponential of the score."""

from __future__ import annotations

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses.base import ScalarLoss
from empirisk.typing import Array

__all__ = ["LogLink", "exponential"]

# Share of the larger term that a difference has to keep for a closed shift: below it, rounding would decide.
FEWEST_DIGITS = 1e-3


class LogLink(ScalarLoss):
    """``mean = exp(z)``; of constant scores the logarithm of the mean target is the best.

    Attributes
    ----------
    variance_power : float or None
        p where the variance is ``dispersion * mean^p``.
    """

    log_link = True
    ratio = "mean ratio"

    @property
    def variance_power(self) -> float | None:
        """None: not a power of the mean."""
        return None

    def mean(self, z: Array) -> Array:
        """``exp(z)``, +inf beyond the largest float, never exactly 0."""
        mean = exponential(z)
        return np.maximum(mean, np.finfo(mean.dtype).tiny)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the logarithm of the weighted mean target; of a mean below 0, which has none, that of 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(weighted_sum(s, y) / s.sum(), 0.0)))


def exponential(t: Array) -> Array:
    """``exp(t)`` that overflows to +inf in silence: the true value is beyond the largest float."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(t))
