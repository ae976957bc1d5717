"""Backtracking with cubic interpolation: sufficient decrease along a descent direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

__all__ = ["backtrack"]

T = TypeVar("T")


def backtrack(
    evaluate: Callable[[float], tuple[float, float, T]],
    value: float,
    slope: float,
    first: float = 1.0,
    max_trials: int = 30,
) -> tuple[float, T] | None:
    """Return a step t with ``F(t) <= F(0) + 1e-4 t slope``, or None when rounding hides every decrease.

    Parameters
    ----------
    evaluate : callable
        ``t -> (F(t), F'(t), payload)``.
    value, slope : float
        ``F(0)`` and ``F'(0) < 0``.
    first : float
        First trial step.
    max_trials : int
        Trials before giving up.

    Notes
    -----
    Near the optimum the decrease drowns in rounding; there a step is accepted when F does not rise by
    more than rounding and the slope shrinks (Hager & Zhang 2005, approximate Wolfe condition).
    """
    t = first
    # An objective that is a sum over many rows is known to about this share of its size.
    noise = 1e-14 * abs(value)
    for _ in range(max_trials):
        new, new_slope, payload = evaluate(t)
        if math.isfinite(new):
            # Armijo's condition with its usual constant (Nocedal and Wright 2006, section 3.1).
            if new <= value + 1e-4 * t * slope:
                return t, payload
            if new <= value + noise and abs(new_slope) <= 0.9 * abs(slope):
                return t, payload
            t = _cubic_minimum(t, value, slope, new, new_slope)
        else:
            t *= 0.1
    return None


def _cubic_minimum(t: float, f0: float, g0: float, f1: float, g1: float) -> float:
    """Return the minimum of the cubic through two values and slopes, kept within [0.1 t, 0.5 t]."""
    d1 = g0 + g1 - 3.0 * (f1 - f0) / t
    square = d1 * d1 - g0 * g1
    if square < 0.0 or not math.isfinite(square):
        return 0.5 * t
    d2 = math.sqrt(square)
    denominator = g1 - g0 + 2.0 * d2
    guess = t * (1.0 - (g1 + d2 - d1) / denominator) if denominator != 0.0 else 0.5 * t
    return min(max(guess, 0.1 * t), 0.5 * t) if math.isfinite(guess) else 0.5 * t
