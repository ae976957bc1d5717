"""What every metric can do; the two families below it are mean row losses and smooth scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from empirisk.evaluation.intervals.base import MODEL, MODEL_GROUPS, Floats
from empirisk.evaluation.metrics.predictions import Predictions
from empirisk.results import Estimate


class Metric(Protocol):
    """A number that says how good predictions are, and its intervals."""

    @property
    def name(self) -> str:
        """The name under which users ask for the metric."""

    @property
    def label(self) -> str:
        """What the metric is called in tables and sentences."""

    @property
    def unit(self) -> str:
        """Its unit, ``{}`` where that of the target stands; empty for a number without one."""

    @property
    def task(self) -> str:
        """The kind of target that the metric is for: ``"classification"`` or ``"regression"``."""

    @property
    def needs(self) -> str:
        """The output it is computed from: ``"pred"``, ``"proba"`` or ``"score"``."""

    @property
    def greater_is_better(self) -> bool:
        """Whether larger values of the metric are better."""

    def unavailable(self, p: Predictions) -> str:
        """Return why it cannot be computed from these predictions; empty when it can."""

    def value(self, p: Predictions) -> float:
        """Return the point estimate (NaN when undefined)."""

    def interval(self, p: Predictions, level: float) -> Estimate:
        """Return the estimate on held-out rows (of groups, when `p` has them)."""

    def crossed(self, repeats: Sequence[Predictions], folds: int, level: float) -> Estimate:
        """Return the estimate from the out-of-fold predictions of repeated K-fold cross-validation."""

    def difference(
        self, a: Sequence[Predictions], b: Sequence[Predictions], folds: int | None, level: float
    ) -> tuple[Estimate, float]:
        """Return the paired ``metric(a) - metric(b)`` and its standard error; `folds` None: one held-out
        set.
        """

    def standard_error(self, repeats: Sequence[Predictions], folds: int | None) -> float:
        """Return the standard error of the mean over repeats, by the variance that the intervals use."""

    def losses(self, p: Predictions) -> Floats | None:
        """Return one loss a row (smaller is better) whose mean carries the metric; None when there is
        none.
        """


def model_target(p: Predictions) -> str:
    """Return the estimand of a held-out set."""
    return MODEL if p.groups is None else MODEL_GROUPS


def whose(metric: Metric, p: Predictions) -> str:
    """Return the end of a target: the class that a metric of one class is about, where it was asked for."""
    told = getattr(metric, "one_class", False) and not getattr(metric, "by_default", True)
    last = p.classes[1] if told and p.n_classes == 2 and p.classes is not None else None
    asked = getattr(metric, "positive", last)
    return "" if asked is None else f"; about the class {asked}"


def wrong_output(name: str, task: str, needs: str, p: Predictions) -> str:
    """Return why `name` does not apply to these predictions; empty when it does."""
    if p.task != task:
        return f"{name} is for {task}, and the target is one of {p.task}"
    return p.why_missing(needs)


def unseen_note(p: Predictions) -> str:
    """Return a sentence on rows whose label the model never saw."""
    if p.unseen == 0:
        return ""
    return f"{p.unseen} rows have a label that the model never saw; they count as errors"


def join(*parts: str) -> str:
    """Return the sentences joined by a semicolon, empty ones left out."""
    return "; ".join(part for part in parts if part)
