"""Metrics of predicted numbers: mean squared error, mean absolute error, R2."""

from __future__ import annotations

import math

import numpy as np

from empirisk.evaluation.intervals.base import MODEL_GROUPS, Floats, too_few
from empirisk.evaluation.intervals.r2 import MIN_ROWS, r2_influence, r2_interval, r2_value
from empirisk.evaluation.intervals.tails import tail_note
from empirisk.evaluation.metrics.base import join
from empirisk.evaluation.metrics.predictions import REGRESSION, Predictions
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.metrics.score import Score
from empirisk.results import Estimate


def squared_errors(p: Predictions) -> Floats:
    """``(y - prediction)^2``: the squared error of each row."""
    out: Floats = (p.y - p.output("pred")) ** 2
    return out


def absolute_errors(p: Predictions) -> Floats:
    """``|y - prediction|``: the absolute error of each row."""
    return np.asarray(np.abs(p.y - p.output("pred")))


def r2(p: Predictions) -> float:
    """``1 - SSE/SST``; NaN when the target is constant."""
    return r2_value(p.y, p.output("pred"))


def r2_rows(p: Predictions) -> Floats:
    """Return the influence of each row on R2."""
    return r2_influence(p.y, p.output("pred"))


def r2_alone(p: Predictions, level: float) -> Estimate:
    """Return R2 with an interval: a jackknife on the scale ``log(1 - R2)``, on which it is nearly
    symmetric.
    """
    return r2_interval(p.y, p.output("pred"), level)


def r2_grouped(p: Predictions, level: float) -> Estimate:
    """Return R2 with an interval from a jackknife that leaves out whole groups."""
    return r2_interval(p.y, p.output("pred"), level, groups=p.groups, target=MODEL_GROUPS)


def r2_refusal(p: Predictions) -> str:
    """Return why there is no interval of R2: fewer than twenty rows are too few; else an empty string."""
    return too_few(p.n, MIN_ROWS) if p.n < MIN_ROWS else ""


def r2_remark(estimate: Estimate, p: Predictions) -> str:
    """Say it when the interval reaches down to the constant prediction, or may be too short."""
    if estimate.low is None:
        return ""
    shown = "" if estimate.low > 0.0 else "not shown to be better than predicting the mean"
    return join(shown, tail_note(squared_errors(p), errors=True))


MSE = RowLoss("mse", REGRESSION, "pred", squared_errors, label="mean squared error", unit="{}²")
MAE = RowLoss("mae", REGRESSION, "pred", absolute_errors, label="mean absolute error", unit="{}")
R2 = Score(
    "r2",
    REGRESSION,
    "pred",
    r2,
    r2_rows,
    r2_alone,
    scale="identity",
    cap=lambda _: math.inf,
    refusal=r2_refusal,
    grouped=r2_grouped,
    undefined="R2 is undefined: the target is constant on these rows",
    remark=r2_remark,
    label="R²",
    min_crossed=200,
)
