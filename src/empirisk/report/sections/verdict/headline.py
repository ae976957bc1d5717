"""Which metric stands at the top of a report, and what the test rows say about the model and the baseline."""

from __future__ import annotations

from typing import Any

from empirisk.report.fit.sample import Sample
from empirisk.wording import percent

__all__ = ["MOST", "headline_name", "headline_reason", "state"]

Json = dict[str, Any]
MOST = 0.8  # share of the most frequent class up to which the accuracy says something


def headline_name(train: Sample) -> str:
    """Return the metric at the top, by the training rows alone: decided before any test row is scored.

    Numbers: the mean absolute error, which has the unit of the target.  Classes: the accuracy; where one
    class holds more than 80 % of the training rows, the log-loss, by which the models are fitted and chosen,
    because always answering that class is then right so often that the accuracy shows no gain.
    """
    if train.counts is None:
        return "mae"
    return "accuracy" if max(train.counts) <= MOST * train.n else "log_loss"


def headline_reason(train: Sample) -> str:
    """Return the rule and what it gave, in one sentence; empty for numbers."""
    if train.counts is None:
        return ""
    most = max(train.counts)
    label = train.classes[train.counts.index(most)]
    share = f"{label} has {percent(most / train.n)} of the training rows"
    rule = f"the accuracy up to {percent(MOST)}, the log-loss above"
    chosen = "accuracy" if headline_name(train) == "accuracy" else "log-loss"
    return f"The headline is the {chosen}, decided before they were scored: {share} ({rule})."


def state(difference: Json | None, greater: bool) -> str:
    """Return what an interval of model minus baseline shows: "better", "worse" or "unknown".

    Examples
    --------
    >>> state({"low": -0.3, "high": -0.1}, False), state({"low": -0.3, "high": 0.1}, False)
    ('better', 'unknown')
    """
    if difference is None or difference["low"] is None or difference["high"] is None:
        return "unknown"
    low, high = (
        (difference["low"], difference["high"]) if greater else (-difference["high"], -difference["low"])
    )
    return "better" if low > 0.0 else "worse" if high < 0.0 else "unknown"
