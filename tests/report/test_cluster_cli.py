"""``empirisk cluster`` at the command line: what is printed, exit codes, and time that runs out."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from empirisk.cli import app
from tests.report.groups import noise, three_groups


def call(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(w) for w in words])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--ks", "1"], "--ks '1' must name numbers of clusters from 2 to 60"),
        (["--drop", "nose"], "has no column 'nose' (given by --drop): did you mean 'noise'?"),
        (["--id", "rows"], "has no column 'rows' (given by --id): did you mean 'row'?"),
        (["--level", "2"], "--level 2.0 is no level of confidence"),
        (["--time-limit", "-1"], "--time-limit -1.0 must be a positive number"),
        (["--types", "town=colour"], "is no kind of column"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_code_2(tmp_path: Path, options: list[str], sentence: str) -> None:
    three_groups(60).write_csv(tmp_path / "table.csv")
    code, out, err = call("cluster", tmp_path / "table.csv", *options, "--out", tmp_path / "out")
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert "Traceback" not in out + err
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_time_that_runs_out_is_said_and_no_claim_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The choice has a second, in which the tests of no clusters cannot be done; the rest is not hurried."""
    monkeypatch.setattr("empirisk.cli.guard.started", lambda: time.perf_counter() + 1e6)
    monkeypatch.setattr("empirisk.report.clusters.engine.CHOOSING", 1e-9)
    three_groups(400).write_csv(tmp_path / "table.csv")
    words = ("cluster", tmp_path / "table.csv", "--out", tmp_path / "out", "--ks", "2-30", "--time-limit", 9)
    code, out, _ = call(*words)
    assert code == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["number"]["k"] is None
    assert report["verdict"]["clusters"] is False
    assert "cannot be told: the time did not suffice" in out
    assert "Give the report more time" in report["verdict"]["next_step"]
    assert "could not be told in the time" in report["absent"]["profile"]
    assert any("some of the evidence on the number of clusters" in said for said in report["limits"])


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    noise(60).write_csv(tmp_path / "table.csv")
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "thesis.doc").write_text("years of work")
    code, _, err = call("cluster", tmp_path / "table.csv", "--out", folder)
    assert code == 2
    assert "holds 'thesis.doc', which no report wrote" in err
    assert (folder / "thesis.doc").read_text() == "years of work"
