"""The root of a function that falls from above 0 to below 0, by Newton's method in a bracket."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["falling_root"]

# How far a root is looked for, in the logarithm of a parameter; the longest step, and the most steps.
_FARTHEST, _LONGEST, _STEPS = 80.0, 2.0, 400
# Steps below are rounding, and from here on values that do not fall any more are.
_ROUNDING, _NEAR = 4e-16, 1e-6


def falling_root(f: Callable[[float], tuple[float, float]], start: float) -> float:
    """Return t with f(t) = 0 to rounding, for f above 0 far to the left of it and below 0 far to the right.

    A step that would leave the bracket, or go up a slope that rises, is replaced by a half of the bracket.

    Parameters
    ----------
    f : callable
        From t to the value and its derivative, of which a few digits are enough.
    start : float

    Raises
    ------
    ValueError
        Where the sign does not change within 80 of the start: the parameter is then at an end of its domain.

    Examples
    --------
    >>> import math
    >>> root = falling_root(lambda t: (3.0 - math.exp(t), -math.exp(t)), 0.0)
    >>> round(root, 12) == round(math.log(3.0), 12)
    True
    """
    low, high, t, before = -math.inf, math.inf, start, math.inf
    for _ in range(_STEPS):
        value, slope = f(t)
        if value == 0.0:
            return t
        low, high = (t, high) if value > 0.0 else (low, t)
        step = -value / slope if slope < 0.0 else math.copysign(_LONGEST, value)
        near = abs(step) < _NEAR
        if abs(step) <= _ROUNDING * max(1.0, abs(t)) or (near and abs(value) > 0.5 * before):
            return t
        before = abs(value)
        t += max(-_LONGEST, min(_LONGEST, step))
        if not low < t < high:
            t = 0.5 * (low + high)
        if abs(t - start) > _FARTHEST:
            end = "lower" if t < start else "upper"
            raise ValueError(f"the likelihood has no maximum: it grows towards the {end} end of the domain")
    return t
