"""Occam's razor: a model that can be written down shortly."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.base import check_real
from empirisk.bounds.binary_kl import binomial_upper, kl_upper
from empirisk.bounds.sample import INDEPENDENT, check_losses, check_range, log_share
from empirisk.results import Assumption, RiskCertificate

__all__ = ["occam"]


def occam(
    losses: ArrayLike, description: float, delta: float = 0.05, *, low: float = 0.0, high: float = 1.0
) -> RiskCertificate:
    """``risk <= max {p : P(Binomial(n, p) <= k) >= delta exp(-description)}`` for k training errors.

    For every model h of a countable class at once, when ``sum_h exp(-description(h)) <= 1`` was fixed before
    the rows were seen: ``log |H|`` for a finite class, the length of a prefix code otherwise. Losses other
    than 0 and 1 use ``kl(mean loss || risk) <= (description + log(1/delta))/n``.

    Parameters
    ----------
    losses : array, shape (n,)
        Losses of the chosen model on the rows that chose it.
    description : float >= 0
        Its description length in nats (bits times log 2).
    delta : float in (0, 1), default 0.05
        Probability with which the statement may fail.
    low, high : float, default 0 and 1
        What the losses are known to lie between, before the rows are seen.

    Returns
    -------
    RiskCertificate

    Raises
    ------
    ValueError
        When a loss lies outside [low, high], delta outside (0, 1) or the description is negative.

    Notes
    -----
    Cost O(n). Sources: Blumer, Ehrenfeucht, Haussler and Warmuth, Information Processing Letters 24 (1987);
    Langford, Journal of Machine Learning Research 6 (2005), theorem 4.1.

    Examples
    --------
    >>> import math
    >>> round(occam([0.0] * 140, 10 * math.log(3.0)).value, 4)
    0.095
    """
    nats = check_real(description, "description", 0.0, closed=True)
    log_tail = log_share(delta) - nats
    low, high = check_range(low, high)
    values = check_losses(losses, low, high)
    n, scaled = values.size, (values - low) / (high - low)
    if np.all((scaled == 0.0) | (scaled == 1.0)):
        upper = binomial_upper(int(scaled.sum()), n, log_tail)
    else:
        upper = kl_upper(min(1.0, float(scaled.mean())), -log_tail / n)
    value = low + (high - low) * upper
    code = Assumption("the code that describes models was fixed before the rows were seen")
    spread = (
        (Assumption(f"losses lie in [{low:g}, {high:g}]", "declared"),) if (low, high) != (0.0, 1.0) else ()
    )
    return RiskCertificate(
        bound="Occam",
        value=value,
        measured=float(values.mean()),
        delta=delta,
        n=n,
        assumptions=(INDEPENDENT, code, *spread),
        vacuous=value >= high,
        measured_on="training rows",
    )
