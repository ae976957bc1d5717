"""Reports in Python are those of the command: the same numbers for files, pandas and polars frames."""

from __future__ import annotations

import datetime
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import empirisk as er
from empirisk.data.deadline import Deadline
from empirisk.report.errors import DataError
from empirisk.report.made import Report
from empirisk.report.options import Options
from empirisk.report.progress import Told
from empirisk.report.read.read import read_table
from empirisk.report.run import run_report
from tests.browser import browser  # noqa: F401  (a fixture)
from tests.report.reports import make_report, numbers, two_classes

QUICK: dict[str, Any] = {"models": "linear", "time_limit": 4.5}
Json = dict[str, Any]


def dated(n: int = 240) -> pl.DataFrame:
    """A class by a date, a truth value, a code with gaps and a word."""
    rng = np.random.default_rng(1)
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(0, 400, n)]
    member, code = rng.random(n) < 0.4, rng.integers(1, 4, n)
    odds = 0.02 * (np.array([d.toordinal() for d in days]) - 737600) + 1.5 * member
    return pl.DataFrame(
        {
            "day": days,
            "member": member,
            "code": [None if i % 19 == 0 else int(c) for i, c in enumerate(code)],
            "town": rng.choice(["Bergen", "Oslo"], n),
            "left": np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-odds)), "yes", "no"),
        }
    )


def said(report: Json) -> Json:
    """What a report says of the rows, without times, file names and packages."""
    kept = {k: report[k] for k in ("task", "verdict", "selection", "candidates", "test", "findings")}
    text = json.dumps(kept).replace("table.csv", "the frame")
    return _timeless(json.loads(text))


def _timeless(part: Any) -> Any:
    if isinstance(part, dict):
        return {k: _timeless(v) for k, v in part.items() if k != "fit_seconds"}
    return [_timeless(v) for v in part] if isinstance(part, list) else part


@pytest.mark.full  # each makes several reports
@pytest.mark.parametrize(
    ("table", "target"),
    [(two_classes(), "answer"), (numbers(), "y"), (dated(), "left")],
    ids=["classes", "numbers", "dates"],
)
def test_frames_give_the_report_of_the_command(table: pl.DataFrame, target: str, tmp_path: Path) -> None:
    made = make_report(tmp_path, table, target)
    guessed = pd.read_csv(tmp_path / "table.csv")
    calendar = guessed.assign(day=pd.to_datetime(guessed["day"])) if "day" in guessed else guessed
    for number, given in enumerate((table, calendar.convert_dtypes().set_index(np.arange(240)[::-1]))):
        options = Options(given, target, out=tmp_path / str(number), quiet=True, **QUICK)
        again = run_report(options, lambda line: None, Deadline(None))
        assert said(again.report) == said(made.report)
        model, right = (er.load(f / "model.empirisk") for f in (again.folder, made.folder))
        assert list(model.predict(given)) == list(right.predict(tmp_path / "table.csv"))


def test_types_of_frames_are_trusted() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "code": pd.Categorical(rng.integers(1, 4, 60)),
            "word": pd.Series(rng.choice(["a", "b"], 60), dtype="category"),
            "figures": rng.choice(["1,5", "2,5", "7"], 60),
            "y": rng.normal(size=60),
        }
    )
    for given in (frame, pl.from_pandas(frame.astype({"code": str}).astype({"code": "category"}))):
        table = read_table(given, target="y")
        assert [c.kind for c in table.columns] == ["categorical", "categorical", "number", "number"]
        assert table.column("code").reason == "a type of categories in the frame"
        assert table.column("code").levels == ("1", "2", "3")
        assert set(table.frame["figures"]) == {1.5, 2.5, 7.0}
        assert read_table(given, target="y", types={"code": "number"}).column("code").kind == "number"


@pytest.mark.full  # a report of its own
def test_a_report_shows_itself(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    told: list[tuple[int, int]] = []
    found = er.report(two_classes(), "answer", progress=lambda *step: told.append(step), **QUICK)
    assert told[-1] == (100, 100)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert found.verdict in repr(found)
    assert found.sentences[0] == found.verdict
    assert found.log[0] == "Reading the frame  240 rows, 4 columns (frame)"
    assert not any("report.html" in line for line in (*found.sentences, *found.log))
    assert isinstance(found.to_frame(), pl.DataFrame)
    assert found.to_frame()["chosen"].sum() == 1
    page = browser.new_page(viewport={"width": 900, "height": 800})
    page.set_content(f"<!doctype html><body>{found._repr_html_()}</body>")
    inside = page.frame_locator("iframe")
    assert found.verdict in " ".join(inside.locator("body").inner_text().split())
    assert inside.locator("svg").count() > 3
    found.save(tmp_path / "saved")
    assert json.loads((tmp_path / "saved" / "report.json").read_text()) == found.json
    model = er.load(tmp_path / "saved" / "model.empirisk")
    assert list(model.predict(two_classes())) == list(found.model.predict(two_classes()))
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 900
    page.close()


def test_reports_refuse_in_words_of_python() -> None:
    with pytest.raises(DataError, match=r"the frame has no column 'ansver' \(given by target=\)"):
        er.report(two_classes(), "ansver", progress=False)
    with pytest.raises(DataError, match=r"models= 'tres' must name some of"):
        er.report(two_classes(), "answer", models=["tres"], progress=False)
    assert Options(two_classes(), "y", drop=("a",), test=two_classes()).command() == (
        "er.report(frame, 'y', drop=['a'], test=test_frame)"
    )


def test_the_name_is_callable_and_holds_its_parts() -> None:
    package = importlib.import_module("empirisk.report")
    assert er.report is package
    assert package.schema.validate_report is not None
    with pytest.raises(DataError, match="no column 'ansver'"):
        er.report(two_classes(), "ansver", progress=False)
    assert Report.__module__ == "empirisk.report.made"


def test_told_shares_never_fall() -> None:
    told: list[int] = []
    shown = Told(10.0, lambda done, total: told.append(done))
    shown.stage("a", 2, 5.0)
    shown.advance()
    shown.forecast(100.0)
    shown.stage("b", 1, 5.0)
    shown.advance()
    shown.end()
    assert told == sorted(told)
    assert told[-1] == 100
    assert max(told[:-1]) <= 99


def test_columns_with_numbers_for_names_are_read_and_named() -> None:
    """The frame that pandas makes of an array: its names are 0, 1, ..."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(120, 3)))
    frame[0] = frame[1] + 0.1 * rng.normal(size=120)
    whole, text = (
        read_table(data, target=name) for data, name in ((frame, 0), (frame.rename(columns=str), "0"))
    )
    assert whole.features == text.features == ["1", "2"]
    assert whole.target == "0"
    weighted = read_table(frame.assign(w=1.0).rename(columns={"w": 7}), target=0, weight=7)  # type: ignore[arg-type]
    assert weighted.features == ["1", "2"]
    assert isinstance(er.report(frame, target=0, **QUICK), Report)


@pytest.mark.parametrize("name", [["a", "b"], ("a",), True, 1.5])
@pytest.mark.parametrize("role", ["target", "group", "weight"])
def test_a_role_is_one_column(role: str, name: Any) -> None:
    rows = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0]})
    if role == "target" and name == ["a", "b"]:
        name = [["a"], "b"]  # two names would be two targets
    with pytest.raises(DataError, match=f"{role} must be the name of one column"):
        er.report(rows, **{"target": "a", role: name})
