"""Lift: how many times as many positive rows the highest scores hold as as many rows drawn blindly."""

from __future__ import annotations

import math

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.numbers import check_share
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, Predictions
from empirisk.evaluation.metrics.score import Score
from empirisk.wording import counted

MIN_POSITIVE = 10  # among the rows that are called, and in all


def lift(share: float = 0.1) -> Score:
    """``P(positive | score in the top share)/P(positive)``, with a log t interval.

    Rows whose score is that of the cut count in part, as if drawn by chance. The cut is estimated from the
    same rows, and the influence of a row knows it: positive rows near the cut tell how often it would gain
    one.

    Parameters
    ----------
    share : float in (0, 1), default 0.1
        The share of rows that can be called, visited or checked.

    Returns
    -------
    Score
        The metric, to be given to ``metrics=``; its name is ``lift`` where the share is 0.1, else
        ``lift(share)``.

    Raises
    ------
    ValueError
        `share` is not a number between 0 and 1.

    Examples
    --------
    >>> from empirisk.evaluation.metrics.predictions import classification
    >>> p = classification([1, 1, 0, 0], score=[4.0, 3.0, 2.0, 1.0], classes=[0, 1])
    >>> lift(0.5).value(p)
    2.0
    """
    part = check_share(share, "share")

    def point(p: Predictions) -> float:
        base = float((p.weight * p.positive).mean())
        top = float((p.weight * top_weights(p, part) * p.positive).mean())
        return top / (part * base) if base else math.nan

    def influence(p: Predictions) -> Floats:
        weights, true, base = top_weights(p, part), p.positive, float((p.weight * p.positive).mean())
        moved = weights * true - rate_at_cut(p, part) * (weights - part)
        rows = moved / (part * base) - point(p) * true / base
        return np.asarray(p.weight * (rows - np.average(rows, weights=p.weights)))

    def small(p: Predictions) -> str:
        found = int(p.effective(top_weights(p, part) * p.positive))
        what = "row" if p.weights is None else "effective row"
        short = f"{counted(found, what)} of the top {100 * part:g} % {'is' if found == 1 else 'are'} positive"
        return f"{short}; at least {MIN_POSITIVE} are needed" if found < MIN_POSITIVE else ""

    return Score(
        "lift" if part == 0.1 else f"lift({part:g})",
        CLASSIFICATION,
        "score",
        point,
        influence,
        scale="log",
        refusal=small,
        undefined="lift is undefined: no row is positive",
        label=f"lift of the top {100 * part:g} %",
        by_default=False,
        one_class=True,
    )


def top_weights(p: Predictions, share: float) -> Floats:
    """Return 1 for rows above the cut that leaves `share` of them, 0 below, equal parts for ties at it."""
    score = p.output("score")
    wanted, order = share * p.n, np.argsort(-score, kind="stable")  # the weights have a mean of 1
    cut = score[order[min(p.n - 1, int(np.searchsorted(np.cumsum(p.weight[order]), wanted - 1e-9)))]]
    above, tied = score > cut, score == cut
    return np.asarray(above + tied * (wanted - p.mass(above)) / p.mass(tied), dtype=np.float64)


def rate_at_cut(p: Predictions, share: float) -> float:
    """Return the share of positive rows among the root of n rows with scores on each side of the cut."""
    order = np.argsort(-p.output("score"), kind="stable")
    middle, half = round(share * p.n), max(5, round(math.sqrt(p.n)))
    if p.weights is not None:
        middle = int(np.searchsorted(np.cumsum(p.weights[order]), share * p.n))
    near = order[max(0, middle - half) : middle + half]
    return float(np.average(p.positive[near], weights=p.weight[near]))


LIFT = lift()
