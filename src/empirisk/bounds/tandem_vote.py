"""The second-order bound of a majority vote: it uses how often two members of the vote err together.

Masegosa, Lorenzen, Igel and Seldin, Advances in Neural Information Processing Systems 33 (2020).
"""

from __future__ import annotations

from dataclasses import replace

from empirisk.bounds.first_order_vote import first_order_vote
from empirisk.bounds.pac_bayes import pac_bayes_kl
from empirisk.results import RiskCertificate

__all__ = ["tandem_vote"]


def tandem_vote(tandem: float, n: int, delta: float = 0.05, *, divergence: float = 0.0) -> RiskCertificate:
    """``risk of the vote <= 4 kl^-1(tandem, (2 KL + log(xi(n)/delta))/n)``.

    With W the weight of the members that err, the vote errs only where ``W >= 1/2``, and ``P(W >= 1/2) <= 4 E
    W^2`` (Markov's inequality of second order); ``E W^2`` is the tandem loss, the probability that two
    members, drawn independently, err together. Short where the members' errors are little correlated; any
    number of classes.

    Parameters
    ----------
    tandem : float in [0, 1]
        Mean over pairs of members of the share of rows on which both err, each pair counted on rows that
        neither saw.
    n : int
        Number of those rows, the smallest over the pairs.
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
    Cost O(1). Source: Masegosa, Lorenzen, Igel and Seldin, Advances in Neural Information Processing Systems
    33 (2020), theorems 2 and 9.

    Examples
    --------
    >>> round(tandem_vote(0.03, n=1000).value, 4)
    0.2165
    """
    pair = pac_bayes_kl(tandem, 2.0 * divergence, n, delta)
    value = min(1.0, 4.0 * pair.value)
    frame = first_order_vote(tandem, n, delta, divergence=divergence)
    return replace(frame, bound="vote by tandem loss", value=value, vacuous=value >= 1.0)
