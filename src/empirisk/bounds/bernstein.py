"""Bernstein's inequality: like Hoeffding's, but a small known variance makes the bound small.

Boucheron, Lugosi and Massart, Concentration Inequalities (2013), section 2.8.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.hoeffding import check_sides

__all__ = ["bernstein"]


def bernstein(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    variance: float,
    low: float = 0.0,
    high: float = 1.0,
    sides: int = 2,
    candidates: int = 1,
) -> Guarantee:
    """``|mean - expectation| <= B L/3 + sqrt((B L/3)^2 + 2 variance L)``, ``L = log(sides K/delta)/n``.

    It is ``P(mean - expectation > t) <= exp(-n t^2 / (2 (variance + B t / 3)))`` solved for t, B = high -
    low.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, high - low), optional
        Tolerance of the mean.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    variance : float in [0, (high - low)^2 / 4]
        Variance of the values, or an upper bound on it, known beforehand; for one that is measured on the
        same rows see `empirical_bernstein`.
    low, high : float, default 0 and 1
        What the values lie between.
    sides : {1, 2}, default 2
        1 for an error in one direction only.
    candidates : int, default 1
        Number K of fixed models for which it is to hold at once.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Cost O(1). Source: Bernstein (1946); Boucheron, Lugosi and Massart, Concentration Inequalities (2013),
    section 2.8.

    Examples
    --------
    >>> round(bernstein(n=1000, delta=0.05, variance=0.01).epsilon, 5)
    0.00991
    """
    width = check_real(check_real(high, "high", -math.inf) - check_real(low, "low", -math.inf), "high - low")
    # No variance on an interval exceeds a quarter of its squared length (Popoviciu); 1e-12 forgives rounding.
    spread = check_real(variance, "variance", 0.0, width**2 / 4.0 * (1.0 + 1e-12), closed=True)
    tails = check_sides(sides)

    def epsilon_of(m: int, d: float) -> float:
        share = math.log(tails / d) / m
        return width * share / 3.0 + math.sqrt((width * share / 3.0) ** 2 + 2.0 * spread * share)

    theorem = Theorem(
        "bernstein",
        f"the mean of {{n}} rows {'lies within' if tails == 2 else 'exceeds its expectation by at most'} "
        f"{{epsilon}}{' of its expectation' if tails == 2 else ''}",
        (
            "the rows are independent",
            f"the values lie in [{low:g}, {high:g}]",
            f"their variance is at most {spread:g}, known beforehand",
        ),
        "Boucheron, Lugosi and Massart (2013), section 2.8",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=epsilon_of,
        delta_of=lambda m, e: tails * math.exp(-m * e * e / (2.0 * (spread + width * e / 3.0))),
        guess=lambda e, d: math.log(tails / d) * 2.0 * (spread + width * e / 3.0) / (e * e),
        candidates=candidates,
        trivial=width,
    )
