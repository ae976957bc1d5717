"""The sentence of the verdict never contradicts the metrics below it, whatever the intervals show."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from empirisk.report.audit.audit import grouped
from empirisk.report.sections.verdict.headline import headline_name, headline_reason
from empirisk.report.sections.verdict.next_step import next_step, rooted
from empirisk.report.sections.verdict.words import Situation, verdict_sentence
from empirisk.results import Estimate, Finding

ENDS = {"better": (-0.3, -0.1), "worse": (0.1, 0.3), "unknown": (-0.1, 0.1)}


def metric(name: str, label: str, greater: bool, found: str) -> dict[str, Any]:
    low, high = ENDS[found]
    ends = (-high, -low) if greater else (low, high)
    model = {"value": 0.8, "low": 0.7, "high": 0.9, "n": 300}
    difference = {"value": sum(ends) / 2, "low": ends[0], "high": ends[1]}
    return {
        "name": name,
        "label": label,
        "greater_is_better": greater,
        "model": model,
        "difference": difference,
    }


def situation(headline: str, by_accuracy: str, by_loss: str, **more: Any) -> Situation:
    metrics = [
        metric("accuracy", "accuracy", True, by_accuracy),
        metric("log_loss", "log-loss", False, by_loss),
        metric("roc_auc", "area", True, "unknown"),
    ]
    task = {"kind": "binary", "target": "y", "positive": "yes", "unit": None}
    return Situation("Model", task, metrics, headline, "log_loss", True, "t.csv", **more)


@pytest.mark.parametrize(("a", "b"), list(product(ENDS, ENDS)))
def test_a_gain_or_a_loss_that_is_shown_is_said(a: str, b: str) -> None:
    said = verdict_sentence(situation("accuracy", a, b))
    assert ("better than" in said and "Whether" not in said) == ("better" in (a, b))
    assert ("worse" in said) == ("worse" in (a, b))
    assert ("cannot be told" in said) == (a == b == "unknown")
    if {a, b} == {"better", "unknown"}:
        assert "these 300 test rows cannot tell" in said


def test_a_gain_that_only_r2_shows_is_said() -> None:
    r2: dict[str, Any] = {"name": "r2", "label": "R²", "greater_is_better": True, "difference": {"low": None}}
    none = {"value": -4.9, "low": None, "high": None}
    few = [
        metric("mae", "mean absolute error", False, "unknown") | {"difference": none},
        metric("mse", "mean squared error", False, "unknown") | {"difference": none},
    ]
    task = {"kind": "regression", "exposure": None, "target": "total", "positive": None, "unit": None}
    for low, better in ((0.99, True), (-0.1, False)):
        shown = r2 | {"model": {"value": 0.995, "low": low, "high": 0.999}}
        said = verdict_sentence(Situation("Ridge", task, [*few, shown], "mae", "mse", True, "t.csv"))
        assert ("better than always answering the mean by R²" in said) == better
        assert ("cannot be told" in said) != better


def test_nothing_is_advised_from_what_was_not_measured() -> None:
    assert next_step(None, None, "log-loss", 0.5, []) is None
    refused = Estimate(0.1, None, None, 0.95, 2, "m", "2 groups are too few")
    step = next_step(refused, None, "log-loss", 0.5, [])
    assert step is not None
    assert step["sentence"].startswith("More data are needed")
    assert "2 groups are too few" in step["sentence"]


def test_a_gain_in_the_folds_stands_beside_test_rows_that_cannot_tell() -> None:
    shown = verdict_sentence(
        situation("log_loss", "unknown", "unknown", in_folds={"low": -0.2, "high": -0.1})
    )
    assert "in cross-validation on the training rows it does" in shown


def test_left_out_texts_and_formulas_are_in_the_verdict() -> None:
    said = verdict_sentence(situation("log_loss", "better", "better", texts=("msg",), formula="y = a + b."))
    assert said.startswith("Y = a + b: what follows is a formula, not a forecast.")
    assert "The text in 'msg' was left out." in said


@pytest.mark.parametrize(("counts", "name"), [([80, 20], "accuracy"), ([81, 19], "log_loss"), (None, "mae")])
def test_the_headline_follows_from_the_training_rows(counts: list[int] | None, name: str) -> None:
    train: Any = SimpleNamespace(counts=counts, n=100, classes=("no", "yes"))
    assert headline_name(train) == name
    assert ("before they were scored" in headline_reason(train)) == (counts is not None)


def test_gains_of_squares_are_said_as_roots() -> None:
    e = rooted(Estimate(1.2e8, 0.5e8, 2e8, 0.95, 300, "paired"), 2e8)
    assert e is not None
    assert e.value == pytest.approx(np.sqrt(2e8) - np.sqrt(0.8e8))
    assert e.high == pytest.approx(np.sqrt(2e8))


def test_findings_of_one_kind_are_one_with_the_first_in_front() -> None:
    def finding(name: str, level: str = "warning") -> Finding:
        return Finding("ER106", level, f"Whether {name!r} is missing.", f"p of {name}", "Ask.", (name,))

    made = grouped([finding("a"), finding("b"), finding("c"), finding("d", "note")])
    assert [f.where for f in made] == [("a", "b", "c"), ("d",)]
    assert made[0].sentence == "Whether 'a' is missing. The same holds for 'b' and 'c'."
    assert "'b': p of b" in made[0].evidence


def test_a_gain_beyond_the_loss_is_no_share_of_it() -> None:
    more = Estimate(0.5, 0.2, 0.9, 0.95, 100, "extrapolated")
    said = next_step(None, more, "root mean squared error", 0.5, [])
    assert said is not None
    assert "would bring the root mean squared error close to 0" in said["sentence"]
    assert "100 %" not in said["sentence"]


def test_a_verdict_in_time_says_so_where_nothing_was_shown() -> None:
    for in_time in (False, True):
        made = replace(situation("accuracy", "unknown", "unknown", in_time=in_time), fitted=False)
        assert ("to predict y forward in time better" in verdict_sentence(made)) is in_time
