"""The Markdown twin of the page."""

from __future__ import annotations

import re
from typing import Any

import pytest

from empirisk.report.render.write import render_markdown
from empirisk.report.schema import ReportSchemaError
from empirisk.report.sections.prose import esc, in_units, told
from empirisk.report.sections.registry import form_of


def test_every_section_is_there_and_tables_are_square(case: dict[str, Any]) -> None:
    text = render_markdown(case)
    assert re.findall(r"^## (.*)$", text, flags=re.M) == [
        section.heading for section in form_of(case).sections
    ]
    assert text.startswith("# ")
    assert text.endswith("\n")
    width = 0
    for line in text.splitlines():
        bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert width in (0, bars) or bars == 0, line
        width = bars


def test_nothing_of_the_data_becomes_markup(case: dict[str, Any]) -> None:
    text = render_markdown(case)
    outside = re.sub(r"(`+).*?\1", "", text, flags=re.S)
    assert "<" not in outside


def test_numbers_are_those_of_the_report(classification: dict[str, Any]) -> None:
    text = render_markdown(classification)
    for metric in classification["test"]["metrics"]:
        assert told(in_units(metric)["model"]) in text
        assert metric["model"]["method"] in text
    assert "n = 6,513" in text
    for finding in classification["findings"]:
        assert finding["code"] in text


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("a|b", r"a\|b"),
        ("[x](y)", r"\[x\](y)"),
        ("1. one", r"1\. one"),
        ("- item", r"\- item"),
        ("> quote", r"\> quote"),
        ("<b>&", "&lt;b>&amp;"),
        ("two\nlines", "two lines"),
        ("x_1 *y*", r"x\_1 \*y\*"),
    ],
)
def test_escaping(raw: str, safe: str) -> None:
    assert esc(raw) == safe


def test_a_report_that_breaks_the_schema_is_refused(classification: dict[str, Any]) -> None:
    del classification["limits"]
    with pytest.raises(ReportSchemaError, match="limits"):
        render_markdown(classification)


def test_a_missing_learning_curve_is_a_sentence(classification: dict[str, Any]) -> None:
    classification["learning_curve"] = None
    assert "cannot tell whether more rows would help" in render_markdown(classification)
    classification["absent"]["learning_curve"] = "The time limit was reached."
    assert "The time limit was reached." in render_markdown(classification)
