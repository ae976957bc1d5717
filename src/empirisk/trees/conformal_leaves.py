"""Prediction intervals from leaf quantiles, widened by what the out-of-bag rows ask for.

Johansson, Bostrom, Lofstrom and Linusson, Machine Learning 97 (2014); Romano, Patterson and Candes, Advances
in Neural Information Processing Systems 32 (2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.data.conformal_order import upper_end
from empirisk.trees.leaf_quantiles import LeafSample

__all__ = ["ConformalLeaves"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ConformalLeaves:
    """``[q_lo(x) - e, q_hi(x) + e]`` with the leaf quantiles at ``a/2`` and ``1 - a/2``, ``a = 1 - level``.

    ``e`` is the ``ceil(level (n+1))``-th smallest of ``max(q_lo(x_i) - y_i, y_i - q_hi(x_i))`` over training
    rows i, with the quantiles of the trees that did not see row i; it may be negative (shorter intervals).

    Parameters
    ----------
    sample : LeafSample
        Of the training rows.
    level : float
    widen : float
        e; infinite where the rows are too few.

    Notes
    -----
    Wide where y varies, and right on average over rows for large n; the out-of-bag quantiles of the
    training rows rest on a third of the trees, which makes e a little too large with few trees. There is no
    finite-sample theorem for this shortest form; the version that compares with each left-out row (Gupta et
    al.) has probability at least ``1 - 2 a``, as jackknife+ has.

    References
    ----------
    U. Johansson, H. Bostrom, T. Lofstrom, H. Linusson, "Regression conformal prediction with random forests",
    Machine Learning 97 (2014). Y. Romano, E. Patterson, E. Candes, "Conformalized quantile regression",
    NeurIPS 32 (2019). C. Gupta, A. Kuchibhotla, A. Ramdas, "Nested conformal prediction and quantile
    out-of-bag ensemble methods", Pattern Recognition 127 (2022).

    Examples
    --------
    >>> from empirisk.trees import Trees
    >>> stump = Trees.stump(feature=0, threshold=0.5, values=[[0.0], [10.0]], n_features=1)
    >>> X = np.repeat([[0.0], [1.0]], 40, axis=0)
    >>> y = 10 * X[:, 0] + np.tile(np.arange(40.0), 2) / 40
    >>> seen = np.tile([[1], [0]], (40, 1))
    >>> sample = LeafSample.of(stump, stump.apply(X), y, seen)
    >>> fitted = ConformalLeaves.fit(sample, stump.apply(X), seen == 0, y, 0.9)
    >>> low, high = fitted.interval(stump.apply(np.array([[0.0], [1.0]])))
    >>> (high - low).round(1)
    array([1., 1.])
    """

    sample: LeafSample
    level: float
    widen: float

    @classmethod
    def fit(
        cls, sample: LeafSample, leaves: NDArray, unseen: NDArray, y: Floats, level: float = 0.9
    ) -> ConformalLeaves:
        """From training rows (all, or a few thousand of them).

        Parameters
        ----------
        sample : LeafSample
            With the draws of the trees as counts: where a row would lie among the rows of its own leaf, its
            score would say nothing about new rows.
        leaves : array of shape (m, T)
        unseen : bool array of shape (m, T)
            Whether the tree did not see the row.
        y : array of shape (m,)
        level : float in (0, 1), default 0.9

        Raises
        ------
        ValueError
            When the leaves hold rows that the tree was not grown on.
        """
        if not sample.grown_on:
            raise ValueError("the leaves must hold the rows that the trees drew: give LeafSample counts.")
        low, high = _ends(sample, leaves, level, unseen)
        scores = np.maximum(low - y, y - high)
        return cls(sample, level, upper_end(scores[np.isfinite(scores)], level))

    def interval(self, leaves: NDArray) -> tuple[Floats, Floats]:
        """Return the intervals of new rows, from their leaves (m, T)."""
        low, high = _ends(self.sample, leaves, self.level, None)
        low, high = low - self.widen, high + self.widen
        crossed = low > high  # a negative e on a short interval
        middle = 0.5 * (low + high)
        return np.where(crossed, middle, low), np.where(crossed, middle, high)


def _ends(sample: LeafSample, leaves: NDArray, level: float, use: NDArray | None) -> tuple[Floats, Floats]:
    tail = 0.5 - 0.5 * level
    q = sample.quantiles(leaves, [tail, 1.0 - tail], use)
    return q[:, 0], q[:, 1]
