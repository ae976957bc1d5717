"""A class that holds a hypothesis without error, by a ghost sample of the best size."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, solve_for
from empirisk.bounds.growth import Growing, log_growth

__all__ = ["ghost_realizable"]

# Sizes of the ghost sample that are tried, and multiples of its expected number of errors.
SIZES = np.unique(np.ceil(1.25 ** np.arange(186)))
SHARES = np.geomspace(0.7, 16.0, 60)


def ghost_realizable(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
) -> Guarantee:
    """``P(failure) <= min over k, s of S_(n+k) C(k, s) / C(n+k, s) / P(Bin(k, epsilon) >= s)``.

    Failure: a hypothesis of the class has a risk above epsilon and makes no error on the n rows.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The risk.
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
    Draw k more rows. A failing hypothesis makes s errors on them with probability ``P(Bin(k, risk) >= s)`` or
    more. Given the n + k rows in random order, the chance that j >= s errors of one labelling all fall
    among the k is ``C(k, j)/C(n+k, j)``, largest for j = s; and there are S_(n+k) labellings. The textbook
    form (`vc_realizable`) takes ``k = n`` and ``s = n epsilon/2`` with simpler inequalities, and asks for
    three to four times the rows. Cost: some 1300 terms for each of about 60 looks. Source: the argument of
    Blumer, Ehrenfeucht, Haussler and Warmuth (1989), theorem A2.1, with the size of the ghost sample free
    as in Shawe-Taylor, Anthony and Biggs, Discrete Applied Mathematics 42 (1993), and binomial numbers in
    place of their bounds.

    Examples
    --------
    >>> ghost_realizable(epsilon=0.05, delta=0.05, vc=11).n
    1346
    """
    log_s, words, dimension = log_growth(vc, hypotheses)
    theorem = Theorem(
        "ghost_realizable",
        f"every hypothesis of {words} that makes no error on {{n}} rows has a risk of at most {{epsilon}}",
        (IID, ZERO_ONE, FIXED, "the learner returns a hypothesis of the class without an error on the rows"),
        "Blumer and others (1989), theorem A2.1, with a ghost sample of free size",
    )

    def delta_of(m: int, e: float) -> float:
        # Any size of the ghost sample proves a bound; sizes far from that of the sample prove only weaker
        # ones.
        sizes = SIZES[(m / 8.0 <= SIZES) & (m * 32.0 >= SIZES) & (dimension < SIZES)]
        if not sizes.size:
            return 1.0
        growth = np.array([log_s(m + int(k)) for k in sizes])[:, None]
        k = sizes[:, None]
        s = np.clip(np.round(k * e * SHARES), dimension + 1.0, k)
        seen = special.betainc(s, k - s + 1.0, e)  # P(Bin(k, e) >= s)
        with np.errstate(divide="ignore"):
            terms = growth + _log_all_later(float(m), k, s) - np.log(seen)
        return math.exp(min(0.0, float(terms.min())))

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, delta_of=delta_of)


def _log_all_later(n: float, k: np.ndarray, s: np.ndarray) -> np.ndarray:
    """``log (C(k, s) / C(n + k, s))``; above 1e9, where gammaln cancels, the bound ``s log(k/(n+k))``."""
    exact = special.gammaln(k + 1.0) - special.gammaln(k - s + 1.0)
    exact -= special.gammaln(n + k + 1.0) - special.gammaln(n + k - s + 1.0)
    return np.asarray(np.where(n + k < 1e9, exact, s * np.log(k / (n + k))))
