"""McDiarmid's inequality: a statistic that no single row changes much stays close to its expectation.

McDiarmid, On the method of bounded differences (1989), lemma 1.2. Hoeffding's inequality is the case of a
mean.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.hoeffding import check_sides

__all__ = ["mcdiarmid"]


def mcdiarmid(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    sensitivity: float = 1.0,
    sides: int = 2,
    candidates: int = 1,
) -> Guarantee:
    """``|f - E f| <= c sqrt(log(sides K / delta) / (2 n))`` when one row changes f by at most ``c / n``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, sensitivity), optional
        Distance of the statistic from its expectation.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    sensitivity : float > 0, default 1
        c: replacing one row changes the statistic by at most ``c / n`` (1 for a mean of losses in [0, 1], and
        for the largest deviation of a class of such means).
    sides : {1, 2}, default 2
        1 for an error in one direction only.
    candidates : int, default 1
        Number K of statistics for which it is to hold at once.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Cost O(1). Source: McDiarmid, On the method of bounded differences (1989), lemma 1.2.

    Examples
    --------
    >>> round(mcdiarmid(n=1000, delta=0.05, sensitivity=2.0, sides=1).epsilon, 5)
    0.0774
    """
    c, tails = check_real(sensitivity, "sensitivity"), check_sides(sides)
    theorem = Theorem(
        "mcdiarmid",
        f"the statistic of {{n}} rows {'lies within' if tails == 2 else 'exceeds its expectation by at most'}"
        f" {{epsilon}}{' of its expectation' if tails == 2 else ''}",
        ("the rows are independent", f"replacing one row changes the statistic by at most {c:g}/n"),
        "McDiarmid (1989), lemma 1.2",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: c * math.sqrt(math.log(tails / d) / (2.0 * m)),
        delta_of=lambda m, e: tails * math.exp(-2.0 * m * (e / c) ** 2),
        guess=lambda e, d: math.log(tails / d) * c**2 / (2.0 * e * e),
        candidates=candidates,
        trivial=c,
    )
