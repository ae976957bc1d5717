"""Reports whose candidates are made of trees: native levels and gaps, one growth a path, explained, saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import empirisk as er
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.row_losses import losses_over
from empirisk.report.errors import DataError
from empirisk.report.fit.candidates import Candidate, candidates
from empirisk.report.fit.encode import model_frame
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.grown import grown_estimator, grown_grid, n_leaves
from empirisk.report.fit.native import level_columns, level_positions, native_encoder, native_origin
from empirisk.report.fit.recipe import Encoders, recipe_along
from empirisk.report.fit.sample import take
from empirisk.report.fit.tuning import cross_validate
from empirisk.report.options import Options
from empirisk.report.progress import Silent
from empirisk.report.read.read import read_table
from empirisk.report.saved.verify_file import verify_file
from tests.report.reports import make_report, two_classes
from tests.report.tables import table_of

TREE, BOOSTING, FOREST = (
    Candidate(name, name, "candidate", kind=name) for name in ("tree", "boosting", "forest")
)


def crossed(n: int = 900) -> pl.DataFrame:
    """Two levels that turn the effect of a number around: no weighted sum sees it; gaps tell, too."""
    rng = np.random.default_rng(5)
    x, kind = rng.normal(size=n), rng.choice(["left", "right", "middle"], n)
    gone = rng.random(n) < 0.15
    score = np.where(kind == "left", x > 0, np.where(kind == "right", x < 0, gone))
    label = np.where(rng.random(n) < np.where(score, 0.9, 0.1), "yes", "no")
    return pl.DataFrame(
        {
            "x": [None if g else v for g, v in zip(gone, x, strict=True)],
            "kind": kind,
            "noise": rng.normal(size=n),  # without it the rows with a gap would be twins, which stay together
            "answer": label,
        }
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("crossed")
    make_report(folder, crossed(), "answer", time_limit=None, models=None)
    return folder, json.loads((folder / "out" / "report.json").read_text())


def test_native_encoding_keeps_gaps_and_levels(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    two_classes(60).write_csv(file)
    table = read_table(file, target="answer")
    frame = model_frame(table)
    encoder = native_encoder(table)
    X = encoder.fit_transform(frame)
    names = [o.source for o in native_origin(encoder)]
    assert sorted(names) == ["age", "noise", "town"]
    assert level_columns(encoder) == level_positions(table) == [names.index("town")]
    np.testing.assert_array_equal(X[:, names.index("age")], frame["age"].to_numpy())
    towns = np.unique(frame["town"].to_numpy(), return_inverse=True)[1]
    np.testing.assert_array_equal(X[:, names.index("town")], towns)
    unseen = encoder.transform(frame.with_columns(pl.lit("Atlantis").alias("town")))
    assert np.isnan(unseen[:, names.index("town")]).all()


def test_recipes_are_pipelines_that_the_library_fits(tmp_path: Path) -> None:
    """Every row of the candidates becomes one of the library, whose models take the rows of a table."""
    file = tmp_path / "t.csv"
    two_classes(120).write_csv(file)
    table = read_table(file, target="answer")
    sample = er.selection.Sample(model_frame(table), table.frame["answer"].to_numpy(), task="classification")
    values = {"alpha": [0.5, 0.01], "rounds": [3, 5], "n_neighbors": [3, 1], "": []}
    for row in (c for c in candidates("binary") if c.name != "multinomial_nb"):  # noise is no count
        recipe = recipe_along(row, table, values[row.parameter], seed=0)
        assert recipe.name == row.label
        models = list(recipe.fits(sample, np.arange(80)))
        assert len(models) == max(1, len(values[row.parameter]))
        assert all(m.predict_proba(sample.X).shape == (120, 2) for m in models)


@pytest.mark.parametrize("candidate", [TREE, BOOSTING], ids=lambda c: c.name)
@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
def test_grids_run_from_the_simplest_model_to_the_richest(
    candidate: Candidate, task: str, rng: np.random.Generator
) -> None:
    X = rng.standard_normal((200, 4))
    X[:, 3] = rng.integers(0, 3, 200)
    y = X[:, 0] + (X[:, 3] == 1)
    if task != "regression":
        k = {"binary": 2, "multiclass": 3}[task]
        y = np.searchsorted(np.quantile(y, np.arange(1, k) / k), y)
    values = grown_grid(candidate, X, y, [3], 5)
    assert 1 <= values.size <= 5
    sizes = [n_leaves(grown_estimator(candidate, task, v, [3], 0).fit(X, y)) for v in values]
    assert sizes == sorted(sizes)


@pytest.mark.full  # a report of all kinds of trees takes many seconds
def test_trees_are_chosen_where_sums_see_nothing(report) -> None:
    _, r = report
    by_name = {c["name"]: c for c in r["candidates"]}
    assert {"tree", "boosting", "forest", "reference"} < set(by_name)
    assert r["verdict"]["model"] in ("tree", "boosting", "forest")
    best = by_name["boosting"]["score"]
    assert best["high"] < by_name["logistic_l2"]["score"]["low"]
    assert "richer class" not in json.dumps(r["verdict"]) or r["verdict"]["model"] == "tree"
    assert "rounds" in by_name["boosting"]["parameters"]
    assert set(by_name["tree"]["parameters"]) == {"alpha"}
    assert by_name["tree"]["complexity"]["value"] < by_name["forest"]["complexity"]["value"]


@pytest.mark.full  # of the same report
def test_the_model_is_explained_and_says_that_it_is_greedy(report) -> None:
    folder, r = report
    model = r["model"]
    assert "lea" in model["sentence"]
    assert model["coefficients"] is None
    assert r["absent"]["model.coefficients"] == "Trees have no coefficients."
    ranked = [i["column"] for i in model["importances"]]
    assert set(ranked[:2]) == {"x", "kind"}
    assert all(i["value"]["low"] > 0.0 for i in model["importances"][:2])
    curves = {c["column"]: c for c in model["dependence"]}
    assert set(curves) >= {"x", "kind"}
    assert curves["kind"]["x"] is None
    assert sorted(curves["kind"]["labels"]) == ["left", "middle", "right"]
    assert all(
        a <= b <= c
        for a, b, c in zip(*(curves["x"][k] for k in ("band_low", "value", "band_high")), strict=True)
    )
    assert model["certificate"]["kind"] == "NONE"
    assert model["certificate"]["verified"] is None
    assert r["verdict"]["certificate"].startswith("Fit without certificate, as ")
    assert r["learning_curve"] is not None
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert model["sentence"][:20] in page


@pytest.mark.full  # of the same report
def test_the_model_file_predicts_and_verifies(report) -> None:
    folder, r = report
    loaded = er.load(folder / "out" / "model.empirisk")
    data = folder / "table.csv"
    p = loaded.predict_proba(data)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    again = verify_file(loaded, loaded.read(data, labelled=True))
    assert again.certificate is None
    assert again.metrics["log-loss"].value == pytest.approx(
        next(m["model"]["value"] for m in r["test"]["metrics"] if m["name"] == "log_loss"), rel=1e-9
    )


def test_kinds_of_models_can_be_chosen(tmp_path: Path) -> None:
    assert [c.kind for c in candidates("regression", kinds=["tree"], reference=False)] == ["", "tree"]
    options = Options(Path("a.csv"), "y", models="forest, linear")
    assert options.kinds() == ("forest", "linear")
    assert "--models 'forest, linear'" in options.command()
    for wrong in ("", "trees"):
        with pytest.raises(DataError, match=r"--models .* must name some of linear, tree, boosting, forest"):
            Options(Path("a.csv"), "y", models=wrong).check()


@pytest.mark.parametrize(
    ("task", "weighted"), [("regression", True), ("binary", False), ("multiclass", True)]
)
def test_the_training_loss_of_boosting_is_that_of_its_predictions(
    task: str, weighted: bool, rng: np.random.Generator
) -> None:
    """Boosting is asked for the loss of its growth: it is the mean loss of what it predicts there."""
    x = rng.normal(size=(90, 2))
    y: Any = x[:, 0] + rng.normal(size=90)
    if task != "regression":
        y = np.array(["u", "v", "w"])[np.digitize(y, [0.0] if task == "binary" else [-0.5, 0.5])]
    weight = rng.uniform(0.5, 2.0, 90) if weighted else np.ones(90)
    table = table_of({"a": x[:, 0], "b": x[:, 1], "y": y, "w": weight}, weight="w" if weighted else None)
    train = take(table, np.arange(90))
    metric: Any = METRICS["mse" if task == "regression" else "log_loss"]
    rows = [c for c in candidates(task, reference=False, kinds=("boosting",)) if c.fitted]
    folds = make_folds(train, 3, 1, 0)
    (result,), *_ = cross_validate(train, folds, rows, Encoders(table), metric, 3, Silent(), 0)
    for number, (fitted, _) in enumerate(folds.plan.splits):
        model = result.estimator(2)
        train.dealt.fit(model, fitted)
        losses = losses_over(train.dealt.outputs(model, fitted), train.dealt, fitted, metric)
        mean = np.average(losses, weights=None if train.weights is None else train.weights[fitted])
        assert result.train[number, 2] == pytest.approx(mean, rel=1e-12)
