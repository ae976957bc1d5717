"""Reports of rows in time: what is said of the blocks is what was done."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from empirisk.report.errors import DataError
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table


def train_part(folder: Path, day: np.ndarray) -> Sample:
    """Return the training part of a small table in time."""
    x = np.random.default_rng(0).normal(size=day.size)
    data = folder / "table.csv"
    pl.DataFrame({"x": x, "day": day, "y": 2.0 * x + x[::-1]}).write_csv(data)
    table = read_table(data, target="y", time="day")
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
