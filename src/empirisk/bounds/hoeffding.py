"""Hoeffding's inequality: the mean of independent, bounded numbers stays close to its expectation.

Hoeffding, Journal of the American Statistical Association 58 (1963), theorem 2.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_for

__all__ = ["hoeffding"]


def hoeffding(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    low: float = 0.0,
    high: float = 1.0,
    sides: int = 2,
    candidates: int = 1,
) -> Guarantee:
    """``|mean - expectation| <= (high - low) sqrt(log(sides K / delta) / (2 n))``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, high - low), optional
        Tolerance of the mean.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    low, high : float, default 0 and 1
        What the values lie between, known before they are seen.
    sides : {1, 2}, default 2
        1 for an error in one direction only.
    candidates : int, default 1
        K fixed models (or columns, or classes) for which it is to hold at once.

    Returns
    -------
    Guarantee
        With `n` rounded up.

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Cost O(1). Source: Hoeffding, Journal of the American Statistical Association 58 (1963), theorem 2.

    Examples
    --------
    >>> round(hoeffding(n=1000, delta=0.05).epsilon, 5)
    0.04295
    >>> hoeffding(epsilon=0.02, delta=0.05).n
    4612
    """
    a, b = check_real(low, "low", -math.inf), check_real(high, "high", -math.inf)
    width = check_real(b - a, "high - low")
    tails = check_sides(sides)
    many = "" if candidates == 1 else f" for each of {candidates:,} candidates"
    theorem = Theorem(
        "hoeffding",
        f"the mean of {{n}} rows {'lies within' if tails == 2 else 'exceeds its expectation by at most'} "
        f"{{epsilon}}{' of its expectation' if tails == 2 else ''}{many}",
        (
            "the rows are independent",
            f"the values lie in [{a:g}, {b:g}]",
            *(("the candidates were fixed before these rows were seen",) if many else ()),
        ),
        "Hoeffding (1963), theorem 2",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: width * math.sqrt(math.log(tails / d) / (2.0 * m)),
        delta_of=lambda m, e: tails * math.exp(-2.0 * m * (e / width) ** 2),
        guess=lambda e, d: math.log(tails / d) * width**2 / (2.0 * e * e),
        candidates=candidates,
        trivial=width,
    )


def check_sides(sides: int) -> int:
    """Return the number of sides, which must be 1 or 2; anything else raises a ValueError."""
    if sides not in (1, 2):
        raise ValueError(f"sides must be 1 (an error in one direction) or 2, got {sides!r}.")
    return sides
