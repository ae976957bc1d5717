"""Constants for rows in time: a mean or class shares in which the latest rows count most, and the last value.

Where a target drifts, the mean of all training rows is too easily beaten.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor

__all__ = ["HALF_LIFE", "TENTH", "RecentMean", "RecentShares", "halved"]

Floats = NDArray[np.float64]
TENTH = 0.1  # share of the rows after which a weight is halved
HALF_LIFE = "half_life"  # the parameter of both


def halved(n: int, half_life: float) -> Floats:
    """Return weights of rows in the order of time, ``2^(-age / (half_life n))``; with 0 the last row alone.

    Examples
    --------
    >>> halved(4, 0.25).tolist(), halved(3, 0.0).tolist()
    ([0.125, 0.25, 0.5, 1.0], [0.0, 0.0, 1.0])
    """
    age = np.arange(n - 1, -1, -1, dtype=np.float64)
    return np.where(age == 0.0, 1.0, 0.0) if half_life == 0.0 else 0.5 ** (age / (half_life * n))


class RecentMean(DummyRegressor):
    """The mean of the targets, whose weights are halved with every so many rows back in time.

    Parameters
    ----------
    half_life : float, default 0.1
        Share of the rows after which a weight is halved; 0 for the last value.
    """

    def __init__(self, half_life: float = TENTH) -> None:
        super().__init__()
        self.half_life = half_life

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take the weighted mean of targets that stand in the order of their time."""
        own = halved(len(y), self.half_life)
        super().fit(X, y, sample_weight=own if sample_weight is None else own * sample_weight)
        return self


class RecentShares(DummyClassifier):
    """The shares of the classes, in which the weights of rows are halved with every so many rows back in
    time.

    Parameters
    ----------
    half_life : float, default 0.1
        Share of the rows after which a weight is halved.
    """

    def __init__(self, half_life: float = TENTH) -> None:
        super().__init__(strategy="prior")
        self.half_life = half_life

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take the weighted shares of classes that stand in the order of their time."""
        own = halved(len(y), self.half_life)
        super().fit(X, y, sample_weight=own if sample_weight is None else own * sample_weight)
        return self
