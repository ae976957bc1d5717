"""Reports of rows in time: what is said of the blocks is what was done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.metrics.predictions import regression
from empirisk.report.errors import DataError
from empirisk.report.fit.folds import AT_RANDOM, make_folds
from empirisk.report.fit.held_out_scores import about_groups
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from tests.report.reports import make_report


def frame_of(day: np.ndarray, **more: np.ndarray) -> pl.DataFrame:
    x = np.random.default_rng(0).normal(size=day.size)
    return pl.DataFrame({"x": x, "day": day, "y": 2.0 * x + x[::-1], **more})


def read(folder: Path, frame: pl.DataFrame, **options: Any) -> Table:
    frame.write_csv(folder / "table.csv")
    return read_table(folder / "table.csv", target="y", **options)


def train_part(folder: Path, day: np.ndarray) -> Sample:
    """Return the training part of a small table in time."""
    table = read(folder, frame_of(day), time="day")
    return take(table, split_rows(table).train)


@pytest.mark.parametrize(
    ("day", "blocks", "said"),
    [
        (
            np.arange(100),
            5,
            "5 blocks forward in time inside the training part chose the model: the last half",
        ),
        (np.arange(100) // 25, 2, "2 blocks forward in time"),
        (np.r_[np.zeros(40), np.ones(20), np.full(40, 2)], 1, "1 block forward in time"),
    ],
)
def test_the_blocks_are_told_as_they_were_dealt(
    tmp_path: Path, day: np.ndarray, blocks: int, said: str
) -> None:
    train = train_part(tmp_path, day)
    folds = make_folds(train, 5, 1, 0)
    assert folds.n_folds == len(folds.plan.splits) == blocks
    assert said in folds.sentence
    if "half" not in said:
        assert f": {sum(test.size for _, test in folds.plan.splits)} of its rows" in folds.sentence
    assert train.time is not None
    for before, after in folds.plan.splits:
        assert train.time[before].max() < train.time[after].min()


def test_a_training_part_of_one_moment_is_refused(tmp_path: Path) -> None:
    train = train_part(tmp_path, np.r_[np.zeros(75), np.ones(15), np.full(10, 2)])
    with pytest.raises(DataError, match=r"--time, inside the training part: time is the same in all rows"):
        make_folds(train, 5, 1, 0)


def test_new_groups_are_spoken_of_only_where_all_of_the_test_part_are_new(tmp_path: Path) -> None:
    days, house = np.arange(100), np.arange(100) % 10
    for group, new in ((house, False), (days // 10, True)):
        table = read(tmp_path, frame_of(days, house=group), time="day", group="house")
        split = split_rows(table)
        train, test = take(table, split.train), take(table, split.test)
        codes = np.unique(test.groups, return_inverse=True)[1]
        predicted = regression(test.y, 0.9 * test.y, groups=codes)
        made = {"mse": [METRICS["mse"].interval(predicted, 0.95).to_dict()]}
        said = about_groups(made, train, test)["mse"][0]
        assert ("of new groups" in said["target"]) is new
        assert ("on later rows, of groups that the training part may hold" in said["target"]) is not new
        assert {**said, "target": ""} == {**made["mse"][0], "target": ""}
        assert (
            f"{0 if new else 10} of the {2 if new else 10} in the test part have rows in train" in split.why
        )
        assert "whatever their group" in make_folds(train, 5, 1, 0).sentence


@pytest.mark.full  # a whole report
def test_a_report_in_time_with_groups_claims_no_new_groups(tmp_path: Path) -> None:
    frame = frame_of(np.arange(240), house=np.arange(240) % 12)
    report = make_report(tmp_path, frame, "y", time="day", group="house").report
    assert "new groups" not in json.dumps(report)
    found = {m["name"]: m["model"] for m in report["test"]["metrics"]}
    assert all("that the training part may hold" in e["target"] for e in found.values())
    assert "12 groups" in found["mse"]["method"]
    assert any("not whole groups" in said for said in report["limits"])


@pytest.mark.full  # a whole report
def test_findings_in_time_name_their_folds(tmp_path: Path) -> None:
    frame = frame_of(np.arange(240)).with_columns(z=pl.col("y") + 0.01 * pl.col("x"))
    report = make_report(tmp_path, frame, "y", time="day").report
    leak = next(f for f in report["findings"] if f["code"] == "ER113")
    assert "in folds that ignore the time" in leak["sentence"]
    assert f"The findings rest on {AT_RANDOM}" in report["split"]["folds"]["sentence"]
    asked = [f for f in report["findings"] if f["code"].startswith("ER2")]
    assert all(AT_RANDOM in f["evidence"] for f in asked)
    assert AT_RANDOM in report["attribution"]["risk"]["method"]
