"""Prediction intervals of a bagged regression: jackknife+ after bootstrap.

Kim, Xu and Barber, Advances in Neural Information Processing Systems 33 (2020).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from empirisk.data.conformal_order import conformal_rank, upper_end

__all__ = ["jackknife_plus"]

Floats = NDArray[np.float64]
BLOCK = 1 << 22  # numbers of a block of rows


def jackknife_plus(
    predictions: Floats, unseen: NDArray, residuals: Floats, level: float = 0.9
) -> tuple[Floats, Floats]:
    """``[q-(m_i(x) - r_i), q+(m_i(x) + r_i)]`` over the training rows i.

    ``m_i`` is the mean of the trees that did not see row i, ``r_i = |y_i - m_i(x_i)|``; q- and q+ are the
    ``floor(a (n+1))``-th and the ``ceil((1-a)(n+1))``-th smallest, ``a = 1 - level``.

    Parameters
    ----------
    predictions : array of shape (m, T)
        Of the trees at the new rows.
    unseen : bool array of shape (n, T)
        Whether the tree did not see the training row.
    residuals : array of shape (n,)
        Absolute out-of-bag residuals; NaN for rows that every tree saw, which are left out.
    level : float in (0, 1), default 0.9

    Returns
    -------
    low, high : arrays of shape (m,)
        Infinite where the rows are too few for the level.

    Notes
    -----
    For exchangeable rows and any distribution a new y lies inside with probability at least ``1 - 2 a`` (when
    the number of trees is drawn from a binomial law; close to ``1 - a`` in practice). The width is nearly the
    same everywhere. Cost O(m n T), by blocks of rows.

    References
    ----------
    B. Kim, C. Xu, R. F. Barber, "Predictive inference is free with the jackknife+-after-bootstrap", NeurIPS
    33 (2020).

    Examples
    --------
    >>> unseen = np.array([[True, False], [False, True], [True, True]])
    >>> jackknife_plus(np.array([[0.0, 2.0]]), unseen, np.array([1.0, 1.0, 1.0]), 0.5)
    (array([0.]), array([2.]))
    """
    use = np.isfinite(residuals) & unseen.any(axis=1)
    out, r = unseen[use].astype(np.float64), residuals[use]
    share = out / out.sum(axis=1, keepdims=True)
    m = len(predictions)
    low, high = np.full(m, -math.inf), np.full(m, math.inf)
    if conformal_rank(r.size, level) > r.size:
        return low, high
    for first in range(0, m, max(1, BLOCK // max(1, r.size))):
        rows = slice(first, first + max(1, BLOCK // max(1, r.size)))
        centre = predictions[rows] @ share.T
        low[rows] = 0.0 - upper_end(r - centre, level)
        high[rows] = upper_end(centre + r, level)
    return low, high
