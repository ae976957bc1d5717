"""Feature steps of the report: components and memberships, taken where the folds say so and nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

import empirisk as er
from empirisk import plots
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.scoring import Scoring
from empirisk.report.fit.candidates import Candidate, candidates
from empirisk.report.fit.choose import Choice, choose
from empirisk.report.fit.encode import make_encoder, n_numbers
from empirisk.report.fit.engine import prepare
from empirisk.report.fit.final import FinalModel, fit_final
from empirisk.report.fit.folds import Folds, make_folds
from empirisk.report.fit.planning import make_plan
from empirisk.report.fit.recipe import Encoders, recipe, recipe_along
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.steps import REGISTRY, Suggestion, step_of, suggestions
from empirisk.report.fit.tuning import cross_validate
from empirisk.report.progress import Silent
from empirisk.report.read.table import Table
from empirisk.report.saved.bare import TOLD
from empirisk.report.saved.inspect_file import inspect_lines
from empirisk.report.saved.verify_file import verify_file
from empirisk.report.sections.candidates.steps import step_sentences
from tests.report.reports import make_report
from tests.report.tables import table_of

STEPS = sorted(REGISTRY)
# A simulated choice fits four linear models along their penalties on five folds, which takes seconds.
SEEDS = [pytest.param(s, marks=pytest.mark.full) for s in range(5)]


def factors(seed: int, n: int = 240, p: int = 120, k: int = 6) -> dict[str, Any]:
    """Few factors behind many noisy columns; the target is their sum, so that components must win."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, k))
    X = F @ rng.normal(size=(k, p)) + 3.0 * rng.normal(size=(n, p))
    return {f"s{j}": X[:, j] for j in range(p)} | {"y": F.sum(axis=1) + 0.3 * rng.normal(size=n)}


def groups(
    seed: int, n: int = 360, jump: float = 3.0, classes: bool = False, holes: float = 0.05
) -> dict[str, Any]:
    """Three groups of rows at the corners of a triangle; the target has a level in one of them, which no
    weighted sum of columns follows, holes and levels beside.
    """
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    X = np.array([[0.0, 0.0], [3.0, 3.0], [6.0, 6.0]])[group] + rng.normal(size=(n, 2))
    town = rng.choice(["Oslo", "Rome"], n)
    y = 0.5 * X[:, 0] + jump * (group == 1) + (town == "Oslo") + 0.7 * rng.normal(size=n)
    a = [None if hole else v for hole, v in zip(rng.random(n) < holes, X[:, 0], strict=True)]
    out = {"a": a, "b": X[:, 1], "town": town}
    return out | {"y": np.where(y > 2.5, "high", "low") if classes else y}


def lines(seed: int, n: int = 240, p: int = 12) -> dict[str, Any]:
    """A plain weighted sum of columns in two groups of rows, with correlations and without more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.2 * rng.normal(size=(p, p))) + 3.0 * rng.integers(
        0, 2, (n, 1)
    )
    return {f"x{j}": X[:, j] for j in range(p)} | {"y": X @ rng.normal(size=p) + rng.normal(size=n)}


def encoded(table: Table) -> tuple[np.ndarray, Sample]:
    train = take(table, np.arange(table.n_rows))
    return np.asarray(make_encoder(table).fit_transform(train.frame)), train


def suggested(table: Table) -> dict[str, Suggestion]:
    X, train = encoded(table)
    return {s.step: s for s in suggestions(X, train.y, n_numbers(table), train.n, train.n_classes)}


def chosen(table: Table, steps: list[str], repeats: int = 1) -> tuple[Choice, Scoring, Folds]:
    """Return what the rule of the report chooses among linear models with these steps."""
    train = take(table, np.arange(table.n_rows))
    metric, folds = (
        METRICS["mse" if table.task == "regression" else "log_loss"],
        make_folds(train, 5, repeats, 0),
    )
    rows = candidates(table.task, reference=False, kinds=("linear",), steps=steps)
    results, _, dropped, _ = cross_validate(
        train, folds, rows, Encoders(table), cast(Any, metric), 8, Silent(), 0
    )
    assert not dropped
    scoring = Scoring(train.dealt, folds.plan, cast(Any, metric), 0.95)
    return choose(results, scoring, 0), scoring, folds


@pytest.mark.parametrize("seed", SEEDS)
def test_components_win_where_few_factors_are_behind_many_columns(seed: int) -> None:
    table = table_of(factors(seed))
    assert list(suggested(table)) == ["components"]
    choice = chosen(table, ["components"])[0]
    assert choice.row.result.candidate.name == "ridge_components"
    assert choice.row.complexity > 120 * 6  # the loadings count, so that no tie is won by them


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
def test_memberships_win_where_the_target_has_a_level_for_each_group(seed: int, classes: bool) -> None:
    table = table_of(groups(seed, classes=classes))
    assert list(suggested(table)) == ["memberships"]
    name = chosen(table, ["memberships"])[0].row.result.candidate.name
    assert name == ("logistic_l2_memberships" if classes else "ridge_memberships")


@pytest.mark.parametrize("seed", SEEDS)
def test_neither_is_taken_where_a_weighted_sum_is_all(seed: int) -> None:
    """Both are forced to be tried on groups of rows whose target is a plain sum."""
    wide = chosen(table_of(lines(seed)), ["components"])[0]
    narrow = chosen(table_of(groups(seed, jump=0.0)), ["memberships"])[0]
    assert not wide.row.result.candidate.step
    assert not narrow.row.result.candidate.step


@pytest.mark.full  # 60 mixtures
def test_a_plain_sum_suggests_no_memberships_but_by_chance() -> None:
    """The F test is of level 0.01; 3 or more of 60 such tables have a chance of 0.02.

    There are no holes: what is put in their place is no weighted sum, and memberships tell some of what it
    hides.
    """
    found = sum("memberships" in suggested(table_of(groups(100 + s, jump=0.0, holes=0.0))) for s in range(60))
    assert found <= 2


def test_nothing_is_suggested_for_few_columns_many_rows_or_one_cloud(rng: np.random.Generator) -> None:
    X = rng.normal(size=(400, 40))
    F = rng.normal(size=(400, 1))
    y = rng.normal(size=400)
    assert not suggestions(X, y, 40, 400, 0)  # no component stands out
    assert suggestions(X + F, y, 40, 400, 0)
    assert not suggestions(X + F, y, 40, 801, 0)  # rows enough for all coefficients
    assert not suggestions((X + F)[:, :9], y, 9, 400, 0)
    assert not suggestions(X[:, :2], X[:, 0] ** 2, 2, 400, 0)  # one group of rows
    assert not suggestions(np.zeros((400, 2)), y, 2, 400, 0)  # nothing varies
    assert not suggestions(X[:, :0], y, 0, 400, 0)


def fitted(name: str, seed: int = 0) -> tuple[FinalModel, Table]:
    """A final model with a step, on a table with holes, levels and a truth value."""
    columns = factors(seed, 120, 14, 2) | {"flag": np.arange(120) % 2 == 0}
    columns["s3"] = [None if i % 9 == 0 else v for i, v in enumerate(columns["s3"])]
    columns["town"] = [("Oslo", "Rome", None)[i % 3] for i in range(120)]
    table = table_of(columns)
    c = next(c for c in candidates("regression", steps=[name]) if c.step == name)
    return fit_final(take(table, np.arange(120)), c, 0.01, table), table


@pytest.mark.parametrize("name", STEPS)
def test_terms_say_the_same_as_the_pipeline(name: str) -> None:
    """The coefficients of the terms give the predictions, and every column has a readable name."""
    model, table = fitted(name)
    step, between = model.step  # type: ignore[misc]
    expected = model.pipeline.predict(model.train.frame)
    np.testing.assert_allclose(model.sums(model.X), expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    assert model.X.shape[1] == len(model.origins)
    assert model.inputs.shape[1] == len(step.inputs(between, model.encoded)) == model.estimator.coef_.size
    assert {o.source for o in model.encoded} == {c.name for c in table.columns if c.role == "feature"}
    assert all("__" not in readable for _, readable in model.names)
    assert step.sentence(between, model.encoded).endswith(".")
    assert step.seconds(1e4, 20) > step.seconds(1e3, 20) > 0.0
    assert step.weighted == (model.X.shape[1] == len(model.encoded))


def test_the_chart_of_coefficients_has_groups_and_no_intercept() -> None:
    e = {"value": 1.0, "low": None, "high": None, "level": 0.95, "n": 9, "method": "none", "reason": "why"}
    row = {"class": None, "zero": False, "sign_stability": None}
    rows = [
        {"term": "(intercept)", "column": None, "value": e | {"value": 9.0}, "per_sd": None, **row},
        {"term": "age", "column": "age", "value": e, "per_sd": e, **row},
        {"term": "chance of group 1", "column": None, "value": e, "per_sd": e | {"value": -2.0}, **row},
    ]
    assert "is that of chance of group 1" in plots.CoefficientsDisplay(rows, "EUR").title


def test_what_steps_hold() -> None:
    """Loadings, and shares that sum to one, means and symmetric matrices, counted from the arrays."""
    step, between = fitted("components")[0].step  # type: ignore[misc]
    assert step.n_numbers(between) == between.named_transformers_["components"].components_.size
    step, between = fitted("memberships")[0].step  # type: ignore[misc]
    mixture = between.named_transformers_["groups"].named_steps["mixture"]
    k, p = mixture.means_.shape
    assert step.n_numbers(between) == k - 1 + mixture.means_.size + k * len(np.tril_indices(p)[0])


def test_regression_on_components_is_the_closed_form(rng: np.random.Generator) -> None:
    """``m + U (D^2 / n + alpha)^-1 D U' (y - m) ...`` on the leading singular vectors of centred rows."""
    table = table_of(factors(1, 90, 12, 2))
    train = take(table, np.arange(90))
    c = next(c for c in candidates("regression", steps=["components"]) if c.step)
    model = fit_final(train, c, 0.05, table)
    raw = train.frame.to_numpy()
    Z = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    U, d, _ = np.linalg.svd(Z, full_matrices=False)
    k = model.pipeline[1].named_transformers_["components"].n_components_
    assert k == 2
    U, d = U[:, :k], d[:k]
    expected = train.y.mean() + U @ (d * d / (d * d + 90 * 0.05) * (U.T @ (train.y - train.y.mean())))
    np.testing.assert_allclose(model.pipeline.predict(train.frame), expected, atol=1e-6)


@pytest.mark.parametrize("name", STEPS)
def test_a_step_sees_the_training_rows_of_its_fold_and_no_target(name: str) -> None:
    """Other features of the rows that are scored, or other targets, leave every number of the step alone."""
    columns = factors(3, 100, 12, 2) if name == "components" else groups(3, 200)
    table = table_of(columns)
    n, c = table.n_rows, next(c for c in candidates("regression", steps=[name]) if c.step)
    train_rows = np.setdiff1d(np.arange(n), np.arange(0, n, 5))

    def numbers_of(columns: dict[str, Any]) -> list[np.ndarray]:
        sample = take(table_of(columns), np.arange(n))
        model = next(iter(recipe_along(c, table, [0.1], 0).fits(sample.dealt, train_rows)))
        if name == "components":
            pca = model[1].named_transformers_["components"]
            return [pca.components_, pca.mean_]
        mixture = model[1].named_transformers_["groups"].named_steps["mixture"]
        return [mixture.means_, mixture.covariances_, mixture.weights_]

    plain = numbers_of(columns)
    rng = np.random.default_rng(0)
    other = {k: list(v) for k, v in columns.items()}
    for key in [k for k in columns if k not in ("y", "town")]:
        for i in range(0, n, 5):
            other[key][i] = float(100.0 * rng.normal())
    for made in (numbers_of(other), numbers_of(columns | {"y": rng.permutation(columns["y"])})):
        for one, again in zip(plain, made, strict=True):
            np.testing.assert_array_equal(one, again)


def test_a_short_limit_leaves_steps_out_first_and_says_so() -> None:
    table = table_of(factors(0, 120, 60, 3))
    train = take(table, np.arange(120))
    steps = [Suggestion("components", "of a reason", 60)]
    assert any(c.step for c in make_plan(train, 60, steps=steps).rows)
    cuts = {s: make_plan(train, 60, s, steps=steps).cuts for s in np.linspace(5.0, 9.0, 200)}
    cut = "no feature steps before linear models"
    assert any(cut in c and "no elastic net" not in c for c in cuts.values())
    assert all(cut in c for c in cuts.values() if "no elastic net" in c)
    assert cut not in make_plan(train, 60, 4.0).cuts  # nothing to leave out
    plan = make_plan(train, 60, 4.0, steps=steps)
    said = step_sentences(cast(Any, SimpleNamespace(rows=[])), plan, cast(Any, None), None)
    assert said == [
        "Before a linear model, principal components have no score, though the table suggests them (of a"
        " reason): they were left out to keep the time limit."
    ]


def test_a_step_without_a_fit_in_a_fold_leaves_and_the_others_stay() -> None:
    """All numeric columns vary in the last rows alone, which the first blocks in time do not hold."""
    rng = np.random.default_rng(0)
    late = np.arange(100) >= 95
    columns = {f"s{j}": np.where(late, rng.normal(size=100), 1.0) for j in range(10)}
    table = table_of(columns | {"day": np.arange(100), "y": rng.normal(size=100)}, time="day")
    train = take(table, np.arange(100))
    folds = make_folds(train, 5, 1, 0)
    rows = candidates("regression", reference=False, kinds=("linear",), steps=["components"])
    results, _, dropped, _ = cross_validate(
        train, folds, rows, Encoders(table), cast(Any, METRICS["mse"]), 4, Silent(), 0
    )
    assert [r.candidate.name for r in results] == ["baseline", "lasso", "elastic_net", "ridge"]
    label = next(c.label for c in rows if c.step)
    assert "no fit in fold 1 (no column of X varies" in dropped[label]
    plan = replace(make_plan(train, 10), rows=rows, steps=(Suggestion("components", "why", 10),))
    cuts = [f"{k}: {v}" for k, v in dropped.items()]
    said = step_sentences(cast(Any, SimpleNamespace(rows=[])), plan, cast(Any, None), None, cuts)
    assert "its feature step has no fit in fold 1" in said[0]


@pytest.mark.full  # four linear models along their penalties on five folds
def test_sentences_say_what_was_tried_and_why_it_was_not_taken() -> None:
    table = table_of(groups(0, 200, jump=0.0))
    choice, scoring, _ = chosen(table, ["memberships"])
    steps = (Suggestion("memberships", "of a reason", 2),)
    plan = replace(make_plan(take(table, np.arange(200)), 4, steps=steps), steps=steps)
    said = step_sentences(choice, plan, scoring, "EUR")[0]
    assert said.startswith(
        "Before a linear model, memberships of groups (a Gaussian mixture) were tried because of a reason:"
        " cross-validated mean squared error"
    )
    assert "They were not taken" in said
    assert choice.row.result.candidate.label in said
    taken = replace(choice, chosen=next(i for i, r in enumerate(choice.rows) if r.result.candidate.step))
    assert (
        "They were taken: the loss of the best candidate without"
        in step_sentences(taken, plan, scoring, None)[0]
    )


@pytest.mark.full  # a whole report
@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("classes", [False, True], ids=["numbers", "classes"])
def test_a_report_takes_explains_saves_and_verifies(tmp_path: Path, name: str, classes: bool) -> None:
    columns = groups(1, 450, classes=classes)
    if name == "components":
        columns = factors(1, 300) | {"town": [("Oslo", "Rome", None)[i % 3] for i in range(300)]}
        columns["s5"] = [None if i % 9 == 0 else v for i, v in enumerate(columns["s5"])]
        if classes:
            columns["y"] = np.where(columns["y"] > 0.0, "high", "low")
    made = make_report(tmp_path, pl.DataFrame(columns), "y", time_limit=10.0)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert not made.errors
    assert not report["failed"]
    rows = {c["name"]: c for c in report["candidates"]}
    tried = rows[("logistic_l2_" if classes else "ridge_") + name]
    assert tried["score"]["low"] < tried["score"]["value"] < tried["score"]["high"]
    said = " ".join(report["selection"]["notes"])
    assert step_of(name).title in said
    if not tried["chosen"]:  # classes say less of the factors
        assert (name, classes) == ("components", True)
        assert "They were not taken" in said
        return
    assert "They were taken" in said
    features = set(columns) - {"y"}
    assert {i["column"] for i in report["model"]["importances"]} == features
    assert {c["column"] for c in report["model"]["coefficients"]} <= features | {None}
    assert all(c["value"]["low"] is None for c in report["model"]["coefficients"])
    assert report["model"]["certificate"]["verified"] is True
    assert {d["column"] for d in report["model"]["dependence"]} <= features
    assert not any("__" in f["sentence"] for f in report["findings"])
    loaded = er.load(tmp_path / "out" / "model.empirisk")
    again = verify_file(loaded, loaded.read(tmp_path / "table.csv", labelled=True))
    assert again.proved
    for metric in report["test"]["metrics"]:
        assert again.metrics[metric["label"]].value == pytest.approx(metric["model"]["value"], rel=1e-12)
    step = loaded.metadata["model"]["step"]
    assert step in inspect_lines(loaded.metadata)
    assert step in report["model"]["sentence"]
    assert not [name for name in TOLD if f'"{name}"' in repr(vars_of(loaded.pipeline[1]))]
    odd = pl.DataFrame({k: [None, v[0], v[1]] for k, v in columns.items() if k != "y"}, strict=False)
    assert len(loaded.predict(odd.with_columns(pl.Series("town", ["Paris", None, "Oslo"])))) == 3


def vars_of(step: Any) -> dict[str, Any]:
    """Return the attributes of everything fitted inside a transformer, by name."""
    out: dict[str, Any] = {}
    for _, inner, *_ in step.transformers_:
        for one in getattr(inner, "steps", [("", inner)]):
            out |= {f'"{key}"': 0 for key in getattr(one[1], "__dict__", {})}
    return out


def test_recipes_hold_the_step_between_encoder_and_model() -> None:
    table = table_of(groups(0, 60))
    for c in candidates("regression", steps=STEPS):
        names = list(recipe(c, table, 0.1, 0).named_steps)
        assert names == (["encode", "features", "model"] if c.step else ["encode", "model"])
    assert not any(c.step for c in candidates("regression", steps=STEPS, kinds=["tree"]))
    assert isinstance(candidates("regression")[0], Candidate)


def test_a_plan_of_other_kinds_of_models_looks_for_no_steps() -> None:
    table = table_of(factors(0, 120, 30, 2))
    for kinds, found in ((("tree",), 0), (("linear", "tree"), 1)):
        assert len(prepare(table, None, seed=0, level=0.95, kinds=kinds).plan.steps) == found
