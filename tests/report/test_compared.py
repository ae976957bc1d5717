"""Reports whose candidates compare rows: neighbours and kernel machines, and the bracket of the best rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import empirisk as er
from empirisk.report.errors import DataError
from empirisk.report.fit import planning as planned
from empirisk.report.fit.candidates import Candidate, candidates
from empirisk.report.fit.compared import (
    MOST_ROWS,
    compared_estimator,
    compared_grid,
    compared_seconds,
    n_kept,
    numbers_kept,
)
from empirisk.report.fit.planning import make_plan
from empirisk.report.fit.sample import take
from empirisk.report.options import Options
from empirisk.report.read.read import read_table
from empirisk.report.saved.verify_file import verify_file
from tests.report.reports import make_report, numbers, two_classes

NEIGHBORS, SVC, RIDGE = (
    Candidate("neighbors", "Nearest neighbours", "candidate", kind="neighbors"),
    Candidate("svc", "Support vector machine", "candidate", kind="kernel"),
    Candidate("kernel_ridge", "Kernel ridge regression", "candidate", kind="kernel"),
)


def rings(n: int = 300) -> pl.DataFrame:
    """Two rings, one around the other: no weighted sum of columns tells them apart."""
    rng = np.random.default_rng(1)
    radius, angle = rng.choice([1.0, 3.0], n), rng.uniform(0.0, 2.0 * np.pi, n)
    x, y = (
        radius * np.cos(angle) + 0.3 * rng.normal(size=n),
        radius * np.sin(angle) + 0.3 * rng.normal(size=n),
    )
    return pl.DataFrame({"x": x, "y": y, "answer": np.where(radius > 2.0, "outer", "inner")})


def waves(n: int = 300) -> pl.DataFrame:
    """A smooth function that no weighted sum of columns follows."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-3.0, 3.0, (n, 2))
    return pl.DataFrame({"u": X[:, 0], "v": X[:, 1], "y": np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=n)})


def said(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "out" / "report.json").read_text())


@pytest.mark.parametrize("candidate", [NEIGHBORS, SVC, RIDGE], ids=lambda c: c.name)
def test_grids_run_from_the_simplest_model_to_the_richest(
    candidate: Candidate, rng: np.random.Generator
) -> None:
    """The training loss falls along the grid, and no fit of a fold asks for more rows than it has."""
    X = rng.standard_normal((120, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.standard_normal(120)
    task = "binary" if candidate is SVC else "regression"
    target = (y > 0.0).astype(int) if candidate is SVC else y
    grid = compared_grid(candidate, 120, 60, 16)
    assert len(grid) <= 16
    if candidate is NEIGHBORS:
        assert grid.max() <= 15
        assert grid.min() == 1
    lost = []
    for value in grid:
        model = compared_estimator(candidate, task, float(value), 0, 120).fit(X, target)
        found = model.predict(X)
        lost.append(np.mean(found != target) if candidate is SVC else np.mean((found - target) ** 2))
    assert lost[0] > lost[-1]
    assert (np.diff(lost) <= 0.02).all()


@pytest.mark.parametrize("candidate", [NEIGHBORS, SVC, RIDGE], ids=lambda c: c.name)
def test_forecasts_rise_with_rows_columns_and_classes(candidate: Candidate) -> None:
    at = [compared_seconds(candidate, n, 10, 1) for n in (500, 2_000, 8_000)]
    assert at == sorted(at)
    assert compared_seconds(candidate, 2_000, 100, 1) >= at[1]


def test_what_a_model_keeps(rng: np.random.Generator) -> None:
    X = rng.standard_normal((80, 3))
    y = (X[:, 0] > 0.0).astype(int)
    near = er.KNeighborsClassifier(3).fit(X, y)
    machine = er.SVC(0.01).fit(X, y)
    assert (n_kept(near), numbers_kept(near)) == (80, 320)
    assert n_kept(machine) == len(machine.support_) < 80
    assert numbers_kept(machine) == 4 * len(machine.support_)


def test_too_many_rows_are_not_compared_and_the_plan_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.csv"
    two_classes(120).write_csv(file)
    table = read_table(file, target="answer")
    sample = take(table, np.arange(120))
    assert {"neighbors", "svc"} < {c.name for c in make_plan(sample, 5).rows}
    monkeypatch.setattr(planned, "MOST_ROWS", MOST_ROWS | {"svc": 119})
    plan = make_plan(sample, 5)
    assert "svc" not in {c.name for c in plan.rows}
    assert plan.large == ("Support vector machine (Gaussian kernel): tried up to 119 training rows",)
    assert any("tried up to 119" in line for line in plan.lines("20 %"))


def test_a_short_limit_leaves_the_kernel_machine_out_before_the_neighbours(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    two_classes(240).write_csv(file)
    sample = take(read_table(file, target="answer"), np.arange(240))
    cuts = {seconds: make_plan(sample, 5, seconds).cuts for seconds in np.linspace(4.0, 30.0, 600)}
    assert any("no kernel machine" in c and "no forest and no neighbours" not in c for c in cuts.values())
    assert all("no kernel machine" in c for c in cuts.values() if "no forest and no neighbours" in c)


def test_kinds(tmp_path: Path) -> None:
    for task, machine in (("binary", "svc"), ("regression", "kernel_ridge")):
        named = [c.name for c in candidates(task, kinds=["neighbors", "kernel"], reference=False)]
        assert named == ["baseline", "neighbors", machine]
    assert Options(Path("a.csv"), "y", models="kernel").kinds() == ("kernel",)
    with pytest.raises(DataError, match=r"and not 'neighbours': did you mean 'neighbors'\?$"):
        Options(Path("a.csv"), "y", models="linear,neighbours").kinds()


@pytest.mark.parametrize(
    ("models", "make", "target"),
    [
        ("neighbors", rings, "answer"),
        pytest.param("kernel", rings, "answer", marks=pytest.mark.full),
        pytest.param("neighbors", waves, "y", marks=pytest.mark.full),
        pytest.param("kernel", waves, "y", marks=pytest.mark.full),
    ],
)
def test_a_report_chooses_explains_saves_and_verifies(
    tmp_path: Path, models: str, make: Any, target: str
) -> None:
    made = make_report(tmp_path, make(), target, models=f"linear,{models}", time_limit=12.0)
    assert not made.errors
    report = said(tmp_path)
    name = report["verdict"]["model"]
    assert name in {"neighbors": ("neighbors",), "kernel": ("svc", "kernel_ridge")}[models]
    row = next(c for c in report["candidates"] if c["name"] == name)
    assert row["complexity"]["unit"] == "kept numbers"
    assert row["certificate"]["verified"] is True
    assert row["certificate"]["kind"] == ("EXACT" if models == "neighbors" else "DUALITY_GAP")
    assert (
        report["absent"]["model.coefficients"] == "A model that compares rows has no coefficients of columns."
    )
    assert ("nearest row" if models == "neighbors" else "likenesses") in report["model"]["sentence"]
    assert report["learning_curve"] is not None
    informative = {"x", "y"} if target == "answer" else {"u"}
    ranked = [i["column"] for i in report["model"]["importances"] if i["value"]["low"] > 0.0]
    assert set(ranked) == informative
    loaded = er.load(tmp_path / "out" / "model.empirisk")
    again = verify_file(loaded, loaded.read(tmp_path / "table.csv", labelled=True))
    assert again.proved
    metric = report["test"]["metrics"][0]
    assert again.metrics[metric["label"]].value == pytest.approx(metric["model"]["value"], rel=1e-12)


@pytest.mark.full  # two reports
def test_the_bracket_of_the_best_rule(tmp_path: Path) -> None:
    """Labels of two rings that are turned over in a tenth of the rows: the best rule errs on a tenth."""
    rng = np.random.default_rng(4)
    frame = rings(600)
    other = {"inner": "outer", "outer": "inner"}
    turned = [other[a] if rng.random() < 0.1 else a for a in frame["answer"]]
    make_report(tmp_path / "classes", frame.with_columns(pl.Series("answer", turned)), "answer")
    found = said(tmp_path / "classes")["best_possible"]
    assert found["interval"]["low"] < 0.1 < found["interval"]["high"]
    assert found["low"] <= found["high"] == found["error"]["value"]
    assert "a better rule exists" in found["sentence"]  # a weighted sum of the columns sees nothing
    assert found["sentence"] in (tmp_path / "classes" / "out" / "report.md").read_text().replace("\\", "")
    make_report(tmp_path / "numbers", numbers(), "y")
    report = said(tmp_path / "numbers")
    assert report["best_possible"] is None
    assert "not for numbers" in report["absent"]["best_possible"]
