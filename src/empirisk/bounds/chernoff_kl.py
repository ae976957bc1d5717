"""The Chernoff bound of a share, with the exact exponent: the divergence between two coins.

Langford, Journal of Machine Learning Research 6 (2005), section 3.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import IID, Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.binary_kl import binary_kl, kl_lower, kl_upper
from empirisk.bounds.hoeffding import check_sides

__all__ = ["chernoff_kl"]


def chernoff_kl(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rate: float = 0.0,
    sides: int = 2,
    candidates: int = 1,
) -> Guarantee:
    """``kl(rate | risk) <= log(sides K / delta) / n``: the risk is within epsilon of an observed rate.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The larger distance from the observed rate to the limits above and below it.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    rate : float in [0, 1], default 0
        The observed share of errors (the mean of losses in [0, 1]).
    sides : {1, 2}, default 2
        1 for the upper limit only.
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
    Never wider than Hoeffding, since ``kl(q | p) >= 2 (q - p)^2``; much narrower for small rates. Cost: one
    bisection. Source: Chernoff (1952); Langford, Journal of Machine Learning Research 6 (2005), section 3.

    Examples
    --------
    >>> chernoff_kl(epsilon=0.05, delta=0.05, sides=1).n
    59
    >>> round(chernoff_kl(n=1000, delta=0.05, rate=0.1).epsilon, 4)
    0.0277
    >>> round(chernoff_kl(n=100, epsilon=0.05).delta, 6), round(2 * 0.95**100, 6)
    (0.011841, 0.011841)
    """
    q, tails = check_real(rate, "rate", 0.0, 1.0, closed=True), check_sides(sides)

    def epsilon_of(m: int, d: float) -> float:
        allowed = math.log(tails / d) / m
        above = kl_upper(q, allowed) - q
        return above if tails == 1 else max(above, q - kl_lower(q, allowed))

    def delta_of(m: int, e: float) -> float:
        # No risk lies above 1 or below 0: a side that cannot be left cannot fail.
        above = binary_kl(q, q + e) if q + e <= 1.0 else math.inf
        below = binary_kl(q, q - e) if tails == 2 and q - e >= 0.0 else math.inf
        return tails * math.exp(-m * min(above, below))

    where = "lies within {epsilon} of" if tails == 2 else "exceeds by at most {epsilon}"
    theorem = Theorem(
        "chernoff_kl",
        f"the risk {where} the rate {q:g} observed on {{n}} rows",
        (IID, "the losses lie in [0, 1]", "the model was fixed before these rows were seen"),
        "Chernoff (1952); Langford (2005), section 3",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=epsilon_of,
        delta_of=delta_of,
        candidates=candidates,
    )
