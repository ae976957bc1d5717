"""Empirical risk minimisation over a class of finite VC dimension, whatever the noise."""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, solve_for
from empirisk.bounds.growth import Growing, log_growth

__all__ = ["vc_excess"]


def vc_excess(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
) -> Guarantee:
    """``risk of the minimiser - smallest risk <= sqrt(2 log S_n / n) + sqrt(2 log(1/delta) / n)``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The excess risk.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int, optional
        VC dimension; ``S_n`` then is Sauer's bound.
    hypotheses : class, optional
        A class that knows its growth function ``S_n``, instead of `vc`.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    The excess is at most ``sup (R - R_n) + R_n(h*) - R(h*)`` for a best hypothesis h*. Its expectation is at
    most ``sqrt(2 log S_n / n)`` (see `vc_uniform`; the second part has mean zero), and one row changes it by
    at most 2/n, so that McDiarmid adds ``sqrt(2 log(1/delta)/n)``. The form ``4 sqrt(2 log(2 S_n)/n) +
    sqrt(2 log(1/delta)/n)``, which doubles the two-sided deviation, is more than four times as wide in its
    main term. Cost O(vc) for each of about 60 evaluations. Source: Bousquet, Boucheron and Lugosi,
    Introduction to Statistical Learning Theory (2004), sections 4 and 5.

    Examples
    --------
    >>> vc_excess(epsilon=0.05, delta=0.05, vc=11).n
    120556
    """
    log_s, words, _ = log_growth(vc, hypotheses)
    theorem = Theorem(
        "vc_excess",
        f"the hypothesis of {words} with the smallest training error on {{n}} rows has a risk at most "
        "{epsilon} above the smallest risk of the class",
        (IID, ZERO_ONE, FIXED, "the training error is minimised exactly"),
        "Bousquet, Boucheron and Lugosi (2004), sections 4 and 5",
    )

    def epsilon_of(m: int, d: float) -> float:
        return math.sqrt(2.0 * log_s(m) / m) + math.sqrt(-2.0 * math.log(d) / m)

    def delta_of(m: int, e: float) -> float:
        return math.exp(-m * max(0.0, e - math.sqrt(2.0 * log_s(m) / m)) ** 2 / 2.0)

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, epsilon_of=epsilon_of, delta_of=delta_of)
