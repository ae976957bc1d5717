"""The parts of the loss at each row, from the predictions of many training sets; they add up exactly.

Squared loss, predictions f_r of R training sets, ``fbar`` their mean, ``s2`` their variance (divisor R-1):

    variance = s2,     bias + noise = (y - fbar)^2 - s2/R,     sum = mean_r (y - f_r)^2,

unbiased for every R. With the mean m of y given x known, ``bias = (m - fbar)^2 - s2/R`` and
``noise = (y - m)^2`` stand apart; their sum has the cross terms left out, whose mean is zero.

0-1 loss (Domingos 2000): p_c is the share of training sets that predict class c, ``main`` the most frequent
one, ``best = argmax eta`` the most probable class. Then

    bias = [main != best],   variance = (1 - p_best) - bias,   noise = (1 - sum_c p_c eta_c) - (1 - p_best).

The variance is positive where the main prediction is right and negative where it is wrong: there, whatever
makes predictions vary helps. For two classes the noise part is ``(2 p_best - 1)(1 - eta_best)``, Domingos'
``c_1 N(x)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats

__all__ = ["BOTH", "PARTS", "Sets", "row_parts"]

PARTS = ("noise", "bias", "variance")
BOTH = ("bias + noise", "variance")


@dataclass(frozen=True)
class Sets:
    """Predictions of many training sets at the same rows.

    Parameters
    ----------
    pred : array of shape (R, T)
        Predicted numbers, or class codes.
    seen : bool array of shape (R, T)
        Where a prediction counts (out of bag; everywhere with new training sets).
    y : array of shape (T,)
        Observed targets or class codes.
    truth : array of shape (T,) or (T, C) or None
        Mean of y given x, or the class probabilities, when the generator tells them.
    n_classes : int
        0 for numbers.
    """

    pred: NDArray[np.float64]
    seen: NDArray[np.bool_]
    y: Floats
    truth: Floats | None
    n_classes: int

    def without(self, sets: NDArray[np.intp]) -> Sets:
        """Return the same with some training sets left out."""
        keep = np.ones(len(self.pred), dtype=bool)
        keep[sets] = False
        return Sets(self.pred[keep], self.seen[keep], self.y, self.truth, self.n_classes)


def row_parts(sets: Sets) -> dict[str, Floats]:
    """Return each part, and ``"total"``, at every row; NaN where fewer than two sets count."""
    return _zero_one(sets) if sets.n_classes else _squared(sets)


def _squared(sets: Sets) -> dict[str, Floats]:
    count = sets.seen.sum(axis=0).astype(np.float64)
    enough = np.where(count >= 2.0, count, np.nan)
    mean = np.where(sets.seen, sets.pred, 0.0).sum(axis=0) / enough
    away = np.where(sets.seen, sets.pred - mean, 0.0)
    s2 = (away**2).sum(axis=0) / (enough - 1.0)
    if sets.truth is None:
        rest = (sets.y - mean) ** 2 - s2 / enough
        return {"bias + noise": rest, "variance": s2, "total": rest + s2}
    noise = np.where(np.isnan(enough), np.nan, (sets.y - sets.truth) ** 2)
    bias = (sets.truth - mean) ** 2 - s2 / enough
    return {"noise": noise, "bias": bias, "variance": s2, "total": noise + bias + s2}


def _zero_one(sets: Sets) -> dict[str, Floats]:
    count = sets.seen.sum(axis=0).astype(np.float64)
    enough = np.where(count >= 2.0, count, np.nan)
    classes = range(sets.n_classes)
    votes = np.stack([((sets.pred == c) & sets.seen).sum(axis=0) for c in classes], axis=1)
    share = votes / enough[:, None]
    rows = np.arange(sets.y.size)
    if sets.truth is None:
        best = sets.y.astype(np.intp)
    else:
        best = np.argmax(sets.truth, axis=1)
    bias = np.where(np.isnan(enough), np.nan, np.argmax(votes, axis=1) != best)
    wrong = 1.0 - share[rows, best]
    if sets.truth is None:
        return {"bias + noise": bias, "variance": wrong - bias, "total": wrong}
    total = 1.0 - (share * sets.truth).sum(axis=1)
    return {"noise": total - wrong, "bias": bias, "variance": wrong - bias, "total": total}
