"""A limit of time that was not kept is told with the step that took most, and is the one asked for."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from empirisk.data.deadline import Deadline
from empirisk.report.overrun import Steps
from tests.report.groups import three_groups
from tests.report.test_cluster_cli import call


def test_the_step_that_took_most_is_named() -> None:
    steps = Steps(Deadline(2.0, time.perf_counter() - 6.0))
    steps.done("reading")
    steps.done("writing")
    said = steps.overrun()
    assert said.startswith("The time limit of 2 s was overrun by 4 s: reading took 6 s of 6 s")
    late = Steps(Deadline(240.0, time.perf_counter() - 268.0))
    late.done("the fits")
    assert late.overrun() == "The time limit of 240 s was overrun by 28 s: the fits took 268 s of 268 s."
    late.deadline.limit = 267.9  # too little to be felt
    assert late.overrun() == ""
    kept = Steps(Deadline(100.0))
    kept.done("reading")
    assert kept.overrun() == ""


def test_the_limit_that_was_asked_for_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("empirisk.cli.guard.started", lambda: time.perf_counter() - 100.0)
    three_groups(400).write_csv(tmp_path / "table.csv")
    words = ("cluster", tmp_path / "table.csv", "--out", tmp_path / "out", "--ks", "2-30", "--time-limit", 9)
    code, out, _ = call(*words)
    assert code == 0
    assert "The time limit of 9 s was overrun by" in out
    assert "starting, reading and looking at the data took" in out
    notes = json.loads((tmp_path / "out" / "report.json").read_text())["number"]["notes"]
    assert any("the share of the time limit of 9 s that this step has is over" in note for note in notes)
