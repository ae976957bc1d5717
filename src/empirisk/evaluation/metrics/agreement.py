"""Agreement of predicted and true classes beyond chance: Matthews' correlation and Cohen's kappa.

Both are functions of the table of counts that do not change when all counts are multiplied, so that the
influence of a row is n times their derivative in its cell. Matthews, Biochimica et Biophysica Acta 405
(1975); Gorodkin, Computational Biology and Chemistry 28 (2004), for more than two classes; Cohen,
Educational and Psychological Measurement 20 (1960).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats, too_few
from empirisk.evaluation.metrics.labels import MIN_CLASS_MACRO, MIN_ROWS_MACRO, small_class
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, Predictions
from empirisk.evaluation.metrics.score import Score

Table = Callable[[Floats], tuple[float, Floats]]


def cells(p: Predictions) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    """Return row and column of each row's cell, and their number; labels that are no class share the last."""
    guess = p.output("pred")
    return p.y, np.where(guess < 0, p.n_classes, guess), p.n_classes + 1


def counts(p: Predictions) -> Floats:
    """Return what the rows of each true and predicted class count, with a last place for labels that are no
    class.
    """
    true, told, size = cells(p)
    flat = np.bincount(true * size + told, p.weights, minlength=size * size)
    return flat.reshape(size, size).astype(np.float64)


def matthews(table: Floats) -> tuple[float, Floats]:
    """``(n tr C - sum r_k c_k)/sqrt((n^2 - sum r_k^2)(n^2 - sum c_k^2))`` and its derivatives in the cells.

    r and c are the sums of the rows and columns of the table C. NaN where only one class occurs or only one
    is predicted, which makes the correlation 0/0.
    """
    n, rows, columns = float(table.sum()), table.sum(axis=1), table.sum(axis=0)
    top = n * float(np.trace(table)) - float(rows @ columns)
    true, told = n * n - float(rows @ rows), n * n - float(columns @ columns)
    if min(true, told) <= 1e-12 * n * n:  # sums of weights may leave rounding in the place of 0
        return math.nan, np.zeros_like(table)
    value = top / math.sqrt(true * told)
    slope = n * np.eye(len(table)) + np.trace(table) - columns[:, None] - rows[None, :]
    change = (n - rows)[:, None] / true + (n - columns)[None, :] / told
    return value, slope / math.sqrt(true * told) - value * change


def kappa(table: Floats) -> tuple[float, Floats]:
    """``(a - e)/(1 - e)`` and its derivatives: share of agreement a, and e that of independent labels.

    NaN where one class alone occurs and is predicted, which leaves no disagreement to expect.
    """
    n, rows, columns = float(table.sum()), table.sum(axis=1), table.sum(axis=0)
    agreed, expected = float(np.trace(table)) / n, float(rows @ columns) / n**2
    if expected >= 1.0 - 1e-12:
        return math.nan, np.zeros_like(table)
    seen = (np.eye(len(table)) - agreed) / n
    chance = (columns[:, None] + rows[None, :]) / n**2 - 2.0 * expected / n
    slope = (seen * (1.0 - expected) - chance * (1.0 - agreed)) / (1.0 - expected) ** 2
    return (agreed - expected) / (1.0 - expected), slope


def small(p: Predictions) -> str:
    """Return why there is no interval: fewer than 100 rows, or than 10 of a class, are too few."""
    return too_few(p.n, MIN_ROWS_MACRO) if p.n < MIN_ROWS_MACRO else small_class(p, MIN_CLASS_MACRO)


def agreement(name: str, label: str, of: Table, undefined: str) -> Score:
    """Return the metric of a function of the table of counts, with Wilson's interval on (1 + s)/2."""

    def influence(p: Predictions) -> Floats:
        true, told, _ = cells(p)
        return np.asarray(p.n * p.weight * of(counts(p))[1][true, told])

    return Score(
        name,
        CLASSIFICATION,
        "pred",
        lambda p: of(counts(p))[0],
        influence,
        scale="correlation",
        refusal=small,
        undefined=f"{label} is undefined: {undefined}",
        label=label,
        by_default=False,
        min_crossed=MIN_ROWS_MACRO,
    )


MCC = agreement(
    "mcc", "Matthews' correlation", matthews, "all rows are of one class, or one class alone is predicted"
)
COHEN_KAPPA = agreement(
    "cohen_kappa", "Cohen's kappa", kappa, "all rows are of one class, and it alone is predicted"
)
