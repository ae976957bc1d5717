"""The absolute residual, which gives intervals of one width.

Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, Journal of the American Statistical Association 113 (2018).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from empirisk.evaluation.conformal.fitted import Fitted
from empirisk.evaluation.conformal.scores.base import Band
from empirisk.evaluation.metrics.predictions import REGRESSION
from empirisk.typing import Array

__all__ = ["Absolute"]


class Absolute:
    """``|y - f(x)|``: intervals ``f(x) -+ q``, of one width for all rows."""

    name: ClassVar[str] = "absolute"
    task: ClassVar[str] = REGRESSION
    meaning: ClassVar[str] = "absolute residual"

    def read(self, fitted: Fitted, X: Any, share: Array | None, **rows: Any) -> Band:
        """Return the prediction as both ends, with the unit 1."""
        value = fitted.numbers(X, **rows)
        return Band(value, value, value, np.ones(len(value)))
