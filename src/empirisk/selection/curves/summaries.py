"""One point of a curve with its interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.results import Estimate
from empirisk.selection.cross import ROWS_PER_COLUMN, Sample
from empirisk.selection.folds import Plan
from empirisk.selection.intervals.base import (
    DOMINATED,
    Floats,
    accept,
    negligible,
    refuse,
    student_quantile,
    too_few,
)
from empirisk.selection.intervals.grouped import cr2_variance, group_sums
from empirisk.selection.intervals.hall import cubic_limits, dominated
from empirisk.selection.intervals.nadeau_bengio import nadeau_bengio
from empirisk.selection.intervals.repeated_kfold import (
    MIN_GROUPS,
    MIN_ROWS,
    algorithm_target,
    grouped_kfold,
    kfold_variance,
    repeated_kfold,
)
from empirisk.selection.intervals.student import student_limits
from empirisk.selection.metrics.row_loss import RowLoss
from empirisk.selection.outputs import unpenalised

__all__ = ["skewed", "steady", "train_estimate", "validation_estimate"]

INFINITE = "a loss is infinite: probability 0 for the class that occurred"


def validation_estimate(
    losses: Floats, plan: Plan, size: int, sample: Sample, metric: RowLoss, level: float, cap: float | None
) -> Estimate:
    """Expected loss of the algorithm trained on `size` rows, from out-of-fold losses (or split means)."""
    target = algorithm_target(size, sample.groups is not None).replace("score", "loss")
    if not np.isfinite(losses).all():
        return refuse(math.inf, level, sample.n, "none: infinite loss, not clipped", INFINITE, target)
    if plan.folds is None:
        ratio = float(np.mean([test.size for _, test in plan.splits])) / size
        high = math.inf if cap is None else cap
        return nadeau_bengio(losses[:, 0], ratio, sample.n, level, low=0.0, high=high, target=target)
    rows = losses.reshape(-1, sample.n)
    kind = "proportion" if metric.proportion else "loss"
    if sample.groups is None and metric.proportion:
        return repeated_kfold(rows, plan.folds, level, kind=kind, bound=cap, target=target)
    if sample.groups is None:
        return skewed(rows, plan.folds, level, cap, target)
    e = grouped_kfold(rows, sample.groups, plan.folds, level, kind=kind, bound=cap, target=target)
    return (
        e if metric.proportion or e.low is None else _skewed_groups(e, rows, sample.groups, plan.folds, cap)
    )


def steady(e: Estimate, est: Any, X: Any, size: int) -> Estimate:
    """The estimate, or a refusal for an unpenalised model with fewer than three rows for each column.

    Its expected loss may not even be finite there.
    """
    columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 0
    if e.low is None or not unpenalised(est) or size >= ROWS_PER_COLUMN * columns:
        return e
    reason = f"an unpenalised model with {columns} columns is too unstable on {size} training rows"
    return refuse(e.value, e.level, e.n, e.method, reason, e.target)


def skewed(rows: Floats, folds: int, level: float, cap: float | None, target: str) -> Estimate:
    """Hall's interval with the variance of one repeat times K/(K-1).

    Scores at n rows that were trained on n(K-1)/K are too pessimistic, which makes up for the skewness of
    losses. A point of a curve is about the rows that were fitted: there is no such bias, and without the
    correction the interval lies too low (91 to 94 % instead of 94 to 95 %).
    """
    n, value = rows.shape[1], float(rows.mean())
    method = f"{folds}-fold cross-validation x {rows.shape[0]}, Hall with row variance K/(K-1)"
    if n < MIN_ROWS:
        return refuse(value, level, n, method, too_few(n, MIN_ROWS), target)
    variance = kfold_variance(rows, folds)
    if negligible(variance, rows):
        return refuse(value, level, n, method, "all rows have the same loss", target)
    centred = rows - rows.mean(axis=1, keepdims=True)
    skew = float(np.mean(centred**3) / np.mean(centred**2) ** 1.5)
    t = student_quantile(level, n - 1)
    low, high = cubic_limits(value, math.sqrt(variance), skew / math.sqrt(n), t)
    reason = DOMINATED if dominated(rows.mean(axis=0)) else ""
    high = high if cap is None else min(cap, high)
    return accept(value, (max(0.0, low), high), level, n, method, reason=reason, target=target)


def _skewed_groups(
    e: Estimate, rows: Floats, groups: NDArray[np.intp], folds: int, cap: float | None
) -> Estimate:
    """The same over clusters: third moment of the sums of groups (the counts of groups were checked)."""
    count, n = int(groups.max()) + 1, rows.shape[1]
    variance = folds / (folds - 1.0) * float(np.mean([cr2_variance(v, groups, count)[0] for v in rows]))
    sums = np.stack([group_sums(v - v.mean(), groups, count) for v in rows]) / n
    skew = float(np.mean((sums**3).sum(axis=1)) / np.mean((sums**2).sum(axis=1)) ** 1.5)
    t = student_quantile(e.level, count - 1)
    low, high = cubic_limits(e.value, math.sqrt(variance), skew, t)
    method = e.method.replace("t with cluster", "Hall with cluster")
    high = high if cap is None else min(cap, high)
    return accept(e.value, (max(0.0, low), high), e.level, e.n, method, reason=e.reason, target=e.target)


def train_estimate(
    rows: Floats, means: Floats, plan: Plan, size: int, sample: Sample, level: float
) -> Estimate:
    """Expected loss on the training rows themselves; `rows` (r, n) with NaN where a row was not used."""
    target = f"expected loss on its own training rows of this algorithm trained on {size} rows"
    value, method = float(means.mean()), "t with row variance K/(K-1), rows that were fitted"
    if not np.isfinite(means).all():
        return refuse(math.inf, level, sample.n, method, INFINITE, target)
    if plan.folds is None:
        return refuse(value, level, sample.n, method, "the splits overlap in an unknown way", target)
    used = int(np.min(np.count_nonzero(~np.isnan(rows), axis=1)))
    if used < MIN_ROWS:
        return refuse(value, level, used, method, too_few(used, MIN_ROWS), target)
    count = None if sample.groups is None else int(sample.groups.max()) + 1
    if count is not None and count < MIN_GROUPS:
        return refuse(value, level, used, method, too_few(count, MIN_GROUPS, "groups"), target)
    scale = plan.folds / (plan.folds - 1.0)
    variance = scale * float(np.mean([_variance(row, sample) for row in rows]))
    if negligible(variance, rows[~np.isnan(rows)]):
        return refuse(value, level, used, method, "all rows have the same loss", target)
    low, high = student_limits(value, variance, (used if count is None else count) - 1, level)
    return accept(value, (max(0.0, low), high), level, used, method, target=target)


def _variance(row: Floats, sample: Sample) -> float:
    """Variance of the mean over the rows that were used, over clusters when there are groups."""
    used = ~np.isnan(row)
    values = row[used]
    if sample.groups is None:
        return float(values.var(ddof=1)) / values.size
    _, codes = np.unique(sample.groups[used], return_inverse=True)
    groups = int(codes.max()) + 1
    return cr2_variance(values, codes, groups)[0] if groups > 1 else math.inf
