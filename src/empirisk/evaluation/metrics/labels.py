"""Metrics of predicted labels: accuracy, balanced accuracy, F1."""

from __future__ import annotations

import math

import numpy as np

from empirisk.evaluation.intervals.base import Floats, accept, normal_quantile, refuse, too_few
from empirisk.evaluation.intervals.f1 import MIN_COUNT, f1_interval, f1_of_jaccard
from empirisk.evaluation.intervals.mover import METHOD, balanced_accuracy_interval, min_class, mover_limits
from empirisk.evaluation.metrics.class_means import (
    balanced_limits,
    effective_counts,
    macro_f1_limits,
    recall_counts,
)
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, Predictions
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.metrics.score import Limits, Score
from empirisk.inference.limits import wilson_limits
from empirisk.results import Estimate

MIN_ROWS_MACRO = 100
MIN_CLASS_MACRO = 10


def errors(p: Predictions) -> Floats:
    """Return 1 for each row whose predicted label is wrong, else 0."""
    return np.asarray(p.output("pred") != p.y, dtype=np.float64)


def balanced_accuracy(p: Predictions) -> float:
    """Return the mean recall over the classes that occur."""
    hits, counts = recall_counts(p)
    present = counts > 0
    return float(np.mean(hits[present] / counts[present]))


def balanced_influence(p: Predictions) -> Floats:
    """``n (hit_i - recall_c)/(n_c C)`` for a row of class c."""
    hits, counts = recall_counts(p)
    classes = int((counts > 0).sum())
    recall = hits / np.where(counts > 0.0, counts, 1.0)
    influence: Floats = (1.0 - errors(p) - recall[p.y]) * p.n / (counts[p.y] * classes)
    return influence * p.weight


def balanced_alone(p: Predictions, level: float) -> Estimate:
    """Return the balanced accuracy with limits: those of the recalls are Wilson's, MOVER combines them."""
    hits, counts = recall_counts(p)
    return balanced_accuracy_interval(hits, counts, level)


def balanced_fallback(p: Predictions, _value: float, shrink: float, level: float) -> Limits:
    """Return MOVER limits on shrunken counts, since there is no variance when every recall is 0 or 1."""
    hits, counts = effective_counts(p, jaccard=False)
    return mover_limits(hits / counts, counts * shrink, level)


def balanced_refusal(p: Predictions) -> str:
    """Return why there is no interval when a class has too few rows; empty when all have enough."""
    return small_class(p, min_class(p.n_classes))


def small_class(p: Predictions, need: int) -> str:
    """Return the refusal for a class with fewer than `need` (effective) rows."""
    smallest = float(p.class_units.min())
    what = "rows" if p.weights is None else "effective rows"
    return (
        f"the smallest class has {smallest:.3g} {what}; at least {need} are needed" if smallest < need else ""
    )


def f1_counts(p: Predictions) -> tuple[Floats, Floats]:
    """Return twice the true positives, and true plus predicted rows, of each class."""
    guess = p.output("pred")
    return 2.0 * p.mass_of(p.y, guess == p.y), p.class_mass + p.mass_of(guess)


def f1(p: Predictions) -> float:
    """``2TP/(2TP+FP+FN)`` of the positive class, or its mean over classes when there are more than two."""
    top, total = f1_counts(p)
    if p.n_classes == 2:
        return float(top[1] / total[1]) if total[1] > 0 else math.nan
    seen = total > 0
    return float(np.mean(top[seen] / total[seen]))


def f1_influence(p: Predictions) -> Floats:
    """``n (2 [y=c, p=c] - F_c([y=c] + [p=c])) / (true_c + predicted_c)``, averaged over the classes: by how
    much a row moves the F1 score.
    """
    top, total = f1_counts(p)
    guess = p.output("pred")
    score = np.divide(top, total, out=np.zeros_like(top), where=total > 0)
    weight = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    if p.n_classes == 2:
        weight[0] = 0.0
    else:
        weight /= max(1, int((total > 0).sum()))
    known = np.maximum(guess, 0)  # a label that is no class (-1) counts for no class
    influence = (
        2.0 * (guess == p.y) * weight[p.y] - (score * weight)[p.y] - (guess >= 0) * (score * weight)[known]
    )
    return np.asarray(influence * p.n * p.weight, dtype=np.float64)


def union(p: Predictions) -> float:
    """``TP + FP + FN`` of the positive class (all rows when there are more than two classes)."""
    if p.n_classes != 2:
        return float(p.n)
    return p.effective((p.y == 1) | (p.output("pred") == 1))


def f1_alone(p: Predictions, level: float) -> Estimate:
    """Return F1 with Wilson limits on the Jaccard index; macro-F1 gets MOVER limits over the classes."""
    if p.n_classes == 2:
        guess = p.output("pred")
        tp = float(np.count_nonzero((p.y == 1) & (guess == 1)))
        fp = float(np.count_nonzero((p.y != 1) & (guess == 1)))
        return f1_interval(tp, fp, float(np.count_nonzero(p.y == 1)) - tp, p.n, level)
    value, reason = f1(p), f1_refusal(p)
    if reason:
        return refuse(value, level, p.n, METHOD, reason)
    influence = f1_influence(p)
    limits = macro_f1_limits([p], float(influence @ influence) / (p.n * (p.n - 1.0)), 1.0, level)
    return accept(value, limits or (math.nan, math.nan), level, p.n, METHOD)


def f1_refusal(p: Predictions) -> str:
    """Return why there is no interval: binary F1 needs 5 rows in the union, macro-F1 100 rows and 10 in each
    class.
    """
    if p.n_classes == 2:
        count = union(p)
        what = "rows" if p.weights is None else "effective rows"
        short = f"{count:.3g} {what} are positive or predicted positive; at least {MIN_COUNT} are needed"
        return short if count < MIN_COUNT else ""
    if p.n < MIN_ROWS_MACRO:
        return too_few(p.n, MIN_ROWS_MACRO)
    return small_class(p, MIN_CLASS_MACRO)


def f1_fallback(p: Predictions, value: float, shrink: float, level: float) -> Limits:
    """Return Wilson limits on the Jaccard index (binary) or on the score, with shrunken counts."""
    z = normal_quantile(level)
    if p.n_classes == 2:
        low, high = wilson_limits(value / (2.0 - value), union(p) * shrink, z)
        return f1_of_jaccard(low), f1_of_jaccard(high)
    return wilson_limits(value, float(p.class_units.min()) * shrink, z)


ACCURACY = RowLoss("accuracy", CLASSIFICATION, "pred", errors, proportion=True, label="accuracy")
BALANCED_ACCURACY = Score(
    "balanced_accuracy",
    CLASSIFICATION,
    "pred",
    balanced_accuracy,
    balanced_influence,
    balanced_alone,
    scale="wilson",
    fallback=balanced_fallback,
    by_class=balanced_limits,
    refusal=balanced_refusal,
    label="balanced accuracy",
)
F1 = Score(
    "f1",
    CLASSIFICATION,
    "pred",
    f1,
    f1_influence,
    f1_alone,
    scale="jaccard",
    cap=union,
    fallback=f1_fallback,
    by_class=macro_f1_limits,
    label="F1",
    refusal=f1_refusal,
    undefined="F1 is undefined: no row is positive and none is predicted positive",
)
