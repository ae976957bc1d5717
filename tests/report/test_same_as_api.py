"""A number of ``report.json`` is the number that the Python API gives for the same recipe and seed.

Penalties are solved along paths in the report, so that its cross-validated numbers agree with single fits
up to the certificates of both; what asks one and the same fitted model agrees to the last digits.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.pipeline import make_pipeline

import empirisk as er
from empirisk.report.fit.encode import make_encoder
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from empirisk.report.saved.model_file import load
from tests.report.reports import make_report, numbers, two_classes

Json = dict[str, Any]
SEED = 3
PATH = 1e-5  # certificates of paths and of single fits


@dataclass(frozen=True)
class Made:
    """A report, and the parts of its table."""

    report: Json
    folder: Path
    table: Table
    train: Sample
    test: Sample

    def recipe(self, row: Json) -> Any:
        """Return the unfitted pipeline of a row of the candidates: the encoder, then the linear model."""
        penalty = {"alpha": row["parameters"]["alpha"], "tol": 1e-10}
        name = row["name"]
        if name in ("ridge", "lasso"):
            model: Any = {"ridge": er.Ridge, "lasso": er.Lasso}[name](**penalty)
        elif name == "elastic_net":
            model = er.ElasticNet(l1_ratio=0.5, **penalty)
        else:
            ratio = {"logistic_l1": 1.0, "logistic_en": 0.5, "logistic_l2": 0.0}[name]
            model = er.LogisticRegression(l1_ratio=ratio, **penalty)
        return make_pipeline(make_encoder(self.table), model)

    @property
    def folds(self) -> Json:
        """Return how :func:`empirisk.cross_evaluate` is asked for the folds of the report."""
        said = self.report["provenance"]["settings"]
        return {"cv": said["folds"], "repeats": said["repeats"], "random_state": SEED}

    @property
    def rows(self) -> list[Json]:
        """Return the rows of linear candidates."""
        return [c for c in self.report["candidates"] if "alpha" in c["parameters"]]


def made(folder: Path, frame: Any, target: str, **more: Any) -> Made:
    make_report(folder, frame, target, seed=SEED, time_limit=None, **more)
    report = json.loads((folder / "out" / "report.json").read_text())
    table = read_table(folder / "table.csv", target=target, **{k: v for k, v in more.items() if k == "group"})
    split = split_rows(table, seed=SEED)
    return Made(report, folder, table, take(table, split.train, split.groups), take(table, split.test))


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made(tmp_path_factory.mktemp("lines"), numbers(n=200), "y")


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made(tmp_path_factory.mktemp("classes"), two_classes(n=240), "answer")


def agree(said: Json, e: Any, rel: float) -> None:
    """Compare an estimate of the report with one of the library, ends included."""
    size = abs(e.value) + 1e-12
    for key in ("value", "low", "high"):
        assert said[key] == pytest.approx(getattr(e, key), rel=rel, abs=rel * size), key
    assert (said["n"], said["level"]) == (e.n, e.level)


@pytest.mark.parametrize("which", ["lines", "classes"])
def test_cross_validated_scores(which: str, request: pytest.FixtureRequest) -> None:
    m: Made = request.getfixturevalue(which)
    metric = m.report["selection"]["metric"]
    for row in m.rows:
        found = er.cross_evaluate(m.recipe(row), m.train.dealt, metrics=metric, **m.folds)
        agree(row["score"], found[metric], PATH)
        assert row["score"]["method"] == found[metric].method


def test_differences_to_the_baseline(lines: Made) -> None:
    chosen = next(c for c in lines.rows if c["chosen"])
    base = make_pipeline(make_encoder(lines.table), DummyRegressor())
    found = er.compare(lines.recipe(chosen), base, lines.train.dealt, metric="mse", **lines.folds)
    agree(chosen["versus_baseline"], found.difference, PATH)
    baseline = next(c for c in lines.report["candidates"] if c["role"] == "baseline")
    agree(baseline["score"], found.b, 1e-12)


@pytest.mark.parametrize("which", ["lines", "classes"])
def test_held_out_metrics(which: str, request: pytest.FixtureRequest) -> None:
    m: Made = request.getfixturevalue(which)
    pipeline = load(m.folder / "out" / "model.empirisk").pipeline
    names = [row["name"] for row in m.report["test"]["metrics"]]
    found = er.evaluate(pipeline, m.test.frame, m.test.y, metrics=names)
    for row in m.report["test"]["metrics"]:
        agree(row["model"], found[row["name"]], 1e-12)
    for row in m.report["test"]["metrics"]:
        if row["name"] == "mse":
            constant = DummyRegressor().fit(m.train.frame, m.train.y)
            pair = er.selection.compare_fitted(pipeline, constant, m.test.frame, m.test.y, metric="mse")
            agree(row["difference"], pair.difference, 1e-12)
            agree(row["baseline"], pair.b, 1e-12)


@pytest.mark.parametrize("which", ["lines", "classes"])
def test_bounds(which: str, request: pytest.FixtureRequest) -> None:
    m: Made = request.getfixturevalue(which)
    chosen = next(c for c in m.report["candidates"] if c["chosen"])
    pipeline = make_pipeline(make_encoder(m.table), m.recipe(chosen)[-1].set_params(tol=1e-6))
    pipeline.fit(m.train.frame, m.train.y)
    found = er.risk_bounds(pipeline, m.train.frame, m.train.y, m.test.frame, m.test.y, delta=0.05).to_dict()
    said = m.report["bounds"]
    assert len(said["rows"]) == len(found["rows"])
    for one, other in zip(said["rows"], found["rows"], strict=True):
        assert one["applies"] == other["applies"]
        for key in ("value", "bound", "risk"):
            if key in other and isinstance(other[key], float):
                assert one[key] == pytest.approx(other[key], rel=PATH)


def test_twins_stay_together_as_a_sample_deals_them() -> None:
    rng = np.random.default_rng(0)
    units = rng.integers(0, 40, 90)
    sample = er.selection.Sample(rng.normal(size=(90, 2)), rng.normal(size=90), together=units)
    for train, test in sample.plan(5, 2, 0).splits:
        assert not np.intersect1d(units[train], units[test]).size
