"""The Chernoff bound from a test set, inverted exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.binary_kl import kl_upper
from empirisk.bounds.sample import assumptions, check_losses, check_range, log_share
from empirisk.results import RiskCertificate

__all__ = ["held_out_kl"]


def held_out_kl(
    losses: ArrayLike, delta: float = 0.05, *, low: float = 0.0, high: float = 1.0, candidates: int = 1
) -> RiskCertificate:
    """``kl(mean loss || risk) <= log(K/delta)/n``, with losses scaled to [0, 1].

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
    Never larger than Hoeffding's bound (Pinsker). Cost O(n). Sources: Hoeffding, Journal of the American
    Statistical Association 58 (1963), theorem 1; Langford, Journal of Machine Learning Research 6 (2005),
    section 3.

    Examples
    --------
    >>> round(held_out_kl([1.0] * 10 + [0.0] * 90).value, 4)
    0.1888
    """
    log_tail = log_share(delta, candidates)
    low, high = check_range(low, high)
    values = check_losses(losses, low, high)
    mean = float(np.mean((values - low) / (high - low)))
    value = low + (high - low) * kl_upper(min(1.0, mean), -log_tail / values.size)
    return RiskCertificate(
        bound="Chernoff-kl on test rows",
        value=value,
        measured=float(np.mean(values)),
        delta=delta,
        n=values.size,
        assumptions=assumptions(low, high, candidates),
        vacuous=value >= high,
        measured_on="test rows",
    )
