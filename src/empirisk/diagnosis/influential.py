"""ER214: is there a row that the model cannot explain, and what does it move?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.linear_matrix import MOST_CELLS, linear_matrix
from empirisk.diagnosis.model_parts import family_of, is_linear
from empirisk.diagnosis.recalibrate import recalibrated
from empirisk.diagnosis.studentised import Studentised, heavy_tails, studentise
from empirisk.typing import Array
from empirisk.wording import chance, number, p_value, percent

__all__ = ["CODE", "influential_rows", "surprises"]

CODE = "ER214"
_FEWEST = 20  # rows
_CLASS_ROWS = 10  # of the rarest class
_ROWS_PER_COLUMN = 3  # with fewer, most leverages are large
_SLOPE = 0.6  # below, the smallest probabilities are off by more than recalibration mends


def influential_rows(ctx: Context) -> Answer:
    """Null: no row lies further out than the worst of n normal errors (or likely labels) would.

    Numbers: externally studentised residuals of the least-squares fit on the model's columns, when the model
    is linear and has three rows a column, otherwise of the out-of-fold residuals; Bonferroni over the rows.
    Classes: the probability, out of fold and recalibrated, of the label that a row has.  No fits.
    """
    if ctx.n < _FEWEST:
        raise NotRun(f"{ctx.n} rows are fewer than {_FEWEST}")
    if ctx.classes is not None:
        return _labels(ctx)
    ctx.count_rows_once("the test of the largest residual")
    if ctx.rates:
        raise NotRun("the rows have exposures or offsets, so that their errors are not even")
    found, how = _residuals(ctx)
    p = found.p
    beyond = np.flatnonzero(p <= ctx.level)
    top = int(np.abs(found.t).argmax())
    evidence = (
        f"{how} of row {top}: {found.t[top]:+.1f}, {p_value(p[top])} among {ctx.n:,} rows (normal errors, "
        "Bonferroni)"
    )
    if len(beyond) == 0:
        sentence = (
            f"No row lies further from the fit than the worst of {ctx.n:,} rows with normal errors would."
        )
        return Answer(CODE, Outcome.CLEAR, sentence, float(p[top]), evidence=evidence)
    if heavy_tails(found.t, beyond):
        alone = f"that of row {top}" if len(beyond) == 1 else f"those of {len(beyond):,} rows"
        sentence = (
            "Errors have heavy tails: more of them are large than among normal errors, and not only "
            f"{alone}, beyond which no normal error would lie."
        )
        advice = (
            "Use a loss that large errors dominate less (Huber, absolute error), or transform the target."
        )
        return Answer(CODE, Outcome.FIRES, sentence, float(p[top]), evidence=evidence, advice=advice)
    return _rows(ctx, found, beyond[np.argsort(p[beyond])], evidence)


def _residuals(ctx: Context) -> tuple[Studentised, str]:
    y = np.asarray(ctx.oof.y, dtype=np.float64)
    if np.ptp(y) == 0.0:
        raise NotRun("the target is constant")
    if family_of(ctx.est):
        raise NotRun("the model expects errors that grow with the mean, and the test is for even ones")
    if is_linear(ctx.est):
        try:
            view = linear_matrix(ctx)
        except NotRun:
            view = None
        if view is not None and ctx.n >= _ROWS_PER_COLUMN * (view.p + 1) and ctx.n * view.p <= MOST_CELLS:
            return studentise(view.dense(), y, view.intercept), "studentised residual"
    return studentise(None, y - ctx.oof.output("pred")), "out-of-fold residual over the spread of the others"


def _rows(ctx: Context, found: Studentised, rows: NDArray[Any], evidence: str) -> Answer:
    top, p = int(rows[0]), float(found.p[rows[0]])
    e = np.abs(np.asarray(ctx.oof.y - ctx.oof.output("pred"), dtype=np.float64))
    moved = 1.0 - _without(e**2, top) / float((e**2).mean())
    more = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
    sentence = (
        f"Row {top} lies {abs(found.t[top]):.1f} standard errors from the fit ({p_value(p)} among "
        f"{ctx.n:,} rows) and "
        f"makes up {percent(moved)} of the squared error{more}."
    )
    evidence += (
        f"; it moves its own fitted value by {number(abs(found.dffits[top]), 2)} standard errors (DFFITS)"
    )
    return Answer(
        CODE,
        Outcome.FIRES,
        sentence,
        p,
        evidence=evidence,
        advice="Check it; then fit without it and compare.",
        where=tuple(str(i) for i in rows[:5]),
    )


def _labels(ctx: Context) -> Answer:
    if ctx.oof.why_missing("proba"):
        raise NotRun(ctx.oof.why_missing("proba"))
    if (ctx.rarest or 0) < _CLASS_ROWS or ctx.oof.n_classes > len(
        ctx.classes if ctx.classes is not None else ()
    ):
        raise NotRun(f"a class has fewer than {_CLASS_ROWS} rows")
    q, theta = recalibrated(ctx)
    if theta[0] < _SLOPE:
        raise NotRun(
            f"the model is too sure of itself (slope {theta[0]:.2f}, see ER210) to be surprised by a label"
        )
    p = surprises(q, ctx.oof.y)
    beyond = np.flatnonzero(p <= ctx.level)
    top = int(p.argmin())
    label = str((ctx.classes if ctx.classes is not None else np.array([]))[ctx.oof.y[top]])
    evidence = (
        f"row {top} has label {label!r}, to which the model gave {chance(float(q[top, ctx.oof.y[top]]))} out "
        f"of fold (recalibrated); {p_value(p[top])} among {ctx.n:,} rows"
    )
    if len(beyond) == 0:
        sentence = f"No label surprises more than the most surprising of {ctx.n:,} would."
        return Answer(CODE, Outcome.CLEAR, sentence, float(p[top]), evidence=evidence)
    order = beyond[np.argsort(p[beyond])]
    if len(beyond) > max(3, ctx.n / 100):
        sentence = (
            f"{len(beyond)} of {ctx.n:,} rows have labels to which the model gave almost no chance: it is "
            "too sure of itself."
        )
        advice = "See whether these rows are labelled alike by mistake; if not, regularise or recalibrate."
        return Answer(CODE, Outcome.FIRES, sentence, float(p[top]), evidence=evidence, advice=advice)
    counted = ctx.losses if ctx.weights is None else ctx.weights * ctx.losses
    share = 1.0 - _without(counted, top) / float(counted.mean())
    more = f" ({len(beyond)} such rows)" if len(beyond) > 1 else ""
    sentence = (
        f"Row {top} has label {label!r} against a chance of {chance(float(q[top, ctx.oof.y[top]]))} and "
        f"makes up {percent(share)} of the {ctx.loss_name}{more}."
    )
    return Answer(
        CODE,
        Outcome.FIRES,
        sentence,
        float(p[top]),
        evidence=evidence,
        advice="Check its label and its values.",
        where=tuple(str(i) for i in order[:5]),
    )


def _without(losses: Array, row: int) -> float:
    """Return the mean loss without the row, times (n - 1)/n: what the other rows contribute."""
    return float((losses.sum() - losses[row]) / len(losses))


def surprises(proba: Array, label: NDArray[Any]) -> Array:
    """``min(1, n (C - 1) p_i)``, p_i the probability given to the label that row i has.

    If the probabilities are right, ``P(p_i <= a) <= (C - 1) a`` for any a, because at most C - 1 labels have
    a probability of at most ``a < 1/C``: a p-value of each row that no assumption on x enters, Bonferroni
    over n.

    Parameters
    ----------
    proba : array, shape (n, C)
        Out-of-fold probabilities.
    label : int array, shape (n,)
        Class codes.

    Examples
    --------
    >>> surprises(np.array([[0.999, 0.001], [0.6, 0.4]]), np.array([1, 0])).tolist()
    [0.002, 1.0]
    """
    n, count = proba.shape
    return np.asarray(np.minimum(1.0, n * (count - 1) * proba[np.arange(n), label]))
