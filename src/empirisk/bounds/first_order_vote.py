"""The majority vote errs at most twice as often as a random member."""

from __future__ import annotations

from dataclasses import replace

from empirisk.bounds.pac_bayes import pac_bayes_kl
from empirisk.results import Assumption, RiskCertificate

__all__ = ["first_order_vote"]


def first_order_vote(
    gibbs: float, n: int, delta: float = 0.05, *, divergence: float = 0.0
) -> RiskCertificate:
    """``risk of the vote <= 2 kl^-1(gibbs, (KL + log(xi(n)/delta))/n)``.

    Where the vote errs, members with at least half of the weight err (Markov's inequality); the factor cannot
    be improved from the mean error alone.

    Parameters
    ----------
    gibbs : float in [0, 1]
        Weighted mean error of the members, each counted on rows that it did not see (out-of-bag rows).
    n : int
        Number of those rows, the smallest over the members.
    delta : float in (0, 1), default 0.05
        Probability with which the statement may fail.
    divergence : float >= 0, default 0
        ``KL(Q||P)`` of the weights from a prior that was fixed before; 0 for equal weights.

    Returns
    -------
    RiskCertificate

    Raises
    ------
    ValueError
        When a number is out of range.

    Notes
    -----
    Cost O(1). Sources: Langford and Shawe-Taylor (2003); Lorenzen, Igel and Seldin, Machine Learning 108
    (2019), with out-of-bag rows.

    Examples
    --------
    >>> round(first_order_vote(0.1, n=1000).value, 4)
    0.2767
    """
    one = pac_bayes_kl(gibbs, divergence, n, delta)
    value = min(1.0, 2.0 * one.value)
    unseen = Assumption("every member was measured on rows that it did not see")
    return replace(
        one,
        bound="vote by twice the mean error",
        value=value,
        measured=None,
        assumptions=(one.assumptions[0], unseen),
        vacuous=value >= 1.0,
        kind="the majority vote",
        risk="0-1 loss",
        measured_on="",
    )
