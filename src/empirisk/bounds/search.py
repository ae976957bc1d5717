"""The smallest number that works, of a condition that is monotone."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["MAX_ROWS", "smallest", "smallest_n"]

# Beyond this the answer is "not with any sample": more rows than anybody will have.
MAX_ROWS = 10**18


def smallest_n(works: Callable[[int], bool], *, least: int = 1, guess: float | None = None) -> int | None:
    """Return the smallest ``n >= least`` with ``works(n)``, for a monotone condition; None above
    `MAX_ROWS`.

    Doubling from the guess, then bisection: exact, ``works(n)`` and not ``works(n - 1)``.
    """
    start = least if guess is None or not guess > least else int(min(guess, MAX_ROWS))
    high = max(least, start)
    if works(high):
        step = 1
        while high > least and works(max(least, high - step)):
            high, step = max(least, high - step), 2 * step
        if high == least:
            return least
        low = max(least, high - step)
    else:
        low, step = high, 1
        while not works(min(high := low + step, MAX_ROWS)):
            if high >= MAX_ROWS:
                return None
            low, step = high, 2 * step
        high = min(high, MAX_ROWS)
    while high - low > 1:  # works(high), not works(low)
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return high


def smallest(works: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest number in [low, high] with ``works(x)``, for a monotone condition that holds at
    `high`.

    Bisection down to neighbouring floats; on a logarithmic scale when ``low > 0``.
    """
    if works(low):
        return low
    # A double has 2,098 powers of two, so that this many halvings lead from its largest to its smallest
    # number.
    for _ in range(2100):
        middle = math.sqrt(low) * math.sqrt(high) if low > 0.0 else 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (low, middle) if works(middle) else (middle, high)
        if high - low <= 2e-16 * high:
            break
    return high
