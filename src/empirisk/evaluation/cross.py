"""Cross-validated scores with intervals that account for the dependence of folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.data.progress import Progress
from empirisk.evaluation.candidate import one_model
from empirisk.evaluation.evaluate import Metrics, One, known, named
from empirisk.evaluation.evaluation import Evaluation
from empirisk.evaluation.fit_folds import Fitted, assemble, fit_folds
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats, refuse
from empirisk.evaluation.intervals.nadeau_bengio import nadeau_bengio
from empirisk.evaluation.intervals.repeated_kfold import one_split_target, scored_target
from empirisk.evaluation.metrics import CLASSIFICATION, METRICS, Metric, Predictions, find_metric
from empirisk.evaluation.metrics.base import whose
from empirisk.evaluation.metrics.row_loss import RowLoss, with_note
from empirisk.evaluation.metrics.scorer import Scorer, find_scorer
from empirisk.evaluation.outputs import unpenalised
from empirisk.evaluation.sample import Sample
from empirisk.results import Estimate
from empirisk.wording import counted

ROWS_PER_COLUMN = 3  # without a penalty; with fewer the errors of folds have no useful variance


class CrossEvaluation(Evaluation):
    """Cross-validated estimates, with the out-of-fold predictions they came from.

    Parameters
    ----------
    estimates, title
        As in :class:`empirisk.selection.Evaluation`.
    fitted : Fitted
        Outputs, fitting times and foreign scores of every split.
    out_of_fold : tuple of Predictions
        One for each repeat of K folds (empty when the splits are not repeats of K folds).
    held_out : tuple of Predictions
        The test rows of each split.
    metrics : mapping of str to Metric, optional
        Our metrics by the name under which they were asked for, where it is not their own.
    """

    def __init__(
        self,
        estimates: Mapping[str, Estimate],
        title: str,
        fitted: Fitted,
        out_of_fold: tuple[Predictions, ...],
        held_out: tuple[Predictions, ...],
        metrics: Mapping[str, Metric] | None = None,
    ) -> None:
        super().__init__(estimates, title)
        self.metrics = dict(metrics or {})
        self.fitted = fitted
        self.out_of_fold = out_of_fold
        self.held_out = held_out

    @property
    def plan(self) -> Plan:
        """The plan of the splits: which rows were held out in which fold."""
        return self.fitted.plan

    def ours(self, metric: str) -> Metric | None:
        """Return our metric that was asked for under this name; None for a foreign scorer."""
        return self.metrics.get(metric, METRICS.get(metric))

    @property
    def fit_seconds(self) -> Floats:
        """How many seconds the fit of each split took."""
        return self.fitted.seconds

    def losses(self, metric: str) -> Floats:
        """Return the out-of-fold loss of each row in each repeat, shape (r, n); smaller is better (accuracy:
        errors).
        """
        if not self.out_of_fold:
            raise ValueError(
                "these splits do not test every row once per repeat, so there are no out-of-fold losses."
            )
        ours = known(self.metrics.get(metric, metric))
        rows = [ours.losses(p) for p in self.out_of_fold]
        if any(row is None for row in rows):
            raise ValueError(f"{metric} is no mean of row losses; use the values and intervals instead.")
        return np.stack([row for row in rows if row is not None])

    def standard_error(self, metric: str) -> float:
        """Return the standard error behind the interval of `metric` (one-standard-error rule); NaN if
        unknown.
        """
        ours = self.ours(metric)
        if self.out_of_fold and ours is not None:
            return ours.standard_error(self.out_of_fold, self.plan.folds)
        scores = self.fold_scores(metric)
        if scores.size < 2:
            return math.nan
        return math.sqrt(float(scores.var(ddof=1)) * (1.0 / scores.size + self.plan.test_over_train))

    def fold_scores(self, metric: str) -> Floats:
        """Return the metric on the test rows of each split, shape (J,); NaN where undefined."""
        if metric in self.fitted.scores:
            return self.fitted.scores[metric]
        ours = known(self.metrics.get(metric, metric))
        return np.array([ours.value(p) for p in self.held_out])


def run(
    est: Any,
    sample: Sample,
    plan: Plan,
    metrics: Metrics | None,
    level: float,
    progress: Progress | None = None,
    keep: Callable[[Any], Any] | None = None,
    positive: Any = None,
) -> CrossEvaluation:
    """Cross-evaluate an estimator or a candidate of one model on given splits (which others can share)."""
    candidate = one_model(est)
    wanted = named(metrics, sample.like, candidate.model, positive)
    scorers = foreign_scorers(wanted)
    fitted = fit_folds(candidate, sample, plan, scorers, progress, keep=keep)
    return conclude(candidate, sample, wanted, fitted, level)


def foreign_scorers(wanted: Mapping[str, One]) -> dict[str, Scorer]:
    """Return the scorers among the metrics that are none of ours."""
    return {name: find_scorer(m)[1] for name, m in wanted.items() if find_metric(m) is None}


def conclude(
    est: Any, sample: Sample, wanted: Mapping[str, One], fitted: Fitted, level: float
) -> CrossEvaluation:
    """Return the estimates of one algorithm from its outputs on the test rows of every split."""
    plan, candidate = fitted.plan, one_model(est)
    out_of_fold = (
        assemble(fitted, sample.y, sample.classes, sample.groups, sample.weights) if plan.folds else ()
    )
    title = f"{candidate.name}, cross-validated on {sample.n} rows ({len(plan.splits)} fits)"
    held_out = tuple(
        sample.against(out, test) for (_, test), out in zip(plan.splits, fitted.outputs, strict=True)
    )
    ours = {name: o for name, m in wanted.items() if (o := find_metric(m)) is not None}
    found = CrossEvaluation({}, title, fitted, out_of_fold, held_out, ours)
    model = candidate.model
    estimates = {name: estimate_at(found, model, sample, name, level) for name in wanted}
    return CrossEvaluation(estimates, title, fitted, out_of_fold, found.held_out, ours)


def estimate_at(found: CrossEvaluation, est: Any, sample: Sample, name: str, level: float) -> Estimate:
    """Return the estimate of one metric at any level, from the outputs that a cross-evaluation holds."""
    plan = found.plan
    if name in found.fitted.scores:
        e = _over_splits(found.fitted.scores[name], plan, level, sample.groups is not None)
    else:
        e = over_plan(known(found.metrics.get(name, name)), plan, found.out_of_fold, found.held_out, level)
    return steady(e, est, sample, plan)


def steady(e: Estimate, est: Any, sample: Sample, plan: Plan) -> Estimate:
    """Return the estimate, or a refusal for an unpenalised model with few training rows for each column."""
    shaky = _shaky(est, sample.X, plan) if len(plan.splits) > 1 and e.low is not None else ""
    return refuse(e.value, e.level, e.n, e.method, shaky, e.target) if shaky else e


def over_plan(
    metric: Metric,
    plan: Plan,
    repeats: tuple[Predictions, ...],
    held_out: tuple[Predictions, ...],
    level: float,
) -> Estimate:
    """Return one metric of the models of a plan: from the out-of-fold predictions of each repeat of K folds,
    else from those of the test rows of each split.
    """
    p = repeats[0] if repeats else held_out[0]
    why = metric.unavailable(p)
    if why:
        return refuse(math.nan, level, plan.n_scored, "not available", why)
    grouped = p.groups is not None
    if plan.folds is not None:
        target = scored_target(plan.n_train, plan.n, grouped) + whose(metric, p)
        e = metric.crossed(repeats, plan.folds, level)
        return about(with_note(e, unseen_class(metric, e, p, plan)), target, plan)
    if len(plan.splits) == 1:
        return about(metric.interval(p, level), one_split_target(plan.n_train, plan.n, grouped), plan)
    low = 0.0 if metric.task == CLASSIFICATION or not metric.greater_is_better else -math.inf
    high = 1.0 if metric.greater_is_better else math.inf
    scores = np.array([metric.value(q) for q in held_out])
    return _over_splits(scores, plan, level, p.groups is not None, low, high)


def about(e: Estimate, target: str, plan: Plan) -> Estimate:
    """Return the estimate with what these splits make it one of (their training parts may leave rows out)."""
    return with_note(replace(e, target=target), plan.note)


def unseen_class(metric: Metric, e: Estimate, p: Predictions, plan: Plan) -> str:
    """Return a sentence where some training part of these folds lacks a class, on an estimate of a mean."""
    if metric.task != CLASSIFICATION or not isinstance(metric, RowLoss) or not math.isfinite(e.value):
        return ""
    counts = p.class_counts
    held = np.stack([np.bincount(p.y[test], minlength=counts.size) for _, test in plan.splits])
    lost = np.flatnonzero(((held == counts) & (counts > 0)).any(axis=0))
    if not lost.size:
        return ""
    rarest, folds = int(counts[lost].min()), int(plan.folds or 0)
    if rarest < folds:
        few = counted(rarest, "row")
        return f"the smallest class has {few}, fewer than the {folds} folds: some fits never saw it"
    return f"a class of {rarest} rows is in one fold as a whole: some fits never saw it"


def _shaky(est: Any, X: Any, plan: Plan) -> str:
    """Return the refusal for an unpenalised model with fewer than three training rows for each column."""
    columns = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 0
    if plan.n_train >= ROWS_PER_COLUMN * columns or not unpenalised(est):
        return ""
    return (
        f"an unpenalised model with {columns} columns is too unstable on {plan.n_train} training rows "
        f"(fewer than {ROWS_PER_COLUMN} for each column); penalise it or hold rows out"
    )


def _over_splits(
    scores: Floats, plan: Plan, level: float, grouped: bool, low: float = -math.inf, high: float = math.inf
) -> Estimate:
    """Return the corrected resampled t interval over the scores of the splits."""
    target = scored_target(plan.n_train, plan.n, grouped)
    if not np.isfinite(scores).all():
        bad = int((~np.isfinite(scores)).sum())
        value = float(np.mean(scores))
        reason = f"the score is undefined or infinite on {bad} of {scores.size} splits"
        return refuse(value, level, plan.n_scored, "corrected resampled t", reason, target)
    n, ratio = plan.n_scored, plan.test_over_train
    estimate = nadeau_bengio(scores, ratio, n, level, low=low, high=high, target=target)
    return with_note(estimate, plan.note if plan.folds is None else "")
