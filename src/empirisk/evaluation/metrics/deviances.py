"""Metrics of predicted positive means: deviances of Poisson, Tweedie and Gamma laws."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import xlogy

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import REGRESSION, Predictions
from empirisk.evaluation.metrics.row_loss import RowLoss


def deviances(p: Predictions, power: float) -> Floats:
    """Return twice the log-likelihood ratio of ``mean = y`` and ``mean = prediction``, variance
    ``mean^power``.

    ``2 (y log(y/m) - y + m)`` for 1, ``2 (log(m/y) + y/m - 1)`` for 2, between them
    ``2 (y^(2-p)/((1-p)(2-p)) - y m^(1-p)/(1-p) + m^(2-p)/(2-p))``.
    """
    y, m = np.asarray(p.y, dtype=np.float64), np.asarray(p.output("pred"), dtype=np.float64)
    if power == 1.0:
        rows = xlogy(y, y / m) - y + m
    elif power == 2.0:
        rows = np.log(m / y) + y / m - 1.0
    else:
        a, b = 2.0 - power, 1.0 - power
        rows = y**a / (a * b) - y * m**b / b + m**a / a
    # Rounding can leave a row that is met exactly at -1e-17.
    return 2.0 * np.maximum(rows, 0.0)


def outside(p: Predictions, zeros: bool) -> str:
    """Return why a deviance does not exist: targets below 0 (or 0), predicted means that are not positive."""
    y, m = np.asarray(p.y), np.asarray(p.output("pred"))
    bad = y < 0.0 if zeros else y <= 0.0
    if bad.any():
        wanted = "targets >= 0" if zeros else "targets > 0"
        return f"it needs {wanted}, and {int(bad.sum())} rows hold others (the first is row {bad.argmax()})"
    bad = ~(m > 0.0)
    if bad.any():
        return (
            f"it needs positive predictions, and {int(bad.sum())} of {m.size} are not (the first is row "
            f"{bad.argmax()})"
        )
    return ""


def _metric(name: str, power: float, label: str) -> RowLoss:
    return RowLoss(
        name,
        REGRESSION,
        "pred",
        partial(deviances, power=power),
        refusal=partial(outside, zeros=power < 2.0),
        by_default=False,
        label=label,
    )


POISSON_DEVIANCE = _metric("poisson_deviance", 1.0, "Poisson deviance")
TWEEDIE_DEVIANCE = _metric("tweedie_deviance", 1.5, "Tweedie deviance (power 1.5)")
GAMMA_DEVIANCE = _metric("gamma_deviance", 2.0, "Gamma deviance")
