"""A few numbers out of all proportion to the others: what a slip of the pen, another unit or a code makes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEWEST", "TIMES", "far_apart"]

# Of a law whose tail is a power a, one in 20^a samples has a largest distance 20 times the next, however many
# rows there are: one in 8,000 for a = 3.  Typing errors of two digits, other units and codes lie beyond.
TIMES = 20.0
MOST = 3  # numbers; as many as slips make, and no group of its own
FEWEST = 20  # others, which say what is usual


def far_apart(distance: NDArray[np.float64], times: float = TIMES) -> NDArray[np.intp]:
    """Return the places of up to three distances that are `times` as large as all others; mostly none.

    Together they have more than half of the sum of squares, so that means and variances are about them.

    Parameters
    ----------
    distance : array of shape (n,)
        Finite numbers, not negative; where all others are 0, nothing is usual, and none is far.
    times : float, default 20
        How many times as large as the next one the smallest of them is at least.

    Examples
    --------
    >>> far_apart(np.append(np.arange(50.0), 1e6)).tolist()
    [50]
    >>> far_apart(np.arange(50.0) ** 3).tolist()
    []
    """
    size = float(distance.max(initial=0.0))
    if len(distance) <= FEWEST or size == 0.0:
        return np.zeros(0, dtype=np.intp)
    d = distance / size
    first = np.argpartition(d, len(d) - MOST - 1)[-MOST - 1 :]
    first = first[np.argsort(-d[first], kind="stable")]
    largest, total = d[first], float(d @ d)
    for k in range(min(MOST, len(d) - FEWEST), 0, -1):
        if largest[k - 1] > times * largest[k] > 0.0 and float(largest[:k] @ largest[:k]) > 0.5 * total:
            return first[:k]
    return np.zeros(0, dtype=np.intp)
