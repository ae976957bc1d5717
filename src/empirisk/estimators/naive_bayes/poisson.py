"""Columns of counts that follow Poisson laws within a class, a part of :class:`MixedNB`."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.naive_bayes.base import CountedColumns
from empirisk.typing import Array


class _PoissonColumns(CountedColumns):
    """``log P(x | k) = sum_j x_j log r_kj - r_kj + c(x)`` with ``r_kj = (N_kj + alpha m_j) / (S_k + alpha)``.

    N_kj is the weighted sum of column j in class k, S_k the weight of the class, and m_j the mean of the
    column over all rows: smoothing adds `alpha` rows with it to each class.  A column of zeros says nothing.

    Parameters
    ----------
    alpha : float, default 1.0
        Rows that are added, >= 0.
    priors
        Unused: :class:`MixedNB` has those of all columns.
    """

    feature_count_: Array
    rate_: Array

    def __init__(self, alpha: float = 1.0, *, priors: Any = None) -> None:
        self._set(locals())

    def _conclude(self, sums: Any, rows: Any = None) -> str:
        weight, count = sums
        self._set_priors(weight)
        live = weight > 0.0
        mean = count.sum(axis=0) / weight.sum()
        self._refuse_impossible(np.where(mean > 0.0, count, 1.0), live, "is 0 in every row", "another number")
        self.feature_count_ = count
        self.rate_ = _rates(weight, count, mean, self.alpha)
        return f"means, to which smoothing adds {self.alpha:g} rows of the mean of all classes"

    def _joint(self, X: Any) -> Array:
        rate = np.where(self.rate_ > 0.0, self.rate_, 1.0)
        return np.asarray(X @ np.log(rate).T - self.rate_.sum(axis=1) + self._log_priors())

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        found = super()._plain(X, codes, weight)
        size = np.bincount(codes, weight, len(self.classes_))
        mean = np.average(X, axis=0, weights=weight)
        return {**found, "rate_": _rates(size, found["feature_count_"], mean, self.alpha)}


def _rates(weight: Any, count: Array, mean: Array, alpha: float) -> Array:
    """Return smoothed means of the classes, the mean of all rows where a class has none."""
    some = weight[:, None] + alpha > 0.0
    total = np.where(some, weight[:, None] + alpha, 1.0)
    return np.asarray(np.where(some, (count + alpha * mean) / total, mean))
