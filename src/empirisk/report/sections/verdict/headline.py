"""Which metric stands at the top of a report, and what the test rows say about the model and the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empirisk.report.fit.sample import Sample
from empirisk.wording import percent

__all__ = ["MOST", "headline", "headline_name", "headline_reason", "state"]

Json = dict[str, Any]
MOST = 0.8  # share of the most frequent class up to which the accuracy says something
CHANCE = "0.5 by definition: a constant prediction ranks nothing"


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
    share = f"{label} has {percent(most / train.n)} of the training rows"
    rule = f"the accuracy up to {percent(MOST)}, the area under the ROC curve above"
    chosen = "accuracy" if headline_name(train) == "accuracy" else "area under the ROC curve"
    return f"The headline is the {chosen}, decided before they were scored: {share} ({rule})."


def headline(metrics: Sequence[Json], wanted: str) -> Json:
    """Return the comparison at the top; where these rows do not allow the wanted one, that of the log-loss.

    The area under the ROC curve of a constant is 1/2 by definition, so that a difference to it has the
    interval of the area itself, less 1/2.
    """
    by_name = {m["name"]: m for m in metrics}
    found = by_name.get(wanted)
    if found is None or (wanted == "roc_auc" and found["model"]["value"] is None):
        return by_name.get("log_loss", metrics[0])
    return found if wanted != "roc_auc" else _against_chance(found)


def _against_chance(metric: Json) -> Json:
    """Return the area under the ROC curve beside 1/2."""
    model = metric["model"]
    less = {k: None if model[k] is None else model[k] - 0.5 for k in ("value", "low", "high")}
    half = {"value": 0.5, "low": 0.5, "high": 0.5, "method": CHANCE}
    return metric | {
        "baseline": model | half,
        "difference": model | less | {"method": f"{model['method']}, less 0.5"},
    }


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
