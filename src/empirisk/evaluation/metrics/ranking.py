"""Metrics of a ranking: area under the ROC curve and average precision."""

from __future__ import annotations

import math

import numpy as np

from empirisk.evaluation.intervals.auc import (
    MIN_CLASS,
    auc_influence,
    auc_interval,
    auc_value,
    delong,
    placements,
)
from empirisk.evaluation.intervals.average_precision import MIN_CLASS as MIN_POSITIVE
from empirisk.evaluation.intervals.average_precision import (
    average_precision_influence,
    average_precision_interval,
)
from empirisk.evaluation.intervals.base import MODEL_GROUPS, Floats, refuse, student_quantile, too_few
from empirisk.evaluation.intervals.effective import effective_wilson
from empirisk.evaluation.intervals.newcombe import newcombe_limits
from empirisk.evaluation.metrics.labels import MIN_CLASS_MACRO, MIN_ROWS_MACRO, small_class
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, Predictions
from empirisk.evaluation.metrics.score import Limits, Score
from empirisk.inference.limits import wilson_limits
from empirisk.results import Estimate

MIN_CROSSED = 50
ONE_CLASS = "undefined: the rows are all of one class"


def auc(p: Predictions) -> float:
    """``P(score of a positive > score of a negative) + P(tie)/2``; mean of one-vs-rest with more classes."""
    score = p.output("score")
    if p.n_classes == 2:
        return auc_value(p.positive, score, p.weights)
    present = np.flatnonzero(p.class_counts)
    if present.size < 2:
        return math.nan
    return float(np.mean([auc_value(p.y == c, score[:, c], p.weights) for c in present]))


def auc_rows(p: Predictions) -> Floats:
    """Return the influence of each row on the area (mean over classes with more than two)."""
    score = p.output("score")
    if p.n_classes == 2:
        return auc_influence(p.positive, score, p.weights)
    present = np.flatnonzero(p.class_counts)
    each = [auc_influence(p.y == c, score[:, c], p.weights) for c in present]
    return np.asarray(np.mean(each, axis=0))


def auc_alone(p: Predictions, level: float) -> Estimate:
    """Return the area with logit DeLong limits for two classes, with Wilson's for the mean of one-vs-rest."""
    if p.n_classes == 2:
        return auc_interval(p.positive, p.output("score"), level)
    value, method = auc(p), "Wilson, effective n"
    reason = f"AUC is {ONE_CLASS}" if math.isnan(value) else auc_refusal(p)
    if reason:
        return refuse(value, level, p.n, method, reason)
    influence = auc_rows(p)
    return effective_wilson(value, float(influence @ influence) / (p.n * (p.n - 1.0)), p.n, p.n - 1, level)


def auc_refusal(p: Predictions) -> str:
    """Return why there is no interval: two classes need 5 rows in the smaller one, more 100 rows and 10 in
    each.
    """
    if p.n_classes == 2:
        return small_class(p, MIN_CLASS)
    if p.n < MIN_ROWS_MACRO:
        return too_few(p.n, MIN_ROWS_MACRO)
    return small_class(p, MIN_CLASS_MACRO)


def auc_fallback(p: Predictions, value: float, shrink: float, level: float) -> Limits | None:
    """Return the limits of Newcombe's method 5 on shrunken class counts."""
    if p.n_classes != 2:
        return None
    n0, n1 = (float(c) * shrink for c in p.class_units)
    return newcombe_limits(value, n1, n0, level)


def auc_df(p: Predictions) -> float:
    """Return Welch's degrees of freedom of DeLong's variance."""
    if p.n_classes != 2:
        return p.effective() - 1.0
    if p.weights is not None:  # the parts of the two classes in the sum of squares of influence values
        parts = np.bincount(p.y, auc_rows(p) ** 2, minlength=2)
        squares = float(np.sum(parts**2 / np.maximum(p.class_units - 1.0, 1.0)))
        return float(parts.sum()) ** 2 / squares if squares > 0.0 else float(p.class_units.min()) - 1.0
    df = delong(*placements(p.positive, p.output("score")))[1]
    return float(min(p.class_counts)) - 1.0 if math.isnan(df) else df


def average_precision(p: Predictions) -> float:
    """Return the mean over positive rows of the precision at their score; NaN without a positive or negative
    row.
    """
    if p.class_counts.min() == 0:
        return math.nan
    return average_precision_influence(p.positive, p.output("score"), p.weights)[0]


def average_precision_rows(p: Predictions) -> Floats:
    """Return the influence of each row on the average precision."""
    return average_precision_influence(p.positive, p.output("score"), p.weights)[1]


def average_precision_alone(p: Predictions, level: float) -> Estimate:
    """Return the average precision with Wilson limits for an effective number of rows."""
    return average_precision_interval(p.positive, p.output("score"), level)


def average_precision_grouped(p: Predictions, level: float) -> Estimate:
    """Return the same with the jackknife over groups."""
    score = p.output("score")
    return average_precision_interval(p.positive, score, level, groups=p.groups, target=MODEL_GROUPS)


def average_precision_refusal(p: Predictions) -> str:
    """Return why there is no interval: with fewer than ten positive rows the estimate itself is biased."""
    n1, what = p.effective(p.positive), "rows" if p.weights is None else "effective rows"
    short = f"the positive class has {n1:.3g} {what}; at least {MIN_POSITIVE} are needed"
    return short if n1 < MIN_POSITIVE else ""


def average_precision_fallback(p: Predictions, value: float, shrink: float, level: float) -> Limits:
    """Return a perfect ranking: as many units as there are positive rows."""
    units = p.effective(p.positive) * shrink
    return wilson_limits(min(1.0, value), units, student_quantile(level, max(1.0, units - 1.0)))


def positive_df(p: Predictions) -> float:
    """Return the number of positive rows less 1: they, not all rows, limit the degrees of freedom."""
    return p.effective(p.positive) - 1.0


ROC_AUC = Score(
    "roc_auc",
    CLASSIFICATION,
    "score",
    auc,
    auc_rows,
    auc_alone,
    scale="logit",
    df=auc_df,
    fallback=auc_fallback,
    refusal=auc_refusal,
    label="area under the ROC curve",
    undefined=f"AUC is {ONE_CLASS}",
    min_crossed=MIN_CROSSED,
)


AVERAGE_PRECISION = Score(
    "average_precision",
    CLASSIFICATION,
    "score",
    average_precision,
    average_precision_rows,
    average_precision_alone,
    scale="wilson",
    df=positive_df,
    fallback=average_precision_fallback,
    refusal=average_precision_refusal,
    label="average precision",
    grouped=average_precision_grouped,
    undefined=f"average precision is {ONE_CLASS}",
    min_crossed=MIN_CROSSED,
    one_class=True,
)
