"""Splits that forecast: how far ahead, with which gap, against which constant, what the time is read for."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import empirisk as er
from empirisk.report.errors import DataError
from empirisk.report.fit.baseline import baseline_in_time
from empirisk.report.fit.candidates import BASELINE, Candidate, estimator_for
from empirisk.report.fit.encode import calendar_columns, model_frame
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.horizon import ahead_words, stamps_of
from empirisk.report.fit.recent import RecentMean, RecentShares
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.split import split_rows
from empirisk.report.options import Options
from empirisk.report.read.dates import find_date_format, parse_dates
from empirisk.report.read.table import Table
from tests.report.reports import make_report
from tests.report.tables import table_of

START = datetime(2023, 1, 2)  # a Monday


def daily(n: int = 100, step: float = 1.0, seed: int = 0, **more: object) -> dict[str, object]:
    """A row for each day, in no order, with a number and a target."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    day = [START + timedelta(days=float(i) * step) for i in order]
    return {"day": day, "x": rng.normal(size=n), "y": rng.normal(size=n), **more}


def in_time(**more: object) -> Table:
    return table_of(daily(**more), time="day")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05",
        "2024/3/5",
        "05.03.2024",
        "5.3.24",
        "05.03.2024 00:00",
        "05.03.2024 00:00:00",
        "05/03/2024 00:00:00",
        "5 March 2024",
        "March 5, 2024",
        "05 Mar 2024",
        "20240305",
        "2024-03-05T00:00:00Z",
        "05/03/2024 12:00 AM",
    ],
)
def test_dates_of_many_formats(text: str) -> None:
    column = pl.Series([text])
    assert parse_dates(column, find_date_format(column)[0]).to_list() == [datetime(2024, 3, 5)]


def test_a_month_is_its_first_day() -> None:
    months = pl.Series(["2023-11", "2024-02"])
    fmt, exchangeable = find_date_format(months)
    assert not exchangeable
    assert parse_dates(months, fmt).to_list() == [datetime(2023, 11, 1), datetime(2024, 2, 1)]
    assert find_date_format(pl.Series(["2024-13", "1234-05"]))[0] == ""


@pytest.mark.parametrize("gap", [0.0, 7.0, 7.5])
def test_the_training_part_ends_a_gap_before_the_test_part(gap: float) -> None:
    table = in_time()
    split, times = split_rows(table, gap=gap), stamps_of(table)
    first = times[split.test].min()
    np.testing.assert_array_equal(np.sort(times[split.test]), np.sort(times)[80:])
    assert first - times[split.train].max() == max(1.0, np.ceil(gap))
    assert (np.diff(times[split.train]) > 0.0).all()  # in the order of time, whatever that of the file
    lost = 100 - split.train.size - split.test.size
    assert lost == max(0, int(np.ceil(gap)) - 1)
    assert ("left out of both" in split.why) == (gap > 0.0)
    ahead = {0.0: "from 1 day to 20 days", 7.0: "from 1 week to 4 weeks", 7.5: "from 8 days to 4 weeks"}
    assert f"the score is about rows {ahead[gap]} after the training ends" in split.horizon
    train = take(table, split.train)
    folds = make_folds(train, 5, 1, 0, gap, ahead_words(table, gap))
    for fit, test in folds.plan.splits:
        assert train.time is not None
        assert train.time[test].min() - train.time[fit].max() >= max(1.0, gap)
    assert ("at least" in folds.sentence) == (gap > 0.0)


def test_numbers_ties_and_missing_times() -> None:
    step = np.repeat(np.arange(25.0), 4)
    step[[3, 50]] = np.nan
    columns = {"step": step, "x": np.arange(100.0) ** 2, "y": np.arange(100.0) % 7}
    table = table_of(columns, time="step")
    split, times = split_rows(table), stamps_of(table)
    assert set(times[split.test]) == {20.0, 21.0, 22.0, 23.0, 24.0}  # no moment is torn
    assert np.isnan(times[split.train[:2]]).all()
    assert "kept in train: 2 rows without a time" in split.why
    assert split.horizon.startswith(
        "the score is about rows from 1 in units of 'step' to 5 in units of 'step'"
    )
    assert calendar_columns(table) == ()


def test_a_gap_needs_a_time_and_leaves_rows() -> None:
    with pytest.raises(DataError, match="--gap lies between"):
        split_rows(table_of({"x": list(range(50)), "y": [0.5 * i for i in range(50)]}), gap=3.0)
    with pytest.raises(DataError, match="--gap 99 leaves no row to train on"):
        split_rows(in_time(), gap=99.0)
    with pytest.raises(DataError, match="--gap -1"):
        Options(Path("a.csv"), "y", gap=-1.0).check()
    assert Options(Path("a.csv"), "y", time="t", gap=7.0).command().endswith("--time t --gap 7")


def test_models_read_what_comes_again_of_the_time() -> None:
    hours = in_time(n=300, step=0.25)
    assert calendar_columns(hours) == ("day (weekday)", "day (hour of day)")
    assert calendar_columns(in_time(n=20)) == ()
    years = in_time(n=200, step=6.0)
    assert calendar_columns(years) == ("day (month)", "day (weekday)")
    frame = model_frame(hours)
    assert frame.columns == ["day (weekday)", "day (hour of day)", "x"]
    expected = [value.strftime("%a") for value in hours.frame["day"].to_list()]
    assert frame["day (weekday)"].to_list() == expected
    again = Table.from_decisions(hours.decisions())
    assert model_frame(again).columns == frame.columns


def test_an_hour_is_a_number_and_a_level() -> None:
    columns = daily(n=60, step=0.21)
    frame = model_frame(table_of(columns))
    day: list[datetime] = columns["day"]  # type: ignore[assignment]
    assert frame["day (hour of day)"].to_list() == [f"{v.hour:02}" for v in day]
    np.testing.assert_allclose(frame["day (hour)"].to_numpy(), [v.hour + v.minute / 60.0 for v in day])


def sample_of(y: np.ndarray, classes: tuple[str, ...] = ()) -> Sample:
    frame = pl.DataFrame({"x": np.zeros(y.size)})
    task = "multiclass" if classes else "regression"
    return Sample(frame, y, task, classes, time=np.arange(float(y.size)))


@pytest.mark.parametrize(
    ("kind", "half_life"), [("noise", None), ("walk", 0.0), ("drift with noise", 0.1), ("classes", 0.1)]
)
def test_the_constant_to_beat_suits_the_rows(kind: str, half_life: float | None) -> None:
    rng = np.random.default_rng(3)
    n, classes = 400, ("a", "b") if kind == "classes" else ()
    level = np.linspace(0.0, 1.0, n)
    y = {
        "noise": rng.normal(size=n),
        "walk": np.cumsum(rng.normal(size=n)),
        "drift with noise": 6.0 * level + rng.normal(size=n),
        "classes": (rng.random(n) < 0.1 + 0.8 * level).astype(np.intp),
    }[kind]
    train = sample_of(y, classes)
    folds = make_folds(train, 5, 1, 0)
    plain = Candidate(BASELINE, "plain", "baseline")
    found, said = baseline_in_time(train, folds, plain)
    assert dict(found.settings).get("half_life") == half_life
    assert "did better in these blocks than the" in said
    # The same choice by fits of the estimators themselves, on the same blocks.
    halves = [None, 0.1] if classes else [None, 0.1, 0.0]
    risks = []
    for half in halves:
        c = plain if half is None else Candidate(BASELINE, "", "baseline", settings=(("half_life", half),))
        losses = []
        for fit, test in folds.plan.splits:
            model = estimator_for(c, train.task, float("nan")).fit(train.frame[fit], y[fit])
            if classes:
                losses.append(-np.log(model.predict_proba(train.frame[test])[np.arange(test.size), y[test]]))
            else:
                losses.append((y[test] - model.predict(train.frame[test])) ** 2)
        risks.append(np.concatenate(losses).mean())
    assert halves[int(np.argmin(risks))] == half_life


def test_recent_constants_are_weighted_means() -> None:
    y, w = np.array([1.0, 2.0, 4.0, 8.0]), np.array([1.0, 1.0, 3.0, 1.0])
    X = np.zeros((4, 1))
    halves = 0.5 ** np.array([3.0, 2.0, 1.0, 0.0])
    assert RecentMean(0.25).fit(X, y).predict(X[:1])[0] == pytest.approx(np.average(y, weights=halves))
    assert RecentMean(0.25).fit(X, y, w).predict(X[:1])[0] == pytest.approx(np.average(y, weights=halves * w))
    assert RecentMean(0.0).fit(X, y).predict(X[:1])[0] == 8.0
    shares = RecentShares(0.25).fit(X, np.array([0, 1, 0, 1])).predict_proba(X[:1])[0]
    np.testing.assert_allclose(
        shares, [(halves[0] + halves[2]) / halves.sum(), (halves[1] + 1) / halves.sum()]
    )


@pytest.mark.full  # a whole report
def test_a_report_in_time_reads_the_week_and_says_how_far_it_looks(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    n = 400
    day = [START + timedelta(days=int(i)) for i in rng.permutation(n)]
    weekend = np.array([v.weekday() >= 5 for v in day])
    frame = pl.DataFrame(
        {
            "day": [v.strftime("%d.%m.%Y") for v in day],
            "x": rng.normal(size=n),
            "y": 3.0 * weekend + 0.3 * rng.normal(size=n),
        }
    )
    made = make_report(tmp_path, frame, "y", time="day", gap=7.0)
    report = made.report
    assert "from 1 week to 12 weeks after the training ends" in report["split"]["reason"]
    assert any(said.startswith("How the model does farther ahead") for said in report["limits"])
    rises = {i["column"]: i["value"]["value"] for i in report["model"]["importances"]}
    assert rises["day"] > 10.0 * rises.get("x", 0.0)
    assert not [f for f in report["findings"] if f["code"] == "ER209"]
    model = er.load(made.folder / "model.empirisk")
    later = model.predict({"day": ["06.07.2024", "08.07.2024"], "x": [0.0, 0.0]})
    np.testing.assert_allclose(later, [3.0, 0.0], atol=0.3)
    with pytest.raises(ValueError, match="lacks the column 'day'"):
        model.predict({"x": [0.0]})
