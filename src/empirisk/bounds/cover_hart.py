"""The bracket of Cover and Hart: the error of one nearest neighbour encloses the Bayes risk.

Cover and Hart, IEEE Transactions on Information Theory 13 (1967), theorem 1.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import check_count, check_real

__all__ = ["cover_hart"]


def cover_hart(error: float, n_classes: int = 2) -> tuple[float, float]:
    """``(K-1)/K (1 - sqrt(max(0, 1 - K/(K-1) L))) <= L* <= L`` for the limiting 1-NN error L.

    Parameters
    ----------
    error : float in [0, 1]
        Rate of errors of one nearest neighbour, in the limit of infinitely many rows.
    n_classes : int, default 2
        K.

    Returns
    -------
    (float, float)
        Lower and upper end for the Bayes risk L*; neither can be improved from L alone.

    Raises
    ------
    ValueError
        When a number is out of range.

    Notes
    -----
    Inverts ``L* <= L <= 2 L* - K/(K-1) L*^2``. The statement is asymptotic: with finitely many rows the 1-NN
    error may lie outside, and the lower end is not to be relied upon where the noise is low. An error above
    (K-1)/K, which no limit can have, gives the bracket of (K-1)/K. Cost O(1). Source: Cover and Hart, IEEE
    Transactions on Information Theory 13 (1967), theorem 1.

    Examples
    --------
    >>> [round(end, 4) for end in cover_hart(0.18)]
    [0.1, 0.18]
    """
    most = 1.0 - 1.0 / check_count(n_classes, "n_classes", 2)
    rate = check_real(error, "error", 0.0, 1.0, closed=True)
    low = most * (1.0 - math.sqrt(max(0.0, 1.0 - rate / most)))
    return low, min(rate, most)
