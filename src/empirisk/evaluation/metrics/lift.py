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

        Rows whose score is that of the cut count in part, as if drawn by chance. The cut is estimated from
        the same rows, and the influence of a row knows it: positive rows near the cut tell how often it
        would gain one.

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
        >>> from empirisk.evaluation.metrics.numbers import check_share
    from empirisk.evaluation.metrics.predictions import classification
        >>> p = classification([1, 1, 0, 0], score=[4.0, 3.0, 2.0, 1.0], classes=[0, 1])
        >>> lift(0.5).value(p)
        2.0
    """
    part = check_share(share, "share")

    def point(p: Predictions) -> float:
        base = float(p.positive.mean())
        return (
            float((top_weights(p.output("score"), part) * p.positive).mean()) / (part * base)
            if base
            else math.nan
        )

    def influence(p: Predictions) -> Floats:
        weights, true, base = top_weights(p.output("score"), part), p.positive, float(p.positive.mean())
        moved = weights * true - rate_at_cut(p, part) * (weights - part)
        rows = moved / (part * base) - point(p) * true / base
        return np.asarray(rows - rows.mean())

    def small(p: Predictions) -> str:
        found = int(np.sum(top_weights(p.output("score"), part) * p.positive))
        short = (
            f"{counted(found, 'row')} of the top {100 * part:g} % {'is' if found == 1 else 'are'} positive"
        )
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


def top_weights(score: Floats, share: float) -> Floats:
    """Return 1 for rows above the cut that leaves `share` of them, 0 below, equal parts for ties at it."""
    wanted = share * score.size
    cut = np.sort(score)[::-1][min(score.size - 1, max(0, math.ceil(wanted - 1e-9) - 1))]
    above, tied = score > cut, score == cut
    return np.asarray(above + tied * (wanted - above.sum()) / tied.sum(), dtype=np.float64)


def rate_at_cut(p: Predictions, share: float) -> float:
    """Return the share of positive rows among the root of n rows with scores on each side of the cut."""
    order = np.argsort(-p.output("score"), kind="stable")
    middle, half = round(share * p.n), max(5, round(math.sqrt(p.n)))
    return float(p.positive[order[max(0, middle - half) : middle + half]].mean())


LIFT = lift()
