"""What is counted stands in the singular after 1, and no paragraph of a page stands twice in a row."""

from __future__ import annotations

import copy
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from empirisk.data.deadline import Deadline
from empirisk.report.render.html import render_html
from empirisk.report.render.write import render_markdown
from empirisk.wording import singular
from tests.report.conftest import CASES
from tests.report.test_sentences import strings

# Words that follow 1 and end like a plural without being one.
NONE = r"(?:is|was|has|as|its|this|does|says|shows|stands|lies|holds|times|plus|loss|class|bias|axis|counts)"
PLURAL = re.compile(
    rf"(?<![\w.,×·−±/^{{(\[-])1 (?:(?:more|test|training|non-zero|kept|empty|other|new) )?(?!{NONE}\b)"
    r"([a-z]{3,}s)\b(?!-)"
)


def plurals(text: str) -> list[str]:
    """Return what a text says of one thing in the plural."""
    return [m[0] for m in PLURAL.finditer(text)]


def of_one(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report with one bin, one left-out row of each table and models that hold one number."""
    made = copy.deepcopy(report)
    for c in made["candidates"]:
        if c["complexity"]:
            c["complexity"] = {"value": 1, "unit": singular(c["complexity"]["unit"])}
    test = made["test"]
    for table in ("calibration", "residuals", "observed"):
        if test.get(table):
            test[table]["bins"] = test[table]["bins"][:1]
    if test.get("subgroups"):
        test["subgroups"]["groups"] = test["subgroups"]["groups"][:6]
    made["selection"]["notes"] = made["selection"].get("notes", [])[:1]
    made["data"]["handling"] = made["data"]["handling"][:1]
    model = made["model"]
    for key, most in (("importances", 9), ("coefficients", 9)):
        model[key] = model[key] and model[key][:most]
    return made


def words_of(page: str) -> str:
    """Return the words of a page, without its charts, its styles and its code."""
    page = re.sub(r"<(svg|style|script|code|pre)\b.*?</\1>", " ", page, flags=re.S)
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page))


def test_the_judge_finds_a_plural_of_one() -> None:
    for said in (
        "1 bins of it",
        "of 1 leaves",
        "1 non-zero coefficients",
        "made from 1 columns",
        "1 training rows",
    ):
        assert plurals(said), said
    for said in ("1 bin", "11 bins", "0.1 points", "1 class", "1 is none", "level 1 has 3 rows", "1 loss"):
        assert not plurals(said), said


@pytest.mark.parametrize("name", [c for c in CASES if "hostile" not in c])
def test_one_thing_is_said_in_the_singular(name: str) -> None:
    report = CASES[name]()
    for made in (report, *([of_one(report)] if "candidates" in report else [])):
        assert not plurals(words_of(render_html(made, Deadline(0.0))))
        assert not plurals(re.sub(r"`+.*?`+", "", render_markdown(made)))
        assert not [said for said in strings(made) if plurals(said)]


def test_a_small_report_counts_in_the_singular(classes_made: Path) -> None:
    for said in strings(json.loads((classes_made / "out" / "report.json").read_text())):
        assert not plurals(said), said


@pytest.mark.parametrize("name", ["classification", "regression"])
def test_no_paragraph_of_markdown_stands_twice_in_a_row(name: str) -> None:
    """Several parts may be absent for one reason, which is said once."""
    report = CASES[name]()
    for key in ("observed", "residuals", "quantiles", "calibration", "roc", "pr"):
        if key in report["test"]:
            report["test"][key] = None
            report["absent"][f"test.{key}"] = "The test part has 2 rows, and at least ten are needed."
    for key in ("coefficients", "importances", "dependence"):
        report["model"][key] = None
        report["absent"][f"model.{key}"] = "The constant prediction uses no column."
    paragraphs = [p for p in render_markdown(report).split("\n\n") if p.strip()]
    assert sum("at least ten are needed" in p for p in paragraphs) == 1
    assert not [a for a, b in pairwise(paragraphs) if a == b]
