"""Limits of a mean over classes, also where a class has not a single hit."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from empirisk.evaluation.intervals.base import Floats, normal_quantile, student_quantile
from empirisk.evaluation.intervals.f1 import f1_of_jaccard
from empirisk.evaluation.metrics.predictions import Predictions
from empirisk.inference.limits import wilson_limits

Limits = tuple[float, float]


def mean_limits(
    shares: Floats, counts: Floats, critical: float, variance: float, factor: float, jaccard: bool
) -> Limits:
    """MOVER of Wilson limits, stretched by ``sqrt(factor max(1, V/V_0))``.

    Parameters
    ----------
    shares, counts : arrays of shape (C,)
        A share of each class (recall, or Jaccard index with `jaccard`: F1 is ``2J/(1+J)``) and its trials.
    critical : float
        Critical value of the level: normal, or t with groups.
    variance : float
        V, the variance of the mean by influence values; V_0 is what independent classes would give. Errors
        between two classes count in both, which V knows; a class without a hit, or without a miss,
        varies although its rows do not, which Wilson's limits know.
    factor : float
        K/(K-1) in cross-validation, 1 else.
    jaccard : bool
        See `shares`.

    Notes
    -----
    Macro-F1 of three classes with 6 to 50 % of 150 to 600 rows: 93.9 to 96.2 % in 21 settings; influence
    values alone cover 88.6 to 95.5 %, and 0 to 80 % of the samples in which a class has no hit.
    """
    limits = np.array(
        [wilson_limits(float(s), float(c), critical) for s, c in zip(shares, counts, strict=True)]
    )
    points, slopes = shares, np.ones_like(shares)
    if jaccard:
        points, limits, slopes = f1_of_jaccard(shares), f1_of_jaccard(limits), 2.0 / (1.0 + shares) ** 2
    own = float(np.sum(slopes**2 * shares * (1.0 - shares) / counts)) / shares.size**2
    stretch = math.sqrt(factor * (max(1.0, variance / own) if own > 0.0 else 1.0)) / shares.size
    mean = float(points.mean())
    down = stretch * math.sqrt(float(np.sum((points - limits[:, 0]) ** 2)))
    up = stretch * math.sqrt(float(np.sum((limits[:, 1] - points) ** 2)))
    return max(0.0, mean - down), min(1.0, mean + up)


def recall_counts(p: Predictions) -> tuple[Floats, Floats]:
    """Return the right rows, and rows, of each class; what they count, where they have weights."""
    return p.mass_of(p.y, p.output("pred") == p.y), p.class_mass


def jaccard_counts(p: Predictions) -> tuple[Floats, Floats]:
    """Return the true positives, and rows that are or are predicted, of each class."""
    right, rows = recall_counts(p)
    return right, rows + p.mass_of(p.output("pred")) - right


def effective_counts(p: Predictions, *, jaccard: bool) -> tuple[Floats, Floats]:
    """Return the shares of right rows of each class in units of its effective number of rows."""
    right, rows = jaccard_counts(p) if jaccard else recall_counts(p)
    if p.weights is None:
        return right, rows
    guess = p.output("pred")
    known = range(p.n_classes)
    of_class = [p.effective((p.y == c) | (guess == c) if jaccard else p.y == c) for c in known]
    units = np.array(of_class)
    return units * right / np.where(rows > 0.0, rows, 1.0), units


def balanced_limits(
    repeats: Sequence[Predictions], variance: float, factor: float, level: float
) -> Limits | None:
    """Return limits of the mean recall, the balanced accuracy, from repeated cross-validation."""
    return _limits(repeats, variance, factor, level, jaccard=False)


def macro_f1_limits(
    repeats: Sequence[Predictions], variance: float, factor: float, level: float
) -> Limits | None:
    """Return the limits of the mean F1 of more than two classes; None with two."""
    return _limits(repeats, variance, factor, level, jaccard=True) if repeats[0].n_classes > 2 else None


def _limits(
    repeats: Sequence[Predictions], variance: float, factor: float, level: float, *, jaccard: bool
) -> Limits | None:
    """Return the same from predictions; with groups only where a class does not vary, counts worth G/n
    each.
    """
    pairs = [effective_counts(p, jaccard=jaccard) for p in repeats]
    hits = np.mean([h for h, _ in pairs], axis=0)
    trials = np.mean([t for _, t in pairs], axis=0)
    hits, trials = hits[trials > 0], trials[trials > 0]
    p = repeats[0]
    if p.groups is None:
        return mean_limits(hits / trials, trials, normal_quantile(level), variance, factor, jaccard)
    if ((hits > 0.0) & (hits < trials)).all():
        return None
    t = student_quantile(level, p.units - 1.0)
    return mean_limits(hits / trials, trials * p.units / p.effective(), t, variance, factor, jaccard)
