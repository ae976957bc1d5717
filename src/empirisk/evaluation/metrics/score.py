"""Metrics that are smooth functions of all rows, such as AUC, precision, Matthews' correlation and R2."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from empirisk.evaluation.intervals.base import MODEL, Floats, accept, group_codes, refuse, too_few
from empirisk.evaluation.intervals.grouped import sum_variance
from empirisk.evaluation.intervals.mover import METHOD as MOVER
from empirisk.evaluation.intervals.repeated_kfold import (
    MIN_ROWS,
    in_folds,
    rows_trained,
    scored_target,
    widened,
)
from empirisk.evaluation.intervals.smooth import SCALES, smooth_limits
from empirisk.evaluation.intervals.student import student_limits
from empirisk.evaluation.intervals.weighted import few_effective
from empirisk.evaluation.metrics.base import join, model_target, unseen_note, whose, wrong_output
from empirisk.evaluation.metrics.pickled import PickledByName
from empirisk.evaluation.metrics.predictions import Predictions
from empirisk.evaluation.metrics.row_loss import difference_target, with_note
from empirisk.results import Estimate

MIN_GROUPS = 10

Limits = tuple[float, float]


def no_refusal(_: Predictions) -> str:
    """Return an empty string: there is no further condition on the rows."""
    return ""


def no_fallback(_p: Predictions, _value: float, _shrink: float, _level: float) -> Limits | None:
    """Return None: most metrics have no answer when the variance is zero."""
    return None


def no_remark(_e: Estimate, _p: Predictions) -> str:
    """Return an empty string: most metrics have no remark to add to their interval."""
    return ""


def no_classes(_r: Sequence[Predictions], _v: float, _f: float, _l: float) -> Limits | None:
    """Return None: most metrics are no mean over classes, and so have no limits by class."""
    return None


def all_rows(p: Predictions) -> float:
    """Return the largest effective sample size: the number of rows."""
    return float(p.n)


def influence_df(p: Predictions) -> float:
    """Return the degrees of freedom of an influence variance over independent rows."""
    return p.effective() - 1.0


@dataclass(frozen=True)
class Score(PickledByName):
    """A metric with an influence value for each row.

    Its variance is ``sum IF^2 / (n(n-1))`` for independent rows and ``G/(G-1) sum_g (sum IF)^2 / n^2``
    for groups. Where rows have weights, IF is the influence on the weighted score times the weight
    (``p.weight``, with a mean of 1), and the degrees of freedom are those of the effective number of rows.
    Cross-validation multiplies the mean over repeats by K/(K-1), paired differences use the
    difference of influence values.

    Parameters
    ----------
    name, task, needs
        As in :class:`empirisk.evaluation.metrics.base.Metric`.
    point : callable
        Predictions to the value; NaN when undefined.
    influence : callable
        Predictions to one influence value a row, times its weight (sum 0), where the value is defined.
    alone : callable, optional
        (predictions, level) to the estimate on independent held-out rows, where it is not that of the
        influence values.
    scale : str
        Scale of the t interval, see :func:`empirisk.evaluation.intervals.smooth.smooth_limits`; means over
        more than two classes use ``"wilson"``.
    df : callable
        Degrees of freedom for independent rows.
    cap : callable
        Largest effective sample size.
    fallback : callable
        (predictions, value, shrink, level) to limits when the variance is 0; `shrink` multiplies every count.
    by_class : callable
        (repeats, variance, factor, level) to the limits of a mean over classes, where a class without a
        hit would seem to have no variance; None to use `scale`.
    unfit : callable
        Why rows such as these cannot be scored at all; empty when they can.
    refusal : callable
        Why the counts of these rows are too small; empty when they are not.
    grouped : callable, optional
        (predictions, level) to the estimate on grouped held-out rows, where it is not the common one.
    weighted : callable, optional
        (predictions, level) to the estimate on weighted held-out rows, where it is not the common one.
    remark : callable
        (estimate, predictions) to what there is to add about the finished estimate; empty for nothing.
    undefined : str
        What to say when the value is NaN.
    min_crossed : int
        Rows that cross-validation needs.
    label, unit : str
        As in :class:`empirisk.evaluation.metrics.base.Metric`.
    by_default : bool
        Whether it is computed where no metric is named.
    one_class : bool
        Whether the score is about one class, the positive one, which needs two of them.
    """

    name: str
    task: str
    needs: str
    point: Callable[[Predictions], float]
    influence: Callable[[Predictions], Floats]
    alone: Callable[[Predictions, float], Estimate] | None = None
    scale: str = "wilson"
    df: Callable[[Predictions], float] = influence_df
    cap: Callable[[Predictions], float] = all_rows
    fallback: Callable[[Predictions, float, float, float], Limits | None] = no_fallback
    by_class: Callable[[Sequence[Predictions], float, float, float], Limits | None] = no_classes
    refusal: Callable[[Predictions], str] = no_refusal
    unfit: Callable[[Predictions], str] = no_refusal
    grouped: Callable[[Predictions, float], Estimate] | None = None
    weighted: Callable[[Predictions, float], Estimate] | None = None
    undefined: str = "the score is undefined on these rows"
    remark: Callable[[Estimate, Predictions], str] = no_remark
    min_crossed: int = MIN_ROWS
    label: str = ""
    unit: str = ""
    by_default: bool = True
    one_class: bool = False

    @property
    def greater_is_better(self) -> bool:
        """All smooth scores here grow when the model improves."""
        return True

    def unavailable(self, p: Predictions) -> str:
        """Return why it cannot be computed; empty when it can."""
        why = wrong_output(self.name, self.task, self.needs, p)
        if not why and self.one_class and p.n_classes != 2:
            why = (
                f"{self.name} needs two classes, and there are {p.n_classes}; name the class that it is "
                "about with positive="
            )
        return why or self.unfit(p)

    def losses(self, p: Predictions) -> Floats | None:
        """Return None, because a smooth score has no row losses."""
        return None

    def value(self, p: Predictions) -> float:
        """Return the point estimate; NaN when undefined."""
        return self.point(p.counted())

    def scale_for(self, p: Predictions) -> str:
        """Return the scale of the t interval on these rows."""
        return "wilson" if p.n_classes > 2 and self.scale in ("logit", "jaccard") else self.scale

    def interval(self, p: Predictions, level: float) -> Estimate:
        """Return the interval for independent rows, that of group sums, or of weighted influence."""
        p = p.counted()
        if p.weights is not None:
            if self.weighted is not None:
                estimate = self.weighted(p, level)
                return with_note(estimate, self.remark(estimate, p))
            method = f"{SCALES[self.scale_for(p)]}, {units_of(p)}"
            return with_note(self._estimate([p], 1.0, level, method, model_target(p)), unseen_note(p))
        if p.groups is None:
            estimate = self._independent(p, level)
            estimate = replace(estimate, target=estimate.target + whose(self, p))
            return with_note(estimate, join(unseen_note(p), self.remark(estimate, p)))
        if self.grouped is not None:
            estimate = self.grouped(p, level)
            return with_note(estimate, self.remark(estimate, p))
        groups = group_codes(p.groups, p.n)[1]
        method = f"{SCALES[self.scale_for(p)]}, sums over {groups} groups"
        return with_note(self._estimate([p], 1.0, level, method, model_target(p)), unseen_note(p))

    def _independent(self, p: Predictions, level: float) -> Estimate:
        """Return the interval of independent rows: the score's own, else that of influence values."""
        if self.alone is not None:
            return self.alone(p, level)
        return self._estimate([p], 1.0, level, f"{SCALES[self.scale_for(p)]} on influence values", MODEL)

    def crossed(self, repeats: Sequence[Predictions], folds: int, level: float) -> Estimate:
        """Return the mean over repeats; influence variance of one repeat times K/(K-1)."""
        repeats = [q.counted() for q in repeats]
        p = repeats[0]
        target = scored_target(rows_trained(p.n, folds), p.n, p.groups is not None)
        scale = SCALES[self.scale_for(p)]
        unit = "" if p.groups is None else f" over {group_codes(p.groups, p.n)[1]} groups"
        unit = unit if p.weights is None else f", {units_of(p)}"
        method = f"{in_folds(folds, len(repeats))}{unit}, {scale} with {widened(folds, 'influence values')}"
        if p.n < self.min_crossed:
            value = float(np.mean([self.point(q) for q in repeats]))
            return refuse(value, level, p.n, method, too_few(p.n, self.min_crossed), target)
        return self._estimate(repeats, folds / (folds - 1.0), level, method, target)

    def _estimate(
        self, repeats: Sequence[Predictions], factor: float, level: float, method: str, target: str
    ) -> Estimate:
        p = repeats[0]
        value = float(np.mean([self.point(q) for q in repeats]))
        reason = self.undefined if math.isnan(value) else self.refusal(p) or few_units(p)
        if reason:
            return refuse(value, level, p.n, method, reason, target)
        variance, df = variance_of([self.influence(q) for q in repeats], p, self.df(p))
        limits = self.by_class(repeats, variance, factor, level)
        scale = self.scale_for(p)
        if limits is not None:
            method = method.replace(SCALES[scale], MOVER)
        else:
            limits = smooth_limits(value, factor * variance, df, level, scale, self.cap(p) / factor)
        if limits is None:
            limits = self.fallback(p, value, shrink(p) / factor, level)
            method += "; no variation: the answer of a sample of independent units"
        if limits is None:
            return refuse(
                value, level, p.n, method, "the rows show no variation to measure an error with", target
            )
        estimate = accept(value, limits, level, p.n, method, target=target)
        return with_note(estimate, self.remark(estimate, p))

    def standard_error(self, repeats: Sequence[Predictions], folds: int | None) -> float:
        """Return the standard error of the mean over repeats; NaN where the score is undefined."""
        repeats = [q.counted() for q in repeats]
        p = repeats[0]
        if p.n < 2 or not all(math.isfinite(self.point(q)) for q in repeats):
            return math.nan
        variance = variance_of([self.influence(q) for q in repeats], p, 1.0)[0]
        return math.sqrt(variance * (1.0 if folds is None else folds / (folds - 1.0)))

    def difference(
        self, a: Sequence[Predictions], b: Sequence[Predictions], folds: int | None, level: float
    ) -> tuple[Estimate, float]:
        """Return the paired difference by the differences of influence values, plain t."""
        a, b = [q.counted() for q in a], [q.counted() for q in b]
        p = a[0]
        value = float(np.mean([self.point(x) - self.point(y) for x, y in zip(a, b, strict=True)]))
        target = difference_target(p, folds)
        method = "paired t on influence values" + ("" if folds is None else f", {widened(folds, 'theirs')}")
        short = self.refusal(p) or self.refusal(b[0]) or few_units(p)
        reason = self.undefined if math.isnan(value) else short
        if not reason and p.n < MIN_ROWS:
            reason = too_few(p.n, MIN_ROWS)
        if reason:
            return refuse(value, level, p.n, method, reason, target), math.nan
        deltas = [self.influence(x) - self.influence(y) for x, y in zip(a, b, strict=True)]
        variance, df = variance_of(deltas, p, self.df(p))
        variance *= 1.0 if folds is None else folds / (folds - 1.0)
        if variance <= 1e-30:
            reason = "the two models rank and label these rows alike, so the difference has no variation"
            return refuse(value, level, p.n, method, reason, target), 0.0
        limits = student_limits(value, variance, df, level)
        return accept(value, limits, level, p.n, method, target=target), math.sqrt(variance)


def variance_of(influences: Sequence[Floats], p: Predictions, df: float) -> tuple[float, float]:
    """Return the mean over repeats of the influence variance, and its degrees of freedom."""
    if p.groups is None:
        n = p.n
        return float(np.mean([v @ v for v in influences])) / (n * (n - 1.0)), df
    codes, n_groups = group_codes(p.groups, p.n)
    return float(np.mean([sum_variance(v, codes, n_groups) for v in influences])), p.units - 1.0


def shrink(p: Predictions) -> float:
    """Return what an effective row is worth in independent units: G/n with groups, 1 without."""
    return p.units / p.effective()


def units_of(p: Predictions) -> str:
    """Return the effective number of weighted rows, or groups, in words."""
    return f"weighted, {p.units:.0f} effective {'rows' if p.groups is None else 'groups'}"


def few_units(p: Predictions) -> str:
    """Return the refusal for too few groups, or for too few effective rows where these have weights."""
    return few_groups(p) if p.weights is None else few_effective(p.units, p.groups is not None)


def few_groups(p: Predictions) -> str:
    """Return the refusal for fewer than 10 groups."""
    if p.groups is None:
        return ""
    n_groups = group_codes(p.groups, p.n)[1]
    return too_few(n_groups, MIN_GROUPS, "groups") if n_groups < MIN_GROUPS else ""
