"""Prediction intervals of a forest from its out-of-bag residuals.

Zhang, Zimmerman, Nettleton and Nordman, The American Statistician 74 (2020).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.data.conformal_order import upper_end

__all__ = ["residual_interval"]

Floats = NDArray[np.float64]


def residual_interval(prediction: Floats, residuals: Floats, level: float = 0.9) -> tuple[Floats, Floats]:
    """``[m(x) + q(a/2), m(x) + q(1 - a/2)]`` with the order statistics q of the out-of-bag residuals.

    Parameters
    ----------
    prediction : array of shape (m,)
        Of the forest at the new rows.
    residuals : array of shape (n,)
        ``y_i`` minus the out-of-bag prediction; NaN for rows that every tree saw, which are left out.
    level : float in (0, 1), default 0.9

    Returns
    -------
    low, high : arrays of shape (m,)
        Infinite where the rows are too few for the level.

    Notes
    -----
    The same width everywhere, whatever the noise at x. Right for many rows, on average over rows; no
    guarantee for few. Cost O(n log n + m).

    References
    ----------
    H. Zhang, J. Zimmerman, D. Nettleton, D. Nordman, "Random forest prediction intervals", The American
    Statistician 74 (2020).

    Examples
    --------
    >>> residual_interval(np.array([10.0]), np.arange(-19.0, 20.0), 0.9)
    (array([-8.]), array([28.]))
    """
    r, tail = residuals[np.isfinite(residuals)], 0.5 + 0.5 * level
    return prediction - upper_end(-r, tail), prediction + upper_end(r, tail)
