"""The squared calibration error without the bias of the bin noise."""

from __future__ import annotations

import math

import numpy as np

from empirisk.typing import Array

__all__ = ["calibration_error"]


def calibration_error(confidence: Array, hit: Array) -> float:
    """Root of ``(1/n) sum over bins of [(sum e)^2 - sum e^2]/(n_b - 1)``, 0 where negative.

    Here ``e = hit - confidence`` and the bins hold like numbers of rows.

    Parameters
    ----------
    confidence : array, shape (n,)
        Probabilities of the event.
    hit : array, shape (n,)
        Whether it happened, 0 or 1.

    Returns
    -------
    float
        An estimate of ``sqrt(E (E[hit | confidence] - confidence)^2)``; its square has mean 0 without the
        square root's cut when the probabilities are exact, where the usual binned error is positive.

    References
    ----------
    D. Lee, X. Huang, H. Hassani, E. Dobriban, "T-Cal: an optimal test for the calibration of predictive
    models", JMLR 24 (2023).

    Examples
    --------
    >>> calibration_error(np.full(100, 0.5), np.arange(100) % 2)
    0.0
    >>> round(calibration_error(np.full(100, 0.9), np.arange(100) % 2), 2)
    0.38
    """
    n = len(confidence)
    bins = int(min(15, max(5, n // 100)))
    e = (np.asarray(hit, dtype=np.float64) - confidence)[np.argsort(confidence, kind="stable")]
    parts = [part for part in np.array_split(e, bins) if len(part) > 1]
    total = sum((part.sum() ** 2 - (part**2).sum()) / (len(part) - 1) for part in parts)
    return math.sqrt(max(0.0, float(total) / max(1, n)))
