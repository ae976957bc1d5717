"""Train and test: sizes, classes, twins, groups, time, and a test file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.diagnosis.identical import twin_pairs
from empirisk.report.audit.twins import chance_pairs, twin_groups
from empirisk.report.errors import DataError
from empirisk.report.fit.split import Split, split_rows
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from tests.report.tables import table_of

WINE = Path(__file__).parents[2] / "examples" / "data" / "winequality-red.csv"


def numbers(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n).round(6)


def rows_of(table: Table, rows: np.ndarray) -> list[tuple[object, ...]]:
    return table.frame[rows].rows()


def is_partition(split: Split, n: int) -> bool:
    return sorted([*split.train.tolist(), *split.test.tolist()]) == list(range(n))


@settings(max_examples=60, deadline=None)
@given(
    counts=st.lists(st.integers(1, 60), min_size=2, max_size=5),
    seed=st.integers(0, 5),
    test_size=st.sampled_from([0.2, 0.3, 0.5]),
)
def test_each_class_gives_its_share(counts: list[int], seed: int, test_size: float) -> None:
    labels = [f"class {k}" for k, c in enumerate(counts) for _ in range(c)]
    if len(labels) < 10:
        return
    table = table_of({"x": numbers(len(labels)), "y": labels}, task="classification")
    split = split_rows(table, seed=seed, test_size=test_size)
    assert is_partition(split, len(labels))
    for k, c in enumerate(counts):
        assert split.balance["test"][f"class {k}"] == round(test_size * c)
        assert split.balance["train"][f"class {k}"] == c - round(test_size * c)
    taken = Counter(table.frame["y"][split.test].to_list())
    assert {c: k for c, k in split.balance["test"].items() if k} == taken


def test_seed_decides() -> None:
    table = table_of({"x": numbers(100), "y": numbers(100, 1)})
    one, again, other = (split_rows(table, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.test, again.test)
    assert set(one.test) != set(other.test)
    assert len(one.test) == 20
    assert one.unit == "row"
    assert "no group or time column" in one.why


def test_twins_stay_together_and_are_counted() -> None:
    x, y = numbers(200), numbers(200, 1)
    again = np.r_[np.arange(200), np.arange(0, 60), np.arange(0, 20)]  # 20 rows stand three times, 40 twice
    table = table_of({"x": x[again], "y": y[again]})
    split = split_rows(table, seed=3)
    train, test = rows_of(table, split.train), rows_of(table, split.test)
    assert not set(train) & set(test)
    assert split.n_straddling > 0
    assert "kept together" in split.twins
    assert abs(len(split.test) - 0.2 * len(again)) <= 2
    assert split.groups is not None
    by_value = {}
    for row, group in zip(table.frame.rows(), split.groups, strict=True):
        assert by_value.setdefault(row, group) == group
    assert len(set(split.groups)) == 200


def test_twin_groups_agree_with_brute_force() -> None:
    rng = np.random.default_rng(0)
    columns = {
        "a": rng.integers(0, 3, 60),
        "b": [["u", "v", None][k] for k in rng.integers(0, 3, 60)],
        "y": rng.integers(0, 2, 60),
    }
    table = table_of(columns)
    groups, rows = twin_groups(table), table.frame.rows()
    for i in range(60):
        for j in range(60):
            assert (groups[i] == groups[j]) == (rows[i] == rows[j])


def test_ids_do_not_make_rows_different_but_names_do() -> None:
    n = 40
    x, y = np.r_[numbers(n), numbers(n)], np.r_[numbers(n, 1), numbers(n, 1)]
    ids = [f"K{i}" for i in range(2 * n)]
    assert len(set(twin_groups(table_of({"id": ids, "x": x, "y": y})))) == n
    names = [f"name and surname {chr(97 + i % 26)}{i}" for i in range(2 * n)]
    assert len(set(twin_groups(table_of({"who": names, "x": x, "y": y})))) == 2 * n


def test_chance_twins_of_a_coarse_table_are_left_alone() -> None:
    rng = np.random.default_rng(0)
    table = table_of(
        {"a": rng.choice(["u", "v"], 300), "b": rng.choice(["p", "q"], 300), "y": rng.integers(0, 2, 300)}
    )
    split = split_rows(table)
    assert split.groups is None
    assert "arise by chance" in split.twins
    assert len(split.test) == 60


def test_a_table_that_was_copied_whole_is_kept_together() -> None:
    x, y = numbers(80), numbers(80, 1)
    table = table_of({"x": np.tile(x, 3), "y": np.tile(y, 3)})
    split = split_rows(table)
    assert not set(rows_of(table, split.train)) & set(rows_of(table, split.test))
    assert split.groups is not None


def test_chance_pairs_agree_with_brute_force() -> None:
    rng = np.random.default_rng(0)
    table = table_of(
        {"a": rng.integers(0, 3, 50), "b": rng.choice(["u", "v"], 50), "y": rng.integers(0, 4, 50)}
    )
    rows = sorted(set(table.frame.rows()))
    pairs = [(r, s) for i, r in enumerate(rows) for s in rows[:i]]
    agree = [np.mean([r[j] == s[j] for r, s in pairs]) for j in range(3)]
    assert chance_pairs(table) == pytest.approx(50 * 49 / 2 * np.prod(agree))
    counts = Counter(table.frame.rows())
    assert twin_pairs(twin_groups(table)) == sum(k * (k - 1) // 2 for k in counts.values())


def test_wine_has_its_known_duplicates() -> None:
    table = read_table(WINE, target="quality")
    assert table.n_rows - len(set(twin_groups(table))) == 240  # counted with sort | uniq on the file
    split = split_rows(table)
    assert not set(rows_of(table, split.train)) & set(rows_of(table, split.test))
    assert len(split.test) == 320


def test_groups_are_not_broken() -> None:
    rng = np.random.default_rng(0)
    house = [None] * 7 + [f"house {k}" for k in rng.integers(0, 25, 293)]
    table = table_of({"house": house, "x": numbers(300), "y": numbers(300, 1)}, group="house")
    split = split_rows(table)
    groups = table.frame["house"].to_list()
    inside, outside = {groups[i] for i in split.test}, {groups[i] for i in split.train}
    assert not inside & outside - {None}
    assert split.unit == "group"
    assert 30 <= len(split.test) <= 90
    assert is_partition(split, 300)
    assert "7 rows without a group" in split.why
    assert "house" not in table.features


def test_time_split_takes_the_last_fifth_and_does_not_cut_a_moment() -> None:
    rng = np.random.default_rng(0)
    day = rng.integers(0, 40, 200).astype("datetime64[D]")
    table = table_of({"day": day.tolist(), "x": numbers(200), "y": numbers(200, 1)}, time="day")
    split = split_rows(table)
    assert day[split.train].max() < day[split.test].min()
    assert 0.2 <= len(split.test) / 200 <= 0.25
    assert split.unit == "time"
    year = table_of(
        {"year": [2000 + i % 10 for i in range(100)], "x": numbers(100), "y": numbers(100, 1)}, time="year"
    )
    late = split_rows(year)
    assert sorted({2000 + i % 10 for i in late.test}) == [2008, 2009]


def test_test_file_is_used_whole_and_its_twins_are_counted() -> None:
    first = table_of({"x": numbers(50), "y": numbers(50, 1)})
    second = table_of({"x": np.r_[numbers(5), numbers(20, 7)], "y": np.r_[numbers(5, 1), numbers(20, 8)]})
    split = split_rows(first, test_table=second)
    assert (split.unit, len(split.train), len(split.test)) == ("file", 50, 25)
    # numbers(5) is the beginning of numbers(50).
    assert split.n_straddling == 5


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"x": [1.0, 2.0, 3.0], "y": [1.5, 2.5, 9.0]}, {}, "has 3 rows with a target value: at least 10"),
        ({"g": ["a"] * 20, "x": numbers(20), "y": numbers(20, 1)}, {"group": "g"}, "has one group only"),
        ({"t": [1.5] * 20, "x": numbers(20), "y": numbers(20, 1)}, {"time": "t"}, "has one value only"),
    ],
)
def test_what_cannot_be_split_is_refused(
    columns: dict[str, object], options: dict[str, str], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        split_rows(table_of(columns, **options))  # type: ignore[arg-type]


def test_share_outside_0_and_1_is_refused() -> None:
    table = table_of({"x": numbers(20), "y": numbers(20, 1)})
    with pytest.raises(DataError, match="between 0 and 1"):
        split_rows(table, test_size=1.0)


def test_a_class_with_one_row_stays_in_train() -> None:
    labels = ["a"] * 30 + ["b"] * 30 + ["c"]
    split = split_rows(table_of({"x": numbers(61), "y": labels}))
    assert split.balance["test"] == {"a": 6, "b": 6, "c": 0}
