"""The Bernstein bound of Maurer and Pontil: the variance is estimated from the same rows as the mean.

Maurer and Pontil, Conference on Learning Theory (2009), theorem 4.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.hoeffding import check_sides

__all__ = ["empirical_bernstein"]


def empirical_bernstein(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    variance: float,
    low: float = 0.0,
    high: float = 1.0,
    sides: int = 1,
    candidates: int = 1,
) -> Guarantee:
    """``expectation <= mean + sqrt(2 V L/n) + 7 (high - low) L/(3 (n-1))``, ``L = log((sides+1) K/delta)``.

    Parameters
    ----------
    n : int >= 2, optional
        Number of rows.
    epsilon : float in (0, high - low), optional
        Tolerance of the mean.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    variance : float in [0, (high - low)^2 / 2]
        V, the unbiased variance (divisor n - 1) observed on these rows.
    low, high : float, default 0 and 1
        What the values lie between, known beforehand.
    sides : {1, 2}, default 1
        1 for an upper limit of the expectation; 2 for both.
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
    The failure is shared by the tails of the mean and the one of the variance, so that two sides cost
    ``log(3/delta)``. Cost O(1). Source: Maurer and Pontil, Conference on Learning Theory (2009), theorem 4.

    Examples
    --------
    >>> round(empirical_bernstein(n=1000, delta=0.05, variance=0.01).epsilon, 5)
    0.01721
    """
    width = check_real(check_real(high, "high", -math.inf) - check_real(low, "low", -math.inf), "high - low")
    # The variance with divisor n - 1 is at most n / (n - 1) quarters of the squared length: a half for two
    # rows.
    spread = check_real(variance, "variance", 0.0, width**2 / 2.0 * (1.0 + 1e-12), closed=True)
    events = check_sides(sides) + 1

    def epsilon_of(m: int, d: float) -> float:
        share = math.log(events / d)
        return math.sqrt(2.0 * spread * share / m) + 7.0 * width * share / (3.0 * (m - 1))

    def delta_of(m: int, e: float) -> float:
        # e = b s + a s^2 with s = sqrt(log(events / delta))
        a, b = 7.0 * width / (3.0 * (m - 1)), math.sqrt(2.0 * spread / m)
        root = 2.0 * e / (b + math.sqrt(b * b + 4.0 * a * e))
        return events * math.exp(-(root**2))

    theorem = Theorem(
        "empirical_bernstein",
        f"the expectation {'exceeds' if sides == 1 else 'differs from'} the mean of {{n}} rows by at most "
        "{epsilon}",
        (
            "the rows are independent",
            f"the values lie in [{low:g}, {high:g}]",
            f"their observed variance is {spread:g}",
        ),
        "Maurer and Pontil (2009), theorem 4",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=epsilon_of,
        delta_of=delta_of,
        guess=lambda e, d: math.log(events / d) * (2.0 * spread / e**2 + 7.0 * width / (3.0 * e)),
        candidates=candidates,
        trivial=width,
        least=2,
    )
