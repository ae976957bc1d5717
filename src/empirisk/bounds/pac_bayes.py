"""The PAC-Bayes-kl theorem: a randomised model close to a prior."""

from __future__ import annotations

import math

from empirisk.bounds.base import check_count, check_real
from empirisk.bounds.binary_kl import kl_lower, kl_upper
from empirisk.bounds.sample import INDEPENDENT, log_share
from empirisk.results import Assumption, RiskCertificate

__all__ = ["log_moment", "pac_bayes_budget", "pac_bayes_kl"]


def log_moment(n: int) -> float:
    """Return an upper bound on ``log E exp(n kl(mean || p))`` for the mean of n losses in [0, 1],
    whatever p.

    ``min(n + 1, exp(1/(12 n)) sqrt(pi n/2) + 2)``; Maurer's ``2 sqrt(n)`` lies above it from n = 8 on.

    Parameters
    ----------
    n : int
        Number of rows.

    Returns
    -------
    float

    Examples
    --------
    >>> round(log_moment(1000), 4), round(math.log(2.0 * math.sqrt(1000)), 4)
    (3.729, 4.147)
    """
    n = check_count(n, "n")
    return math.log(min(n + 1.0, math.exp(1.0 / (12.0 * n)) * math.sqrt(0.5 * math.pi * n) + 2.0))


def pac_bayes_budget(divergence: float, n: int, delta: float, candidates: int = 1) -> float:
    """``(KL(Q||P) + log(K xi(n)/delta))/n``: the theorem says that ``kl(measured || true)`` is at most
    this.
    """
    divergence = check_real(divergence, "divergence", 0.0, closed=True)
    return (divergence + log_moment(n) - log_share(delta, candidates)) / n


def pac_bayes_kl(
    gibbs: float, divergence: float, n: int, delta: float = 0.05, *, candidates: int = 1, side: str = "upper"
) -> RiskCertificate:
    """``kl(gibbs || risk) <= (KL(Q||P) + log(K xi(n)/delta))/n`` for all posteriors Q at once.

    The risk is that of the randomised (Gibbs) model, which draws a model from Q for each row; with
    ``xi(n) <= sqrt(pi n/2) exp(1/(12 n)) + 2``, see :func:`log_moment`.

    Parameters
    ----------
    gibbs : float in [0, 1]
        Mean over Q and over the rows of a loss in [0, 1].
    divergence : float >= 0
        ``KL(Q||P)`` in nats. The prior P must have been fixed before the rows were seen; Q may depend on
        them.
    n : int
        Number of rows.
    delta : float in (0, 1), default 0.05
        Probability with which the statement may fail.
    candidates : int, default 1
        K priors of a data-free grid, of which the best is used.
    side : {"upper", "lower"}, default "upper"
        Whether `value` bounds the risk from above or from below; each by itself with probability 1 - delta.

    Returns
    -------
    RiskCertificate

    Raises
    ------
    ValueError
        When a number is out of range.

    Notes
    -----
    Cost O(1). Sources: Seeger, Journal of Machine Learning Research 3 (2002), theorem 1; Maurer, A note on
    the PAC Bayesian theorem (2004), theorem 1; Langford, Journal of Machine Learning Research 6 (2005),
    theorem 5.1, with n + 1 for xi.

    Examples
    --------
    >>> round(pac_bayes_kl(0.1, divergence=5.0, n=1000).value, 4)
    0.1521
    """
    gibbs = check_real(gibbs, "gibbs", 0.0, 1.0, closed=True)
    budget = pac_bayes_budget(divergence, n, delta, candidates)
    if side not in ("upper", "lower"):
        raise ValueError(f"side must be 'upper' or 'lower', got {side!r}.")
    value = kl_upper(gibbs, budget) if side == "upper" else kl_lower(gibbs, budget)
    prior = Assumption("the prior was fixed before the rows were seen")
    return RiskCertificate(
        bound="PAC-Bayes-kl",
        value=value,
        measured=gibbs,
        delta=delta,
        n=n,
        assumptions=(INDEPENDENT, prior),
        vacuous=value >= 1.0 if side == "upper" else value <= 0.0,
        kind="a randomised model",
        measured_on="training rows",
    )
