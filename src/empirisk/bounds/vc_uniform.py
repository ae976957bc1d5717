"""Uniform convergence over a class of finite VC dimension, by Rademacher averages."""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, solve_for
from empirisk.bounds.growth import Growing, log_growth
from empirisk.bounds.hoeffding import check_sides

__all__ = ["vc_uniform"]


def vc_uniform(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
    sides: int = 2,
) -> Guarantee:
    """``|risk - training error| <= sqrt(2 log S_n / n) + sqrt(log(sides/delta) / (2 n))`` for all at once.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The largest difference between risk and training error.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int, optional
        VC dimension; ``S_n`` then is Sauer's bound.
    hypotheses : class, optional
        A class that knows its growth function ``S_n``, instead of `vc`.
    sides : {1, 2}, default 2
        1 when only a risk above the training error counts.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Massart's lemma bounds the Rademacher average of 0-1 losses by ``sqrt(log S_n / (2 n))``; twice that
    bounds the expected one-sided deviation, and McDiarmid adds the rest. The form that bounds both sides in
    one expectation, ``2 sqrt(2 log(2 S_n)/n) + sqrt(log(1/delta)/(2 n))``, is more than twice as wide. Cost
    O(vc) for each of about 60 evaluations. Source: Mohri, Rostamizadeh and Talwalkar, Foundations of
    Machine Learning (2018), theorem 3.5 and corollary 3.8.

    Examples
    --------
    >>> vc_uniform(epsilon=0.05, delta=0.05, vc=11).n
    104527
    """
    log_s, words, _ = log_growth(vc, hypotheses)
    tails = check_sides(sides)
    how = "lies within {epsilon} of" if tails == 2 else "exceeds by at most {epsilon}"
    theorem = Theorem(
        "vc_uniform",
        f"the risk of every hypothesis of {words} {how} its training error on {{n}} rows",
        (IID, ZERO_ONE, FIXED),
        "Mohri, Rostamizadeh and Talwalkar (2018), corollary 3.8",
    )

    def epsilon_of(m: int, d: float) -> float:
        return math.sqrt(2.0 * log_s(m) / m) + math.sqrt(math.log(tails / d) / (2.0 * m))

    def delta_of(m: int, e: float) -> float:
        rest = max(0.0, e - math.sqrt(2.0 * log_s(m) / m))
        return tails * math.exp(-2.0 * m * rest**2)

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, epsilon_of=epsilon_of, delta_of=delta_of)
