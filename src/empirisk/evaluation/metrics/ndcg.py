"""Normalised discounted cumulative gain: how well each group of rows is ranked, its top above all."""

from __future__ import annotations

import math

import numpy as np

from empirisk.estimators.checks import check_count
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import REGRESSION, Predictions
from empirisk.evaluation.metrics.score import MIN_GROUPS, Score
from empirisk.wording import counted


def ndcg(k: int | None = None) -> Score:
    """``mean over groups of DCG/max DCG``, ``DCG = sum_r gain(r)/log2(1 + r)`` over ranks r.

    The rows of a group (``groups=``: a query, a customer, a day) are ranked by their predictions, and the
    target, a number that is not negative, is the gain. Rows of equal predictions share their gains. A group
    without a gain has no best order and does not count; without groups, all rows are one ranking, whose
    value has no interval.

    Parameters
    ----------
    k : int, optional
        The ranks that count; all of them where it is not given.

    Returns
    -------
    Score
        The metric, to be given to ``metrics=``; its name is ``ndcg``, or ``ndcg(k)``.

    Raises
    ------
    ValueError
        `k` is not a whole number of at least 1.

    References
    ----------
    Järvelin and Kekäläinen, ACM Transactions on Information Systems 20 (2002). Ties: McSherry and Najork,
    ECIR (2008).

    Examples
    --------
    >>> from empirisk.evaluation.metrics.predictions import regression
    >>> round(ndcg().value(regression([3.0, 0.0, 1.0], [0.9, 0.5, 0.1])), 4)
    0.9639
    """
    if k is not None:
        k = check_count("k", k, 1)

    def influence(p: Predictions) -> Floats:
        codes, each = group_of(p), gains_of_groups(p, k)
        known = np.isfinite(each)
        moved = np.where(known, each - np.mean(each[known]), 0.0) / known.mean()
        size = np.bincount(codes, minlength=each.size)
        return np.asarray((moved * p.n / (each.size * size))[codes])

    def point(p: Predictions) -> float:
        each = gains_of_groups(p, k)
        return float(np.mean(each[np.isfinite(each)])) if np.isfinite(each).any() else math.nan

    def refusal(p: Predictions) -> str:
        if p.groups is None:
            return "all rows are one ranking, which shows no variation; name the rankings with groups="
        known = int(np.isfinite(gains_of_groups(p, k)).sum())
        some = f"{counted(known, 'group')} of rows with a gain {'is' if known == 1 else 'are'} too few"
        return f"{some}; at least {MIN_GROUPS} are needed" if known < MIN_GROUPS else ""

    top = "" if k is None else f" of the first {k}"
    return Score(
        "ndcg" if k is None else f"ndcg({k})",
        REGRESSION,
        "pred",
        point,
        influence,
        refusal=refusal,
        unfit=unfit,
        undefined="the gain is undefined: no row has a target above 0",
        label=f"normalised discounted cumulative gain{top}",
        by_default=False,
    )


def unfit(p: Predictions) -> str:
    """Return why rows have no gains or no ranks: a negative target, or weights."""
    if p.weights is not None:
        return "ndcg counts ranks, and a row with a weight has none; leave sample_weight out"
    if float(p.y.min()) < 0.0:
        row = int(np.argmin(p.y))
        return f"ndcg needs targets that are not negative, and y is {p.y[row]:g} in row {row}"
    return ""


def group_of(p: Predictions) -> np.ndarray:
    """Return the number of the group of each row, 0 for all where no groups are known."""
    return np.zeros(p.n, dtype=np.intp) if p.groups is None else p.groups


def gains_of_groups(p: Predictions, k: int | None) -> Floats:
    """Return the normalised gain of each group, and NaN for a group in which no row has one."""
    codes = group_of(p)
    best = discounted(codes, p.y, p.y, k)
    mine = discounted(codes, p.output("pred"), p.y, k)
    return np.asarray(np.divide(mine, best, where=best > 0.0, out=np.full(best.size, math.nan)))


def discounted(codes: np.ndarray, score: Floats, gain: Floats, k: int | None) -> Floats:
    """Return the discounted gain of each group by its scores; tied rows have the mean of their discounts."""
    order = np.lexsort((-score, codes))
    group, score = codes[order], score[order]
    rank = np.arange(group.size) - np.searchsorted(group, group)
    discount = 1.0 / np.log2(rank + 2.0) if k is None else np.where(rank < k, 1.0 / np.log2(rank + 2.0), 0.0)
    starts = np.r_[True, (np.diff(group) != 0) | (np.diff(score) != 0)]
    tie = np.cumsum(starts) - 1
    shared = np.bincount(tie, discount) / np.bincount(tie)
    return np.asarray(np.bincount(group, shared[tie] * gain[order]), dtype=np.float64)


NDCG = ndcg()
