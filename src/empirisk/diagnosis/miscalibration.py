"""ER210: would recalibrated predictions have a lower loss?"""

from __future__ import annotations

import numpy as np

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.paired import Paired
from empirisk.diagnosis.recalibrate import likelihood_ratio, recalibrated
from empirisk.evaluation.ratio import weighted
from empirisk.inference.calibration_error import calibration_error
from empirisk.typing import Array
from empirisk.wording import p_value, percent

__all__ = ["CLEAR_ROWS", "CODE", "miscalibration"]

CODE = "ER210"
CLEAR_ROWS = 500  # below, a loss just above the margin is cleared wrongly in up to 15 %


def miscalibration(ctx: Context) -> Answer:
    """Null: cross-fitted recalibration lowers the risk by at most the margin.

    Classes: ``softmax(b log p + a)`` (with two classes Platt's method); numbers: ``a + b h``; the paired
    engine, no fits of the model.
    """
    if ctx.classes is None:
        q, slope, exact = _line(ctx)
    else:
        ctx.loss_name  # noqa: B018  (NotRun without probabilities)
        if ctx.oof.n_classes > len(ctx.classes):
            raise NotRun("some folds hold a class that the model never saw")
        q, theta = recalibrated(ctx)
        slope, exact = float(theta[0]), _exact(ctx)
    d = ctx.compare(ctx.losses_of(np.asarray(q, dtype=np.float64)), clear_rows=CLEAR_ROWS)
    return _answer(ctx, d, slope, exact)


def _answer(ctx: Context, d: Paired, slope: float, exact: str) -> Answer:
    outcome, gain = d.outcome(ctx.level), ctx.share(d)
    what = "Predictions" if ctx.classes is None else "Probabilities"
    evidence = (
        f"recalibrated across the folds on {ctx.n:,} rows: the loss falls by {gain} of the baseline's "
        f"(slope {slope:.2f}){exact}"
    )
    if outcome is Outcome.FIRES:
        shape = "too extreme" if slope < 0.95 else "too timid" if slope > 1.05 else "off"
        sentence = (
            f"{what} are {shape} (slope {slope:.2f}); recalibrating cuts the loss by "
            f"{percent(gain.value)} of the baseline's."
        )
        advice = (
            "Fit y on the prediction and use that line, or add regularisation."
            if ctx.classes is None
            else "Wrap the model in sklearn.calibration.CalibratedClassifierCV (method='sigmoid')."
        )
        return Answer(CODE, outcome, sentence, d.p_fire, gain, evidence, advice)
    if outcome is Outcome.CLEAR:
        sentence = (
            f"{what} need no recalibration: it would save less than {percent(ctx.margin_share)} of the "
            "baseline's loss."
        )
        return Answer(CODE, outcome, sentence, d.p_fire, gain, evidence)
    few = f"fewer than {CLEAR_ROWS} rows are never enough to clear it"
    why = d.refused or (
        few if ctx.n < CLEAR_ROWS and d.p_clear <= 0.05 else "the gain may be above or below the margin"
    )
    need = d.rows_needed if d.refused or ctx.n >= CLEAR_ROWS else max(d.rows_needed, CLEAR_ROWS)
    sentence = f"Whether recalibrating pays cannot be told: {why}."
    p = None if d.refused else d.p_fire
    return Answer(CODE, outcome, sentence, p, None if d.refused else gain, evidence, rows_needed=need or None)


def _line(ctx: Context) -> tuple[Array, float, str]:
    """Return the least-squares line of y on the prediction, fitted on the other folds."""
    y, h = np.asarray(ctx.oof.y, dtype=np.float64), np.asarray(ctx.output, dtype=np.float64)
    out = np.empty(ctx.n)
    for k in np.unique(ctx.fold):
        inside = ctx.fold != k
        slope, level = line(h[inside], y[inside], None if ctx.weights is None else ctx.weights[inside])
        out[~inside] = level + slope * h[~inside]
    return out, line(h, y, ctx.weights)[0], ""


def line(h: Array, y: Array, weights: Array | None = None) -> tuple[float, float]:
    """Slope and intercept of the (weighted) least-squares line; slope 0 when h is constant.

    Examples
    --------
    >>> line(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    (2.0, 1.0)
    """
    w = np.ones(len(h)) if weights is None else weights / weights.mean()
    middle, mean = weighted(h, weights), weighted(y, weights)
    centred = h - middle
    total = float(w * centred @ centred)
    # Predictions that are equal up to rounding (1e-12 of their size) determine no slope.
    slope = float(w * centred @ (y - mean)) / total if total > 1e-24 * max(1.0, float(h @ h)) else 0.0
    return slope, mean - slope * middle


def _exact(ctx: Context) -> str:
    """Return Cox's test and the debiased calibration error: numbers, because out of fold they are no 5 %
    tests.
    """
    if ctx.weights is not None:
        return ""  # both count every row once
    proba = ctx.output
    if proba.shape[1] == 2:
        confidence, hit = proba[:, 1], ctx.oof.y == 1
    else:
        confidence, hit = proba.max(axis=1), ctx.oof.y == proba.argmax(axis=1)
    cox = likelihood_ratio(proba, ctx.oof.y)
    return (
        f"; debiased calibration error {calibration_error(confidence, hit):.3f}; exact calibration (Cox) "
        f"{p_value(cox)}"
    )
