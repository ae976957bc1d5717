"""Which of n scores bounds a new one."""

from __future__ import annotations

import math

__all__ = ["conformal_rank"]


def conformal_rank(n: int, level: float) -> int:
    """``ceil(level (n + 1))``: a new score is at most this one in order with probability >= level.

    For exchangeable scores. A rank above n means that n scores are too few for the level.

    Examples
    --------
    >>> conformal_rank(19, 0.95), conformal_rank(18, 0.95)
    (19, 19)
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie strictly between 0 and 1, got {level!r}.")
    # A product that is a whole number may round up past it, and ceil would then ask for one rank too many.
    return math.ceil(level * (n + 1) - 1e-9)
