"""The margin bound of votes: boosting, bagging, and every other weighted majority of a class.

Schapire, Freund, Bartlett and Lee, Annals of Statistics 26 (1998).
"""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.growth import Growing, log_growth

__all__ = ["vote_margin"]


def vote_margin(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    margin: float,
    vc: int | None = None,
    hypotheses: Growing | None = None,
    any_margin: bool = False,
) -> Guarantee:
    """``risk <= share of rows with y f(x) < margin + (2/margin) sqrt(2 log S_n/n) + sqrt(log(1/delta)/(2
    n))``.

    ``f = sum_t a_t h_t`` with ``sum_t |a_t| = 1`` is a vote of members h_t = -1 or 1 of one class; the
    number of members does not enter.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        How far the risk of a vote may exceed the share of rows inside the margin.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    margin : float in (0, 1]
        The margin of votes.
    vc : int, optional
        VC dimension of the members; ``S_n`` then is Sauer's bound.
    hypotheses : class, optional
        A class of members that knows its growth function ``S_n``, instead of `vc`.
    any_margin : bool, default False
        Whether the margin may be chosen after the rows were seen. The terms then are ``(4/margin) sqrt(2
        log S_n/n) + sqrt(log log2(2/margin)/n)`` and ``sqrt(log(2/delta)/(2 n))``.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Taking averages does not raise the Rademacher average of a class that holds -h with every h; Massart's
    lemma bounds it. Cost O(vc) for each of about 60 evaluations. Source: Schapire, Freund, Bartlett and Lee
    (1998); with these constants Koltchinskii and Panchenko (2002); Mohri, Rostamizadeh and Talwalkar,
    Foundations of Machine Learning (2018), theorem 7.7 and, for every margin at once, theorem 5.9.

    Examples
    --------
    >>> round(vote_margin(n=100_000, delta=0.05, margin=0.5, vc=5).epsilon, 4)
    0.1338
    """
    gap = check_real(margin, "margin")
    if gap > 1.0:
        raise ValueError(f"margin must be at most 1, the largest margin of a vote, got {gap:g}.")
    log_s, words, _ = log_growth(vc, hypotheses)
    factor, events = (4.0, 2.0) if any_margin else (2.0, 1.0)
    chosen = math.log(math.log2(2.0 / gap)) if any_margin else 0.0
    theorem = Theorem(
        "vote_margin",
        f"the risk of every vote over {words} exceeds the share of {{n}} rows with a margin below {gap:g} by "
        "at most {epsilon}",
        (
            IID,
            ZERO_ONE,
            *(() if any_margin else ("the margin was fixed before the rows were seen",)),
            FIXED,
        ),
        "Mohri, Rostamizadeh and Talwalkar (2018), theorem 7.7" + (" and theorem 5.9" if any_margin else ""),
    )

    def main(m: int) -> float:
        return (factor / gap * math.sqrt(2.0 * log_s(m)) + math.sqrt(chosen)) / math.sqrt(m)

    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: main(m) + math.sqrt(math.log(events / d) / (2.0 * m)),
        delta_of=lambda m, e: events * math.exp(-2.0 * m * max(0.0, e - main(m)) ** 2),
    )
