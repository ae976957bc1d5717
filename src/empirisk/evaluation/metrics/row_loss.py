"""Metrics that are means of one number a row: accuracy, log-loss, Brier score, MSE, MAE, deviances."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from empirisk.evaluation.intervals.base import Floats, group_codes, refuse
from empirisk.evaluation.intervals.grouped import cr2_variance, grouped_mean, grouped_proportion
from empirisk.evaluation.intervals.hall import hall
from empirisk.evaluation.intervals.paired import paired_losses
from empirisk.evaluation.intervals.repeated_kfold import (
    grouped_kfold,
    kfold_variance,
    repeated_kfold,
    rows_trained,
    scored_target,
)
from empirisk.evaluation.intervals.tails import tail_note
from empirisk.evaluation.intervals.weighted import weighted_mean
from empirisk.evaluation.intervals.wilson import wilson
from empirisk.evaluation.metrics.base import join, model_target, unseen_note, wrong_output
from empirisk.evaluation.metrics.pickled import PickledByName
from empirisk.evaluation.metrics.predictions import REGRESSION, Predictions
from empirisk.results import Estimate


def unbounded(_: Predictions) -> float | None:
    """Return the bound of a loss without one."""
    return None


def always(_: Predictions) -> str:
    """Return an empty string: the loss is defined for all targets and predictions."""
    return ""


@dataclass(frozen=True)
class RowLoss(PickledByName):
    """A metric that is the mean of `loss` over rows (or one minus it, when `proportion`).

    Parameters
    ----------
    name, task, needs
        As in :class:`empirisk.evaluation.metrics.base.Metric`.
    loss : callable
        Predictions to one non-negative loss a row.
    bound : callable
        Predictions to the largest possible loss, None when there is none.
    proportion : bool
        The loss is 0 or 1 and the metric is the share of zeros (accuracy).
    refusal : callable
        Predictions to the reason why the loss is not defined for them, "" when it is.
    by_default : bool
        Whether it is computed where no metric is named.
    label, unit : str
        As in :class:`empirisk.evaluation.metrics.base.Metric`.
    """

    name: str
    task: str
    needs: str
    loss: Callable[[Predictions], Floats]
    bound: Callable[[Predictions], float | None] = unbounded
    proportion: bool = False
    refusal: Callable[[Predictions], str] = always
    by_default: bool = True
    label: str = ""
    unit: str = ""

    @property
    def loss_label(self) -> str:
        """What the loss of a row is called; that of a share of right answers is an error rate."""
        return "error rate" if self.proportion else self.label

    @property
    def greater_is_better(self) -> bool:
        """Only the share of right answers grows when the model improves."""
        return self.proportion

    def unavailable(self, p: Predictions) -> str:
        """Return why it cannot be computed; empty when it can."""
        return wrong_output(self.name, self.task, self.needs, p) or self.refusal(p)

    def losses(self, p: Predictions) -> Floats:
        """Return the loss of each row, of which the metric is the mean."""
        return self.loss(p)

    @property
    def errors(self) -> bool:
        """Whether a row holds a loss of a numeric error, whose largest size nothing bounds."""
        return self.task == REGRESSION

    def _rows(self, p: Predictions) -> Floats:
        """Return one number a row whose mean is the metric itself."""
        rows = self.loss(p)
        return 1.0 - rows if self.proportion else rows

    def value(self, p: Predictions) -> float:
        """Return the metric, the mean of its row losses; the weighted mean where rows have weights."""
        p = p.counted()
        return float(np.average(self._rows(p), weights=p.weights))

    def interval(self, p: Predictions, level: float) -> Estimate:
        """Return Wilson's or Hall's interval; with groups the effective-n Wilson or the CR3 log t."""
        p = p.counted()
        rows, target = self._rows(p), model_target(p)
        infinite = self._infinite(rows[None, :], level, target)
        if infinite is not None:
            return infinite
        if p.weights is not None:
            estimate = self._weighted(rows, p, None, level, target)
        elif self.proportion:
            if p.groups is not None:
                estimate = grouped_proportion(rows, p.groups, level, target=target)
            else:
                estimate = wilson(float(rows.sum()), p.n, level, target=target)
        elif p.groups is not None:
            estimate = grouped_mean(rows, p.groups, level, bound=self.bound(p), target=target)
            estimate = with_note(estimate, "" if estimate.low is None else tail_note(rows, self.errors))
        else:
            estimate = hall(rows, level, bound=self.bound(p), errors=self.errors, target=target)
        return with_note(estimate, unseen_note(p))

    def crossed(self, repeats: Sequence[Predictions], folds: int, level: float) -> Estimate:
        """Return the interval of the row losses for repeated K-fold cross-validation."""
        repeats = [p.counted() for p in repeats]
        rows, first = np.stack([self._rows(p) for p in repeats]), repeats[0]
        target = scored_target(rows_trained(first.n, folds), first.n, first.groups is not None)
        infinite = self._infinite(rows, level, target)
        if infinite is not None:
            return infinite
        if first.weights is not None:
            return self._weighted(rows, first, folds, level, target)
        kind = "proportion" if self.proportion else "loss"
        if first.groups is None:
            return repeated_kfold(
                rows, folds, level, kind=kind, bound=self.bound(first), errors=self.errors, target=target
            )
        return grouped_kfold(
            rows,
            first.groups,
            folds,
            level,
            kind=kind,
            bound=self.bound(first),
            errors=self.errors,
            target=target,
        )

    def _weighted(
        self, rows: Floats, p: Predictions, folds: int | None, level: float, target: str
    ) -> Estimate:
        """Return the interval of a weighted mean of row values, of shape (n,) or (repeats, n)."""
        kind = "proportion" if self.proportion else "loss"
        return weighted_mean(
            rows, p.weight, level, folds=folds, groups=p.groups, kind=kind, bound=self.bound(p),
            errors=self.errors, target=target,
        )  # fmt: skip

    def difference(
        self, a: Sequence[Predictions], b: Sequence[Predictions], folds: int | None, level: float
    ) -> tuple[Estimate, float]:
        """Return the paired difference of the row values."""
        a, b = [p.counted() for p in a], [p.counted() for p in b]
        first = np.stack([self._rows(p) for p in a])
        second = np.stack([self._rows(p) for p in b])
        target = difference_target(a[0], folds)
        infinite = self._infinite(np.abs(first) + np.abs(second), level, target)
        if infinite is not None:
            return infinite, math.nan
        estimate = paired_losses(
            first, second, level, folds=folds, groups=a[0].groups, zero_one=self.proportion, target=target,
            weights=a[0].weights,
        )  # fmt: skip
        return estimate, mean_error(first - second, folds, a[0])

    def standard_error(self, repeats: Sequence[Predictions], folds: int | None) -> float:
        """Return the standard error of the mean over repeats."""
        repeats = [p.counted() for p in repeats]
        rows = np.stack([self._rows(p) for p in repeats])
        return mean_error(rows, folds, repeats[0]) if np.isfinite(rows).all() else math.nan

    def _infinite(self, rows: Floats, level: float, target: str) -> Estimate | None:
        """Return the refusal for an infinite loss (a true class that got probability 0), else None."""
        bad = ~np.isfinite(rows)
        if not bad.any():
            return None
        count = int(bad.any(axis=0).sum())
        reason = f"{count} rows gave probability 0 to the class that occurred, so the loss is infinite"
        return refuse(math.inf, level, rows.shape[1], "none: infinite loss, not clipped", reason, target)


def difference_target(p: Predictions, folds: int | None) -> str:
    """Return the estimand of a paired difference."""
    if folds is None:
        return model_target(p).replace("this fitted model", "these two fitted models")
    grouped = p.groups is not None
    return scored_target(rows_trained(p.n, folds), p.n, grouped, what="difference", who="each algorithm")


def mean_error(rows: Floats, folds: int | None, p: Predictions) -> float:
    """Return the standard error of the mean of (r, n) row values, by the variance that the intervals use."""
    factor = 1.0 if folds is None else folds / (folds - 1.0)
    if rows.shape[1] < 2:
        return math.nan
    if p.groups is None and p.weights is None:
        return math.sqrt(
            kfold_variance(rows, folds) if folds is not None else rows.var(ddof=1) / rows.shape[1]
        )
    codes, n_groups = (np.arange(p.n), p.n) if p.groups is None else group_codes(p.groups, p.n)
    if n_groups < 2:
        return math.nan
    each = [cr2_variance(v, codes, n_groups, weights=p.weights)[0] for v in rows]
    return math.sqrt(factor * float(np.mean(each)))


def with_note(estimate: Estimate, note: str) -> Estimate:
    """Return the estimate with `note` added to its reason."""
    if not note:
        return estimate
    e = estimate
    return Estimate(e.value, e.low, e.high, e.level, e.n, e.method, join(e.reason, note), e.target)
