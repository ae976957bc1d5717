"""Reports on several targets: a folder each, a list with intervals that hold together, all or none."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import empirisk as er
from empirisk.cli import app
from empirisk.data.deadline import Deadline
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.metrics.predictions import regression
from empirisk.report import run, targets
from empirisk.report.atomic import check_folder, report_folder
from empirisk.report.errors import DataError
from empirisk.report.options import Options
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from empirisk.report.render.targets import TARGETS, render_index_markdown
from empirisk.report.targets import folders_of, joint_level, run_targets


def table(n: int = 150, seed: int = 0) -> pl.DataFrame:
    """Two numbers that follow from two columns, and a class that follows from one."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n)
    return pl.DataFrame(
        {
            "a": a,
            "b": b,
            "sum": a + b + 0.3 * rng.normal(size=n),
            "sold out?": np.where(a + rng.normal(size=n) > 0.0, "yes", "no"),
            "far": 2.0 * b + rng.normal(size=n),
        }
    )


def written(folder: Path) -> Path:
    file = folder / "table.csv"
    table().write_csv(file)
    return file


def silent(line: str) -> None:
    """Take a line and print nothing of it."""


def test_levels_and_folders() -> None:
    assert joint_level(0.9, 4) == pytest.approx(0.975)
    named = folders_of(["Größe", "a/b", "a b", "A_b", "..", "x" * 90, "model.empirisk"])
    assert named == ["Größe", "a-b", "a-b-2", "A_b", "target", "x" * 60, "model.empirisk-2"]


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["sum", "sum"], {}, "--target 'sum' is given twice"),
        (["sum", "far"], {"drop": ("far",)}, "'far' is a target and cannot be dropped"),
        (["sum", "sold out?"], {"positive": "yes"}, "--positive names a class of one target"),
        (["sum", "sold"], {}, "no column 'sold'"),
        (["sum", "far"], {"group": "far"}, "cannot be given by --group too"),
    ],
)
def test_targets_are_refused_before_any_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], options: dict[str, Any], message: str
) -> None:
    monkeypatch.setattr(targets, "run_report", lambda *a, **k: pytest.fail("a fit began"))
    asked = Options(written(tmp_path), "", out=tmp_path / "out", **options)
    with pytest.raises(DataError, match=message.replace("?", r"\?")):
        run_targets(asked, names, silent)
    assert not (tmp_path / "out").exists()


def test_a_table_is_read_once_for_each_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(*given: Any, **more: Any) -> Table:
        read.append(more["target"])
        if len(read) > 2:
            raise DataError("read again")
        return read_table(*given, **more)

    def fitted(*given: Any, **more: Any) -> Any:
        raise DataError("the fits begin")

    monkeypatch.setattr(run, "read_table", counted)
    monkeypatch.setattr(run, "prepare", fitted)
    with pytest.raises(DataError, match="the fits begin"):
        run_targets(Options(written(tmp_path), "", out=tmp_path / "out"), ["sum", "far"], silent)
    assert read == ["sum", "far"]


def test_a_failure_of_the_second_report_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, float | None]] = []

    def fake(options: Options, say: Any, deadline: Deadline, *, folder: Path, **more: Any) -> Any:
        seen.append((options.target, options.time_limit))
        if len(seen) == 2:
            raise DataError("this one fails")
        folder.mkdir()
        (folder / "report.json").write_text("{}")
        more["look"].args[0].append({})
        return targets.Outcome({}, folder, 0.0)

    monkeypatch.setattr(targets, "run_report", fake)
    asked = Options(written(tmp_path), "", out=tmp_path / "out", time_limit=90.0)
    with pytest.raises(DataError, match="this one fails"):
        run_targets(asked, ["sum", "far", "sold out?"], silent, Deadline(90.0, time.perf_counter() - 30.0))
    assert [name for name, _ in seen] == ["sum", "far"]
    # A third of the 60 seconds that are left, then half of those, since the first took none.
    assert [limit for _, limit in seen] == pytest.approx([20.0, 30.0], abs=2.0)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["table.csv"]


def test_a_folder_of_several_reports_is_replaced_and_no_other_is(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    inner = folder / "sum"
    inner.mkdir(parents=True)
    (inner / "report.json").write_text("{}")
    with pytest.raises(DataError, match="holds 'sum'"):  # no list of targets beside it
        check_folder(folder)
    (folder / "report.json").write_text("{}")
    check_folder(folder)
    with report_folder(folder) as fresh:
        (fresh / "report.json").write_text("{}")
    assert [p.name for p in folder.iterdir()] == ["report.json"]
    inner.mkdir()
    (inner / "report.json").write_text("{}")
    (inner / "mine.txt").write_text("kept")
    with pytest.raises(DataError, match="holds 'sum'"):
        check_folder(folder)


def test_the_command_names_all_targets() -> None:
    options = Options(Path("a.csv"), "", seed=3)
    assert options.command(["y", "z 1"]) == "empirisk report a.csv --target y --target 'z 1' --seed 3"
    frame = replace(options, data={"x": [1.0]})
    assert frame.command(["y", "z"]) == "er.report(frame, ['y', 'z'], seed=3)"


@pytest.mark.full  # three small reports
def test_every_target_has_its_report_and_the_list_holds_together(tmp_path: Path) -> None:
    new = tmp_path / "new.csv"
    table(90, seed=1).write_csv(new)
    given = ["report", str(written(tmp_path)), "--out", str(tmp_path / "out"), "--models", "linear"]
    named = ["--target", "sum", "--target", "sold out?", "--target", "far"]
    result = CliRunner().invoke(app, [*given, *named, "--test", str(new), "--time-limit", "30", "--debug"])
    assert result.exit_code == 0, result.output
    assert ".part" not in result.output
    index = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    TARGETS(index, "")
    assert [row["folder"] for row in index["targets"]] == ["sum", "sold-out", "far"]
    for row in index["targets"]:
        own = json.loads((tmp_path / "out" / row["folder"] / "report.json").read_text("utf-8"))
        others = {r["target"] for r in index["targets"]} - {row["target"]}
        roles = {c["name"]: c["role"] for c in own["data"]["columns"]}
        assert {name for name in others if roles[name] != "dropped"} == set()
        wide, narrow = row["headline"]["model"], own["verdict"]["headline"]["model"]
        assert wide["value"] == narrow["value"]
        assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
        assert wide["level"] == pytest.approx(1.0 - 0.05 / 3.0)
    # The interval of a target from its saved model and the test file, at the level of Bonferroni.
    model, rows = er.load(tmp_path / "out" / "far" / "model.empirisk"), pl.read_csv(new)
    again = METRICS["mae"].interval(regression(rows["far"].to_numpy(), model.predict(rows)), 1.0 - 0.05 / 3.0)
    told = index["targets"][2]["headline"]["model"]
    np.testing.assert_allclose([told["low"], told["high"]], [again.low, again.high], rtol=1e-9)
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    words = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert words == render_index_markdown(index)
    assert all(f'href="{row["folder"]}/report.html"' in page for row in index["targets"])
    assert "Bonferroni over the targets" in page
    assert "The other targets are left out" in page


@pytest.mark.full  # two small reports
def test_several_targets_in_python(tmp_path: Path) -> None:
    found = er.report(table(), ["sum", "far"], models="linear", time_limit=16, progress=False)
    assert list(found) == ["sum", "far"]
    new = {"a": [1.0], "b": [1.0], "sold out?": ["yes"]}
    assert found["sum"].model.predict(new)[0] == pytest.approx(2.0, abs=0.4)
    assert "far" not in found["sum"].json["task"]["sentence"]
    assert found.json["provenance"]["command"].startswith("er.report(frame, ['sum', 'far']")
    frame = found.to_frame()
    assert frame["target"].to_list() == ["sum", "far"]
    assert "Bonferroni" in repr(found)
    folder = found.save(tmp_path / "saved")
    assert sorted(p.name for p in folder.iterdir()) == [
        "far",
        "report.html",
        "report.json",
        "report.md",
        "sum",
    ]
    found.save(folder)  # a second time in its place
    with pytest.raises(ValueError, match="target must be the name of one column, or a list of two"):
        er.report(table(), ["sum"])
