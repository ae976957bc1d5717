"""ROC, precision-recall, calibration and the scores by class, from the test part and already binned."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from empirisk import wording
from empirisk.evaluation.intervals.base import normal_quantile
from empirisk.evaluation.metrics import METRICS, Predictions
from empirisk.inference.limits import wilson_limits
from empirisk.report.estimates import Json, estimate, proportion
from empirisk.results import Estimate

__all__ = ["calibration", "pr_curve", "roc_curve", "score_bins"]

Floats = NDArray[np.float64]
POINTS = 101  # places along an axis
EDGES = 100


def _steps(p: Predictions) -> tuple[Floats, Floats]:
    """Return the counts of positives and negatives at or above each distinct score, from the largest score
    down.
    """
    score = np.asarray(p.output("score"), dtype=np.float64)
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), score.size - 1)
    hits = np.cumsum(p.positive[order])[last].astype(float)
    return hits, last + 1.0 - hits


def _units(p: Predictions, mask: NDArray[np.bool_]) -> int:
    """Independent units among some rows: rows, or groups."""
    return int(mask.sum()) if p.groups is None else len(np.unique(p.groups[mask]))


def roc_curve(p: Predictions, level: float) -> Json | None:
    """True against false positive rate with a band that holds for all thresholds at once.

    Both distribution functions lie within ``sqrt(log(2/a)/(2n))`` of their estimates with probability
    ``1 - a`` (Dvoretzky, Kiefer, Wolfowitz 1956; the constant is Massart's, 1990), ``(1 - a)^2 = level``;
    a point of the curve then lies in a box, and the band is the union of the boxes. None when a class is
    absent.
    """
    n1, n0 = int(p.positive.sum()), int((~p.positive).sum())
    if not (n1 and n0):
        return None
    hits, misses = _steps(p)
    tpr, fpr = np.append(0.0, hits / n1), np.append(0.0, misses / n0)
    a = 1.0 - math.sqrt(level)
    d1, d0 = (math.sqrt(math.log(2.0 / a) / (2.0 * _units(p, m))) for m in (p.positive, ~p.positive))
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
    n1 = int(p.positive.sum())
    if n1 == 0 or n1 == p.n:
        return None
    hits, misses = _steps(p)
    recall = hits / n1
    x = np.linspace(0.0, 1.0, POINTS)[1:]
    at = np.searchsorted(recall, x - 1e-12)
    tp, called = hits[at], (hits + misses)[at]
    shrink = _units(p, np.ones(p.n, dtype=bool)) / p.n
    z, value = normal_quantile(level), tp / called
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
        "base_rate": estimate(proportion(p.positive, level, p.groups)),
    }


def calibration(p: Predictions, classes: tuple[str, ...], level: float) -> Json:
    """Observed shares in bins of like numbers of rows, and Spiegelhalter's test (1986) for independent rows.

    Two classes: the probability of the positive one; more: that of the predicted class.
    """
    table = np.asarray(p.output("proba"), dtype=np.float64)
    if len(classes) == 2:
        claimed, happened, about = table[:, 1], p.positive, f"probability of {classes[1]}"
    else:
        guess = table.argmax(axis=1)
        claimed, happened = table[np.arange(p.n), guess], p.y == guess
        about = "probability of the predicted class"
    n_bins = int(max(1, min(10, p.n // 20)))
    inner = np.unique(np.quantile(claimed, np.arange(1, n_bins) / n_bins))
    which = np.searchsorted(inner, claimed, side="right")
    used = np.unique(which)
    bins = [_bin(claimed[which == b], happened[which == b], p, which == b, level, used.size) for b in used]
    return {"about": about, "bins": bins, "test": _spiegelhalter(claimed, happened, p)}


def _bin(
    claimed: Floats,
    happened: NDArray[np.bool_],
    p: Predictions,
    mask: NDArray[np.bool_],
    level: float,
    m: int,
) -> Json:
    inside = 1.0 - (1.0 - level) / m
    groups = None if p.groups is None else p.groups[mask]
    share = proportion(happened, inside, groups, exact=True)
    named = Estimate(
        share.value,
        share.low,
        share.high,
        level,
        share.n,
        f"{share.method}, Bonferroni over {m} bins",
        share.reason,
    )
    return {
        "low": float(claimed.min()),
        "high": float(claimed.max()),
        "n": int(claimed.size),
        "predicted": float(claimed.mean()),
        "observed": estimate(named),
    }


def _spiegelhalter(claimed: Floats, happened: NDArray[np.bool_], p: Predictions) -> Json | None:
    if p.groups is not None:
        return None
    spread = float(np.sum((1.0 - 2.0 * claimed) ** 2 * claimed * (1.0 - claimed)))
    if p.n < 30 or spread <= 0.0:
        return None
    z = float(np.sum((happened - claimed) * (1.0 - 2.0 * claimed))) / math.sqrt(spread)
    p_value = float(2.0 * stats.norm.sf(abs(z)))
    verdict = (
        "The probabilities differ from calibrated ones by more than chance"
        if p_value < 0.05
        else "The probabilities are not distinguishable from calibrated ones"
    )
    shown = wording.p_value(p_value)
    sentence = f"{verdict} (z = {z:.2f}, {shown}, n = {p.n:,})."
    return {"statistic": z, "p_value": p_value, "method": "Spiegelhalter z", "sentence": sentence}


def score_bins(p: Predictions, level: float) -> Json:
    """Test rows of each class by the predicted probability of the positive class, in bins of one percent."""
    edges = np.arange(EDGES + 1) / EDGES
    claimed = np.asarray(p.output("proba"), dtype=np.float64)[:, 1]
    which = np.clip(np.searchsorted(edges, claimed, side="right") - 1, 0, EDGES - 1)
    # The score decides at the threshold, so that the bins agree with the confusion matrix to the row.
    half = EDGES // 2
    called = p.output("pred") == 1
    which = np.where(called, np.maximum(which, half), np.minimum(which, half - 1))

    def count(mask: NDArray[Any]) -> list[int]:
        return [int(c) for c in np.bincount(which[mask], minlength=EDGES)]

    return {
        "edges": edges.tolist(),
        "positive": count(p.positive),
        "negative": count(~p.positive),
        "threshold": 0.5,
        "level": level,
    }
