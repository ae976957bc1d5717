"""Metrics of predicted probabilities: log-loss and Brier score."""

from __future__ import annotations

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, Predictions
from empirisk.evaluation.metrics.row_loss import RowLoss

TINY = np.finfo(np.float64).tiny  # smaller doubles have fewer digits


def log_losses(p: Predictions) -> Floats:
    """``-log p(class that occurred)``; infinite where that is 0, never clipped.

    Where p is too small for the digits of a double, the score of the model tells its logarithm.
    """
    chosen = p.output("proba")[np.arange(p.n), p.y]
    with np.errstate(divide="ignore"):
        losses: Floats = -np.log(chosen)
    if p.log_proba is not None:
        far = np.flatnonzero(chosen < TINY)
        losses[far] = -p.log_proba[far, p.y[far]]
    return losses + 0.0  # no negative zero


def brier_losses(p: Predictions) -> Floats:
    """``(p_1 - y)^2`` with two classes, the sum over classes of ``(p_c - [y=c])^2`` with more."""
    table = p.output("proba")
    if p.n_classes == 2:
        losses: Floats = (table[:, 1] - p.y) ** 2
        return losses
    right = table[np.arange(p.n), p.y]
    total: Floats = (table**2).sum(axis=1) - right**2 + (1.0 - right) ** 2
    return total


def brier_bound(p: Predictions) -> float:
    """Return the largest Brier loss of a row: 1 with two classes, 2 with more."""
    return 1.0 if p.n_classes == 2 else 2.0


LOG_LOSS = RowLoss("log_loss", CLASSIFICATION, "proba", log_losses, label="log-loss", unit="nats")
BRIER_SCORE = RowLoss("brier_score", CLASSIFICATION, "proba", brier_losses, brier_bound, label="Brier score")
