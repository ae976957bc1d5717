"""Cantelli's bound from a held-out set: a copy-me file for a bound.

Copy to src/empirisk/bounds/<theorem>.py, one theorem a file, and add one row to REGISTRY of that folder, one
to docs/maths/bounds.md (with a worked number), and a simulation to DRAWS in tests/bounds/test_from_rows.py:
of many samples, the share for which the statement fails must not exceed delta.

A bound is about the risk, a certificate about the optimum.  A theorem that relates n, epsilon and delta
returns a ``Guarantee`` by ``solve_for`` instead, see hoeffding.py there; its simulation is a case in
tests/bounds/cases.py.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.results import Assumption, RiskCertificate
from empirisk.typing import Array

__all__ = ["held_out_cantelli"]


def held_out_cantelli(
    losses: Array, delta: float = 0.05, low: float = 0.0, high: float = 1.0
) -> RiskCertificate:
    """``risk <= mean loss + (high - low)/2 sqrt((1 - delta) / (n delta))`` with probability ``1 - delta``.

    Cantelli's inequality for the mean, whose variance is at most ``(high - low)^2 / (4 n)``.

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
    Cantelli 1928; Popoviciu 1935 for the variance of what lies in an interval.

    Examples
    --------
    >>> round(held_out_cantelli(np.zeros(475)).value, 4)
    0.1
    """
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta must lie in (0, 1), got {delta!r}")
    losses = np.asarray(losses, dtype=np.float64)
    outside = np.flatnonzero(~((losses >= low) & (losses <= high)))
    if len(outside):
        row = int(outside[0])
        raise ValueError(f"losses must lie in [{low:g}, {high:g}], got {losses[row]!r} in row {row}")
    n = len(losses)
    mean = float(np.mean(losses))
    value = mean + 0.5 * (high - low) * math.sqrt((1.0 - delta) / (n * delta))
    return RiskCertificate(
        bound="Cantelli",
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
