"""What regressions over a kernel share: finite targets, and one number predicted for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.estimators.checks import check_numeric_targets
from empirisk.estimators.kernel.kernel_base import KernelEstimator
from empirisk.results import Solution
from empirisk.typing import Array

__all__ = ["KernelRegressor"]


class KernelRegressor(RegressorMixin, KernelEstimator):
    """Base of the regressors with one target; a subclass gives the loss."""

    intercept_: float

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _look_at_targets(self, y: Any) -> None:
        check_numeric_targets(y)

    def _targets(self, y: Any, fitting: bool) -> Array:
        return np.asarray(y, dtype=np.float64)

    def _keep(self, rows: ArrayBlocks, alpha: float, solutions: list[Solution]) -> None:
        super()._keep(rows, alpha, solutions)
        self.intercept_ = float(np.ravel(self.intercept_)[0])

    def predict(self, X: Any) -> Array:
        """Return ``sum_j a_j k(x, x_j) + b`` for each row, shape (n,)."""
        return self._scores(X)[:, 0]
