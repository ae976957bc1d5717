"""The diagnosis in the report: its findings, its lines, and where the error comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from empirisk.diagnosis import REGISTRY
from empirisk.report.fit.diagnosed import ASKED, _folds
from empirisk.report.fit.sample import take
from empirisk.report.fit.split import split_rows
from tests.report.reports import make_report, two_classes
from tests.report.tables import table_of

# Each of them makes a whole report.
pytestmark = pytest.mark.full

Json = dict[str, Any]


def report_of(folder: Path, frame: pl.DataFrame, target: str) -> Json:
    make_report(folder, frame, target, time_limit=None)
    return dict(json.loads((folder / "out" / "report.json").read_text()))


@pytest.fixture(scope="module")
def curved(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """A linear model of a curve, on rows whose later half has another level: two planted faults."""
    rng = np.random.default_rng(0)
    n = 1200
    x, town = rng.normal(size=n), rng.choice(["Oslo", "Bergen"], n)
    y = x + 1.2 * x**2 + (town == "Oslo") + rng.normal(size=n) + 1.5 * (np.arange(n) > n / 2)
    frame = pl.DataFrame({"x": x, "town": town, "y": y})
    return report_of(tmp_path_factory.mktemp("curved"), frame, "y")


def test_every_question_of_the_diagnosis_is_answered_once(curved: Json) -> None:
    codes = [c["code"] for c in curved["checks"]]
    asked = set(REGISTRY) - set(ASKED)
    assert asked <= set(codes)
    assert not set(ASKED) & set(codes)
    assert len(codes) == len(set(codes))
    assert {c["outcome"] for c in curved["checks"]} <= {"found", "nothing", "cannot_tell", "not_run"}


def test_planted_faults_are_found_and_the_serious_one_is_the_next_step(curved: Json) -> None:
    found = {f["code"]: f for f in curved["findings"]}
    assert {"ER202", "ER208"} <= set(found)
    assert found["ER208"]["level"] == "serious"
    assert curved["verdict"]["next_step"]["sentence"].startswith("Settle the serious finding first")
    assert "ER208" in curved["verdict"]["findings"]


def test_the_parts_of_the_error_hold_the_known_noise(curved: Json) -> None:
    parts = {p["part"]: p for p in curved["attribution"]["parts"]}
    # The noise has variance 1, and the jump of the level adds 1.5^2/4 that no column of the file explains.
    assert parts["noise"]["low"] <= 1.0 + 1.5**2 / 4 <= parts["noise"]["high"]
    assert parts["approximation"]["standing"] == "not identifiable"
    assert 0.0 <= parts["optimisation"]["high"] < 1e-6 * curved["attribution"]["risk"]["value"]
    risk = curved["attribution"]["risk"]
    row = next(c for c in curved["candidates"] if c["chosen"])
    assert risk == row["score"]


def test_columns_have_the_names_of_the_table(curved: Json) -> None:
    said = json.dumps([curved["findings"], curved["checks"]], ensure_ascii=False)
    assert "__" not in said


def test_a_constant_prediction_is_not_diagnosed(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"x": rng.normal(size=120), "y": rng.normal(size=120)})
    report = report_of(tmp_path, frame, "y")
    assert report["verdict"]["model"] == "baseline"
    assert report["attribution"] is None
    assert report["absent"]["attribution"].startswith("The constant prediction")
    assert not {c["code"] for c in report["checks"]} & set(REGISTRY)


def test_the_ladder_holds_the_exact_binomial_of_the_test_errors(tmp_path: Path) -> None:
    report = report_of(tmp_path, two_classes(n=300), "answer")
    accuracy = next(m for m in report["test"]["metrics"] if m["name"] == "accuracy")["model"]
    n = report["test"]["n_rows"]
    wrong = round(n * (1.0 - accuracy["value"]))
    rows = [b for b in report["bounds"]["rows"] if b["applies"]]
    exact = next(b for b in rows if b["bound"].startswith("exact binomial"))
    assert exact["value"] == pytest.approx(stats.beta.ppf(0.95, wrong + 1, n - wrong), rel=1e-9)
    assert exact["measured"] == pytest.approx(wrong / n)
    assert rows[0] is exact, "the tightest bound from test rows leads"
    others = [b for b in report["bounds"]["rows"] if not b["applies"]]
    assert all(b["reason"] for b in others)


def test_copies_stay_in_one_fold_of_the_diagnosis_as_in_those_of_the_candidates() -> None:
    """A model that remembers rows would look better on their copies than it is."""
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=(150, 3)), 2, axis=0)
    y = np.repeat(rng.normal(size=150), 2)
    table = table_of({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})
    train = take(table, np.arange(300), split_rows(table, seed=0).groups)
    folds = _folds(train, 0)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(300))
    for fit, test in folds:
        assert not {tuple(row) for row in x[fit]} & {tuple(row) for row in x[test]}


def test_groups_void_the_theorems(tmp_path: Path) -> None:
    frame = two_classes(n=300).with_columns(site=np.arange(300) // 10)
    make_report(tmp_path, frame, "answer", group="site")
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["bounds"] is None
    assert "groups" in report["absent"]["bounds"]


def check(report: Json, code: str) -> Json:
    return next(c for c in report["checks"] if c["code"] == code)


def test_drift_is_no_question_of_a_test_part_that_was_drawn_from_the_same_rows(
    curved: Json, tmp_path: Path
) -> None:
    assert check(curved, "ER209")["outcome"] == "not_run"
    assert "drawn at random from the same rows" in check(curved, "ER209")["sentence"]
    rng = np.random.default_rng(1)
    later = two_classes(seed=1).with_columns(age=pl.Series(rng.normal(90.0, 5.0, 240).round(2)))
    later.write_csv(tmp_path / "later.csv")
    outcome = make_report(tmp_path, two_classes(), "answer", test=tmp_path / "later.csv")
    assert check(outcome.report, "ER209")["outcome"] == "found"
