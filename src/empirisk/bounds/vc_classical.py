"""The inequality of Vapnik and Chervonenkis (1971): uniform convergence, proved by a second (ghost)
sample.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, solve_for
from empirisk.bounds.growth import Growing, log_growth

__all__ = ["vc_classical"]


def vc_classical(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
) -> Guarantee:
    """``|risk - training error| <= sqrt(8 log(4 S_2n / delta) / n)`` for all hypotheses at once.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The largest difference between risk and training error.
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
    The form of most textbooks; `vc_uniform` is smaller. Cost O(vc) for each of about 60 evaluations. Source:
    Vapnik and Chervonenkis (1971); Abu-Mostafa, Magdon-Ismail and Lin, Learning From Data (2012), theorem
    2.5.

    Examples
    --------
    Learning From Data, section 2.2.1:

    >>> round(vc_classical(n=100, delta=0.1, vc=1).epsilon, 3)
    0.848
    """
    log_s, words, _ = log_growth(vc, hypotheses)
    theorem = Theorem(
        "vc_classical",
        f"the risk of every hypothesis of {words} lies within {{epsilon}} of its training error on {{n}} "
        "rows",
        (IID, ZERO_ONE, FIXED),
        "Vapnik and Chervonenkis (1971); Learning From Data (2012), theorem 2.5",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: math.sqrt(8.0 * (math.log(4.0 / d) + log_s(2 * m)) / m),
        delta_of=lambda m, e: math.exp(min(0.0, math.log(4.0) + log_s(2 * m) - m * e * e / 8.0)),
    )
