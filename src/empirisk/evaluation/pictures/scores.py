"""How the predicted probability is spread over the rows of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.metrics import Predictions
from empirisk.evaluation.pictures.estimates import Json

__all__ = ["score_bins"]

EDGES = 100


def score_bins(p: Predictions, level: float) -> Json:
    """Return the rows (or their weights) of each class by the predicted probability of the positive class, in
    bins of one percent.
    """
    edges = np.arange(EDGES + 1) / EDGES
    claimed = np.asarray(p.output("proba"), dtype=np.float64)[:, 1]
    which = np.clip(np.searchsorted(edges, claimed, side="right") - 1, 0, EDGES - 1)
    # The score decides at the threshold, so that the bins agree with the confusion matrix to the row.
    half = EDGES // 2
    called = np.asarray(p.output("pred") == 1)
    which = np.where(called, np.maximum(which, half), np.minimum(which, half - 1))

    def count(mask: NDArray[Any]) -> list[Any]:
        weights = None if p.weights is None else p.weights[mask]
        return list(np.bincount(which[mask], weights, minlength=EDGES).tolist())

    return {
        "edges": edges.tolist(),
        "positive": count(p.positive),
        "negative": count(~p.positive),
        "threshold": 0.5,
        "level": level,
    }
