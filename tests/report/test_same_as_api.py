"""A number of ``report.json`` is the number that the Python API gives for the same recipe, rows and seed.

Penalties are solved along paths in the report, so that its cross-validated numbers agree with single fits
up to the certificates of both; whatever asks one and the same fitted model agrees to the last digits.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline, make_pipeline

import empirisk as er
from empirisk.report.fit.candidates import candidates
from empirisk.report.fit.encode import make_encoder
from empirisk.report.fit.recipe import recipe
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.split import split_rows
from empirisk.report.fit.without import table_without
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from empirisk.report.saved.model_file import load
from tests.report.reports import make_report, numbers, two_classes

# Each of them makes a whole report.
pytestmark = pytest.mark.full

Json = dict[str, Any]
SEED = 3
PATH = 1e-3  # the root of the tolerance of a fit, which its scores and losses can be moved by
EXACT = 1e-12


@dataclass(frozen=True)
class Made:
    """A report, and the parts of its table."""

    report: Json
    folder: Path
    table: Table
    train: Sample
    test: Sample

    def recipe(self, row: Json) -> Pipeline:
        """Return the unfitted pipeline of a row of the candidates, made by hand where it is linear."""
        settings, name = row["parameters"], row["name"]
        if row["role"] == "baseline":
            return make_pipeline(
                make_encoder(self.table),
                DummyRegressor() if self.table.task == "regression" else DummyClassifier(strategy="prior"),
            )
        if name not in LINEAR:
            value = next((settings[k] for k in ("alpha", "rounds", "n_neighbors") if k in settings), np.nan)
            known = {c.name: c for c in candidates(self.table.task)}
            drawn = {k: v for k, v in settings.items() if k not in ("alpha", "rounds", "n_neighbors")}
            row = replace(known[name], settings=tuple(drawn.items()))
            return recipe(row, self.table, value, SEED)
        kind, more = LINEAR[name]
        return make_pipeline(make_encoder(self.table), kind(alpha=settings["alpha"], **more))

    @property
    def folds(self) -> Json:
        """Return how :func:`empirisk.cross_evaluate` is asked for the folds of the report."""
        if self.table.time is not None:
            return {}
        said = self.report["provenance"]["settings"]
        return {"cv": said["folds"], "repeats": said["repeats"], "random_state": SEED}

    @property
    def metric(self) -> str:
        return str(self.report["selection"]["metric"])

    @property
    def rows(self) -> list[Json]:
        return list(self.report["candidates"])

    @property
    def chosen(self) -> Json:
        return next(c for c in self.rows if c["chosen"])


LINEAR: dict[str, tuple[Any, Json]] = {
    "ridge": (er.Ridge, {}),
    "lasso": (er.Lasso, {}),
    "elastic_net": (er.ElasticNet, {"l1_ratio": 0.5}),
    "logistic_l1": (er.LogisticRegression, {"l1_ratio": 1.0}),
    "logistic_en": (er.LogisticRegression, {"l1_ratio": 0.5}),
    "logistic_l2": (er.LogisticRegression, {"l1_ratio": 0.0}),
}


def copies(n: int) -> pl.DataFrame:
    """Rows that stand two or three times, which folds keep together."""
    frame = numbers(n=n)
    return pl.concat([frame, frame.head(n // 2), frame.head(n // 4)])


def rare_class(n: int) -> pl.DataFrame:
    """A class of three rows: some fits never see it, and no log-loss is finite."""
    frame = two_classes(n)
    label = pl.Series("answer", ["maybe" if 10 <= i < 13 else v for i, v in enumerate(frame["answer"])])
    return frame.with_columns(label)


def dated(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.Series("day", np.random.default_rng(5).permutation(frame.height)))


def grouped(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with a column of groups, about eight rows each."""
    names = [f"g{v}" for v in np.random.default_rng(6).integers(0, frame.height // 8, frame.height)]
    return frame.with_columns(pl.Series("home", names))


ALL: Json = {"models": None}
TREES: Json = {"models": "linear,tree"}
CASES: dict[str, tuple[Any, str, Json]] = {
    "lines": (lambda: numbers(n=120), "y", ALL),
    "classes": (lambda: two_classes(n=140), "answer", ALL),
    "groups": (lambda: grouped(numbers(n=120)), "y", {**TREES, "group": "home"}),
    "grouped classes": (lambda: grouped(two_classes(n=140)), "answer", {**TREES, "group": "home"}),
    "time": (lambda: dated(numbers(n=120)), "y", {**TREES, "time": "day"}),
    "classes in time": (lambda: dated(two_classes(n=140)), "answer", {**TREES, "time": "day"}),
    "copies": (lambda: copies(70), "y", TREES),
    "rare class": (lambda: rare_class(120), "answer", TREES),
}


@pytest.fixture(scope="module", params=CASES)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(CASES[request.param], tmp_path_factory.mktemp("made"))


def make(case: tuple[Any, str, Json], folder: Path) -> Made:
    frame, target, options = case
    make_report(folder, frame(), target, seed=SEED, time_limit=None, **options)
    report = json.loads((folder / "out" / "report.json").read_text())
    assert not report["failed"]
    dependence = {k: v for k, v in options.items() if k in ("group", "time")}
    table = read_table(folder / "table.csv", target=target, **dependence)
    split = split_rows(table, seed=SEED)
    return Made(report, folder, table, take(table, split.train, split.groups), take(table, split.test))


def agree(said: Json, e: Any, rel: float, size: float = 0.0) -> None:
    """Compare an estimate of the report with one of the library, ends, rows and method included.

    A difference is compared to the size of the scores that it is a difference of.
    """
    size = max(size, abs(e.value)) + 1e-12
    for key in ("value", "low", "high"):
        found = getattr(e, key)
        assert (said[key] is None) == (found is None), key
        assert found is None or said[key] == pytest.approx(found, rel=rel, abs=rel * size), key
    assert (said["n"], said["level"], said["method"]) == (e.n, e.level, e.method)


def test_cross_validated_scores_and_differences(made: Made) -> None:
    """Every kind of candidate: its score, and its difference to the baseline and to the best."""
    found = {
        row["name"]: er.cross_evaluate(made.recipe(row), made.train.dealt, metrics=made.metric, **made.folds)
        for row in made.rows
    }
    best = next(r["name"] for r in made.rows if r["versus_best"] is None and r["role"] != "reference")
    compare_cross = er.selection.compare_cross
    for row in made.rows:
        rel = PATH if row["name"] in LINEAR else EXACT
        mine = found[row["name"]]
        agree(row["score"], mine[made.metric], rel)
        for key, other in (("versus_baseline", "baseline"), ("versus_best", best)):
            if row[key] is not None:
                pair = compare_cross(mine, found[other], made.metric)
                rel = PATH if {row["name"], other} & set(LINEAR) else EXACT
                agree(row[key], pair.difference, rel, pair.a.value)


def test_the_metric_is_one_that_every_fit_has(made: Made) -> None:
    held = {
        frozenset(made.train.y[train].tolist()) for train, _ in made.train.dealt.plan(**made.folds).splits
    }
    wanted = "mse" if made.table.task == "regression" else "log_loss" if len(held) == 1 else "brier_score"
    assert made.metric == wanted
    assert ("Brier score judges" in " ".join(made.report["selection"]["notes"])) == (wanted == "brier_score")


def test_values_along_a_path_are_those_of_the_curve_of_the_library(made: Made) -> None:
    """The same path on the same folds: all digits, of means in training and of intervals held out."""
    if made.table.time is not None:
        return  # the library draws such curves over folds alone
    curve = next(c for c in made.report["selection_curves"] if c["candidate"] in LINEAR)
    row = next(c for c in made.rows if c["name"] == curve["candidate"])
    values = curve["x"][::-1]
    found = er.selection.model_selection_curve(
        made.recipe(row), made.train.dealt, None, f"{made.recipe(row).steps[-1][0]}__alpha", values,
        loss=made.metric, **made.folds,
    )  # fmt: skip
    for key in ("value", "low", "high"):
        said = [getattr(e, key) for e in found.validation][::-1]
        if None in said:  # too few groups for an interval: then there is no band
            assert curve["validation"][key] is None
        else:
            assert curve["validation"][key] == pytest.approx(said, rel=1e-10), key
    np.testing.assert_allclose(curve["train"]["value"], [e.value for e in found.train][::-1], rtol=1e-10)


def test_held_out_metrics(made: Made) -> None:
    check_held_out(made)


def check_held_out(made: Made) -> None:
    pipeline = load(made.folder / "out" / "model.empirisk").pipeline
    base = made.recipe(made.rows[0])[-1].fit(made.train.frame, made.train.y)
    groups, (X, y) = made.test.groups, (made.test.frame, made.test.y)
    names = [row["name"] for row in made.report["test"]["metrics"]]
    found = er.evaluate(pipeline, X, y, groups=groups, metrics=names)
    median = np.median(made.train.y)  # what absolute errors are compared with
    middle = DummyRegressor(strategy="constant", constant=median).fit(made.train.frame, made.train.y)
    for row in made.report["test"]["metrics"]:
        assert ("constant" in row) == (row["name"] == "mae" and made.train.time is None)
        agree(row["model"], found[row["name"]], EXACT)
        if row["difference"] is not None:
            other = middle if row.get("constant") else base
            pair = er.selection.compare_fitted(pipeline, other, X, y, groups=groups, metric=row["name"])
            known = row["baseline"]["low"] is not None and row["baseline"]["low"] == row["baseline"]["high"]
            if known:  # by being a constant: no interval
                assert row["baseline"]["value"] == pytest.approx(pair.b.value, abs=1e-12)
                for key in ("value", "low", "high"):
                    told = row["model"][key]  # None where there are too few groups
                    wanted = None if told is None else pytest.approx(told - pair.b.value, abs=1e-12)
                    assert row["difference"][key] == wanted
                continue
            agree(row["difference"], pair.difference, EXACT)
            agree(row["baseline"], pair.b, EXACT)


@pytest.mark.parametrize("kind", ["tree", "boosting", "forest"])
def test_held_out_metrics_of_models_made_of_trees(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    x, level = rng.normal(size=(2, 400)), rng.choice(["p", "q"], 400)
    label = np.where(np.where(level == "q", x[0] > 0, x[1] > 0) ^ (rng.random(400) < 0.1), "yes", "no")
    frame = pl.DataFrame({"a": x[0], "b": x[1], "level": level, "answer": label})
    m = make((lambda: frame, "answer", {"models": kind}), tmp_path)
    assert m.chosen["name"] == kind
    check_held_out(m)
    again = m.recipe(m.chosen).fit(m.train.frame, m.train.y)
    saved = load(tmp_path / "out" / "model.empirisk").pipeline
    np.testing.assert_array_equal(again.predict_proba(m.test.frame), saved.predict_proba(m.test.frame))


def test_a_suspect_is_left_out_of_the_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = numbers(n=200).with_columns(pl.col("y").round(1).alias("leak"))
    frame = frame.with_columns(pl.Series("y", frame["y"] + 1e-3 * rng.normal(size=200)))
    m = make((lambda: frame, "y", {"models": "linear"}), tmp_path)
    told = next(f["evidence"] for f in m.report["findings"] if f["code"] == "ER113")
    name = {c.name: c for c in candidates("regression")}[m.chosen["name"]]
    bare = recipe(name, table_without(m.table, "leak"), m.chosen["parameters"]["alpha"], SEED)
    found = er.compare(bare, m.recipe(m.chosen), m.train.dealt, metric="mse", **m.folds)
    assert f"{found.a} without it, a rise of {found.difference}" in told


@pytest.mark.parametrize("which", ["lines", "classes"])
def test_bounds(which: str, tmp_path: Path) -> None:
    m = make(CASES[which], tmp_path)
    pipeline = m.recipe(m.chosen)
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
