"""One point of a curve with its interval."""

from __future__ import annotations

import math

import numpy as np

from empirisk.results import Estimate
from empirisk.selection.cross import Sample
from empirisk.selection.folds import Plan
from empirisk.selection.intervals.base import Floats, accept, negligible, refuse, too_few
from empirisk.selection.intervals.grouped import cr2_variance
from empirisk.selection.intervals.nadeau_bengio import nadeau_bengio
from empirisk.selection.intervals.repeated_kfold import (
    MIN_GROUPS,
    MIN_ROWS,
    algorithm_target,
    grouped_kfold,
    repeated_kfold,
)
from empirisk.selection.intervals.student import student_limits
from empirisk.selection.metrics.row_loss import RowLoss

__all__ = ["train_estimate", "validation_estimate"]

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
    if sample.groups is None:
        return repeated_kfold(rows, plan.folds, level, kind=kind, bound=cap, target=target)
    return grouped_kfold(rows, sample.groups, plan.folds, level, kind=kind, bound=cap, target=target)


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
