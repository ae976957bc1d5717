"""Permutation importance on the test part: how much the loss rises when one column is shuffled.

Every encoded column depends on one column of the table, so shuffling the encoded block of a column is
shuffling the column; of a linear score only the block's contribution moves, other models predict again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import refuse, student_quantile, too_few
from empirisk.evaluation.ratio import effective
from empirisk.results import Estimate

__all__ = ["Moved", "importances", "linear_move", "predicted_move"]

Floats = NDArray[np.float64]
MIN_ROWS = 30  # test rows; with fewer there is no interval
# Losses of all rows when the block of columns is dealt to them from the donors; None: nothing moves.
Moved = Callable[[NDArray[np.intp]], Callable[[NDArray[np.intp]], Floats] | None]


def linear_move(X: Floats, coef: Floats, z: Floats, losses: Callable[[Floats], Floats]) -> Moved:
    """Of a linear model with coefficients (p,) or (p, k) and weighted sums z, from which `losses` come."""

    def move(block: NDArray[np.intp]) -> Callable[[NDArray[np.intp]], Floats] | None:
        part = np.asarray(X[:, block] @ coef[block])
        return (lambda donor: losses(z - part + part[donor])) if coef[block].any() else None

    return move


def predicted_move(
    X: Floats,
    own: Floats,
    losses: Callable[[Floats, NDArray[np.intp]], Floats],
    used: NDArray[np.bool_],
) -> Moved:
    """Of any model, by predicting again the rows that change.

    `losses` of encoded rows, and of which of the test rows they are, `own` those of the rows as they are;
    `used`: the columns that the model looks at.
    """

    def move(block: NDArray[np.intp]) -> Callable[[NDArray[np.intp]], Floats] | None:
        given = X[:, block]

        def again(donor: NDArray[np.intp]) -> Floats:
            dealt = given[donor]
            # Where donor and row agree nothing is asked anew: in columns with a few frequent values that is
            # most rows.
            same = (dealt == given) | (np.isnan(dealt) & np.isnan(given))
            changed = np.flatnonzero(~same.all(axis=1))
            out = own.copy()
            if changed.size:
                rows = X[changed]
                rows[:, block] = dealt[changed]
                out[changed] = losses(rows, changed)
            return out

        return again if used[block].any() else None

    return move


def importances(
    own: Floats,
    move: Moved,
    sources: Sequence[str],
    *,
    level: float = 0.95,
    repeats: int = 20,
    seed: int = 0,
    weights: Floats | None = None,
) -> dict[str, Estimate]:
    """Return the mean rise of the loss when the values of a column are dealt to other rows.

    Parameters
    ----------
    own : array of shape (n,)
        Losses of the test rows as they are. One that is infinite, of a class that the model never saw, does
        not rise.
    move : callable
        :func:`linear_move` or :func:`predicted_move`.
    sources : sequence of str
        Column of the table behind each encoded column.
    level : float, default 0.95
    repeats : int, default 20
        Shuffles of each column.
    seed : int, default 0
    weights : array of shape (n,), optional
        What each test row counts: the mean is weighted.

    Returns
    -------
    dict of str to Estimate
        In the order of the sources; the largest is not sorted first.

    Notes
    -----
    With weights w of mean 1 the value is ``mean of w_i (rise of row i)``, and donors are drawn with chances
    in proportion to w: a weight of 2 is the row twice. The rise is a U-statistic over pairs (receiver, donor
    of the value); its variance is that of the mean over rows of ``rise as receiver + rise caused as donor``
    (Hoeffding's projection). A column that the model does not use has a rise of exactly 0. No refit, no
    re-encoding; of linear models no prediction.
    """
    n, finite = own.size, np.isfinite(own)
    w = np.ones(n) if weights is None else weights / weights.mean()
    rng = np.random.default_rng(seed)
    out = {}
    for source in dict.fromkeys(sources):
        block = np.flatnonzero([s == source for s in sources])
        again = move(block)
        received, caused = np.zeros(n), np.zeros(n)
        for _ in range(repeats):
            if again is None:  # the model does not use the column
                break
            donor = rng.permutation(n) if weights is None else rng.choice(n, n, p=w / n)
            rise = np.zeros(n)
            np.subtract(again(donor), own, out=rise, where=finite)
            received += w * rise / repeats
            np.add.at(caused, donor, w * rise / repeats)
        value = float(received.mean())
        # Both projections are deviations from the value: of a row of weight w, w times as large.
        influence = received + caused if weights is None else received + caused - 2.0 * w * value
        out[source] = _estimate(received, influence, level, repeats, effective(weights, n))
    return out


def _estimate(rise: Floats, influence: Floats, level: float, repeats: int, worth: float) -> Estimate:
    """Return the mean rise with its interval; weighted rows are worth as many as their effective number."""
    n, value = rise.size, float(rise.mean())
    method = f"{repeats} shuffles of the test rows, t on pairs"
    target = "rise of the loss of this model when the column carries no information"
    if worth < MIN_ROWS:
        return refuse(value, level, n, method, too_few(int(worth), MIN_ROWS), target)
    if not influence.any():
        return Estimate(0.0, 0.0, 0.0, level, n, "exact: the model does not use this column", target=target)
    half = student_quantile(level, worth - 1) * float(influence.std(ddof=1)) / np.sqrt(n)
    return Estimate(value, value - float(half), value + float(half), level, n, method, target=target)
