"""Metrics of predicted numbers: squared, absolute, relative and pinball errors, R2."""

from __future__ import annotations

import math

import numpy as np

from empirisk.evaluation.intervals.base import MODEL_GROUPS, Floats, is_real, too_few
from empirisk.evaluation.intervals.r2 import MIN_ROWS, r2_influence, r2_interval, r2_value
from empirisk.evaluation.intervals.tails import tail_note
from empirisk.evaluation.metrics.base import join, model_target
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


def relative_errors(p: Predictions) -> Floats:
    """``|y - prediction|/|y|``: the absolute error of each row as a share of its target."""
    return np.asarray(np.abs(p.y - p.output("pred")) / np.abs(p.y))


def no_zeros(p: Predictions) -> str:
    """Return why relative errors do not exist: the targets that are 0; an empty string without any."""
    zero = p.y == 0.0
    if not zero.any():
        return ""
    return (
        f"it divides by the target, which is 0 in {int(zero.sum())} rows (the first is row {zero.argmax()})"
    )


def pinball_losses(y: Floats, guess: Floats | float, q: float) -> Floats:
    """``q (y - prediction)`` above the prediction, ``(1 - q)(prediction - y)`` below it."""
    gap = np.asarray(y - guess)
    return np.asarray(np.maximum(q * gap, (q - 1.0) * gap))


def check_share(value: float, name: str) -> float:
    """Return a number between 0 and 1, or a ValueError that names it."""
    if not is_real(value) or not 0.0 < value < 1.0:
        raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}.")
    return float(value)


def pinball(q: float = 0.5) -> RowLoss:
    """``mean max(q (y - t), (q - 1)(y - t))``: the loss whose best prediction t is the q-quantile.

    Parameters
    ----------
    q : float in (0, 1), default 0.5
        The quantile that is predicted; at 0.5 the loss is half the absolute error.

    Returns
    -------
    RowLoss
        The metric, to be given to ``metrics=``; its name is ``pinball`` at 0.5, else ``pinball(q)``.

    Raises
    ------
    ValueError
        `q` is not a number between 0 and 1.

    Examples
    --------
    >>> from empirisk.evaluation.metrics.predictions import regression
    >>> round(pinball(0.9).value(regression([1.0, 2.0], [2.0, 1.0])), 3)
    0.5
    """
    q = check_share(q, "q")
    return RowLoss(
        "pinball" if q == 0.5 else f"pinball({q:g})",
        REGRESSION,
        "pred",
        lambda p: pinball_losses(p.y, p.output("pred"), q),
        by_default=False,
        label=f"pinball loss of the {100 * q:g} % quantile",
        unit="{}",
    )


def r2(p: Predictions) -> float:
    """``1 - SSE/SST``; NaN when the target is constant."""
    return r2_value(p.y, p.output("pred"), p.weights)


def unbounded(p: Predictions) -> float:
    """Return how many units R2 counts at most: it has no limit of its own."""
    return math.inf


def r2_rows(p: Predictions) -> Floats:
    """Return the influence of each row on R2."""
    return r2_influence(p.y, p.output("pred"), p.weights)


def r2_alone(p: Predictions, level: float) -> Estimate:
    """Return R2 with an interval: a jackknife on the scale ``log(1 - R2)``, on which it is nearly
    symmetric.
    """
    return r2_interval(p.y, p.output("pred"), level)


def r2_grouped(p: Predictions, level: float) -> Estimate:
    """Return R2 with an interval from a jackknife that leaves out whole groups."""
    return r2_interval(p.y, p.output("pred"), level, groups=p.groups, target=MODEL_GROUPS)


def r2_weighted(p: Predictions, level: float) -> Estimate:
    """Return the weighted R2 with an interval from the jackknife over weighted rows, or over groups."""
    target = model_target(p)
    return r2_interval(p.y, p.output("pred"), level, groups=p.groups, weights=p.weights, target=target)


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
PINBALL = pinball()
MAPE = RowLoss(
    "mape",
    REGRESSION,
    "pred",
    relative_errors,
    refusal=no_zeros,
    by_default=False,
    label="mean absolute relative error",
)
R2 = Score(
    "r2",
    REGRESSION,
    "pred",
    r2,
    r2_rows,
    r2_alone,
    scale="identity",
    cap=unbounded,
    refusal=r2_refusal,
    grouped=r2_grouped,
    weighted=r2_weighted,
    undefined="R2 is undefined: the target is constant on these rows",
    remark=r2_remark,
    label="R²",
    min_crossed=200,
)
