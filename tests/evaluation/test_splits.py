"""Train, validation and test parts: sizes, classes, groups, time, tables of every kind, and refusals."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from empirisk.evaluation.splits.deal import deal_rows, shares_of
from empirisk.selection import train_validation_test_split


def rows_of(parts: Any) -> list[np.ndarray]:
    return [p.rows for p in parts]


@settings(max_examples=60, deadline=None)
@example(counts=[1, 2], weights=(4, 1, 3), seed=0)
@given(
    counts=st.lists(st.integers(1, 40), min_size=1, max_size=6),
    weights=st.tuples(*[st.integers(1, 9)] * 3),
    seed=st.integers(0, 10**6),
)
def test_every_stratum_is_cut_in_proportion(counts: list[int], weights: tuple[int, ...], seed: int) -> None:
    strata = np.repeat(np.arange(len(counts)), counts)
    shares = np.array(weights) / sum(weights)
    part = deal_rows(strata, shares, np.random.default_rng(seed))
    n = strata.size
    for k in range(3):
        assert abs(np.sum(part == k) - shares[k] * n) <= 1.0 + 1e-9  # the whole sample, to a row
        for c, count in enumerate(counts):
            assert abs(np.sum((part == k) & (strata == c)) - shares[k] * count) <= 2.0 + 1e-9


def test_rows_are_dealt_once_and_at_random() -> None:
    X, y = np.arange(100.0)[:, None], np.arange(100) % 4
    parts = train_validation_test_split(X, y, random_state=0)
    assert [p.rows.size for p in parts] == [60, 20, 20]
    np.testing.assert_array_equal(np.sort(np.concatenate(rows_of(parts))), np.arange(100))
    for p in parts:
        np.testing.assert_array_equal(p.X[:, 0], p.rows)
        np.testing.assert_array_equal(p.y, p.rows % 4)
        assert set(p.balance.values()) == {p.rows.size // 4}
    again, other = (train_validation_test_split(X, y, random_state=s) for s in (0, 1))
    np.testing.assert_array_equal(again.test.rows, parts.test.rows)
    assert not np.array_equal(other.test.rows, parts.test.rows)
    hits = np.zeros(100)
    for seed in range(300):
        hits[train_validation_test_split(X, y, random_state=seed).test.rows] += 1
    assert np.abs(hits - 60).max() < 5 * np.sqrt(300 * 0.2 * 0.8)  # every row equally often


def test_all_tables_give_the_same_rows() -> None:
    X, y = np.arange(60.0).reshape(30, 2), np.repeat(["a", "b", "c"], 10)
    plain = train_validation_test_split(X, y, random_state=1)
    tables = [
        (pd.DataFrame(X), pd.Series(y)),
        (pl.DataFrame(X), pl.Series(y)),
        (sparse.csr_array(X), y),
        (X.tolist(), y.tolist()),
    ]
    for table, target in tables:
        parts = train_validation_test_split(table, target, random_state=1)
        for a, b in zip(parts, plain, strict=True):
            np.testing.assert_array_equal(a.rows, b.rows)
            assert type(a.X) is type(table)
            dense = a.X.toarray() if sparse.issparse(a.X) else np.asarray(a.X)
            np.testing.assert_array_equal(dense, X[a.rows])
            assert list(a.y) == list(y[a.rows])


def test_groups_stay_whole_and_classes_are_spread() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 60, size=900)
    y = (rng.uniform(size=60)[groups] < 0.4).astype(int)
    parts = train_validation_test_split(np.zeros((900, 1)), y, groups=groups, random_state=0)
    seen = [set(groups[p.rows]) for p in parts]
    assert not (seen[0] & seen[1])
    assert not (seen[0] & seen[2])
    assert not (seen[1] & seen[2])
    for p, share in zip(parts, (0.6, 0.2, 0.2), strict=True):
        assert p.rows.size / 900 == pytest.approx(share, abs=0.04)
        assert p.y.mean() == pytest.approx(y.mean(), abs=0.05)
        assert p.units == len(set(groups[p.rows]))
        np.testing.assert_array_equal(p.groups, groups[p.rows])
    assert "group" in repr(parts)


@pytest.mark.parametrize("kind", ["numbers", "dates", "pandas", "objects"])
def test_time_orders_the_parts_and_ties_stay_together(kind: str) -> None:
    rng = np.random.default_rng(2)
    day = rng.integers(0, 25, size=200)
    base = datetime.date(2020, 1, 1)
    time: Any = {
        "numbers": day,
        "dates": np.datetime64("2020-01-01") + day.astype("timedelta64[D]"),
        "pandas": pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(day, unit="D")),
        "objects": np.array([base + datetime.timedelta(days=int(d)) for d in day], dtype=object),
    }[kind]
    parts = train_validation_test_split(day[:, None], rng.normal(size=200), time=time)
    assert day[parts.train.rows].max() < day[parts.validation.rows].min()
    assert day[parts.validation.rows].max() < day[parts.test.rows].min()
    for p, share in zip(parts, (120, 40, 40), strict=True):
        assert abs(p.rows.size - share) <= np.bincount(day).max()
    assert parts.unit == "time"


def test_sizes_as_rows_and_no_strata_for_numbers() -> None:
    y = np.random.default_rng(0).normal(size=50)
    parts = train_validation_test_split(np.zeros((50, 1)), y, sizes=(30, 15, 5), random_state=0)
    assert [p.rows.size for p in parts] == [30, 15, 5]
    assert parts.train.balance == {}
    many = train_validation_test_split(np.zeros((50, 1)), np.arange(50), random_state=0)
    assert many.train.balance == {}  # integers that are no classes
    frame = parts.to_frame()
    assert frame["part"].tolist() == ["train", "validation", "test"]
    assert frame["rows"].tolist() == [30, 15, 5]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sizes": (0.5, 0.5)}, "3 numbers"),
        ({"sizes": (0.6, 0.4, 0.0)}, "positive size"),
        ({"sizes": (0.6, 0.3, 0.2)}, "sum to 1"),
        ({"sizes": (30, 10, 5)}, "sum to the 30 rows"),
        ({"sizes": (0.98, 0.01, 0.01)}, "would be empty|missing from"),
        ({"y": np.repeat([0, 1], [28, 2])}, "class '1' is missing from the"),
        ({"groups": np.repeat([0, 1], 15)}, "2 groups, fewer than the 3 parts"),
        ({"groups": np.arange(29)}, "one label for each"),
        ({"groups": np.arange(30), "time": np.arange(30)}, "exclude each other"),
        ({"time": np.zeros(30)}, "1 distinct values"),
        ({"time": np.arange(29)}, "one value for each"),
        ({"time": np.r_[np.nan, np.arange(29)]}, "missing in row 0"),
        ({"time": np.full(30, "noon")}, "numbers or dates"),
        ({"y": np.arange(30) + 0.5, "stratify": True}, "needs classes"),
        ({"stratify": "yes"}, "stratify must be"),
        ({"X": np.zeros((29, 1))}, "X has 29 rows but y has 30"),
        ({"X": np.zeros((2, 1)), "y": [0, 1]}, "too few for 3 parts"),
        ({"y": np.r_[np.nan, np.zeros(29)]}, "missing in row 0"),
    ],
)
def test_refusals(change: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"X": np.zeros((30, 1)), "y": np.arange(30) % 2, "random_state": 0} | change
    with pytest.raises(ValueError, match=words):
        train_validation_test_split(arguments.pop("X"), arguments.pop("y"), **arguments)


def test_shares_are_shares() -> None:
    np.testing.assert_allclose(shares_of((6, 3, 1), 10, ("a", "b", "c")), [0.6, 0.3, 0.1])
