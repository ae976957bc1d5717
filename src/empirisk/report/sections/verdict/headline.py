"""Which metric stands at the top of a report, and what the test rows say about the model and the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empirisk.report.fit.sample import Sample
from empirisk.wording import percent

__all__ = ["MOST", "headline", "headline_name", "headline_reason", "state"]

Json = dict[str, Any]
MOST = 0.8  # share of the most frequent class up to which the accuracy says something


def headline_name(train: Sample) -> str:
    """Return the metric at the top, by the training rows alone: decided before any test row is scored.

    Numbers: the mean absolute error, which has the unit of the target.  Classes: the accuracy; where one
    class holds more than 80 % of the training rows, the area under the ROC curve, because always answering
    that class is then right so often that the accuracy shows no gain.
    """
    if train.counts is None:
        return "mae"
    return "accuracy" if max(train.counts) <= MOST * train.n else "roc_auc"


def headline_reason(train: Sample) -> str:
    """Return the rule and what it gave, in one sentence; empty for numbers."""
    if train.counts is None:
        return ""
    most = max(train.counts)
    label = train.classes[train.counts.index(most)]
    share = f"{percent(most / train.n)} of the training rows are {label}"
    if headline_name(train) == "accuracy":
        why = f"{share}; above {percent(MOST)} it would have been the area under the ROC curve"
        return f"The headline is the accuracy, decided before they were scored: {why}."
    why = f"{share}, so that always answering it would be right as often"
    return f"The headline is the area under the ROC curve, decided before they were scored: {why}."


def headline(metrics: Sequence[Json], wanted: str) -> Json:
    """Return the comparison at the top; the log-loss where these rows do not allow the wanted one."""
    by_name = {m["name"]: m for m in metrics}
    found = by_name.get(wanted)
    if found is None or (wanted == "roc_auc" and found["model"]["value"] is None):
        return by_name.get("log_loss", metrics[0])
    return found


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
