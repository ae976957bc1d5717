"""Words of the page that readers stumbled over: each is held as a kind, not as one sentence."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from empirisk.data.deadline import Deadline
from empirisk.plots import AttributionDisplay, CalibrationDisplay, ObservedDisplay
from empirisk.report.render.html import render_html
from empirisk.report.render.write import render_markdown
from empirisk.report.sections.candidates.reasons import best_label, by_minimum, left_told
from empirisk.report.sections.learning.best_possible import better_rule_known, bracket_said
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
        ["Tree"],
        ["Bayes"],
        ["Neighbours"],
        ["Forest"],
        ["Network"],
    ]
    assert told[2]["rows"][0]["reason"].endswith("behind Boosting on 400 rows; its fits would take 9 s")
    assert [("Worse" in k["sentence"], "not shown to be worse" in k["sentence"]) for k in told] == [
        (True, False),
        (False, False),
        (False, False),
        (False, True),
        (False, False),
    ]
    assert "behind Ridge" in told[1]["rows"][0]["reason"]
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


def test_the_smallest_score_and_the_table_are_about_the_same_setting() -> None:
    """Ridge has the smallest score of all at one penalty, and the table shows it at a larger one."""
    candidate = SimpleNamespace(label="Ridge", parameter="alpha")
    result = SimpleNamespace(candidate=candidate, alphas=np.array([10.0, 1.0, 0.0158]))
    row: Any = SimpleNamespace
    apart = by_minimum(row(result=result, at=0, lowest=2), False)
    assert "of all settings" in apart
    assert "alpha = 0.0158; the table shows it with alpha = 10," in apart
    same = by_minimum(row(result=result, at=2, lowest=2), True)
    assert same == "The smallest mean score chooses the same: Ridge with alpha = 0.0158."
    report = load("classification")
    best = next(c for c in report["candidates"] if not c["chosen"] and c["versus_best"])
    for c in report["candidates"]:
        c["by_minimum"] = c is best
    assert "best mean at another setting" in render_html(report, Deadline(0.0))


@pytest.mark.parametrize(
    ("accuracy", "said"),
    [
        ({"value": 0.925, "low": 0.91}, "this end is refuted"),
        ({"value": 0.88, "low": 0.8}, "this end is doubtful"),
        ({"value": 0.88, "low": None}, "this end is doubtful"),
        ({"value": 0.8, "low": 0.7}, "where else"),
    ],
)
def test_a_model_below_the_lower_end_speaks_against_it(accuracy: dict[str, Any], said: str) -> None:
    """The best rule errs on 11 to 14 % or more, it is said; a model that errs less often shows otherwise."""
    sentence = bracket_said(0.14, 0.25, 0.11, 0.27, accuracy)
    assert (said in sentence) == (accuracy["value"] > 0.86)
    assert ("this end" in sentence) == (accuracy["value"] > 0.86)


def test_no_part_of_a_loss_is_said_to_exceed_it() -> None:
    whole = {"value": 0.35, "low": 0.24, "high": 0.46}
    ends = [(None, 0.46), (0.0, 0.34), (0.24, 0.46), (0.4, 0.46), (0.1, 0.2)]
    parts = [
        {"part": f"part {i}", "value": None, "low": low, "high": high, "standing": "bounded"}
        for i, (low, high) in enumerate(ends)
    ]
    display = AttributionDisplay(parts, "Brier score", whole)
    assert display.title == (
        "Of a Brier score of 0.35: part 0 up to all of it, part 1 at most 0.34, part 2 0.24 or more, "
        "part 3 all of it, part 4 0.1 to 0.2"
    )
    for said in (display.title.partition(": ")[2], display.description.partition(". ")[2]):
        assert all(float(v) <= 0.35 for v in re.findall(r"\d\.\d+", said))
