"""The ROC curve and the precision-recall curve of two classes, with their bands, at 101 places of an axis."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import normal_quantile
from empirisk.evaluation.metrics import METRICS, Predictions
from empirisk.evaluation.pictures.estimates import Json, estimate, share_of
from empirisk.inference.limits import wilson_limits

__all__ = ["pr_curve", "roc_curve", "steps"]

Floats = NDArray[np.float64]
POINTS = 101  # places along an axis


def steps(p: Predictions) -> tuple[Floats, Floats, Floats]:
    """Return what the positives, the negatives and the squared weights of the rows at or above each distinct
    score sum to, from the largest score down. Rows that count the same count 1.
    """
    score = np.asarray(p.output("score"), dtype=np.float64)
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), score.size - 1)
    w = p.weight[order]
    hits, squares = np.cumsum(w * p.positive[order])[last], np.cumsum(w * w)[last]
    return hits, np.cumsum(w)[last] - hits, squares


def units(p: Predictions, mask: NDArray[np.bool_]) -> float:
    """Return the effective number of independent units among some rows: of rows, or of groups."""
    return p.take(np.flatnonzero(mask)).units


def roc_curve(p: Predictions, level: float) -> Json | None:
    """True against false positive rate with a band that holds for all thresholds at once.

    Both distribution functions lie within ``sqrt(log(2/a)/(2n))`` of their estimates with probability
    ``1 - a`` (Dvoretzky, Kiefer, Wolfowitz 1956; the constant is Massart's, 1990), ``(1 - a)^2 = level``;
    a point of the curve then lies in a box, and the band is the union of the boxes. The number n of a class
    is that of its rows, of its groups, or the effective number of weighted rows. None when a class is absent.
    """
    if not (p.positive.any() and (~p.positive).any()):
        return None
    hits, misses, _ = steps(p)
    tpr, fpr = np.append(0.0, hits / hits[-1]), np.append(0.0, misses / misses[-1])
    a = 1.0 - math.sqrt(level)
    d1, d0 = (math.sqrt(math.log(2.0 / a) / (2.0 * units(p, m))) for m in (p.positive, ~p.positive))
    x = np.linspace(0.0, 1.0, POINTS)

    def curve(at: Floats) -> Floats:
        return np.asarray(np.interp(at, fpr, tpr), dtype=np.float64)

    low = np.where(x - d0 < 0.0, 0.0, curve(np.clip(x - d0, 0.0, 1.0)) - d1)
    high = np.where(x + d0 > 1.0, 1.0, curve(np.clip(x + d0, 0.0, 1.0)) + d1)
    return {
        "x": x.tolist(),
        "value": curve(x).tolist(),
        "low": np.clip(low, 0.0, 1.0).tolist(),
        "high": np.clip(high, 0.0, 1.0).tolist(),
        "level": level,
        "n": p.n,
        "method": "simultaneous (Dvoretzky-Kiefer-Wolfowitz in both classes)",
        "area": estimate(METRICS["roc_auc"].interval(p, level)),
    }


def pr_curve(p: Predictions, level: float) -> Json | None:
    """Precision against recall; each point has a Wilson interval at its threshold. None without positives."""
    if not (p.positive.any() and (~p.positive).any()):
        return None
    hits, misses, squares = steps(p)
    recall = hits / hits[-1]
    x = np.linspace(0.0, 1.0, POINTS)[1:]
    at = np.searchsorted(recall, x - 1e-12)
    called = (hits + misses)[at]
    z, value = normal_quantile(level), hits[at] / called
    shrink, called = p.units / p.effective(), called**2 / squares[at]
    limits = [wilson_limits(v, c * shrink, z) for v, c in zip(value.tolist(), called.tolist(), strict=True)]
    return {
        "x": x.tolist(),
        "value": value.tolist(),
        "low": [low for low, _ in limits],
        "high": [high for _, high in limits],
        "level": level,
        "n": p.n,
        "method": "pointwise (Wilson at each threshold)",
        "area": estimate(METRICS["average_precision"].interval(p, level)),
        "base_rate": estimate(share_of(p, p.positive, np.ones(p.n, dtype=bool), level)),
    }
