"""Hoeffding's bound from a held-out set: a copy-me file for a bound.

Copy to src/empirisk/bounds/<theorem>.py, one theorem a file, and add one row to REGISTRY of that folder.
A bound is about the risk, a certificate about the optimum.  The test of a bound simulates: of many
samples, the share for which the statement fails must not exceed delta.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.results import Assumption, RiskCertificate
from empirisk.typing import Array

__all__ = ["hoeffding"]


def hoeffding(losses: Array, delta: float = 0.05, low: float = 0.0, high: float = 1.0) -> RiskCertificate:
    """``risk <= mean loss + (high - low) sqrt(log(1/delta) / (2 n))`` with probability ``1 - delta``.

    Parameters
    ----------
    losses : array, shape (n,)
        Losses of one fixed model on rows that had no part in making it.
    delta : float
        Probability with which the statement may fail, in (0, 1).
    low, high : float
        What the losses are known to lie between, before the rows are seen.

    Returns
    -------
    RiskCertificate

    Raises
    ------
    ValueError
        When a loss lies outside [low, high] or delta outside (0, 1).

    References
    ----------
    Hoeffding 1963, Journal of the American Statistical Association 58, theorem 2.

    Examples
    --------
    >>> round(hoeffding(np.zeros(200)).value, 4)
    0.0865
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta must lie in (0, 1), got {delta!r}")
    outside = np.flatnonzero(~((losses >= low) & (losses <= high)))
    if len(outside):
        row = int(outside[0])
        raise ValueError(f"losses must lie in [{low:g}, {high:g}], got {losses[row]!r} in row {row}")
    n = len(losses)
    mean = float(np.mean(losses))
    value = mean + (high - low) * math.sqrt(math.log(1.0 / delta) / (2.0 * n))
    return RiskCertificate(
        bound="Hoeffding",
        value=value,
        measured=mean,
        delta=delta,
        n=n,
        assumptions=(
            Assumption("the rows are drawn independently from the population that the statement is about"),
            Assumption("the model was fixed before these rows were looked at"),
            Assumption(f"losses lie in [{low:g}, {high:g}]", "declared"),
        ),
        vacuous=value >= high,
    )
