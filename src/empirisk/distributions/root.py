"""The root of a function that falls from above 0 to below 0, by Brent's method in a bracket."""

from __future__ import annotations

from collections.abc import Callable

from scipy.optimize import brentq

__all__ = ["falling_root"]

# How far a root is looked for, in the logarithm of a parameter.
_FARTHEST = 80.0


def falling_root(f: Callable[[float], float], start: float) -> float:
    """Return t with f(t) = 0 to rounding, for f above 0 far to the left of it and below 0 far to the right.

    Raises
    ------
    ValueError
        Where the sign does not change within 80 of the start: the parameter is then at an end of its domain.

    Examples
    --------
    >>> import math
    >>> round(falling_root(lambda t: 3.0 - math.exp(t), 0.0), 12) == round(math.log(3.0), 12)
    True
    """
    low = high = start
    step = 0.5
    while f(low) < 0.0:
        low, step = low - step, 2.0 * step
        if start - low > _FARTHEST:
            raise ValueError("the likelihood has no maximum: it grows towards the lower end of the domain")
    step = 0.5
    while f(high) > 0.0:
        high, step = high + step, 2.0 * step
        if high - start > _FARTHEST:
            raise ValueError("the likelihood has no maximum: it grows towards the upper end of the domain")
    return low if low == high else float(brentq(f, low, high, xtol=1e-15, rtol=1e-15))
