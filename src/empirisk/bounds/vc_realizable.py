"""A class of finite VC dimension that holds a hypothesis without error: rows that make its risk small.

Blumer, Ehrenfeucht, Haussler and Warmuth, Journal of the ACM 36 (1989), theorem A2.1.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, solve_for
from empirisk.bounds.growth import Growing, log_growth

__all__ = ["vc_realizable"]


def vc_realizable(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
) -> Guarantee:
    """``risk <= 2 log2(2 S_2n / delta) / n`` for every hypothesis without an error on the rows.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The risk.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int, optional
        VC dimension; ``S_2n`` then is Sauer's bound.
    hypotheses : class, optional
        A class that knows its growth function, instead of `vc`.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    ``P(failure) <= 2 S_2n 2^(-n epsilon / 2)`` for ``n >= 8/epsilon``, and the right side exceeds 1 below
    that. Cost O(vc) for each of about 60 evaluations. Source: Blumer, Ehrenfeucht, Haussler and Warmuth,
    Journal of the ACM 36 (1989), theorem A2.1.

    Examples
    --------
    >>> vc_realizable(epsilon=0.05, delta=0.05, vc=11).n
    5057
    """
    log_s, words, _ = log_growth(vc, hypotheses)
    theorem = Theorem(
        "vc_realizable",
        f"every hypothesis of {words} that makes no error on {{n}} rows has a risk of at most {{epsilon}}",
        (IID, ZERO_ONE, FIXED, "the learner returns a hypothesis of the class without an error on the rows"),
        "Blumer, Ehrenfeucht, Haussler and Warmuth (1989), theorem A2.1",
    )
    log2 = math.log(2.0)
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: 2.0 * (math.log(2.0 / d) + log_s(2 * m)) / (log2 * m),
        delta_of=lambda m, e: math.exp(min(0.0, log2 + log_s(2 * m) - m * e * log2 / 2.0)),
    )
