"""What no rule can do better than: the bracket of Cover and Hart for the training rows of the report."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.evaluation.bayes_error import bayes_error_bracket
from empirisk.report.audit.formula import CODE as FORMULA
from empirisk.report.estimates import estimate
from empirisk.report.fit.encode import make_encoder
from empirisk.report.sections import prose
from empirisk.report.sections.base import Material
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import Record, number, string
from empirisk.report.shapes.values import estimate as estimated
from empirisk.wording import percent

__all__ = [
    "BEST_POSSIBLE",
    "best_possible_estimates",
    "best_possible_markdown",
    "better_rule_known",
    "bracket_said",
    "collect_best_possible",
]

Json = dict[str, Any]
# Rows whose neighbours are looked for at most: O(n^2 p).
MOST = 10_000

BEST_POSSIBLE = Record(
    {
        "low": number,
        "high": number,
        "interval": Record({"low": number, "high": number}),
        "error": estimated,
        "sentence": string,
    }
)


def collect_best_possible(m: Material) -> Json | None:
    """``report["best_possible"]``; None for numbers, and for rows that come in groups or in time."""
    p, absent = m.analysis.prepared, m.absent
    if p.table.task == "regression":
        absent["best_possible"] = "The error of the best rule is bracketed for classes, not for numbers."
        return None
    if p.train.groups is not None or p.train.time is not None:
        how = "in time" if p.train.time is not None else "in groups"
        absent["best_possible"] = (
            f"The error of the best rule is not bracketed: the rows come {how}, and the nearest row of a row"
            " would say too much about it."
        )
        return None
    if p.train.weights is not None:
        absent["best_possible"] = "The error of the best rule is bracketed for rows that count alike."
        return None
    if any(f.code == FORMULA for f in m.analysis.findings):
        absent["best_possible"] = "The target is a formula of another column: the best rule makes no error."
        return None
    rows = np.arange(p.train.n)
    if p.train.n > MOST:
        rows = np.sort(np.random.default_rng(p.seed).choice(p.train.n, MOST, replace=False))
    X = np.asarray(make_encoder(p.table).fit_transform(p.train.frame[rows]), dtype=np.float64)
    found = bayes_error_bracket(X, p.train.y[rows], level=p.level)
    if found.error.low is None:
        absent["best_possible"] = found.sentence
        return None
    accuracy = next((s["model"] for s in m.made["test"]["metrics"] if s["name"] == "accuracy"), None)
    low, high = found.interval
    return {
        "low": found.low,
        "high": found.high,
        "interval": {"low": low, "high": high},
        "error": estimate(found.error),
        "sentence": bracket_said(found.low, found.high, low, high, accuracy),
    }


def bracket_said(low: float, high: float, lowest: float, highest: float, accuracy: Json | None) -> str:
    """Return the bracket in words, the proved end first, and where the error of the model lies.

    Parameters
    ----------
    accuracy : dict or None
        That of the model on the test part, an estimate.
    """
    where = ""
    if accuracy is not None and accuracy["value"] is not None:
        error = 1.0 - accuracy["value"]
        place = "more: a better rule exists" if error > highest else "no more than that"
        where = f"; the model errs on {percent(error)} of the test part, {place}"
    return (
        f"The best rule on these columns errs on at most {percent(high)} of new rows ({percent(highest)}"
        f" with the interval), for so often errs the nearest neighbour{where}. It errs on at least"
        f" {percent(low)} ({percent(lowest)}) only if many more rows would not help the nearest neighbour;"
        f" in more than a few columns they would.{_against(low, lowest, accuracy)}"
    )


def _against(low: float, lowest: float, accuracy: Json | None) -> str:
    """Return what a model that errs less than the lower end says about that end; "" where none does.

    The best rule errs at most as often as any model.

    Examples
    --------
    >>> _against(0.14, 0.11, {"value": 0.925, "low": 0.91})
    ' The model errs less often than that, also by its interval: this end is refuted.'
    >>> _against(0.14, 0.11, {"value": 0.8, "low": 0.7})
    ''
    """
    if accuracy is None or accuracy["value"] is None or 1.0 - accuracy["value"] >= low:
        return ""
    if accuracy["low"] is not None and 1.0 - accuracy["low"] < lowest:
        return " The model errs less often than that, also by its interval: this end is refuted."
    return " The model errs less often than that on the test part: this end is doubtful."


def best_possible_estimates(report: Json) -> Pairs:
    """Return the estimate behind the bracket."""
    b = report["best_possible"]
    return [("one nearest neighbour", b["error"])] if b else []


def better_rule_known(r: Json) -> bool:
    """Return whether the model errs more often than the best rule is known to err at most."""
    b = r["best_possible"]
    accuracy = next((s["model"]["value"] for s in r["test"]["metrics"] if s["name"] == "accuracy"), None)
    return b is not None and accuracy is not None and 1.0 - accuracy > b["interval"]["high"]


def best_possible_markdown(r: Json) -> prose.Lines:
    """Return the bracket as sentences, or why there is none; a bracket that tells no reader of this model
    what to hope for stands in ``report.json`` alone.
    """
    b = r["best_possible"]
    if b is None:
        return prose.absent(r, "best_possible")
    if not better_rule_known(r):
        return []
    return ["### What the best rule could do", "", esc(b["sentence"]), ""]
