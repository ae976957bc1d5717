"""The validator names the key at fault, and the documentation lists every key."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from empirisk.report.schema import REPORTS, ReportSchemaError, validate_report
from empirisk.report.shapes.checkers import Record

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "report-json.md"


def put(report: Any, path: str, value: Any) -> None:
    keys = [int(k) if k.isdigit() else k for k in re.findall(r"[^.\[\]]+", path)]
    for key in keys[:-1]:
        report = report[key]
    report[keys[-1]] = value


def test_examples_and_hard_cases_are_valid(case: dict[str, Any]) -> None:
    validate_report(case)
    validate_report(json.loads(json.dumps(case)))


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("level", 95, "strictly between 0 and 1"),
        ("task.kind", "clustering", "one of binary, multiclass, regression"),
        ("task.positive", "yes", "must be one of task.classes"),
        ("verdict.headline.model.low", 0.99, "is above high"),
        ("verdict.headline.model.value", math.nan, "must be finite"),
        ("verdict.headline.model.n", 3.0, "whole number"),
        ("verdict.headline.model.n", True, "whole number"),
        ("verdict.findings[0]", "ER999", "is not among the findings"),
        ("data.source", "folder/adult.csv", "without its folder"),
        ("data.columns[3].role", "colour", "one of target"),
        ("data.columns[0].histogram.edges", [0, 1], "one item more than counts"),
        ("split.parts", [], "at least 2 items"),
        ("candidates[1].parameters.alpha", [1], "must be a number"),
        ("selection_curves[0].validation.value", [1.0], "must have one length"),
        ("selection_curves[0].candidate", "ghost", "is not a candidate"),
        ("test.roc.x", [0.0], "must have one length"),
        ("test.scores.edges", [0, 0.5, 0.5, 1], "must increase strictly"),
        ("test.confusion.counts", [[1]], "must be 2 by 2"),
        ("test.confusion.recall", [], "must have 2 items"),
        ("learning_curve.validation.method", 3, "must be a string"),
        ("findings[1].level", "catastrophe", "one of note, warning, serious"),
        ("provenance.model_file", "out/model.empirisk", "without its folder"),
        ("schema", "empirisk-report/0", "must be 'empirisk-report/1'"),
    ],
)
def test_the_key_at_fault_is_named(
    classification: dict[str, Any], path: str, value: Any, problem: str
) -> None:
    put(classification, path, value)
    with pytest.raises(ReportSchemaError, match=re.escape(problem)) as caught:
        validate_report(classification)
    # What concerns several keys may name the first of them.
    assert caught.value.path.rsplit(".", 1)[0].startswith(path.rsplit(".", 1)[0].split("[")[0])
    assert caught.value.path in str(caught.value)


def test_missing_and_unknown_keys_are_named(classification: dict[str, Any]) -> None:
    del classification["model"]["sentence"]
    with pytest.raises(ReportSchemaError, match=r"'model\.sentence': is missing"):
        validate_report(classification)
    classification["model"]["sentence"] = ""
    classification["test"]["accuracy"] = 1
    with pytest.raises(ReportSchemaError, match=r"'test\.accuracy': is not a key"):
        validate_report(classification)


def test_an_estimate_without_interval_needs_a_reason(classification: dict[str, Any]) -> None:
    classification["candidates"][0]["score"]["low"] = None
    with pytest.raises(ReportSchemaError, match=r"'candidates\[0\]\.score\.reason': is needed"):
        validate_report(classification)


def test_absent_must_speak_of_a_key_that_is_null(classification: dict[str, Any]) -> None:
    classification["absent"] = {"test.rok": "No."}
    with pytest.raises(ReportSchemaError, match="is not a key of this report"):
        validate_report(classification)
    classification["absent"] = {"test.roc": "No."}
    with pytest.raises(ReportSchemaError, match="but the key is there"):
        validate_report(classification)
    classification["test"]["roc"] = None
    validate_report(classification)


def test_exactly_the_model_of_the_verdict_is_chosen(classification: dict[str, Any]) -> None:
    classification["candidates"][0]["chosen"] = True
    with pytest.raises(ReportSchemaError, match=r"exactly verdict\.model must be chosen"):
        validate_report(classification)


def test_the_error_survives_pickling() -> None:
    error = ReportSchemaError("a.b", "is missing")
    again = pickle.loads(pickle.dumps(error))
    assert (again.path, str(again)) == (error.path, str(error))


def _keys(check: Any, seen: set[int]) -> Iterator[str]:
    """All keys of a checker, found through the records that its closures hold."""
    if id(check) in seen:
        return
    seen.add(id(check))
    if isinstance(check, Record):
        for key, inner in check.fields.items():
            yield key
            yield from _keys(inner, seen)
    for cell in getattr(check, "__closure__", None) or ():
        if callable(cell.cell_contents):
            yield from _keys(cell.cell_contents, seen)


def test_every_key_is_documented() -> None:
    text = re.sub(r"```.*?```", "", DOCS.read_text(encoding="utf-8"), flags=re.S)
    keys = {key for record in REPORTS.values() for key in _keys(record, set())}
    assert len(keys) > 100
    words = set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`([^`]+)`", text))))
    assert keys - words == set()


def test_no_row_and_no_folder_is_in_the_examples(case: dict[str, Any]) -> None:
    """Lists of numbers stay aggregated, however the report is nested."""

    def longest(value: Any) -> int:
        if isinstance(value, dict):
            return max(map(longest, value.values()), default=0)
        if isinstance(value, list):
            numbers = len(value) if all(isinstance(v, (int, float)) for v in value) else 0
            return max([numbers, *map(longest, value)], default=0)
        return 0

    assert longest(case) <= 400
