"""The baseline of counts over exposures: one rate for all rows, ``sum of w y over sum of w e``."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin

__all__ = ["OneRate"]


class OneRate(RegressorMixin, BaseEstimator):
    """One rate times the exposure of the row, whatever its columns are.

    Attributes
    ----------
    rate_ : float
        The weighted sum of the targets over that of the exposures.

    Examples
    --------
    >>> model = OneRate().fit([[0.0], [0.0]], [1.0, 3.0], exposure=[1.0, 7.0])
    >>> model.rate_, model.predict([[0.0]], exposure=[4.0]).tolist()
    (0.5, [2.0])
    """

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, exposure: ArrayLike | None = None
    ) -> Self:
        """Return the model with the rate of these rows; an exposure is 1 where none is given."""
        targets = np.asarray(y, dtype=np.float64)
        w = np.ones(targets.size) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        e = np.ones(targets.size) if exposure is None else np.asarray(exposure, dtype=np.float64)
        self.rate_ = float(w @ targets) / float(w @ e)
        self._took_offset = exposure is not None
        return self

    def predict(self, X: Any, exposure: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the rate times the exposure of each row, which is 1 where none is given."""
        e = 1.0 if exposure is None else np.asarray(exposure, dtype=np.float64)
        return self.rate_ * np.ones(len(X)) * e
