"""One point of a curve with its interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.evaluation.cross import ROWS_PER_COLUMN
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import (
    Floats,
    accept,
    negligible,
    refuse,
    too_few,
)
from empirisk.evaluation.intervals.grouped import cr2_variance
from empirisk.evaluation.intervals.nadeau_bengio import nadeau_bengio
from empirisk.evaluation.intervals.repeated_kfold import (
    MIN_GROUPS,
    MIN_ROWS,
    grouped_kfold,
    repeated_kfold,
    scored_target,
    widened,
)
from empirisk.evaluation.intervals.student import student_limits
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.outputs import unpenalised
from empirisk.evaluation.sample import Sample
from empirisk.results import Estimate

__all__ = ["infinite_loss", "steady", "train_estimate", "validation_estimate"]


def infinite_loss(losses: Floats, unit: str = "rows") -> str:
    """Return the refusal of losses (..., n) some of which are infinite: how many rows make it so."""
    count = int(np.isposinf(losses).reshape(-1, losses.shape[-1]).any(axis=0).sum())
    if unit == "rows":
        return f"{count} rows gave probability 0 to the class that occurred, so the loss is infinite"
    return f"in {count} {unit} a row gave probability 0 to the class that occurred, so the loss is infinite"


def validation_estimate(
    losses: Floats, plan: Plan, size: int, sample: Sample, metric: RowLoss, level: float, cap: float | None
) -> Estimate:
    """Return the mean loss of the models trained on `size` rows, from out-of-fold losses (or split means)."""
    target = scored_target(size, sample.n, sample.groups is not None, what="loss")
    if not np.isfinite(losses).all():
        why = infinite_loss(losses) if plan.folds else infinite_loss(losses.T, "splits")
        return refuse(math.inf, level, plan.n_scored, "none: infinite loss, not clipped", why, target)
    if plan.folds is None:
        ratio = float(np.mean([test.size for _, test in plan.splits])) / size
        high = math.inf if cap is None else cap
        return nadeau_bengio(losses[:, 0], ratio, plan.n_scored, level, low=0.0, high=high, target=target)
    rows = losses.reshape(-1, sample.n)
    kind = "proportion" if metric.proportion else "loss"
    told: dict[str, Any] = {"kind": kind, "bound": cap, "errors": metric.errors, "target": target}
    if sample.groups is None:
        return repeated_kfold(rows, plan.folds, level, **told)
    return grouped_kfold(rows, sample.groups, plan.folds, level, **told)


def steady(e: Estimate, est: Any, X: Any, size: int) -> Estimate:
    """Return the estimate, or a refusal for an unpenalised model with fewer than three rows for each
    column.

    Its expected loss may not even be finite there.
    """
    columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 0
    if e.low is None or not unpenalised(est) or size >= ROWS_PER_COLUMN * columns:
        return e
    reason = f"an unpenalised model with {columns} columns is too unstable on {size} training rows"
    return refuse(e.value, e.level, e.n, e.method, reason, e.target)


def train_estimate(
    rows: Floats, means: Floats, plan: Plan, size: int, sample: Sample, level: float
) -> Estimate:
    """Return the expected loss on the training rows themselves; `rows` (r, n) with NaN where a row was not
    used.
    """
    target = (
        "the mean loss, on their own training rows, of the models trained on "
        f"{size:,} of these {sample.n:,} rows"
    )
    value, method = float(means.mean()), _way(plan)
    if not np.isfinite(means).all():
        return refuse(
            math.inf,
            level,
            sample.n,
            method,
            infinite_loss(rows),
            target,
        )
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


def _way(plan: Plan) -> str:
    way = "t" if plan.folds is None else f"t with {widened(plan.folds, 'rows')}"
    return f"{way}, rows that were fitted"


def _variance(row: Floats, sample: Sample) -> float:
    """Return the variance of the mean over the rows that were used, over clusters when there are groups."""
    used = ~np.isnan(row)
    values = row[used]
    if sample.groups is None:
        return float(values.var(ddof=1)) / values.size
    _, codes = np.unique(sample.groups[used], return_inverse=True)
    groups = int(codes.max()) + 1
    return cr2_variance(values, codes, groups)[0] if groups > 1 else math.inf
