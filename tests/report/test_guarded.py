"""A section that fails leaves a sentence in its place, and the rest of the report is written."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from empirisk import plots
from empirisk.report.errors import DataError
from empirisk.report.fit import engine
from empirisk.report.guarded import STAGES, Guard
from empirisk.report.render.html import render_html
from empirisk.report.render.write import render_markdown
from empirisk.report.sections.base import Material
from empirisk.report.sections.candidates import section as candidates
from empirisk.report.sections.learning import section as learning
from empirisk.report.sections.model import section as model
from empirisk.report.sections.registry import SECTIONS
from empirisk.report.sections.test import section as held_out
from tests.report.conftest import load
from tests.report.reports import make_report, numbers, two_classes

PARTS = STAGES | {key: said for section in SECTIONS for key, said in section.parts.items()}
# Where each stage and each part of a section is made; the curve is made in one place and told in another.
MAKERS: dict[str, tuple[Any, str]] = {
    "simplest": (engine, "score_simplest"),
    "suspects": (engine, "_look_into"),
    "diagnosis": (engine, "diagnose_model"),
    "learning_curve": (engine, "learning_curve"),
    "selection_curves": (candidates, "penalty_curves"),
    "attribution": (learning, "collect_attribution"),
    "best_possible": (learning, "collect_best_possible"),
    "bounds": (learning, "collect_bounds"),
    "model.certificate": (model, "certificate_json"),
    "model.coefficients": (model, "coefficient_rows"),
    "model.importances": (model, "importances"),
    "model.dependence": (model, "dependence_curves"),
    "test.roc": (held_out, "roc_curve"),
    "test.pr": (held_out, "pr_curve"),
    "test.calibration": (held_out, "calibration"),
    "test.confusion": (held_out, "confusion"),
    "test.scores": (held_out, "score_bins"),
    "test.observed": (held_out, "spread"),
    "test.residuals": (held_out, "spread"),
    "test.quantiles": (held_out, "normal_quantiles"),
    "test.coverage": (held_out, "coverage"),
    "test.subgroups": (held_out, "subgroups"),
}


def fails(*args: Any, **kwargs: Any) -> Any:
    raise OverflowError("cannot convert float infinity to integer")


@pytest.mark.full  # whole reports
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_a_report_is_written_when_every_section_fails(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(MAKERS) == set(PARTS)
    for module, name in MAKERS.values():
        monkeypatch.setattr(module, name, fails)
    frame, target = (two_classes(), "answer") if task == "classes" else (numbers(), "y")
    made = make_report(tmp_path, frame, target, time_limit=None, whole=False)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    page, text = (tmp_path / "out" / "report.html").read_text(), (tmp_path / "out" / "report.md").read_text()
    failed = {part["section"]: part["sentence"] for part in report["failed"]}
    other = ("observed", "residuals", "quantiles", "coverage") if task == "classes" else (
        "roc", "pr", "calibration", "confusion", "scores"
    )  # fmt: skip
    expected = set(PARTS) - {f"test.{key}" for key in other} - {"attribution"}
    assert set(failed) == expected | ({"attribution"} & set(failed))
    assert len(made.errors) == len(failed)
    for key, sentence in failed.items():
        assert sentence.startswith(PARTS[key])
        assert "OverflowError" in sentence
        assert sentence in page.replace("&#39;", "'"), key
        assert "could not be made" in text
        if "." in key:
            assert report["absent"][key] == sentence
    assert report["verdict"]["headline"]["model"]["low"] is not None


def test_a_part_that_breaks_the_schema_is_left_out() -> None:
    part = {"part": "noise", "value": None, "low": 0.2, "high": 0.1, "standing": "bounded", "how": "x"}
    estimate = {"value": 0.1, "low": None, "high": None, "level": 0.95, "n": 9, "method": "m", "reason": "r"}
    guard = Guard()
    whole = {"label": "loss", "unit": None, "risk": estimate, "parts": [part]}
    material = Material(SimpleNamespace(guard=guard), learning.LEARNING, {}, {}, "", 0.0, {})  # type: ignore[arg-type]
    assert material.part("attribution", lambda: whole) is None
    assert "is above high" in guard.failed["attribution"]


def test_errors_of_the_users_data_still_end_the_run() -> None:
    def wrong() -> None:
        raise DataError("no such column")

    with pytest.raises(DataError):
        Guard()("diagnosis", wrong)


def test_a_chart_that_cannot_be_drawn_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "RocDisplay", fails)
    report = load("classification")
    page = render_html(report)
    assert "This chart could not be made (OverflowError" in page
    assert render_markdown(report)


@pytest.mark.parametrize("said", PARTS.values())
def test_a_part_that_was_left_out_is_one_thing(said: str) -> None:
    """The sentence says "was left out": the name of the part is a singular."""
    noun = said.split()[1]
    assert said.startswith("The ")
    assert not noun.endswith("s") or noun == "diagnosis"
