"""The exponential loss of boosting: AdaBoost takes coordinate steps on its mean.

Friedman, Hastie and Tibshirani, Annals of Statistics 28 (2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from empirisk.losses.log_link import exponential
from empirisk.losses.margin import MarginLoss
from empirisk.typing import Array

__all__ = ["Exponential"]


@dataclass(frozen=True)
class Exponential(MarginLoss):
    """``l(y, z) = exp(-y z)``, labels -1 and +1; conjugate ``a log a - a`` with ``a = -u y >= 0``, else +inf.

    Its risk is least at half the log-odds: :meth:`mean` is ``1 / (1 + exp(-2 z))``.

    References
    ----------
    Friedman, Hastie & Tibshirani 2000, Annals of Statistics 28, lemma 1.

    Examples
    --------
    >>> Exponential().value(np.array([1.0, -1.0]), np.array([0.0, -1.0])).round(4)
    array([1.    , 0.3679])
    """

    name = "exponential"
    curvature = (0.0, math.inf)
    lipschitz = math.inf
    concordance = 1.0
    fused = True
    row_slope = True
    escape = "classes"

    def phi(self, t: Array) -> Array:
        return exponential(-t)

    def slope(self, t: Array) -> Array:
        return -exponential(-t)

    def bend(self, t: Array) -> Array:
        return exponential(-t)

    def phi_conjugate(self, v: Array) -> Array:
        a = np.maximum(-v, 0.0)
        return np.where(v <= 0.0, xlogy(a, a) - a, np.inf).astype(v.dtype, copy=False)

    def mean(self, z: Array) -> Array:
        return expit(2.0 * z)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return half the log-odds of the weights."""
        with np.errstate(divide="ignore"):
            return np.asarray(0.5 * (np.log(s[y > 0].sum()) - np.log(s[y < 0].sum())))
