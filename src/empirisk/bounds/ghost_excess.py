"""Empirical risk minimisation over a class of finite VC dimension, by a ghost sample of the best size."""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, solve_for
from empirisk.bounds.ghost_uniform import log_ghost_tail
from empirisk.bounds.growth import Growing, log_growth

__all__ = ["ghost_excess"]

# The share of epsilon that the best hypothesis may take.
SHARES = np.linspace(0.01, 0.6, 60)


def ghost_excess(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
) -> Guarantee:
    """``P(excess risk > epsilon) <= min over u of G(epsilon - u) + exp(-2 n u^2)``, G as in `ghost_uniform`.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The excess risk of the hypothesis with the smallest training error.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int, optional
        VC dimension; ``S`` then is Sauer's bound.
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
    The excess is at most ``sup (R - R_n)`` plus ``R_n(h*) - R(h*)`` for a best hypothesis h*. The first
    exceeds ``epsilon - u`` with probability G (one side of `ghost_uniform`), the second is one mean and
    exceeds u with probability ``exp(-2 n u^2)`` (Hoeffding). Cost: 42,000 terms for each of about 60 looks.
    Source: as `ghost_uniform`.

    Examples
    --------
    >>> ghost_excess(epsilon=0.05, delta=0.05, vc=11).n
    38878
    """
    log_s, words, _ = log_growth(vc, hypotheses)
    theorem = Theorem(
        "ghost_excess",
        f"the hypothesis of {words} with the smallest training error on {{n}} rows has a risk at most "
        "{epsilon} above the smallest risk of the class",
        (IID, ZERO_ONE, FIXED, "the training error is minimised exactly"),
        "Devroye (1982), with a ghost sample of free size and Serfling's inequality",
    )

    def delta_of(m: int, e: float) -> float:
        # Each share proves a bound by itself and none looks at the rows: the smallest of them is valid, too.
        u = SHARES * e
        total = np.logaddexp(log_ghost_tail(log_s, m, e - u), -2.0 * m * u * u)
        return math.exp(min(0.0, float(total.min())))

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, delta_of=delta_of)
