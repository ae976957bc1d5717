"""Discriminants, naive Bayes and networks in a report: tried where they can win, chosen where they do, left
where they are behind, and told of in each case.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import skops.io as sio

import empirisk as er
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.scoring import Scoring
from empirisk.report.errors import DataError
from empirisk.report.fit.bayes import (
    NAIVE,
    bayes_estimator,
    bayes_seconds,
    laws_of,
    n_law_numbers,
    unsuited,
)
from empirisk.report.fit.behind import FEWEST, behind
from empirisk.report.fit.candidates import RACED, Candidate, candidates
from empirisk.report.fit.choose import Choice, choose
from empirisk.report.fit.encode import make_encoder
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.network import FEWEST_ROWS, n_weights, network_estimator, network_seconds
from empirisk.report.fit.planning import make_plan
from empirisk.report.fit.recipe import Encoders, recipe
from empirisk.report.fit.sample import take
from empirisk.report.fit.tuning import cross_validate
from empirisk.report.progress import Silent
from empirisk.report.saved.bare import numbers_only
from empirisk.report.saved.inspect_file import inspect_lines
from empirisk.report.saved.model_file import PLAIN, _is_own_type
from empirisk.report.saved.verify_file import verify_file, verify_lines
from tests.report.reports import make_report
from tests.report.tables import table_of

Json = dict[str, Any]
BY_NAME = {c.name: c for task in ("multiclass", "regression") for c in candidates(task)}
FULL = pytest.mark.full


def named(X: np.ndarray, code: np.ndarray) -> Json:
    return {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": np.array(list("abcdef"))[code]}


def one_covariance(seed: int, n: int = 300, p: int = 6, k: int = 6) -> Json:
    """Normal rows of six classes with one covariance: what linear discriminants assume."""
    rng = np.random.default_rng(seed)
    code, A = rng.integers(0, k, n), np.eye(p) + rng.normal(size=(p, p)) / np.sqrt(p)
    return named((rng.normal(size=(n, p)) + 5.0 * rng.normal(size=(k, p))[code] / np.sqrt(p)) @ A, code)


def two_covariances(seed: int, n: int = 300, p: int = 6) -> Json:
    """Normal rows about one mean with two covariances: no weighted sum sees the class."""
    rng = np.random.default_rng(seed)
    code, A = rng.integers(0, 2, n), rng.normal(size=(2, p, p))
    return named(np.einsum("ij,ijk->ik", rng.normal(size=(n, p)), A[code]), code)


def independent(seed: int, n: int = 150, p: int = 60) -> Json:
    """Independent normal columns with means and variances of each class, many for the rows."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 2, n)
    mean, sd = 0.25 * rng.normal(size=(2, p)), np.exp(0.35 * rng.normal(size=(2, p)))
    return named(mean[code] + sd[code] * rng.normal(size=(n, p)), code)


def answers(seed: int, n: int = 240, p: int = 15) -> Json:
    """Independent levels, whose chances depend on the class."""
    rng = np.random.default_rng(seed)
    code, P = rng.integers(0, 2, n), rng.dirichlet(np.full(5, 2.0), size=(2, p))
    level = (rng.random((n, p, 1)) > np.cumsum(P, axis=2)[code]).sum(axis=2).clip(0, 4)
    return named(np.array(["u", "v", "w", "x", "z"])[level], code)


def mixed(seed: int, n: int = 240) -> Json:
    """Independent normal columns of unlike variances beside independent levels."""
    rng = np.random.default_rng(seed)
    numbers = independent(seed, n, 30)
    code, P = np.asarray(numbers.pop("y")), rng.dirichlet(np.full(5, 2.0), size=(2, 12))
    level = (rng.random((n, 12, 1)) > np.cumsum(P, axis=2)[(code == "b").astype(int)]).sum(axis=2).clip(0, 4)
    levels = np.array(["u", "v", "w", "x", "z"])[level]
    return numbers | {f"z{j}": levels[:, j] for j in range(12)} | {"y": code}


def words(seed: int, n: int = 400, p: int = 120) -> Json:
    """Counts of words in short texts, whose frequencies depend on the class."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 2, n)
    P = rng.dirichlet(np.full(p, 1.0)) * np.exp(0.4 * rng.normal(size=(2, p)))
    P /= P.sum(axis=1, keepdims=True)
    return named(np.stack([rng.multinomial(rng.integers(10, 40), P[k]) for k in code]), code)


def spirals(seed: int, n: int = 500) -> Json:
    rng = np.random.default_rng(seed)
    t, code = np.pi * rng.uniform(0.5, 3.0, n), rng.integers(0, 2, n)
    turn = t + np.pi * code
    return named(
        np.column_stack([t * np.cos(turn), t * np.sin(turn)]) / 3.0 + 0.1 * rng.normal(size=(n, 2)), code
    )


def waves(seed: int, n: int = 600, p: int = 8) -> Json:
    """A smooth function of two weighted sums of eight columns."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, p)), rng.normal(size=(2, p))
    a, b = (X @ (v / np.linalg.norm(v)) for v in w)
    return {f"x{j}": X[:, j] for j in range(p)} | {
        "y": 10.0 + 3.0 * np.sin(2.0 * a) + b * np.abs(a) + 0.3 * rng.normal(size=n)
    }


def sums(seed: int, n: int = 400, p: int = 6) -> Json:
    """A plain weighted sum with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return {f"x{j}": X[:, j] for j in range(p)} | {"y": X @ rng.normal(size=p) + rng.normal(size=n)}


def odds(seed: int, n: int = 400, p: int = 6) -> Json:
    """Log-odds that are a weighted sum of skewed columns and a mark, which are normal in no class."""
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n, p))
    X[:, 0] = X[:, 0] > 1.0
    z = 1.5 * (X @ rng.normal(size=p))
    return named(X, (rng.random(n) < 1.0 / (1.0 + np.exp(z.mean() - z))).astype(int))


def stairs(seed: int, n: int = 600) -> Json:
    """A sum of steps along three columns, which trees follow with few leaves."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 6))
    y = 3.0 * (X[:, 0] > 0.5) * (X[:, 1] > 0.3) + 2.0 * (X[:, 2] > 0.7) + 0.3 * rng.normal(size=n)
    return {f"x{j}": X[:, j] for j in range(6)} | {"y": y}


def raced(columns: Json, *kinds: str) -> tuple[Choice, dict[str, str]]:
    """Return what the rule chooses among these kinds, and which challengers fell behind."""
    table = table_of(columns)
    train = take(table, np.arange(table.n_rows))
    p = np.asarray(make_encoder(table).fit_transform(train.frame)).shape[1]
    plan = make_plan(train, p, None, kinds, (), unsuited(table, train, p) if train.n_classes else {})
    rows = [c for c in plan.rows if c.role != "reference"]
    metric: Any = METRICS["mse" if table.task == "regression" else "log_loss"]
    folds = make_folds(train, 5, 1, 0)
    results, _, dropped, outrun = cross_validate(train, folds, rows, Encoders(table), metric, 6, Silent(), 0)
    assert not dropped
    assert len(results) + len(outrun) == len(rows)
    return choose(results, Scoring(train.dealt, folds.plan, metric, 0.95), 0), outrun


@pytest.mark.parametrize(
    ("name", "make", "seed"),
    [
        pytest.param(name, make, seed, marks=() if (name, seed) == ("gaussian_nb", 0) else FULL)
        for name, make in {
            "lda": one_covariance,
            "qda": two_covariances,
            "gaussian_nb": independent,
            "categorical_nb": answers,
            "multinomial_nb": words,
            "mixed_nb": mixed,
        }.items()
        for seed in range(3)
    ],
)
def test_a_model_of_the_classes_wins_where_its_assumption_holds(name: str, make: Any, seed: int) -> None:
    choice, _ = raced(make(seed), "linear", "bayes")
    assert choice.row.result.candidate.name == name


@pytest.mark.parametrize("seed", [pytest.param(s, marks=FULL) for s in range(3)])
@pytest.mark.parametrize("make", [spirals, waves])
def test_a_network_wins_where_a_smooth_function_has_many_bends(make: Any, seed: int) -> None:
    choice, _ = raced(make(seed), "linear", "tree", "boosting", "network")
    assert choice.row.result.candidate.name == "mlp"


@pytest.mark.parametrize("seed", [pytest.param(s, marks=() if s == 0 else FULL) for s in range(4)])
@pytest.mark.parametrize(
    ("make", "kinds", "wanted"),
    [
        (sums, ("linear", "network"), "linear"),
        (odds, ("linear", "bayes"), "linear"),
        pytest.param(stairs, ("tree", "boosting", "network"), "trees", marks=FULL),
    ],
)
def test_they_do_not_win_where_something_simpler_is_right(
    make: Any, kinds: tuple[str, ...], wanted: str, seed: int
) -> None:
    candidate = raced(make(seed), *kinds)[0].row.result.candidate
    assert candidate.linear if wanted == "linear" else candidate.grown


# -- the race ----------------------------------------------------------------------------------------


def challenger(noise: np.ndarray, more: np.ndarray, groups: Any = None) -> dict[str, str]:
    best, net = Candidate("tree", "Tree", "candidate", kind="tree"), BY_NAME["mlp"]
    return behind(
        [(best, noise[:, None]), (net, np.column_stack([noise + 5.0, noise + more]))], 400.0, groups
    )


def test_a_challenger_leaves_more_than_a_standard_error_behind(rng: np.random.Generator) -> None:
    """The best of its values counts; on the other side of one standard error it stays."""
    noise, more = rng.normal(size=100), rng.normal(size=100)
    more = (more - more.mean()) / more.std(ddof=1)
    error = math.sqrt(1.0 / 100 + 1.0 / 400)
    assert not challenger(noise, more + 0.99 * error)
    (why,) = challenger(noise, more + 1.01 * error).values()
    assert why == f"behind Tree by {1.01 * error:.2g}, standard error {error:.2g} (100 rows)"
    assert not challenger(noise[: FEWEST - 1], more[: FEWEST - 1] + 9.0)
    lost = np.where(np.arange(100) == 3, np.inf, noise)[:, None]
    tree = Candidate("tree", "Tree", "candidate", kind="tree")
    (why,) = behind([(tree, noise[:, None]), (BY_NAME["mlp"], lost)], 400.0).values()
    assert why == "behind Tree by an infinite loss (100 rows)"


def test_only_challengers_leave_and_never_for_the_reference(rng: np.random.Generator) -> None:
    noise = rng.normal(size=(100, 1))
    tree, net = Candidate("tree", "Tree", "candidate", kind="tree"), BY_NAME["mlp"]
    base = Candidate("baseline", "Mean", "baseline")
    for gain, leaves in ((19.0, True), (21.0, False)):  # of which a fiftieth is 0.38, and 0.42
        found = behind([(base, noise + gain), (tree, noise), (net, noise + 0.4)], 400.0)
        assert bool(found) == leaves
    reference = Candidate("reference", "Outside", "reference")
    assert not behind([(tree, noise + 1.0), (net, noise)], 400.0)
    assert not behind([(net, noise), (reference, noise - 1.0)], 400.0)


def test_rows_of_a_group_count_as_one_part(rng: np.random.Generator) -> None:
    """Each row four times: the same standard error as the rows once, and the same answer."""
    noise, more = rng.normal(size=80), rng.normal(size=80)
    more = (more - more.mean()) / more.std(ddof=1)
    four = np.repeat(np.arange(80), 4)
    for share, leaves in ((0.98, False), (1.02, True)):
        shift = share * math.sqrt(1.0 / 80 + 1.0 / 100)
        assert bool(challenger(noise[four], more[four] + shift, four)) == leaves
    assert challenger(noise[four], more[four] + 0.5 * shift)  # as 320 rows it would have left


# -- what is tried -----------------------------------------------------------------------------------


def test_the_columns_decide_which_naive_bayes_is_tried() -> None:
    made = {
        "gaussian_nb": independent(0, p=5),
        "categorical_nb": answers(0) | {"x0": np.arange(240) % 2 == 0},
        "multinomial_nb": words(0),
        "mixed_nb": answers(0) | {"x0": np.random.default_rng(0).normal(size=240)},
    }
    for name, columns in made.items():
        table = table_of(columns)
        train = take(table, np.arange(table.n_rows))
        assert laws_of(table, train) == name
        left = unsuited(table, train, 20)
        assert [c for c in NAIVE if c not in left] == [name]
        assert not any(left.values())


def test_a_number_below_zero_among_the_rows_of_the_test_is_no_count() -> None:
    table = table_of(words(0, n=60, p=60))
    train, other = take(table, np.arange(40)), take(table, np.arange(40, 60))
    assert laws_of(table, train, other) == "multinomial_nb"
    below = replace(other, frame=other.frame.with_columns(x0=pl.lit(-1.0)))
    assert laws_of(table, train, below) != "multinomial_nb"


def test_the_plan_says_what_is_not_tried_and_why() -> None:
    table = table_of(one_covariance(0, n=60))
    train = take(table, np.arange(60))
    left = unsuited(table, train, 501)
    assert left["lda"] == "501 encoded columns are more than the 500 up to which it is tried"
    assert "qda" in unsuited(table_of(one_covariance(0, n=12, k=2)), take(table, np.arange(12)), 5)
    plan = make_plan(train, 501, None, ("bayes", "network"), (), left)
    assert not {"lda", "qda", "mlp", "multinomial_nb"} & {c.name for c in plan.rows}
    told = dict(plan.unsuited)
    assert (
        told[BY_NAME["mlp"].label]
        == f"60 training rows are fewer than the {FEWEST_ROWS} from which it is tried"
    )
    assert told[BY_NAME["lda"].label] == left["lda"]
    assert len(told) == 3  # of the naive Bayes that suit other columns there is nothing to tell


def test_challengers_come_last_and_the_network_is_the_first_to_go_for_time() -> None:
    train = take(table_of(spirals(0)), np.arange(500))
    plan = make_plan(train, 2)
    order = [c.raced for c in plan.cheapest]
    assert order == sorted(order)
    cuts = {seconds: make_plan(train, 2, seconds).cuts for seconds in np.linspace(4.0, 60.0, 300)}
    assert any("no network" in c and "no kernel machine" not in c for c in cuts.values())


@pytest.mark.parametrize("name", sorted(c.name for c in BY_NAME.values() if c.kind == "bayes"))
def test_numbers_held_by_the_laws_of_the_classes(name: str, rng: np.random.Generator) -> None:
    X, y = rng.integers(0, 3, (90, 5)).astype(float), rng.integers(0, 3, 90)
    model = bayes_estimator(BY_NAME[name]).fit(X, y)
    wanted = {"lda": 15, "qda": 3 * (5 + 15), "gaussian_nb": 30, "categorical_nb": 45, "multinomial_nb": 15}
    wanted |= {"mixed_nb": 30}
    assert n_law_numbers(model) == wanted[name]
    at = [bayes_seconds(BY_NAME[name], n, p, 3) for n, p in ((100, 10), (10_000, 10), (10_000, 100))]
    assert at == sorted(at)


def test_a_network_is_the_same_for_a_seed_and_forecasts_rise(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(250, 3)), rng.normal(size=250)
    nets = [network_estimator("regression", 0.01, seed, 250).fit(X, y) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(nets[0].predict(X), nets[1].predict(X))
    assert not np.array_equal(nets[0].predict(X), nets[2].predict(X))
    assert n_weights(nets[0]) == 3 * 32 + 32 + 32 * 32 + 32 + 32 + 1
    assert network_seconds(1_000, 10, 1) < network_seconds(5_000, 10, 1) < network_seconds(5_000, 100, 1)
    assert network_seconds(1e6, 10, 1) < 2.0 * network_seconds(1e5, 10, 1)  # visits of rows are bounded


def test_a_class_without_a_law_in_a_fold_costs_one_candidate() -> None:
    """A quadratic discriminant needs two rows of each class; a fold of whole groups may leave one."""
    rng = np.random.default_rng(0)
    code = np.r_[np.zeros(60, int), np.ones(60, int), [2, 2]]
    table = table_of(named(rng.normal(size=(122, 2)) + code[:, None], code))
    train = take(table, np.arange(122))
    rows = [
        c
        for c in candidates("multiclass", kinds=("linear", "bayes"))
        if c.name in ("baseline", "logistic_l2", "qda")
    ]
    metric: Any = METRICS["brier_score"]
    results, _, dropped, outrun = cross_validate(
        train, make_folds(train, 2, 1, 0), rows, Encoders(table), metric, 2, Silent(), 0
    )
    assert [r.candidate.name for r in results] == ["baseline", "logistic_l2"]
    assert "the laws of its classes have no fit in fold 1" in dropped[BY_NAME["qda"].label]
    assert not outrun


@pytest.mark.parametrize(
    "candidate",
    [c for c in BY_NAME.values() if c.role == "candidate" and c.kind != "forest"],
    ids=lambda c: c.name,
)
def test_the_model_of_every_candidate_is_made_of_trusted_types(candidate: Candidate) -> None:
    """What a model file holds of it answers as before (forests hold what trees and boosting do)."""
    rng = np.random.default_rng(0)
    code = rng.integers(0, 2, 80)
    counts = {f"x{j}": rng.poisson(1.0 + code * (j < 4), 80) for j in range(12)}
    regression = candidate.name not in {c.name for c in candidates("binary")}
    table = table_of(counts | {"y": rng.normal(size=80) if regression else np.array(["a", "b"])[code]})
    train = take(table, np.arange(80))
    value = {"alpha": 0.01, "rounds": 3.0, "n_neighbors": 3.0, "": math.nan}[candidate.parameter]
    fitted = recipe(candidate, table, value, 0).fit(train.frame, train.y)
    dump = sio.dumps(numbers_only(fitted))
    asked = sio.get_untrusted_types(data=dump)
    assert [name for name in asked if name not in PLAIN and not _is_own_type(name)] == []
    again = sio.loads(dump, trusted=asked)
    np.testing.assert_array_equal(again.predict(train.frame), fitted.predict(train.frame))


# -- whole reports -----------------------------------------------------------------------------------

CASES: dict[str, tuple[Any, str, str]] = {
    "lda": (one_covariance, "bayes", "one covariance for all classes"),
    "qda": (two_covariances, "bayes", "a covariance of their own"),
    "gaussian_nb": (independent, "bayes", "independent of the others"),
    "categorical_nb": (answers, "bayes", "draws from its levels"),
    "multinomial_nb": (words, "bayes", "the counts of a row"),
    "mixed_nb": (mixed, "bayes", "empty cells say nothing"),
    "spirals": (spirals, "network", "which were held out"),
    "waves": (waves, "network", "which were held out"),
}


@FULL  # a whole report each
@pytest.mark.parametrize("case", CASES)
def test_a_report_chooses_explains_saves_and_verifies(tmp_path: Path, case: str) -> None:
    make, kind, words_of_it = CASES[case]
    columns = make(0)
    frame = pl.DataFrame({k: list(v) for k, v in columns.items()})
    made = make_report(tmp_path, frame, "y", models=kind, time_limit=10.0)
    assert not made.errors
    assert not made.report["failed"]
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    name = report["verdict"]["model"]
    assert name == (case if kind == "bayes" else "mlp")
    row = next(c for c in report["candidates"] if c["name"] == name)
    assert row["certificate"]["verified"] is True
    assert row["certificate"]["kind"] == ("EXACT" if kind == "bayes" else "STATIONARITY")
    assert words_of_it in report["model"]["sentence"]
    assert (report["model"]["coefficients"] is not None) == (name == "lda")
    assert {i["column"] for i in report["model"]["importances"]} <= set(columns)
    claim = report["verdict"]["certificate"]
    assert claim.startswith("Fit certified" if kind == "bayes" else "Fit without proof of an optimum")
    assert ("has many minima" in claim) == (kind == "network")
    argument = report["model"]["certificate"]["claim"]
    assert ("nothing is claimed about other points" in argument) == (kind == "network")
    loaded = er.load(tmp_path / "out" / "model.empirisk")
    table = loaded.read(tmp_path / "table.csv", labelled=True)
    again = verify_file(loaded, table)
    assert again.proved
    lines = verify_lines(again)
    assert lines[1].startswith(
        "Fit proved again" if kind == "bayes" else "Fit found again, which is no proof"
    )
    metric = report["test"]["metrics"][0]
    assert again.metrics[metric["label"]].value == pytest.approx(metric["model"]["value"], rel=1e-12)
    assert inspect_lines(loaded.metadata)[0].startswith(row["label"])
    assert len(loaded.predict(tmp_path / "table.csv")) == frame.height
    if kind == "bayes":  # numbers that were changed do not follow from the rows
        est = loaded.pipeline[-1]
        held = next(
            a
            for a in ("coef_", "covariance_", "var_", "feature_count_", "_counts", "parts_")
            if hasattr(est, a)
        )
        est, held = (est.parts_[0].law, "var_") if held == "parts_" else (est, held)
        setattr(est, held, 1.1 * getattr(est, held))
    else:
        loaded.pipeline[-1].coefs_[0][0, 0] += 0.1
    if name == "multinomial_nb":
        with pytest.raises(DataError, match=r"Naive Bayes \(counts\) cannot predict: .*counts are >= 0"):
            loaded.predict(frame.with_columns(x0=pl.lit(-1)))
    assert not verify_file(loaded, table).proved
    assert any("does not follow from these data" in line for line in verify_lines(verify_file(loaded, table)))


@FULL  # a report of eight candidates
def test_a_report_tells_what_was_left_out(tmp_path: Path) -> None:
    frame = pl.DataFrame({k: list(v) for k, v in odds(1).items()}).with_columns(town=pl.lit("Oslo"))
    frame = frame.with_columns(
        pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.lit("Rome")).otherwise("town").alias("town")
    )
    make_report(tmp_path, frame, "y", models="linear,bayes,network", time_limit=12.0)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    left = {c["label"]: c["reason"] for c in report["selection"]["left_out"]}
    assert any(why.startswith("behind ") for why in left.values())
    shown = {c["label"] for c in report["candidates"]}
    for c in candidates("binary"):
        if c.kind in RACED and c.name not in NAIVE[:-1]:
            assert (c.label in shown) != (c.label in left), c.label
    text = (tmp_path / "out" / "report.md").read_text().replace("\\", "")
    assert all(f"{label} (" in text for label in left)
