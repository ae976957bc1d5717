"""A report in a folder that holds one about something else says so before it begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from empirisk.report.replaced import replaced

MODEL = {"task": {"target": "price"}, "data": {"source": "houses.csv"}}
CLUSTERS = {"data": {"source": "houses.csv"}}
SEVERAL = {"targets": [{"target": "price"}, {"target": "rooms"}], "source": "houses.csv"}


def put(folder: Path, report: object) -> Path:
    (folder / "report.json").write_text(json.dumps(report))
    return folder


@pytest.mark.parametrize(
    ("old", "targets", "source"),
    [
        (MODEL, ("price",), "houses.csv"),
        (CLUSTERS, (), "houses.csv"),
        (SEVERAL, ("price", "rooms"), "houses.csv"),
    ],
)
def test_the_same_report_made_again_is_replaced_without_a_word(
    tmp_path: Path, old: object, targets: tuple[str, ...], source: str
) -> None:
    assert replaced(put(tmp_path, old), targets, source) == ""


@pytest.mark.parametrize(
    ("old", "named"),
    [
        (MODEL, "'price' of houses.csv"),
        (CLUSTERS, "clusters of houses.csv"),
        (SEVERAL, "'price' and 'rooms'"),
    ],
)
def test_another_report_is_named(tmp_path: Path, old: object, named: str) -> None:
    said = replaced(put(tmp_path, old), ("rooms",), "houses.csv")
    for word in (named, tmp_path.name, "--out"):
        assert word in said
    assert replaced(put(tmp_path, old), ("price",), "flats.csv")


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"data": null}', '"report"', "{"])
def test_a_file_that_is_no_report_of_ours_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text(text)
    assert replaced(tmp_path, ("price",), "houses.csv") == ""
