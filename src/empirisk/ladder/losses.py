"""The loss that the ladder is about: errors of a classification, or a clipped loss of a regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.linear import decide

if TYPE_CHECKING:
    from empirisk.ladder.base import Problem

__all__ = ["LOSSES", "losses_of_scores", "regression_losses"]

LOSSES = ("squared", "absolute")


def regression_losses(y: NDArray[Any], pred: NDArray[Any], loss: str, low: float, high: float) -> Floats:
    """``min(max(loss, low), high)``: the loss is clipped, so that a range can be known before."""
    error = np.abs(np.asarray(pred, dtype=np.float64) - y)
    return np.asarray(np.clip(error if loss == "absolute" else error**2, low, high), dtype=np.float64)


def losses_of_scores(problem: Problem, scores: Floats) -> Floats:
    """Return the losses of other scores on the same rows."""
    if problem.classes is not None:
        return np.asarray(decide(scores, problem.two_classes) != problem.y, dtype=np.float64)
    loss = "absolute" if problem.risk.startswith("absolute") else "squared"
    return regression_losses(problem.y, scores[:, 0], loss, problem.low, problem.high)
