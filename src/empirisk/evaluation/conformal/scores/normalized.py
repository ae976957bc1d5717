"""The absolute residual in units of a spread that differs from row to row.

Papadopoulos, Gammerman and Vovk, ICANN (2008); Lei et al., Journal of the American Statistical Association
113 (2018), section 5.2.
"""

from __future__ import annotations

from typing import Any, ClassVar

from empirisk.evaluation.conformal.fitted import Fitted
from empirisk.evaluation.conformal.scores.base import Band
from empirisk.evaluation.metrics.predictions import REGRESSION
from empirisk.typing import Array

__all__ = ["Normalized"]


class Normalized:
    """``|y - f(x)| / u(x)``: intervals ``f(x) -+ q u(x)``, wide where the spread u is large."""

    name: ClassVar[str] = "normalized"
    task: ClassVar[str] = REGRESSION
    meaning: ClassVar[str] = "absolute residual over its spread"

    def read(self, fitted: Fitted, X: Any, share: Array | None, **rows: Any) -> Band:
        """Return the prediction as both ends, with the spread as unit."""
        value, unit = fitted.with_spread(X, **rows)
        return Band(value, value, value, unit)
