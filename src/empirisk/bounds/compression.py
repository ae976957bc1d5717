"""Sample compression: a model that a few of the rows determine is tested by all the other rows."""

from __future__ import annotations

import math

from scipy.special import gammaln

from empirisk.bounds.base import check_count
from empirisk.bounds.binary_kl import binomial_upper
from empirisk.bounds.sample import INDEPENDENT, log_share
from empirisk.results import Assumption, RiskCertificate

__all__ = ["compression", "log_choose"]


def log_choose(n: int, k: int) -> float:
    """``log C(n, k)``, through the log-gamma function because the binomial coefficient itself overflows."""
    return float(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def compression(
    errors: int, n: int, size: int, delta: float = 0.05, *, used: int | None = None, candidates: int = 1
) -> RiskCertificate:
    """``risk <= max {p : P(Bin(n-k, p) <= errors) >= delta/(K n C(n, k))}``, k rows kept of n.

    The learner, run on the k kept rows alone, returns the same model; `errors` counts the other rows. Each
    choice of k rows has a test set of n-k rows of its own; the union is over the choices and the n sizes.

    Parameters
    ----------
    errors : int
        Errors of the model on the rows that were not kept.
    n : int
        All rows.
    size : int in [0, n)
        k: the number of support vectors, or of mistakes when `used` is given.
    delta : float in (0, 1), default 0.05
        Probability with which the statement may fail.
    used : int, optional
        For a learner that keeps a row several times (the perceptron's mistakes): how many different rows are
        among the k kept. The choices are then multisets, ``C(n+k-1, k)`` of them, and the sizes have the
        prior ``1/((k+1)(k+2))``, because k may exceed n.
    candidates : int, default 1
        K learners (settings) that were tried on the rows.

    Returns
    -------
    RiskCertificate

    Raises
    ------
    ValueError
        When a number is out of range.

    Notes
    -----
    Cost O(1). Sources: Littlestone and Warmuth (1986); Langford, Journal of Machine Learning Research 6
    (2005), section 6; Shalev-Shwartz and Ben-David (2014), chapter 30.

    Examples
    --------
    >>> round(compression(errors=0, n=1000, size=10).value, 4)
    0.0624
    """
    n, size = check_count(n, "n"), check_count(size, "size", 0)
    log_tail = log_share(delta, candidates)
    kept = size if used is None else check_count(used, "used", 0)
    if kept > min(n, size):
        name, most = ("size", "n") if used is None else ("used", "n and at most size")
        raise ValueError(f"{name} must be at most {most}, got {kept} (n = {n}, size = {size}).")
    rest = n - kept
    errors = check_count(errors, "errors", 0)
    if errors > rest:
        raise ValueError(f"errors counts the {rest} rows that were not kept, got {errors}.")
    if used is None:
        log_tail -= math.log(n) + log_choose(n, size)
    else:
        log_tail -= math.log((size + 1.0) * (size + 2.0)) + log_choose(n + size - 1, size)
    value = binomial_upper(errors, rest, log_tail) if rest else 1.0
    tried = (
        () if candidates == 1 else (Assumption(f"at most {candidates:,} settings were tried", "declared"),)
    )
    return RiskCertificate(
        bound="compression",
        value=value,
        measured=errors / rest if rest else None,
        delta=delta,
        n=n,
        assumptions=(INDEPENDENT, Assumption(f"{kept:,} rows determine the model"), *tried),
        vacuous=value >= 1.0,
        risk="0-1 loss",
        measured_on="training rows not kept",
    )
