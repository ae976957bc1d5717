"""Hoeffding's bound from a test set."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.sample import assumptions, check_losses, check_range, log_share
from empirisk.results import RiskCertificate

__all__ = ["held_out_hoeffding"]


def held_out_hoeffding(
    losses: ArrayLike, delta: float = 0.05, *, low: float = 0.0, high: float = 1.0, candidates: int = 1
) -> RiskCertificate:
    """``risk <= mean loss + (high - low) sqrt(log(K/delta)/(2n))``.

    Parameters
    ----------
    losses : array, shape (n,)
        Losses on rows that had no part in making the model.
    delta : float in (0, 1), default 0.05
        Probability with which the statement may fail.
    low, high : float, default 0 and 1
        What the losses are known to lie between, before the rows are seen.
    candidates : int, default 1
        K, when the model is one of K fixed ones and was chosen on these rows.

    Returns
    -------
    RiskCertificate

    Raises
    ------
    ValueError
        When a loss lies outside [low, high], or delta or candidates is out of range.

    Notes
    -----
    Cost O(n). Sources: Hoeffding, Journal of the American Statistical Association 58 (1963), theorem 2;
    Shalev-Shwartz and Ben-David (2014), theorem 11.1.

    Examples
    --------
    >>> round(held_out_hoeffding([1.0] * 10 + [0.0] * 90).value, 4)
    0.2224
    """
    log_tail = log_share(delta, candidates)
    low, high = check_range(low, high)
    values = check_losses(losses, low, high)
    mean = float(np.mean(values))
    value = mean + (high - low) * math.sqrt(-log_tail / (2.0 * values.size))
    return RiskCertificate(
        bound="Hoeffding on test rows",
        value=value,
        measured=mean,
        delta=delta,
        n=values.size,
        assumptions=assumptions(low, high, candidates),
        vacuous=value >= high,
        measured_on="test rows",
    )
