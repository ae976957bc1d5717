"""Observed against predicted classes: counts, and the recall and precision of each class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from empirisk.evaluation.metrics import Predictions
from empirisk.evaluation.pictures.estimates import Json, estimate, share_of

__all__ = ["confusion"]


def confusion(p: Predictions, classes: Sequence[str], level: float) -> Json:
    """Return the counts (or the weights) of observed against predicted classes, recall and precision of each
    class.
    """
    k, guess = len(classes), p.output("pred")
    counts = np.bincount(p.y * k + guess, p.weights, minlength=k * k).reshape(k, k)
    return {
        "labels": list(classes),
        "counts": counts.tolist(),
        "threshold": 0.5 if k == 2 else None,
        "recall": [estimate(share_of(p, guess == c, p.y == c, level)) for c in range(k)],
        "precision": [estimate(share_of(p, p.y == c, guess == c, level)) for c in range(k)],
    }
