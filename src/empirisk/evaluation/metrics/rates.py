"""Shares of rows that a classifier got right, among those that it names or that are of a class, and F-beta.

Precision, recall and specificity are conditional proportions: their sample size is the number of rows in the
denominator, and their interval is Wilson's (Journal of the American Statistical Association 22, 1927).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats, is_real, normal_quantile, refuse
from empirisk.evaluation.intervals.wilson import MIN_ROWS, wilson
from empirisk.evaluation.metrics.labels import F1, union
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, Predictions
from empirisk.evaluation.metrics.score import Limits, Score
from empirisk.inference.limits import wilson_limits
from empirisk.results import Estimate
from empirisk.wording import counted

Rows = Callable[[Predictions], NDArray[np.bool_]]


def called(p: Predictions) -> NDArray[np.bool_]:
    """Return which rows are predicted to be of the positive class."""
    return np.asarray(p.output("pred") == 1)


def positives(p: Predictions) -> NDArray[np.bool_]:
    """Return which rows are of the positive class."""
    return p.positive


def negatives(p: Predictions) -> NDArray[np.bool_]:
    """Return which rows are of the other class."""
    return ~p.positive


def everyone(p: Predictions) -> NDArray[np.bool_]:
    """Return all rows, each of them a trial."""
    return np.ones(p.n, dtype=bool)


def hits(p: Predictions) -> NDArray[np.bool_]:
    """Return which rows have the right label."""
    return np.asarray(p.output("pred") == p.y)


def ratio(top: NDArray[Any], bottom: NDArray[Any]) -> float:
    """Return the sum of `top` over that of `bottom`, one number a row each; NaN where the latter is 0."""
    total = float(bottom.sum())
    return float(top.sum()) / total if total > 0.0 else math.nan


def ratio_influence(top: NDArray[Any], bottom: NDArray[Any]) -> Floats:
    """``n (top_i - r bottom_i)/sum bottom``: by how much each row moves the ratio r of two sums."""
    value = ratio(top, bottom)
    return np.asarray(top.size * (top - value * bottom) / float(bottom.sum()), dtype=np.float64)


def rate(name: str, label: str, among: Rows, of: str, right: Rows = hits) -> Score:
    """Return the metric "share of right rows among these rows", with Wilson's interval.

    Parameters
    ----------
    name, label : str
        As in :class:`empirisk.evaluation.metrics.base.Metric`.
    among : callable
        Predictions to the rows of the denominator.
    of : str
        What these rows are, after their number: "predicted positive".
    right : callable
        Predictions to the rows that count; the rows with the right label by default.
    """
    undefined = f"{label} is undefined: no row is {of}"

    def point(p: Predictions) -> float:
        return ratio(p.weight * (right(p) & among(p)), p.weight * among(p))

    def short(p: Predictions) -> str:
        count = p.effective(among(p))
        if p.weights is not None:
            found = f"{count:.3g} effective rows are {of}"
        else:
            found = f"{counted(int(count), 'row')} {'is' if count == 1.0 else 'are'} {of}"
        return f"{found}; at least {MIN_ROWS} are needed" if count < MIN_ROWS else ""

    def alone(p: Predictions, level: float) -> Estimate:
        count = int(among(p).sum())
        reason = short(p) if count else undefined
        if reason:
            return refuse(point(p), level, count, "Wilson", reason)
        return wilson(float((right(p) & among(p)).sum()), count, level)

    def fallback(p: Predictions, value: float, shrink: float, level: float) -> Limits:
        return wilson_limits(value, p.effective(among(p)) * shrink, normal_quantile(level))

    return Score(
        name,
        CLASSIFICATION,
        "pred",
        point,
        lambda p: ratio_influence(p.weight * (right(p) & among(p)), p.weight * among(p)),
        alone,
        cap=lambda p: float(among(p).sum()),
        fallback=fallback,
        refusal=short,
        undefined=undefined,
        label=label,
        by_default=False,
        one_class=True,
    )


PRECISION = rate("precision", "precision", called, "predicted positive")
RECALL = rate("recall", "recall", positives, "positive")
SPECIFICITY = rate("specificity", "specificity", negatives, "negative")
# How often a class is named at all: for comparing groups of rows, not for choosing a model.
SELECTION_RATE = rate("selection_rate", "selection rate", everyone, "a row", right=called)


def f_beta(beta: float) -> Score:
    """``(1 + b^2) TP/((1 + b^2) TP + b^2 FN + FP)``: recall counts b times as much as precision.

    Parameters
    ----------
    beta : float > 0
        Above 1 for a score that cares about missed rows, below 1 for one that cares about false alarms.

    Returns
    -------
    Score
        The metric, to be given to ``metrics=``; its name is ``f`` and beta, such as ``f2``.

    Raises
    ------
    ValueError
        `beta` is not a positive number.

    Examples
    --------
    >>> from empirisk.evaluation.metrics.predictions import classification
    >>> p = classification([1, 1, 1, 0, 0], pred=[1, 1, 0, 1, 0])
    >>> round(f_beta(2.0).value(p), 4)
    0.6667
    """
    if not is_real(beta) or not 0.0 < beta < math.inf:
        raise ValueError(f"beta must be a positive number, got {beta!r}.")
    if beta == 1.0:
        return F1
    square = float(beta) ** 2

    def parts(p: Predictions) -> tuple[Floats, Floats]:
        named, true = called(p), p.positive
        top, bottom = (1.0 + square) * (named & true), square * true + named
        return np.asarray(p.weight * top), np.asarray(p.weight * bottom)

    def short(p: Predictions) -> str:
        count = union(p)
        what = "rows" if p.weights is None else "effective rows"
        found = f"{count:.3g} {what} are positive or predicted positive; at least {MIN_ROWS} are needed"
        return found if count < MIN_ROWS else ""

    def fallback(p: Predictions, value: float, shrink: float, level: float) -> Limits:
        return wilson_limits(value, union(p) * shrink, normal_quantile(level))

    return Score(
        f"f{beta:g}",
        CLASSIFICATION,
        "pred",
        lambda p: ratio(*parts(p)),
        lambda p: ratio_influence(*parts(p)),
        cap=lambda p: 2.0 * union(p),
        fallback=fallback,
        refusal=short,
        undefined=f"F{beta:g} is undefined: no row is positive and none is predicted positive",
        label=f"F{beta:g}",
        by_default=False,
        one_class=True,
    )


F2, F_HALF = f_beta(2.0), f_beta(0.5)
