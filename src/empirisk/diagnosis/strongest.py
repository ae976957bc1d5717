"""The columns that go most with the target: what boosted trees see of a very wide table."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from empirisk.evaluation.intervals.base import Floats

__all__ = ["Strongest"]


class Strongest(TransformerMixin, BaseEstimator):
    """Keep the k columns with the largest |correlation| with the target (with any of its classes).

    Chosen on the training rows of each fold.  Missing cells count as the mean of their column.

    Parameters
    ----------
    k : int, default 50
        Columns kept.
    classes : bool, default False
        Whether the target holds labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 9))
    >>> Strongest(1).fit(X, X[:, 4] ** 3).kept_
    array([4])
    """

    def __init__(self, k: int = 50, classes: bool = False) -> None:
        self.k = k
        self.classes = classes

    def fit(self, X: Floats, y: NDArray[Any]) -> Self:
        """Choose the k columns that are most strongly correlated with the target (or with one of its
        classes).
        """
        target = (y[:, None] == np.unique(y)).astype(np.float64) if self.classes else y[:, None]
        target = target - target.mean(axis=0)
        known = np.isfinite(X)
        count = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, X, 0.0).sum(axis=0) / count
        centred = np.where(known, X - mean, 0.0)
        size = np.sqrt((centred**2).sum(axis=0))[:, None] * np.sqrt((target**2).sum(axis=0))
        strength = np.abs(centred.T @ target) / np.where(size > 0.0, size, np.inf)
        self.kept_ = np.sort(np.argsort(-strength.max(axis=1), kind="stable")[: self.k])
        return self

    def transform(self, X: Floats) -> Floats:
        """Return the columns that :meth:`fit` has chosen."""
        return X[:, self.kept_]
