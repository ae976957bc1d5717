"""The sentence of the verdict never contradicts the metrics below it, whatever the intervals show."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from empirisk.report.audit.audit import grouped
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.left import Left
from empirisk.report.fit.simplest import simplest_row
from empirisk.report.sections.verdict.certificate import certificate_line
from empirisk.report.sections.verdict.headline import headline, headline_name, headline_reason
from empirisk.report.sections.verdict.near import near
from empirisk.report.sections.verdict.next_step import more_time, next_step, rooted
from empirisk.report.sections.verdict.section import _scale, _untried
from empirisk.report.sections.verdict.versus import inside, versus
from empirisk.report.sections.verdict.words import Situation, verdict_sentence
from empirisk.results import Estimate, Finding, Kind
from tests.report.conftest import load

ENDS = {"better": (-0.3, -0.1), "worse": (0.1, 0.3), "unknown": (-0.1, 0.1)}


def metric(name: str, label: str, greater: bool, found: str) -> dict[str, Any]:
    low, high = ENDS[found]
    ends = (-high, -low) if greater else (low, high)
    model = {"value": 0.8, "low": 0.7, "high": 0.9, "n": 300, "method": "Wilson", "level": 0.95}
    difference = {"value": sum(ends) / 2, "low": ends[0], "high": ends[1], "method": "paired"}
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
    task = {"kind": "binary", "target": "y", "positive": "yes", "unit": None, "weight": None}
    return Situation("Model", task, metrics, headline, "log_loss", True, "t.csv", **more)


@pytest.mark.parametrize(("a", "b"), list(product(ENDS, ENDS)))
def test_a_gain_or_a_loss_that_is_shown_is_said(a: str, b: str) -> None:
    said = verdict_sentence(situation("accuracy", a, b))
    assert said.startswith(
        "Model is right on 80 of 100 new rows on average (70 to 90), if they are drawn like these"
    )
    assert said.endswith("these.") == (a == b == "better")
    assert ("worse" in said) == ("worse" in (a, b))
    assert ("worse than the baseline" in said) == (a == "worse" or (a, b) == ("better", "worse"))
    assert ("better by log-loss" in said or "by log-loss it is." in said) == (a != "better" == b)
    assert ("300 test rows do not show that this is better" in said) == (a == "unknown")
    assert ("300 test rows cannot tell it from the baseline" in said) == ((a, b) == ("better", "unknown"))


def test_a_gain_that_only_r2_shows_is_said() -> None:
    r2: dict[str, Any] = {"name": "r2", "label": "R²", "greater_is_better": True, "difference": {"low": None}}
    none = {"value": -4.9, "low": None, "high": None}
    few = [
        metric("mae", "mean absolute error", False, "unknown") | {"difference": none},
        metric("mse", "mean squared error", False, "unknown") | {"difference": none},
    ]
    task = dict.fromkeys(("exposure", "positive", "unit", "weight")) | {
        "kind": "regression",
        "target": "total",
    }
    for low, better in ((0.99, True), (-0.1, False)):
        shown = r2 | {"model": {"value": 0.995, "low": low, "high": 0.999}}
        said = verdict_sentence(Situation("Ridge", task, [*few, shown], "mae", "mse", True, "t.csv"))
        assert ("but by R² it is" in said) == better
        assert "do not show that this is better than the baseline" in said


def test_nothing_is_advised_from_what_was_not_measured() -> None:
    assert next_step(None, None, 0.5, []) is None
    refused = Estimate(0.1, None, None, 0.95, 2, "m", "2 groups are too few")
    step = next_step(refused, None, 0.5, [])
    assert step is not None
    assert step["sentence"].startswith("Get more data")
    assert "2 groups are too few" in step["sentence"]


def test_a_gain_in_the_folds_stands_beside_test_rows_that_cannot_tell() -> None:
    shown = verdict_sentence(
        situation("log_loss", "unknown", "unknown", in_folds={"low": -0.2, "high": -0.1})
    )
    assert shown.endswith(
        "do not show that this is better than the baseline; in cross-validation it is, by log-loss."
    )


def test_left_out_texts_and_formulas_are_in_the_verdict() -> None:
    said = verdict_sentence(situation("log_loss", "better", "better", texts=("msg",), formula="y = a + b."))
    assert said.startswith("Y = a + b: what follows is a formula, not a forecast.")
    assert "The text in 'msg' was left out." in said


@pytest.mark.parametrize(("counts", "name"), [([80, 20], "accuracy"), ([81, 19], "roc_auc"), (None, "mae")])
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
    assert made[0].sentence == "Whether 'a' is missing; the same holds for 'b' and 'c'."
    assert "'b': p of b" in made[0].evidence


def test_a_gain_beyond_the_loss_is_no_share_of_it() -> None:
    more = Estimate(0.5, 0.2, 0.9, 0.95, 100, "extrapolated")
    said = next_step(None, more, 0.5, [])
    assert said is not None
    assert "would bring the error close to 0" in said["sentence"]
    assert "100 %" not in said["sentence"]


def test_a_verdict_in_time_says_so_where_nothing_was_shown() -> None:
    for in_time in (False, True):
        made = replace(situation("accuracy", "unknown", "unknown", in_time=in_time), fitted=False)
        assert ("to predict y forward in time better" in verdict_sentence(made)) is in_time


def row(
    name: str,
    kind: str,
    complexity: int,
    loss: float,
    step: str = "",
    role: str = "candidate",
    cut: bool = False,
) -> Any:
    candidate = SimpleNamespace(name=name, kind=kind, linear=kind == "linear", step=step, role=role)
    return SimpleNamespace(
        result=SimpleNamespace(candidate=candidate),
        complexity=complexity,
        score=SimpleNamespace(value=loss),
        unfinished=cut,
    )


def test_the_simplest_is_the_linear_model_with_the_fewest_numbers_else_the_tree() -> None:
    nothing = row("baseline", "", 0, 0.7, role="baseline")
    empty, l1, l2 = row("empty", "linear", 0, 0.7), row("l1", "linear", 3, 0.5), row("l2", "linear", 9, 0.4)
    short = row("components", "linear", 2, 0.4, step="components")
    tree, boosting = row("tree", "tree", 2, 0.5), row("boosting", "boosting", 90, 0.3)
    rows = [nothing, empty, l2, l1, short, tree, boosting]

    def chosen(some: list[Any], at: Any) -> Any:
        found = simplest_row(SimpleNamespace(rows=some, row=at))  # type: ignore[arg-type]
        return found and found.result.candidate.name

    assert chosen(rows, boosting) == chosen(rows, nothing) == "l1"
    assert chosen(rows, l1) is None
    assert chosen([nothing, tree, boosting], boosting) == "tree"
    assert chosen([nothing, empty, boosting], boosting) is None
    assert chosen([nothing, row("far", "linear", 3, np.inf), tree, boosting], boosting) == "tree"
    short = row("cut", "linear", 1, 0.69, cut=True)  # its path was ended before its best value
    assert chosen([nothing, short, l1, tree, boosting], boosting) == "l1"
    assert chosen([nothing, short, tree, boosting], boosting) == "tree"


def test_the_log_loss_is_at_the_top_where_there_is_no_area() -> None:
    metrics = situation("roc_auc", "better", "better").metrics
    assert headline(metrics, "roc_auc")["name"] == "roc_auc"
    assert headline(metrics[:2], "roc_auc")["name"] == "log_loss"
    assert headline(metrics, "accuracy") is metrics[0]


def test_every_kind_of_certificate_has_one_line() -> None:
    assert certificate_line(None, "") is None
    for kind in Kind:
        for verified, relative in product((True, False, None), (2e-9, None)):
            made = {"kind": kind.name, "verified": verified, "relative": relative}
            line = certificate_line(made, "linear")
            assert line is not None
            assert line.startswith("Fit ")
            assert line.endswith(".")
            assert len(line) <= 90
            sure = kind not in (Kind.NONE, Kind.STATIONARITY) and verified
            assert ("Fit certified" in line) == bool(sure)


def shown(value: float, low: float | None, high: float | None, **more: Any) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "level": 0.95, "n": 300, "method": "m", **more}


@pytest.mark.parametrize("name", ["classification", "regression"])
def test_the_picture_says_the_numbers_and_places_them_in_order(name: str) -> None:
    report = load(name)
    head, simple = report["verdict"]["headline"], report["verdict"]["simplest"]
    made = versus(report)
    scale = 100.0 if head["name"] == "accuracy" else 1.0
    wanted = [head["baseline"], *([simple["estimate"]] if simple else []), head["model"]]
    assert [float(m.value) for m in made.marks] == pytest.approx(
        [scale * e["value"] for e in wanted], abs=0.06
    )
    places = [v for m in made.marks for v in (m.low, m.x, m.high)]
    known = [e[k] for e in wanted for k in ("low", "value", "high")]
    assert np.corrcoef(places, known)[0, 1] == pytest.approx(1.0, abs=1e-6)
    assert 0.0 < min(places) < max(places) < 100.0
    assert all(m.value in made.described and m.label in made.described for m in made.marks)
    assert len(made.differences) == len(made.marks) - 1


def test_differences_are_said_as_more_less_or_unknown() -> None:
    report = load("regression")
    assert versus(report).said == "0.178 [0.142, 0.214] points less error than the baseline."
    head = report["verdict"]["headline"]
    head["difference"] = shown(0.05, 0.01, 0.09)
    assert "points more error than the baseline" in versus(report).said
    head["difference"] = shown(-0.05, -0.12, 0.02)
    assert versus(report).said == (
        "0.05 [−0.02, 0.12] points less error than the baseline, which may be chance."
    )
    head["difference"] = shown(-0.05, None, None, reason="few rows")
    assert versus(report).said == (
        "0.05 points less error than the baseline on these rows; no interval of the difference can be told."
    )
    head["difference"] = shown(None, None, None, reason="few rows")
    assert versus(report).said == "No difference from the baseline can be told."


def test_where_nothing_is_chosen_the_simplest_model_shows_why() -> None:
    report = load("classification")
    constant = next(c["name"] for c in report["candidates"] if c["role"] == "baseline")
    head = report["verdict"]["headline"]
    report["verdict"] |= {"model": constant, "headline": head | {"model": head["baseline"]}}
    report["verdict"]["simplest"]["difference"] = shown(-0.001, -0.004, 0.003)
    made = versus(report)
    assert [(m.key, m.label) for m in made.marks] == [
        ("simplest", "Logistic regression (L1)"),
        ("chosen", "Baseline"),
    ]
    assert len(made.differences) == 1
    assert made.said == "0.10 [−0.30, 0.40] fewer of 100 than logistic regression (L1), which may be chance."
    report["verdict"]["simplest"] = None
    assert [m.label for m in versus(report).marks] == ["Baseline"]
    assert versus(report).said == ""


def test_few_rows_are_counted_and_not_put_into_a_hundred() -> None:
    few = situation("accuracy", "unknown", "unknown")
    few.metrics[0]["model"] |= {"value": 0.625, "low": None, "high": None, "n": 8}
    assert verdict_sentence(few).startswith("Model is right on 5 of 8 test rows; these do not")


def test_the_sentence_speaks_of_what_the_test_part_stands_for() -> None:
    later = replace(situation("accuracy", "better", "better"), rows="later rows")
    assert "right on 80 of 100 later rows on average (70 to 90)" in verdict_sentence(later)
    weighed = replace(later, task=later.task | {"weight": "w"})
    assert "of 100 later rows weighted by w on average (70 to 90)" in verdict_sentence(weighed)
    ranked = verdict_sentence(situation("roc_auc", "better", "better"))
    assert ranked.startswith(
        "Model ranks a yes row above another one in 80 of 100 pairs of new rows on average (70 to 90)"
    )
    errors = [metric("mae", "mean absolute error", False, "better")]
    task = dict.fromkeys(("exposure", "positive", "weight")) | {
        "kind": "regression",
        "target": "t",
        "unit": "mm",
    }
    off = verdict_sentence(Situation("Ridge", task, errors, "mae", "mae", True, "t.csv"))
    assert (
        off == "Ridge is off by 0.80 mm on average (0.70 to 0.90) on new rows, if they are drawn like these."
    )


def test_no_time_for_a_model_is_no_verdict_about_the_columns() -> None:
    late = replace(situation("accuracy", "unknown", "unknown"), fitted=False, tried=False)
    assert verdict_sentence(late) == (
        "No model was fitted within the time limit: the numbers are those of the baseline."
    )


def test_no_step_advises_what_was_done_already() -> None:
    """Fewer kinds of models are advised to those who asked for more, and time to those who limited it."""
    assert "--models linear" in more_time(("linear", "tree"), True)["sentence"]
    for kinds in (("linear",), ("tree",), ("boosting", "tree")):
        assert "--models linear" not in more_time(kinds, True)["sentence"]
        assert "--time-limit" in more_time(kinds, True)["sentence"]
        assert "--time-limit" not in more_time(kinds, False)["sentence"]
    free = replace(situation("accuracy", "unknown", "unknown"), fitted=False, tried=False, limited=False)
    assert "time limit" not in verdict_sentence(free)


def test_models_that_time_took_are_no_richest_class_that_was_tried() -> None:
    more = Estimate(0.0, -0.001, 0.001, 0.95, 300, "paired")
    cut = ["Support vector machine", "Gradient boosting", "Ridge"]
    for limited in (True, False):
        step = next_step(None, more, 0.5, [], richest=True, untried=cut, limited=limited)
        assert step is not None
        assert "richest class" not in step["sentence"]
        named = "Support vector machine, Gradient boosting and 1 more were left out" in step["sentence"]
        assert named == limited
        assert ("no model that was tried did better" in step["sentence"]) != limited
        assert ("--time-limit" in step["sentence"]) == limited
    tried = next_step(None, more, 0.5, [], richest=True)
    assert tried is not None
    assert "the richest class was tried" in tried["sentence"]
    judged = next_step(more, more, 0.5, [], untried=cut)  # boosting was compared, and did not gain
    assert judged is not None
    assert "a richer class would not help" in judged["sentence"]


def test_a_step_says_its_gain_in_per_cent_of_the_loss_and_small_gains_of_rows_are_no_step() -> None:
    gain = Estimate(0.03, 0.02, 0.04, 0.95, 300, "paired")
    much = next_step(None, gain, 0.3, [], richest=True, loss="log-loss")
    assert much is not None
    assert much["sentence"] == "Get more rows: twice as many would lower the log-loss by about 10 %."
    little = next_step(None, gain, 3.0, [], richest=True, loss="log-loss")
    assert little is not None
    assert little["sentence"] == (
        "Look for new columns: the richest class was tried, and twice as many rows would lower the log-loss "
        "by about 1 % only."
    )
    richer = next_step(gain, None, 0.3, [], loss="log-loss")
    assert richer is not None
    assert richer["sentence"] == "Take a richer class: boosting has 10 % less log-loss in cross-validation."


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("Errors depend on time (p = 0.01): they grow.", "errors depend on time"),
        ("'a' alone tells the target: it may be known later.", "'a' alone tells the target"),
        ("ID is a number.", "ID is a number"),
    ],
)
def test_a_serious_finding_is_the_next_step_in_words(found: str, said: str) -> None:
    step = next_step(None, None, 0.3, [Finding("ER208", "serious", found, "", "", ())])
    assert step is not None
    assert step["sentence"] == f"Settle the serious finding first: {said}."


def test_a_difference_that_contradicts_the_values_beside_it_has_a_digit_more() -> None:
    report = load("classification")
    head = report["verdict"]["headline"]
    head["model"] = shown(0.8770, 0.869, 0.885)
    head["baseline"] = shown(0.7585, 0.749, 0.769)
    head["difference"] = shown(0.1185, 0.1075, 0.1285)
    simple = report["verdict"]["simplest"]
    simple["estimate"] = shown(0.8575, 0.849, 0.866)
    simple["difference"] = shown(0.0195, 0.0140, 0.0251)
    made = versus(report)
    assert [m.value for m in made.marks] == ["75.9", "85.8", "87.7"]
    assert made.differences[0].startswith("11.85 [10.75, 12.85] more of 100")  # not 11.9: 87.7 - 75.9 = 11.8
    assert made.differences[1].startswith("1.95 [1.40, 2.51] more")  # not 2.0: 87.7 - 85.8 = 1.9
    simple["difference"] = shown(0.0190, 0.0140, 0.0251)
    assert versus(report).differences[1].startswith("1.9 [1.4, 2.5] more")


def test_values_that_are_written_alike_have_a_digit_more() -> None:
    report = load("classification")
    head, simple = report["verdict"]["headline"], report["verdict"]["simplest"]
    head["model"], head["baseline"] = shown(0.8770, 0.869, 0.885), shown(0.7585, 0.749, 0.769)
    simple["estimate"] = shown(0.8773, 0.869, 0.885)
    assert [m.value for m in versus(report).marks] == ["75.85", "87.73", "87.70"]
    simple["estimate"] = head["model"]
    assert [m.value for m in versus(report).marks] == ["75.9", "87.7", "87.7"]


def test_who_came_close_and_who_had_no_time_is_said() -> None:
    report = load("classification")
    for c in report["candidates"]:
        c.update(by_minimum=c["chosen"], best_probability=1.0 if c["chosen"] else 0.0)
    report["selection"]["left_out"] = []
    assert near(report) == ""
    other = next(c for c in report["candidates"] if c["role"] == "candidate" and not c["chosen"])
    other["best_probability"] = 0.31
    assert "came close (chance to be best: 31 %)" in near(report)
    assert inside(other["label"]) in near(report)
    chosen = next(c for c in report["candidates"] if c["chosen"])
    chosen["best_probability"] = 0.2
    assert "(chance to be best: 31 %; of the chosen model, whose mean score is the best, 20 %)" in near(
        report
    )
    other["by_minimum"] = True
    assert "scored best (chance to be best: 31 %), by less than one standard error" in near(report)
    late = {"label": "Neural network", "reason": "", "why": "time"}
    behind = late | {"label": "Random forest", "versus_leader": shown(0.02, 0.01, 0.03)}
    report["selection"]["left_out"] = [late, behind, late | {"label": "Nearest neighbours", "why": "behind"}]
    assert near(report).endswith("Left out for time, and not seen to be behind: neural network.")


def test_an_error_stands_beside_the_values_of_the_target() -> None:
    sample: Any = SimpleNamespace(
        task="regression", exposure=None, y=np.repeat([3, 5, 6, 7, 8], [1, 40, 40, 15, 4])
    )
    table: Any = SimpleNamespace(target="quality")
    held = "of the values of quality in the training rows lie between"
    assert _scale(sample, table, None) == f"For scale: 95 % {held} 5 and 7."
    sample.y = np.r_[np.zeros(97), 5.0, 6.0, 9.0]
    assert _scale(sample, table, "km") == f"For scale: all {held} 0 and 9 km."
    sample.exposure = np.ones(100)
    assert _scale(sample, table, None) == ""
    errors = [metric("mae", "mean absolute error", False, "better")]
    task = dict.fromkeys(("exposure", "positive", "weight", "unit")) | {"kind": "regression", "target": "t"}
    said = verdict_sentence(Situation("Ridge", task, errors, "mae", "mae", True, "t.csv", scale="All are 1."))
    assert said.endswith("if they are drawn like these. All are 1.")


def test_doing_nothing_is_told_by_what_is_answered() -> None:
    report = load("regression")
    constant = next(c for c in report["candidates"] if c["role"] == "baseline")
    for label, note in (
        ("Mean of the target", "mean of the target"),
        ("One rate for all rows", "one rate for all rows"),
        ("Last value of the target", "last value of the target"),
    ):
        constant["label"] = label
        assert versus(report).marks[0].note == note
    report["verdict"]["headline"]["constant"] = "median of the training targets, 4"
    assert versus(report).marks[0].note == "median of the training targets, 4"
    report = load("classification")
    assert versus(report).marks[0].note == "always <=50K"
    constant = next(c for c in report["candidates"] if c["role"] == "baseline")
    constant["label"] = "Class shares of the latest rows"
    assert versus(report).marks[0].note == "class shares of the latest rows"


def test_models_seen_to_be_behind_are_not_among_those_that_time_took() -> None:
    def one(label: str, gap: Estimate | None) -> Left:
        return Left(Candidate(label, label, "candidate"), 3_000, "time", gap=gap)

    apart = Estimate(0.02, 0.01, 0.03, 0.95, 50, "paired")
    left = [one("network", apart), one("forest", replace(apart, low=-0.01)), one("neighbours", None)]
    a: Any = SimpleNamespace(cuts=["bayes: 9 s", "3 folds"], left=left, outrun={"machine": "behind Tree"})
    assert _untried(a) == ["forest", "neighbours", "bayes"]


def test_who_is_worse_than_the_median_is_told_why() -> None:
    errors = [metric("mae", "mean absolute error", False, "worse")]
    errors[0]["constant"] = "median of the target, 1"
    task = dict.fromkeys(("exposure", "positive", "weight", "unit")) | {"kind": "regression", "target": "t"}
    said = verdict_sentence(Situation("Ridge", task, errors, "mae", "mae", True, "t.csv"))
    assert "worse than the baseline (the median of the target, 1; models are fitted to the mean)" in said
