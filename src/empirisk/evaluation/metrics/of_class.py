"""A metric of one class, asked about the class that the user names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.base import Metric
from empirisk.evaluation.metrics.predictions import Predictions, encode
from empirisk.results import Estimate


@dataclass(frozen=True)
class OfClass:
    """The metric of predictions in which `positive` is the positive class and all others are the other one.

    Parameters
    ----------
    metric : Metric
        A metric of two classes.
    positive : label
        One of the classes.
    """

    metric: Metric
    positive: Any

    @property
    def name(self) -> str:
        """The name of the metric itself."""
        return self.metric.name

    @property
    def label(self) -> str:
        """The metric and its class in words."""
        return f"{self.metric.label} of {self.positive}"

    @property
    def unit(self) -> str:
        """The unit of the metric itself."""
        return self.metric.unit

    @property
    def task(self) -> str:
        """The kind of target, which is a class."""
        return self.metric.task

    @property
    def needs(self) -> str:
        """The output that the metric is computed from."""
        return self.metric.needs

    @property
    def greater_is_better(self) -> bool:
        """Whether larger values of the metric are better."""
        return self.metric.greater_is_better

    def unavailable(self, p: Predictions) -> str:
        """Return why it cannot be computed from these predictions; empty when it can."""
        return p.why_missing(self.needs) or self.metric.unavailable(self._seen(p))

    def value(self, p: Predictions) -> float:
        """Return the point estimate about the class."""
        return self.metric.value(self._seen(p))

    def influence(self, p: Predictions) -> Floats:
        """Return the influence of each row on the value."""
        out: Floats = self.metric.influence(self._seen(p))  # type: ignore[attr-defined]
        return out

    def interval(self, p: Predictions, level: float) -> Estimate:
        """Return the estimate on held-out rows; its target names the class."""
        return self._about(self.metric.interval(self._seen(p), level))

    def crossed(self, repeats: Sequence[Predictions], folds: int, level: float) -> Estimate:
        """Return the estimate from out-of-fold predictions; its target names the class."""
        return self._about(self.metric.crossed([self._seen(p) for p in repeats], folds, level))

    def difference(
        self, a: Sequence[Predictions], b: Sequence[Predictions], folds: int | None, level: float
    ) -> tuple[Estimate, float]:
        """Return the paired difference and its standard error."""
        first, second = ([self._seen(p) for p in each] for each in (a, b))
        return self.metric.difference(first, second, folds, level)

    def standard_error(self, repeats: Sequence[Predictions], folds: int | None) -> float:
        """Return the standard error of the mean over repeats."""
        return self.metric.standard_error([self._seen(p) for p in repeats], folds)

    def losses(self, p: Predictions) -> Floats | None:
        """Return one loss a row where the metric is a mean of losses."""
        return self.metric.losses(self._seen(p))

    def _about(self, e: Estimate) -> Estimate:
        """Return the estimate with the class in its target."""
        told = f"; about the class {self.positive}"
        return e if told in e.target else replace(e, target=e.target + told)

    def _seen(self, p: Predictions) -> Predictions:
        return one_versus_rest(p, self.positive)


def one_versus_rest(p: Predictions, positive: Any) -> Predictions:
    """Return predictions of two classes, of which the second is `positive`.

    Parameters
    ----------
    p : Predictions
        Of two classes or more.
    positive : label
        One of them.

    Raises
    ------
    ValueError
        `positive` is none of the classes.
    """
    if p.classes is None:
        raise ValueError("positive= names a class, and the target here is a number; leave it out.")
    code = int(encode(np.array([positive]), p.classes)[0])
    if code < 0:
        known = ", ".join(map(str, p.classes))
        raise ValueError(f"positive is {positive!r}, which is none of the classes: {known}.")
    if p.n_classes == 2 and code == 1:
        return p
    other = p.classes[1 - code] if p.n_classes == 2 else f"not {positive}"
    score = p.score
    if score is not None:
        score = -score if score.ndim == 1 else score[:, code]
    proba = None if p.proba is None else np.column_stack([1.0 - p.proba[:, code], p.proba[:, code]])
    return replace(
        p,
        y=(p.y == code).astype(np.intp),
        pred=None if p.pred is None else (p.pred == code).astype(np.intp),
        proba=proba,
        score=score,
        log_proba=None,
        classes=np.array([other, p.classes[code]], dtype=object),
    )
