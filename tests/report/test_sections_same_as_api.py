"""The numbers of each section of ``report.json`` are those that the library gives for the saved model.

The saved pipeline is a recipe: unfitted again it is what curves and diagnoses fit, and as it is what the test
rows are asked about. Only the choice of the model needs more (``test_same_as_api.py``). No public function
gives the bands of curves over thresholds, Spiegelhalter's test, normal quantiles, and the intervals of
coefficients under a penalty and of shuffled columns: their values are compared, or what they are made of.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import Pipeline

import empirisk as er
from empirisk.report.fit.diagnosed import ASKED, OUTCOMES
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table
from tests.report.reports import make_report, numbers

Json = dict[str, Any]
SEED = 3
EXACT = 1e-9  # one and the same fitted model, asked in another order of sums


def towns(n: int) -> pl.DataFrame:
    """Two classes, from two numbers and one of two towns."""
    rng = np.random.default_rng(0)
    a, b, town = rng.normal(size=n), rng.normal(size=n), rng.choice(["Bergen", "Oslo"], n)
    odds = 1.5 * a + np.where(town == "Oslo", 0.7, -0.7)
    label = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-odds)), "yes", "no")
    return pl.DataFrame({"a": a.round(3), "b": b.round(3), "town": town, "answer": label})


def three(n: int) -> pl.DataFrame:
    """Three classes, from two of three numbers."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    kind = np.argmax(
        X[:, [0]] * [1.5, 0.0, -1.5] + X[:, [1]] * [0.0, 1.5, 0.0] + rng.gumbel(size=(n, 3)), axis=1
    )
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "answer": np.array(["u", "v", "w"])[kind]})


def rare(n: int) -> pl.DataFrame:
    """Three classes, one of them so rare that a fold lacks it: the Brier score judges."""
    answer = pl.col("answer")
    many = (answer == "w") & ((answer == "w").cum_sum() > 1)
    return three(n).with_columns(answer=pl.when(many).then(pl.lit("u")).otherwise(answer))


TABLES: dict[str, tuple[Any, str, str]] = {
    "line": (lambda: numbers(n=200), "y", "linear"),
    "classes": (lambda: towns(1300), "answer", "linear"),
    "three_classes": (lambda: three(300), "answer", "linear"),
    "forest": (lambda: numbers(n=200), "y", "forest"),
    "boosting": (lambda: three(300), "answer", "boosting"),
    "tree": (lambda: numbers(n=200), "y", "tree"),
    "neighbors": (lambda: three(300), "answer", "neighbors"),
    "kernel": (lambda: numbers(n=200), "y", "kernel"),
    "bayes": (lambda: three(300), "answer", "bayes"),
    "network": (lambda: numbers(n=300), "y", "network"),
}
QUICK = ("line",)


@dataclass(frozen=True)
class Told:
    """A report, its saved pipeline, and the parts of its table."""

    report: Json
    pipeline: Pipeline
    train: Sample
    test: Sample

    @property
    def recipe(self) -> Pipeline:
        """The pipeline of the saved model, unfitted."""
        return clone(self.pipeline)

    @property
    def folds(self) -> Json:
        """How the library is asked for the folds of the report."""
        said = self.report["provenance"]["settings"]
        return {"cv": said["folds"], "repeats": said["repeats"], "random_state": SEED}

    @property
    def metric(self) -> str:
        return str(self.report["selection"]["metric"])

    def evaluate(self, frame: pl.DataFrame, y: Any, metrics: list[str], level: float = 0.95) -> Any:
        return er.evaluate(self.pipeline, frame, y, level, metrics=metrics)


@pytest.fixture(
    scope="module", params=[pytest.param(k, marks=() if k in QUICK else pytest.mark.full) for k in TABLES]
)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    return tell(tmp_path_factory.mktemp(request.param), *TABLES[request.param])


def tell(folder: Path, make: Any, target: str, models: str) -> Told:
    """Report on a table, and return what was said of it."""
    make_report(folder, make(), target, seed=SEED, models=models, time_limit=6.0)  # a plan with a curve
    report = json.loads((folder / "out" / "report.json").read_text())
    table = read_table(folder / "table.csv", target=target)
    split = split_rows(table, seed=SEED)
    pipeline = er.load(folder / "out" / "model.empirisk").pipeline
    return Told(report, pipeline, take(table, split.train, split.groups), take(table, split.test))


def agree(said: Json, e: Any) -> None:
    """Compare an estimate of the report with one of the library, ends included."""
    for key in ("value", "low", "high"):
        wanted = getattr(e, key)
        assert said[key] == (None if wanted is None else pytest.approx(wanted, rel=EXACT, abs=EXACT)), key
    assert (said["n"], said["level"]) == (e.n, pytest.approx(e.level))


def at(band: Json, i: int) -> Json:
    """Return one point of a band as an estimate."""
    return {key: band[key] and band[key][i] for key in ("value", "low", "high")}


def test_learning_curve(told: Told) -> None:
    said = told.report["learning_curve"]
    halvings = told.report["provenance"]["settings"]["curve_sizes"]
    found = er.selection.learning_curve(told.recipe, told.train.dealt, sizes=halvings, **told.folds)
    assert said["x"] == list(found.sizes)
    assert said["label"] == er.selection.METRICS[found.loss].label
    for key, points in (("validation", found.validation), ("train", found.train)):
        for i, e in enumerate(points):
            agree(at(said[key], i) | {"n": e.n, "level": said[key]["level"]}, e)
    more = found.extrapolate(2.0)
    if more.reason:
        assert said["extrapolation"] is None
        assert more.reason in said["sentence"]
    else:
        assert said["extrapolation"]["n_rows"] == more.rows[0]
        agree(said["extrapolation"]["gain"], more.gain[0])
        agree(said["extrapolation"]["score"], more.loss[0])


def figures(text: str) -> list[str]:
    """Return the numbers in a sentence, as they are written."""
    return re.findall(r"\d+(?:[.,]\d+)*", text)


def test_findings_and_attribution(told: Told) -> None:
    sample = told.train
    y = sample.y if sample.task == "regression" else np.array(sample.classes)[sample.y]
    found = er.diagnose(told.recipe, sample.frame, y, cv=5, level=0.05, ignore=ASKED, random_state=SEED)
    said = {f["code"]: f for f in told.report["findings"] if f["code"] >= "ER2"}
    assert {code: f["level"] for code, f in said.items()} == {f.code: f.level for f in found.findings}
    for f in found.findings:
        assert figures(said[f.code]["evidence"]) == figures(f.evidence)
        assert figures(said[f.code]["sentence"]) == figures(f.sentence)
    checks = {c["code"]: c for c in told.report["checks"]}
    for answer in found.answers:
        if answer.code in checks:
            assert checks[answer.code]["outcome"] == OUTCOMES[answer.outcome]
            if answer.code != "ER209":  # of a test part drawn at random the report says more
                assert figures(checks[answer.code]["sentence"]) == figures(answer.sentence)
    parts, told_parts = found.decomposition.parts, (told.report["attribution"] or {"parts": []})["parts"]
    assert [p.name for p in parts] == [p["part"] for p in told_parts]
    for p, row in zip(parts, told_parts, strict=True):
        known = p.status != "not identifiable"
        for key in ("value", "low", "high"):
            wanted = getattr(p, key) if known or key != "value" else None
            assert row[key] == (None if wanted is None else pytest.approx(wanted, rel=EXACT))


def test_dependence(told: Told) -> None:
    curves = told.report["model"]["dependence"]
    assert bool(curves) == (len(told.train.classes) <= 2)
    for said in curves or ():
        levels = sorted(set(told.test.frame[said["column"]].to_list()))
        grid = said["x"] or [levels.index(label) for label in said["labels"]]
        found = er.partial_dependence(
            told.pipeline, told.test.frame, said["column"], grid=grid, max_rows=500, random_state=SEED
        )
        assert said["n"] == found.individual.shape[1]
        ends = {"value": found.value, "low": found.pointwise[0], "high": found.pointwise[1]}
        ends |= {"band_low": found.simultaneous[0], "band_high": found.simultaneous[1]}
        for key, wanted in ends.items():
            assert said[key] == pytest.approx(wanted[:, 0], rel=EXACT, abs=EXACT)


def test_importances_are_rises_of_the_loss_when_a_column_is_dealt_to_other_rows(told: Told) -> None:
    frame, y, rng = told.test.frame, told.test.y, np.random.default_rng(SEED)
    own = told.evaluate(frame, y, [told.metric])[told.metric].value
    said = {row["column"]: row["value"] for row in told.report["model"]["importances"]}
    assert set(said) == set(frame.columns)
    # The encoders put numbers before levels.
    for name in sorted(frame.columns, key=lambda c: frame[c].dtype == pl.String):
        if said[name]["method"].startswith("exact"):
            assert said[name]["value"] == 0.0
            continue
        repeats = int(said[name]["method"].split()[0])
        rises = []
        for _ in range(repeats):
            dealt = frame.with_columns(frame[name][rng.permutation(len(frame))])
            rises.append(told.evaluate(dealt, y, [told.metric])[told.metric].value - own)
        if np.isfinite(own):  # shares of trees that are not smoothed may be 0
            assert said[name]["value"] == pytest.approx(np.mean(rises), rel=1e-6, abs=1e-9)
            assert said[name]["low"] <= said[name]["value"] <= said[name]["high"]


@pytest.mark.full  # a whole report
def test_importances_are_in_the_loss_that_judges(tmp_path: Path) -> None:
    told = tell(tmp_path, lambda: rare(300), "answer", "linear")
    assert told.metric == "brier_score"
    test_importances_are_rises_of_the_loss_when_a_column_is_dealt_to_other_rows(told)


def test_coefficients(told: Told) -> None:
    rows = told.report["model"]["coefficients"]
    model = told.pipeline[-1]
    assert bool(rows) == hasattr(model, "coef_")
    if not rows:
        return
    X = np.asarray(told.pipeline[0].transform(told.train.frame))
    terms = [row for row in rows if row["term"] != "(intercept)"]
    coef = np.ravel(model.coef_)
    assert [row["per_sd"]["value"] for row in terms] == pytest.approx(
        coef * np.tile(X.std(axis=0), len(terms) // X.shape[1]), rel=EXACT, abs=1e-12
    )
    assert [row["zero"] for row in terms] == [w == 0.0 for w in coef]
    shown = [row["value"] for row in rows]
    assert all(e["low"] is None or e["low"] < e["value"] < e["high"] for e in shown)


def test_metrics(told: Told) -> None:
    rows = told.report["test"]["metrics"]
    found = told.evaluate(told.test.frame, told.test.y, [row["name"] for row in rows])
    for row in rows:
        if np.isfinite(found[row["name"]].value):  # shares of trees that are not smoothed may be 0
            agree(row["model"], found[row["name"]])


def test_evidence_on_classes(told: Told) -> None:
    section, y = told.report["test"], told.test.y
    if told.test.task == "regression":
        assert section["confusion"] is section["calibration"] is section["roc"] is None
        return
    proba, guess = told.pipeline.predict_proba(told.test.frame), told.pipeline.predict(told.test.frame)
    intervals = er.selection.intervals
    for c in range(len(told.test.classes)):
        assert section["confusion"]["counts"][c] == [
            int(np.sum((y == c) & (guess == k))) for k in range(len(proba[0]))
        ]
        hit, called, there = np.sum((y == c) & (guess == c)), np.sum(guess == c), np.sum(y == c)
        agree(section["confusion"]["recall"][c], intervals.wilson(int(hit), int(there)))
        agree(section["confusion"]["precision"][c], intervals.wilson(int(hit), int(called)))
    binary = len(told.test.classes) == 2
    claimed = proba[:, 1] if binary else proba.max(axis=1)
    happened = y == (1 if binary else proba.argmax(axis=1))
    bins = section["calibration"]["bins"]
    assert sum(b["n"] for b in bins) == y.size
    for b in bins:
        mask = (claimed >= b["low"] * (1 - EXACT)) & (claimed <= b["high"] * (1 + EXACT))
        assert b["predicted"] == pytest.approx(claimed[mask].mean(), rel=EXACT)
        e = intervals.clopper_pearson(int(happened[mask].sum()), int(mask.sum()), 1.0 - 0.05 / len(bins))
        agree(b["observed"] | {"level": e.level}, e)
    assert (section["roc"] is not None) == binary
    if binary:
        areas = told.evaluate(told.test.frame, y, ["roc_auc", "average_precision"])
        agree(section["roc"]["area"], areas["roc_auc"])
        agree(section["pr"]["area"], areas["average_precision"])
        agree(section["pr"]["base_rate"], intervals.wilson(int(y.sum()), y.size))
        assert np.sum(section["scores"]["positive"]) == y.sum()


def test_evidence_on_numbers(told: Told) -> None:
    section, intervals = told.report["test"], er.selection.intervals
    if told.test.task != "regression":
        assert section["residuals"] is section["coverage"] is None
        return
    predicted = told.pipeline.predict(told.test.frame)
    residuals = told.test.y - predicted
    order = np.argsort(predicted, kind="stable")
    for key, values in (("observed", told.test.y), ("residuals", residuals)):
        bins = section[key]["bins"]
        for b, rows in zip(bins, np.array_split(order, len(bins)), strict=True):
            agree(b["mean"], intervals.student(values[rows], min_rows=10))
            assert b["q50"] == pytest.approx(np.median(values[rows]), rel=EXACT)
    crossed = er.cross_evaluate(told.recipe, told.train.dealt, metrics="mse", **told.folds)
    sizes = np.sort(np.sqrt(crossed.losses("mse")[0]))
    for row in section["coverage"]:
        q = sizes[int(np.ceil((sizes.size + 1) * row["nominal"])) - 1]
        assert row["width"] == pytest.approx(2.0 * q, rel=1e-5)  # paths and single fits: their certificates
        agree(row["observed"], intervals.wilson(int(np.sum(np.abs(residuals) <= q)), residuals.size))


def test_subgroups(told: Told) -> None:
    said = told.report["test"]["subgroups"]
    groups = {} if said is None else {(g["column"], g["value"]): g["score"] for g in said["groups"]}
    frame = told.test.frame
    sizes = {
        (name, v): int((frame[name] == v).sum())
        for name in frame.columns
        if frame[name].dtype == pl.String
        for v in set(frame[name].to_list())
    }
    assert set(groups) == {key for key, n in sizes.items() if n >= 100}
    for (column, value), score in groups.items():
        mask = (frame[column] == value).to_numpy()
        inside = 1.0 - 0.05 / len(groups)
        e = told.evaluate(frame.filter(mask), told.test.y[mask], ["accuracy"], inside)["accuracy"]
        agree(score | {"level": e.level}, e)
