"""Words of the page that readers stumbled over: each is held as a kind, not as one sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest

from empirisk.plots import CalibrationDisplay, ObservedDisplay
from empirisk.report.render.html import render_html
from empirisk.report.render.write import render_markdown
from empirisk.report.sections.candidates.reasons import best_label, left_told
from empirisk.report.sections.learning.best_possible import better_rule_known
from empirisk.report.sections.learning.bounds import assumption_said
from empirisk.report.sections.methods import made_by, methods
from empirisk.report.sections.verdict.next_step import after_findings
from tests.report.conftest import load


@pytest.mark.parametrize("case", ["classification", "regression"])
def test_the_baseline_has_one_name(case: str) -> None:
    report = load(case)
    for page in (render_markdown(report), re.sub("<[^>]+>", " ", render_html(report))):
        assert "oing nothing" not in page
        assert not re.search(r"shares\W+baseline|target\W+baseline", page, re.I)


def test_who_left_for_time_is_not_said_to_be_worse() -> None:
    behind = "behind Boosting by 0.3 [0.1, 0.5], both fitted on 400 rows"
    left = [
        {"label": "Tree", "why": "behind", "reason": behind},
        {"label": "Forest", "why": "time", "reason": f"{behind}; it was not seen to be behind"},
        {"label": "Bayes", "reason": "behind Ridge by 0.7, standard error 0.2 (500 rows)"},
        {"label": "Network", "reason": "it took too long"},
        {
            "label": "Neighbours",
            "why": "time",
            "reason": f"{behind}; more rows may still bring it to the front, and its fits would take 9 s",
            "versus_leader": {"value": 0.3, "low": 0.1, "high": 0.5},
        },
    ]
    told = left_told(left)
    assert [[row["label"] for row in kind["rows"]] for kind in told] == [
        ["Tree", "Bayes"],
        ["Neighbours"],
        ["Forest"],
        ["Network"],
    ]
    assert told[1]["rows"][0]["reason"].endswith("behind Boosting on 400 rows; its fits would take 9 s")
    assert [("Worse" in k["sentence"], "not shown to be worse" in k["sentence"]) for k in told] == [
        (True, False),
        (False, False),
        (False, True),
        (False, False),
    ]
    assert "behind Ridge" in told[0]["rows"][1]["reason"]
    assert best_label(left) != best_label([]) == "Against the best"


def test_bins_without_a_difference_are_no_proof_of_agreement() -> None:
    bins = [{"predicted": 0.2, "observed": {"value": 0.2, "low": 0.1, "high": 0.3}}]
    means = [{"predicted": 4.1, "mean": {"value": 4.2, "low": 4.0, "high": 4.4}}]
    for title in (
        CalibrationDisplay({"about": "p", "bins": bins}).title,
        ObservedDisplay({"bins": means}, "y").title,
    ):
        assert title.startswith("No bin of 1 shows")


def test_an_extrapolation_has_no_level() -> None:
    e: dict[str, Any] = {"value": 1.0, "low": 0.5, "high": 2.0, "level": 0.95, "n": 9}
    e["method"] = "bracket from the last measured step"
    assert methods([("more rows", e)])[0].level is None
    assert "95 %" not in made_by(e)
    assert "95 %" in made_by(e | {"method": "Wilson"})


def test_a_gain_comes_after_what_findings_say_to_do() -> None:
    gains: dict[str, Any] = {"sentence": "Get more rows: it helps.", "gain": {"value": 0.1}}
    settles = gains | {"gain": None}
    first, second = after_findings(gains, True), after_findings(settles, True)
    assert first is not None
    assert first["sentence"].startswith("When the findings are settled, get")
    assert second == settles
    assert after_findings(gains, False) == gains


@pytest.mark.parametrize(("accuracy", "known"), [(0.88, False), (0.7, True)])
def test_a_bound_on_the_best_rule_is_told_where_it_tells_something(accuracy: float, known: bool) -> None:
    metric = {"name": "accuracy", "model": {"value": accuracy}}
    report = {"best_possible": {"interval": {"low": 0.1, "high": 0.21}}, "test": {"metrics": [metric]}}
    assert better_rule_known(report) is known


def test_what_the_report_sees_to_is_not_assumed() -> None:
    fixed = {"text": "the model was fixed before these rows were looked at", "source": "assumed"}
    other = {"text": "the rows are drawn independently", "source": "assumed"}
    assert "assumed" not in assumption_said(fixed)
    assert assumption_said(other).endswith("(assumed)")


def test_a_unit_in_a_name_is_said_once() -> None:
    report = load("regression")
    report["task"] |= {"target": "chol (mg/dl)", "unit": "mg/dl"}
    assert "(mg/dl) (mg/dl)" not in render_markdown(report) + render_html(report)
