"""Repeated K-fold cross-validation: mean over repeats, row variance of one repeat times K/(K-1)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from empirisk.evaluation.intervals.base import (
    Floats,
    accept,
    group_codes,
    negligible,
    normal_quantile,
    refuse,
    student_quantile,
    too_few,
)
from empirisk.evaluation.intervals.effective import effective_limits
from empirisk.evaluation.intervals.grouped import cr2_variance, group_sums, sum_variance
from empirisk.evaluation.intervals.tails import tail_note
from empirisk.inference.limits import cubic_limits, wilson_limits
from empirisk.results import Estimate

MIN_ROWS = 30
MIN_GROUPS = 10
MIN_GROUPS_UNBOUNDED = 20

SCORED = (
    "the mean {what}, on {rows} drawn like these, of the models scored here, "
    "which {who} trained on {trained:,} of these {n:,} rows"
)
GROUPS = "rows of new groups (each row counting once)"


def scored_target(
    trained: int, n: int, groups: bool = False, *, what: str = "score", who: str = "this algorithm"
) -> str:
    """Return the estimand of cross-validation in words: the models that were scored, trained on `trained` of
    n rows.

    Not those of all n rows: a model that still learns is better there, and by more than the interval is wide.
    Not the average over samples either: a metric that the fit does not minimise (absolute error of least
    squares, F1) moves with the sample, and rows of one sample cannot tell how much.
    """
    return SCORED.format(what=what, rows=GROUPS if groups else "new rows", who=who, trained=trained, n=n)


def one_split_target(trained: int, n: int, groups: bool = False) -> str:
    """Return the estimand of a single split: the one model that was scored."""
    return scored_target(trained, n, groups).replace("the mean score", "the score").replace("models", "model")


def rows_trained(n: int, folds: int) -> int:
    """Return the rows in the training part of one of K folds, on average: ``n (K-1)/K``."""
    return round(n * (folds - 1.0) / folds)


def out_of_fold(rows: ArrayLike) -> Floats:
    """Return the out-of-fold values as a finite (r, n) array."""
    out = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    if out.ndim != 2 or out.shape[1] == 0:
        raise ValueError(f"out-of-fold values must have shape (repeats, rows), got {out.shape}.")
    if not np.isfinite(out).all():
        r, i = (int(k) for k in np.argwhere(~np.isfinite(out))[0])
        raise ValueError(f"the out-of-fold value of row {i} in repeat {r} is {out[r, i]}.")
    return out


def kfold_variance(rows: Floats, folds: int) -> float:
    """``V = (1/r) sum_r s_r^2 / n * K/(K-1)``: never the variance of row averages over repeats."""
    return float(rows.var(axis=1, ddof=1).mean() / rows.shape[1] * folds / (folds - 1.0))


WAYS = {"proportion": "Wilson", "loss": "Hall", "difference": "t"}


def in_folds(folds: int, repeats: int) -> str:
    """Return the words for repeated K-fold cross-validation.

    Examples
    --------
    >>> in_folds(5, 1), in_folds(10, 3)
    ('5-fold cross-validation', '10-fold cross-validation, 3 times')
    """
    return f"{folds}-fold cross-validation" + (f", {repeats} times" if repeats > 1 else "")


def widened(folds: int, of: str) -> str:
    """Return the words for the variance of one repeat times K/(K-1).

    Examples
    --------
    >>> widened(5, "rows")
    '5/4 of the variance of rows'
    """
    return f"{folds}/{folds - 1} of the variance of {of}"


def _way(kind: str, folds: int) -> str:
    if kind == "proportion":
        return f"{WAYS[kind]} on {folds - 1}/{folds} of the rows"
    return f"{WAYS[kind]} with {widened(folds, 'rows')}"


def repeated_kfold(
    rows: ArrayLike,
    folds: int,
    level: float = 0.95,
    *,
    kind: str = "loss",
    bound: float | None = None,
    min_rows: int = MIN_ROWS,
    errors: bool = False,
    target: str | None = None,
) -> Estimate:
    """Hall's interval with ``V = mean_r s_r^2/n * K/(K-1)``; proportions: Wilson(m, n(K-1)/K).

    Differences: ``m -+ t_{n-1} sqrt(V)``.

    Parameters
    ----------
    rows : array of shape (r, n)
        Out-of-fold loss of every row in every repeat of K-fold cross-validation.
    folds : int >= 2
        K.
    level : float, default 0.95
        Nominal coverage.
    kind : {"loss", "proportion", "difference"}
        What a row holds: a non-negative loss, 0 or 1, or a difference of either sign.
    bound : float, optional
        Largest possible loss.
    min_rows : int, default 30
        Below this the answer is "cannot tell".
    errors : bool, default False
        As in :func:`empirisk.evaluation.intervals.hall`.
    target : str, optional
        Defaults to the mean loss of the models that were scored, each trained on ``n(K-1)/K`` rows.

    Notes
    -----
    The factor K/(K-1) is the limit of the correction ``1/(Kr) + n_test/n_train`` of Bouckaert and
    Frank for many repeats, with the noisy variance between folds replaced by the row variance.
    About the mean loss of the scored models (the target of Bayle et al. 2020, whose factor is 1: 2 to 4
    points less at 80 to 250 rows) it covers 92 to 99 % for least squares with 5 to 300 columns, nearest
    neighbours and unpruned trees, for squared and absolute errors alike; losses with tails as long as t3 or
    lognormal 85 to 96 %. The loss of a fit on all n rows lies outside in up to half of the samples.
    Cost O(r n).

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.random.default_rng(0).exponential(size=(5, 200))
    >>> e = repeated_kfold(losses, folds=5)
    >>> e.low < 1 < e.high
    True
    """
    values = out_of_fold(rows)
    repeats, n = values.shape
    mean = float(values.mean())
    if folds < 2:
        raise ValueError(f"folds must be at least 2, got {folds}.")
    target = scored_target(rows_trained(n, folds), n) if target is None else target
    method = f"{in_folds(folds, repeats)}, {_way(kind, folds)}"
    if n < min_rows:
        return refuse(mean, level, n, method, too_few(n, min_rows), target)
    if kind == "proportion":
        limits = wilson_limits(mean, n * (folds - 1.0) / folds, normal_quantile(level))
        return accept(mean, limits, level, n, method, target=target)
    return _mean(values, folds, level, None, kind, bound, errors, method, target)


def _mean(
    values: Floats,
    folds: int,
    level: float,
    codes: NDArray[np.intp] | None,
    kind: str,
    bound: float | None,
    errors: bool,
    method: str,
    target: str,
) -> Estimate:
    """Return the interval of a mean loss, or of a difference, with its note."""
    mean, n = float(values.mean()), values.shape[1]
    limits = kfold_limits(values, folds, level, codes, skewed=kind == "loss")
    if limits is None:
        return refuse(mean, level, n, method, "all rows have the same value", target)
    if kind == "difference":
        return accept(mean, limits, level, n, method, target=target)
    low, high = max(0.0, limits[0]), limits[1] if bound is None else min(bound, limits[1])
    reason = tail_note(values[0], errors)
    return accept(mean, (low, high), level, n, method, reason=reason, target=target)


def skewness(sums: Floats) -> float:
    """``sum c^3 / (sum c^2)^1.5`` of the centred values of n units in a repeat, pooled over repeats.

    For independent rows it is the skewness over ``sqrt(n)``; for sums over groups that of their mean.
    """
    centred = sums - sums.mean(axis=1, keepdims=True)
    centred /= max(float(np.abs(centred).max()), np.finfo(np.float64).tiny)
    squares = centred * centred
    second = float(squares.sum()) / len(sums)
    return float(np.vdot(squares, centred)) / len(sums) / second**1.5 if second > 0.0 else 0.0


def kfold_limits(
    rows: Floats, folds: int, level: float, codes: NDArray[np.intp] | None = None, *, skewed: bool = True
) -> tuple[float, float] | None:
    """Hall's limits (plain t unless `skewed`) of a mean of out-of-fold values; None when they do not vary.

    Rows are independent, or the groups `codes`.
    """
    mean, n = float(rows.mean()), rows.shape[1]
    if codes is None:
        sums, units, variance = rows, n, kfold_variance(rows, folds)
    else:
        units = int(codes.max()) + 1
        each = [cr2_variance(v, codes, units)[0] for v in rows]
        variance = folds / (folds - 1.0) * float(np.mean(each))
        sums = np.stack([group_sums(v - v.mean(), codes, units) for v in rows])
    if negligible(variance, rows):
        return None
    skew = skewness(sums) if skewed else 0.0
    return cubic_limits(mean, math.sqrt(variance), skew, student_quantile(level, units - 1))


def grouped_kfold(
    rows: ArrayLike,
    groups: ArrayLike,
    folds: int,
    level: float = 0.95,
    *,
    kind: str = "loss",
    bound: float | None = None,
    errors: bool = False,
    target: str | None = None,
) -> Estimate:
    """Return the same with group folds: cluster variance of one repeat times ``K/(K-1)``, ``t_{G-1}``.

    Proportions: Wilson with an effective n; losses: Hall with the skewness of the sums of groups, from 20
    groups on (bounded losses from 10); differences: plain t from 10.

    Parameters
    ----------
    rows : array of shape (r, n)
        Out-of-fold values; no group was in training and test at once.
    groups : array of shape (n,)
        Label of the group of each row.
    folds, level, kind, bound, errors, target
        As in :func:`repeated_kfold`.

    Notes
    -----
    Five repeats cover 93 to 99 % (accuracy, 10 groups), 93 to 96 % (40 groups), and 93 to 96 % for
    squared error with 40 groups; 88 to 94 % with 10, which is why those are refused. Cost O(r n).

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.random.default_rng(0).exponential(size=(5, 200))
    >>> grouped_kfold(losses, np.arange(200) // 5, folds=5).high > 1
    True
    """
    values = out_of_fold(rows)
    repeats, n = values.shape
    codes, n_groups = group_codes(groups, n)
    mean = float(values.mean())
    target = scored_target(rows_trained(n, folds), n, groups=True) if target is None else target
    how = "effective n" if kind == "proportion" else widened(folds, "groups")
    method = f"{in_folds(folds, repeats)} over {n_groups} groups, {WAYS[kind]} with {how}"
    need = MIN_GROUPS_UNBOUNDED if kind == "loss" and bound is None else MIN_GROUPS
    if n_groups < need:
        return refuse(mean, level, n, method, too_few(n_groups, need, "groups"), target)
    factor, df = folds / (folds - 1.0), n_groups - 1
    if kind == "proportion":
        variance = factor * float(np.mean([sum_variance(v - v.mean(), codes, n_groups) for v in values]))
        limits = effective_limits(mean, variance, df, level, cap=n / factor, floor=n_groups / factor)
        return accept(mean, limits, level, n, method, target=target)
    return _mean(values, folds, level, codes, kind, bound, errors, method, target)
