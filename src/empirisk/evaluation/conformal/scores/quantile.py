"""Distance from a band of two fitted quantiles: conformalised quantile regression.

Romano, Patterson and Candes, Advances in Neural Information Processing Systems 32 (2019).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from empirisk.evaluation.conformal.fitted import Fitted
from empirisk.evaluation.conformal.scores.base import Band
from empirisk.evaluation.metrics.predictions import REGRESSION
from empirisk.typing import Array

__all__ = ["Quantile"]


class Quantile:
    """``max(l(x) - y, y - h(x))`` for fitted quantiles l and h: intervals ``[l(x) - q, h(x) + q]``."""

    name: ClassVar[str] = "quantile"
    task: ClassVar[str] = REGRESSION
    meaning: ClassVar[str] = "distance from the band of two quantiles, negative inside"

    def read(self, fitted: Fitted, X: Any, share: Array | None, **rows: Any) -> Band:
        """Return the outer quantiles as ends; the value is the middle one, or the middle of the band."""
        told = np.sort(fitted.quantiles(X, **rows), axis=1)
        k = told.shape[1]
        value = 0.5 * (told[:, (k - 1) // 2] + told[:, k // 2])
        return Band(value, told[:, 0], told[:, -1], np.ones(len(told)))
