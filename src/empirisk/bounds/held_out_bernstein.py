"""The empirical Bernstein bound from a test set."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.sample import assumptions, check_losses, check_range, log_share
from empirisk.results import RiskCertificate

__all__ = ["held_out_bernstein"]


def held_out_bernstein(
    losses: ArrayLike, delta: float = 0.05, *, low: float = 0.0, high: float = 1.0, candidates: int = 1
) -> RiskCertificate:
    """``risk <= mean + sqrt(2 V L/n) + 7 (high - low) L / (3 (n-1))``, ``L = log(2K/delta)``.

    V is the unbiased sample variance of the losses: the bound is short where they vary little.

    Parameters
    ----------
    losses : array, shape (n,)
        Losses on at least two rows that had no part in making the model.
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
        When a loss lies outside [low, high], there is one row only, or delta or candidates is out of range.

    Notes
    -----
    Cost O(n). Source: Maurer and Pontil, Conference on Learning Theory (2009), theorem 4.

    Examples
    --------
    >>> round(held_out_bernstein([0.1] * 500).value, 4)
    0.1172
    """
    log_tail = log_share(delta, candidates) - math.log(2.0)
    low, high = check_range(low, high)
    values = check_losses(losses, low, high)
    n = values.size
    if n < 2:
        raise ValueError("losses has one row; a sample variance needs at least two.")
    mean, variance = float(np.mean(values)), float(np.var(values, ddof=1))
    value = mean + math.sqrt(2.0 * variance * -log_tail / n) - 7.0 * (high - low) * log_tail / (3.0 * (n - 1))
    return RiskCertificate(
        bound="empirical Bernstein on test rows",
        value=value,
        measured=mean,
        delta=delta,
        n=n,
        assumptions=assumptions(low, high, candidates),
        vacuous=value >= high,
        measured_on="test rows",
    )
