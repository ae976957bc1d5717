"""The C-bound of a majority vote of two classes: it uses how often two members of the vote disagree.

Germain, Lacasse, Laviolette, Marchand and Roy, Journal of Machine Learning Research 16 (2015), theorem 11.
"""

from __future__ import annotations

from dataclasses import replace

from empirisk.bounds.base import check_real
from empirisk.bounds.first_order_vote import first_order_vote
from empirisk.bounds.pac_bayes import pac_bayes_kl
from empirisk.results import RiskCertificate

__all__ = ["c_bound"]


def c_bound(
    gibbs: float, disagreement: float, n: int, n_pairs: int, delta: float = 0.05, *, divergence: float = 0.0
) -> RiskCertificate:
    """``risk of the vote <= 1 - (1 - 2 r)^2/(1 - 2 d)``, r at most and d at least what the rows allow.

    Cantelli's inequality for the margin of the vote, whose mean is ``1 - 2 r`` (r: mean error of the members)
    and whose second moment is ``1 - 2 d`` (d: how often two members disagree). r is replaced by its upper and
    d by its lower PAC-Bayes-kl bound, each with delta/2; vacuous when r may reach 1/2.

    Parameters
    ----------
    gibbs : float in [0, 1]
        Weighted mean error of the members, each on rows that it did not see.
    disagreement : float in [0, 1]
        Mean over pairs of members of the share of rows where they differ, on rows that neither saw.
    n, n_pairs : int
        Numbers of those rows, the smallest over members and over pairs.
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
    Two classes only. Cost O(1). Source: Germain, Lacasse, Laviolette, Marchand and Roy, Journal of Machine
    Learning Research 16 (2015), theorem 11 and section 5.

    Examples
    --------
    >>> round(c_bound(0.1, 0.15, n=5000, n_pairs=3000).value, 4)
    0.2214
    """
    half = check_real(delta, "delta", 0.0, 1.0) / 2.0
    r = pac_bayes_kl(gibbs, divergence, n, half).value
    d = pac_bayes_kl(disagreement, 2.0 * divergence, n_pairs, half, side="lower").value
    # Two coins with mean error r cannot disagree more often than 2 r (1 - r).
    d = min(d, 2.0 * r * (1.0 - r))
    value = 1.0 if r >= 0.5 else min(1.0, 1.0 - (1.0 - 2.0 * r) ** 2 / (1.0 - 2.0 * d))
    frame = first_order_vote(gibbs, min(n, n_pairs), delta, divergence=divergence)
    return replace(frame, bound="vote by C-bound", value=value, vacuous=value >= 1.0)
