"""The test part, used once: metrics of the chosen model and of the baseline, and their paired differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import NEW_GROUPS
from empirisk.evaluation.metrics import METRICS, Predictions
from empirisk.evaluation.metrics.predictions import relative
from empirisk.evaluation.outputs import outputs_of
from empirisk.report.estimates import Json, estimate, maybe
from empirisk.report.fit.exact_constants import exact_score, less_exact
from empirisk.report.fit.families import Family
from empirisk.report.fit.sample import DECLARED, Sample
from empirisk.results import Estimate
from empirisk.wording import plain

__all__ = [
    "LABELS",
    "TestScores",
    "about_groups",
    "against",
    "comparison",
    "metric_names",
    "of_rows",
    "predictions",
    "unit_of",
]

LABELS = {name: metric.label for name, metric in METRICS.items()}
_NAMES = {
    "binary": (
        "accuracy",
        "log_loss",
        "roc_auc",
        "average_precision",
        "f1",
        "balanced_accuracy",
        "brier_score",
    ),
    "multiclass": ("accuracy", "log_loss", "roc_auc", "f1", "balanced_accuracy", "brier_score"),
    "regression": ("mae", "r2", "mse"),
}


def metric_names(task: str, family: Family | None = None) -> tuple[str, ...]:
    """Return the metrics of a task, the headline first; with the deviance of the family that the target
    suggests.
    """
    return _NAMES[task] if family is None else (*_NAMES[task], family.metric)


def unit_of(metric: str, unit: str | None) -> str | None:
    """Return the unit of a metric, given that of the target."""
    told = METRICS[metric].unit
    return None if not told or (unit is None and "{}" in told) else told.format(unit)


def predictions(model: Any, sample: Sample) -> Predictions:
    """Return the targets of a part and what a fitted pipeline says about them, as metrics take them.

    The classes are all that the table has, in the order of their codes; the model gives the probability 0 to
    one that it never saw.
    """
    classes = None if sample.task == "regression" else np.arange(sample.n_classes)
    out = outputs_of(model, sample.frame, **sample.known)
    return out.over(classes).against(sample.y, sample.groups, sample.weights)


def of_rows(p: Predictions, rows: NDArray[np.bool_]) -> Predictions:
    """Return the predictions of some rows alone."""

    def taken(values: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if values is None else values[rows]

    groups = None if p.groups is None else np.unique(p.groups[rows], return_inverse=True)[1]
    return replace(
        p,
        y=p.y[rows],
        pred=taken(p.pred),
        proba=taken(p.proba),
        score=taken(p.score),
        groups=groups,
        log_proba=taken(p.log_proba),
        weights=None if p.weights is None else relative(p.weights[rows]),
    )


@dataclass(frozen=True)
class TestScores:
    """Predictions of the model and of the baseline on the test part, and their level.

    Parameters
    ----------
    model, baseline : Predictions
    level : float
    median : float or None
        Median of the training targets, where the baseline is their mean: the constant whose absolute errors
        are smallest, which those of the model are compared with.
    """

    __test__ = False  # not a test class, whatever pytest thinks of its name

    model: Predictions
    baseline: Predictions
    level: float
    median: float | None = None

    def constant(self, name: str) -> Predictions:
        """Return the predictions of the constant that a metric is compared with."""
        if name != "mae" or self.median is None:
            return self.baseline
        return replace(self.baseline, pred=np.full(self.baseline.n, self.median))


def comparison(scores: TestScores, name: str, unit: str | None = None) -> Json | None:
    """Return one metric as ``report.json`` has it; None when these rows do not allow it."""
    metric = METRICS[name]
    if metric.unavailable(scores.model):
        return None
    constant = scores.constant(name)
    base = None if metric.unavailable(constant) else metric.interval(constant, scores.level)
    model, difference = metric.interval(scores.model, scores.level), None
    known = None if base is None else exact_score(name, constant, base)
    if known is not None:
        base, model = known, exact_score(name, scores.model, model) or model
        difference = less_exact(model, known)
    elif base is not None and np.isfinite(base.value):
        difference = metric.difference([scores.model], [constant], None, scores.level)[0]
        difference = _without_rounding(difference, abs(base.value))
    return {
        "name": name,
        "label": LABELS[name],
        "unit": unit_of(name, unit),
        "greater_is_better": bool(metric.greater_is_better),
        "model": estimate(model),
        "baseline": maybe(base),
        "difference": maybe(difference),
        **(
            {}
            if constant is scores.baseline
            else {"constant": f"median of the training targets, {plain(scores.median)}"}
        ),
    }


def against(scores: TestScores, other: Predictions, name: str) -> tuple[Json, Json] | None:
    """Return one metric of another model on the same rows, and that of the model minus it; None when these
    rows do not allow it.
    """
    metric = METRICS[name]
    if metric.unavailable(scores.model) or metric.unavailable(other):
        return None
    theirs = metric.interval(other, scores.level)
    difference = metric.difference([scores.model], [other], None, scores.level)[0]
    return estimate(theirs), estimate(_without_rounding(difference, abs(theirs.value)))


def about_groups(made: Json, train: Sample, test: Sample) -> Json:
    """Return the same JSON, whose estimates speak of new groups only where all groups of the test part are.

    The intervals count groups all the same: rows of one group depend on each other.
    """
    if test.groups is None or not set(_declared(train)) & set(_declared(test)):
        return made
    rows = "new rows" if test.time is None else "later rows"
    true = f"{rows}, of groups that the training part may hold"

    def told(value: Any) -> Any:
        if isinstance(value, list):
            return [told(v) for v in value]
        if isinstance(value, dict):
            return {k: told(v) for k, v in value.items()}
        return value.replace(NEW_GROUPS, true) if isinstance(value, str) else value

    out: Json = told(made)
    return out


def _declared(sample: Sample) -> list[str]:
    """Return the labels of the group column, without those of rows that have none."""
    return [] if sample.groups is None else [g for g in sample.groups.tolist() if g.startswith(DECLARED)]


def _without_rounding(e: Estimate, size: float) -> Estimate:
    """Zero where all of a difference is the rounding of numbers of this size."""
    ends = [abs(v) for v in (e.value, e.low, e.high) if v is not None]
    if max(ends) > 1e-12 * size:
        return e
    return replace(e, value=0.0, low=None if e.low is None else 0.0, high=None if e.high is None else 0.0)
