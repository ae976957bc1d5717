"""The best constant to add to given scores, for losses that are straight but for kinks."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.losses.base import Loss
from empirisk.typing import Array

__all__ = ["kinked_intercept"]


def kinked_intercept(loss: Loss, y: Array, s: Array, z: Array) -> float:
    """``argmin_b sum_i s_i loss(y_i, z_i + b)``; the middle of the minimisers where there are many.

    Parameters
    ----------
    loss : Loss
        Piecewise linear, so that ``loss.kinks(y)`` tells all of it.
    y, s, z : arrays, shape (n,)
        Targets, weights >= 0 (not all 0) and scores without the constant.

    Notes
    -----
    O(n log n): the slope in b rises at each kink, and the minimum is where it passes 0.

    Examples
    --------
    >>> from empirisk.losses import Hinge
    >>> kinked_intercept(Hinge(), np.array([1.0, -1.0]), np.ones(2), np.array([3.0, 1.0]))
    -2.0
    """
    parts: Any = loss.kinks(y)
    live = s > 0.0
    at = np.concatenate([(where - z)[live] for where, _, _ in parts])
    rise = np.concatenate([(s * (right - left))[live] for _, left, right in parts])
    first = sum(float((s * left)[live].sum()) for _, left, _ in parts)
    order = np.argsort(at, kind="stable")
    at, slope = at[order], first + np.cumsum(rise[order])
    # A slope within its own rounding is 0: there every b up to the next kink is a minimiser.
    flat = 4.0 * len(at) * float(np.finfo(np.float64).eps) * (abs(first) + float(rise.sum()))
    left = int(np.argmax(slope >= -flat))
    right = left
    while right + 1 < len(at) and abs(slope[right]) <= flat:
        right += 1
    return 0.5 * float(at[left] + at[right])
