"""report.json against numbers recomputed from raw predictions by other programs, and on awkward tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.linear_model import LogisticRegression, Ridge

from empirisk.report.fit.encode import make_encoder
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.sample import take
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table
from empirisk.report.saved.model_file import load
from empirisk.report.schema import validate_report
from tests.report.reports import make_report, two_classes

Json = dict[str, Any]


def written(folder: Path) -> tuple[Path, Json]:
    report = json.loads((folder / "out" / "report.json").read_text())
    validate_report(report)
    return folder, report


def report_of(folder: Path, frame: pl.DataFrame, target: str, **options: Any) -> Json:
    make_report(folder, frame, target, **options)
    return written(folder)[1]


def metric(report: Json, name: str) -> Json:
    return next(m for m in report["test"]["metrics"] if m["name"] == name)


@pytest.fixture(scope="module")
def classes(classes_made: Path) -> tuple[Path, Json]:
    return written(classes_made)


@pytest.fixture(scope="module")
def regression(numbers_made: Path) -> tuple[Path, Json]:
    return written(numbers_made)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """Return a report without a limit: all repeats, the reference and the learning curve."""
    return report_of(tmp_path_factory.mktemp("whole"), two_classes(n=400), "answer", time_limit=None)


def test_rows(folder: Path, target: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """The model, the table's test rows and their observed targets."""
    model = load(folder / "out" / "model.empirisk")
    table = read_table(folder / "table.csv", target=target)
    split = split_rows(table, seed=0)
    return model, split.test, table.frame[target].to_numpy()[split.test]


test_rows.__test__ = False  # type: ignore[attr-defined]


def test_class_metrics_by_scikit_learn(classes: tuple[Path, Json]) -> None:
    folder, report = classes
    model, rows, y = test_rows(folder, "answer")
    p = model.predict_proba(folder / "table.csv")[rows]
    guess = model.predict(folder / "table.csv")[rows]
    found = {m["name"]: m["model"]["value"] for m in report["test"]["metrics"]}
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(y, guess), rel=1e-12)
    assert found["log_loss"] == pytest.approx(metrics.log_loss(y, p, labels=["no", "yes"]), rel=1e-9)
    assert found["roc_auc"] == pytest.approx(metrics.roc_auc_score(y == "yes", p[:, 1]), rel=1e-12)
    assert found["average_precision"] == pytest.approx(
        metrics.average_precision_score(y == "yes", p[:, 1]), rel=1e-12
    )
    assert found["f1"] == pytest.approx(metrics.f1_score(y, guess, pos_label="yes"), rel=1e-12)
    assert found["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(y, guess), rel=1e-12)
    assert found["brier_score"] == pytest.approx(metrics.brier_score_loss(y == "yes", p[:, 1]), rel=1e-9)
    counts = metrics.confusion_matrix(y, guess, labels=["no", "yes"])
    assert report["test"]["confusion"]["counts"] == counts.tolist()
    assert report["test"]["n_rows"] == len(y) == 48


def test_accuracy_intervals_by_scipy(classes: tuple[Path, Json]) -> None:
    folder, report = classes
    model, rows, y = test_rows(folder, "answer")
    guess = model.predict(folder / "table.csv")[rows]
    found = metric(report, "accuracy")
    wilson = stats.binomtest(int((guess == y).sum()), len(y)).proportion_ci(0.95, method="wilson")
    assert found["model"]["low"] == pytest.approx(wilson.low, abs=1e-9)
    assert found["model"]["high"] == pytest.approx(wilson.high, abs=1e-9)
    common = max(set(y), key=list(y).count)
    assert found["baseline"]["value"] == pytest.approx(np.mean(y == common))
    assert found["difference"]["value"] == pytest.approx(np.mean(guess == y) - np.mean(y == common))
    recall = report["test"]["confusion"]["recall"][1]
    yes = y == "yes"
    exact = stats.binomtest(int((guess[yes] == "yes").sum()), int(yes.sum())).proportion_ci(method="wilson")
    assert (recall["low"], recall["high"]) == (pytest.approx(exact.low), pytest.approx(exact.high))


def test_threshold_bins_agree_with_the_confusion_matrix(classes: tuple[Path, Json]) -> None:
    _, report = classes
    scores, counts = report["test"]["scores"], report["test"]["confusion"]["counts"]
    at = scores["edges"].index(scores["threshold"])
    assert [sum(scores["negative"][:at]), sum(scores["negative"][at:])] == counts[0]
    assert [sum(scores["positive"][:at]), sum(scores["positive"][at:])] == counts[1]


@pytest.mark.full  # a report of its own; classes are looked at in the quick suite
def test_regression_metrics_by_scikit_learn(regression: tuple[Path, Json]) -> None:
    folder, report = regression
    model, rows, y = test_rows(folder, "y")
    z = model.predict(folder / "table.csv")[rows]
    found = {m["name"]: m["model"]["value"] for m in report["test"]["metrics"]}
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(y, z), rel=1e-9)
    assert found["mse"] == pytest.approx(metrics.mean_squared_error(y, z), rel=1e-9)
    assert found["r2"] == pytest.approx(metrics.r2_score(y, z), rel=1e-9)
    bins = report["test"]["residuals"]["bins"]
    assert sum(b["n"] for b in bins) == len(y)
    total = sum(b["n"] * b["mean"]["value"] for b in bins)
    assert total == pytest.approx(np.sum(y - z), abs=1e-8)


@pytest.mark.full  # a report of its own; classes are looked at in the quick suite
def test_cross_validated_score_by_scikit_learn(regression: tuple[Path, Json]) -> None:
    """Ridge of scikit-learn on the same folds, at the same penalty on its own scale."""
    folder, report = regression
    table = read_table(folder / "table.csv", target="y")
    train = take(table, split_rows(table, seed=0).train)
    row = next(c for c in report["candidates"] if c["name"] == "ridge")
    n_folds, repeats = (report["provenance"]["settings"][key] for key in ("folds", "repeats"))
    folds = make_folds(train, n_folds, repeats, 0)
    losses = np.zeros((repeats, train.n))
    for j, (fit, score) in enumerate(folds.plan.splits):
        encoder = make_encoder(table)
        X = encoder.fit_transform(train.frame[fit])
        ridge = Ridge(alpha=row["parameters"]["alpha"] * len(fit)).fit(X, train.y[fit])
        z = ridge.predict(encoder.transform(train.frame[score]))
        losses[j // 5, score] = (train.y[score] - z) ** 2
    assert row["score"]["value"] == pytest.approx(losses.mean(), rel=1e-6)
    se = np.sqrt(losses.var(axis=1, ddof=1).mean() / train.n * n_folds / (n_folds - 1))
    d = losses - losses.mean(axis=1, keepdims=True)
    b = np.mean(d**3) / np.mean(d**2) ** 1.5 / np.sqrt(train.n)
    u = (losses.mean() - row["score"]["high"]) / se  # Hall's transformed statistic is a t quantile at the end
    assert u + b * u**2 / 3 + b**2 * u**3 / 27 + b / 6 == pytest.approx(
        -stats.t.ppf(0.975, train.n - 1), rel=1e-5
    )
    trained = round(np.mean([len(fit) for fit, _ in folds.plan.splits]))
    assert f"trained on {trained} of these {train.n} rows" in row["score"]["target"]


def test_cross_validated_log_loss_by_scikit_learn(classes: tuple[Path, Json]) -> None:
    folder, report = classes
    table = read_table(folder / "table.csv", target="answer")
    train = take(table, split_rows(table, seed=0).train)
    row = next(c for c in report["candidates"] if c["name"] == "logistic_l2")
    folds = make_folds(train, report["provenance"]["settings"]["folds"], 1, 0)
    total = 0.0
    for fit, score in folds.plan.splits:
        encoder = make_encoder(table)
        X = encoder.fit_transform(train.frame[fit])
        C = 1.0 / (row["parameters"]["alpha"] * len(fit))
        peer = LogisticRegression(C=C, tol=1e-10, max_iter=1000).fit(X, train.y[fit])
        p = peer.predict_proba(encoder.transform(train.frame[score]))
        total += metrics.log_loss(train.y[score], p, normalize=False, labels=[0, 1])
    # Fits of the report end at their default tolerance: a loss moves by its root at most.
    assert row["score"]["value"] == pytest.approx(total / train.n / folds.n_repeats, rel=1e-3)


@pytest.mark.full  # a report without a limit takes many seconds
def test_rows_add_up(whole: Json) -> None:
    report = whole
    train, test = report["split"]["parts"]
    assert train["n_rows"] + test["n_rows"] == report["data"]["n_rows"] == 400
    assert sum(test["class_counts"]) == test["n_rows"]
    assert [c["role"] for c in report["candidates"]] == ["baseline", *["candidate"] * 3, "reference"]
    shown = [c["best_probability"] for c in report["candidates"]]
    assert shown[-1] is None
    assert sum(shown[:-1]) == pytest.approx(1.0)
    best = min(report["candidates"][:-1], key=lambda c: c["score"]["value"])
    assert best["versus_best"] is None
    for c in report["candidates"][1:]:
        gap = c["score"]["value"] - report["candidates"][0]["score"]["value"]
        assert c["versus_baseline"]["value"] == pytest.approx(gap, abs=1e-12)


@pytest.mark.full  # as above
def test_learning_curve_ends_at_the_cross_validated_score(whole: Json) -> None:
    report = whole
    chosen = next(c for c in report["candidates"] if c["chosen"])
    curve = report["learning_curve"]
    # The candidates are solved along paths, the curve by single fits: both within their certificates.
    assert curve["validation"]["value"][-1] == pytest.approx(chosen["score"]["value"], rel=1e-5)
    assert curve["x"] == sorted(curve["x"])
    assert curve["x"][-1] == 256
    assert curve["extrapolation"]["n_rows"] == 640


@pytest.mark.full  # a whole report
def test_noise_gives_the_constant_and_says_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"x": rng.normal(size=300), "y": rng.choice(["a", "b"], 300)})
    report = report_of(tmp_path, frame, "y")
    assert report["verdict"]["model"] == "baseline"
    assert "constant prediction was chosen" in report["verdict"]["sentence"]
    assert report["verdict"]["certificate"] is None
    assert report["model"]["coefficients"] is None
    assert report["absent"]["learning_curve"] == "The constant prediction was chosen."
    model = load(tmp_path / "out" / "model.empirisk")
    assert len(set(model.predict(tmp_path / "table.csv"))) == 1


@pytest.mark.full  # a whole report
def test_sixty_rows_give_wide_answers(tmp_path: Path) -> None:
    report = report_of(tmp_path, two_classes(n=60), "answer")
    log_loss = metric(report, "log_loss")["model"]
    assert log_loss["low"] is None
    assert "too few" in log_loss["reason"]
    accuracy = metric(report, "accuracy")["model"]
    assert accuracy["high"] - accuracy["low"] > 0.25
    assert any("only differences wider than the intervals" in line for line in report["limits"])


@pytest.mark.full
def test_more_columns_than_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 200))
    frame = pl.DataFrame({f"v{i}": X[:, i] for i in range(200)} | {"y": X[:, 0] + 0.3 * rng.normal(size=100)})
    report = report_of(tmp_path, frame, "y")
    assert len(report["data"]["columns"]) == 201
    assert report["model"]["importances"][0]["column"] == "v0"
    assert metric(report, "r2")["model"]["value"] > 0.5
    if report["verdict"]["model"] != "ridge":
        assert all(c["value"]["low"] is None for c in report["model"]["coefficients"])


@pytest.mark.full
def test_many_classes_with_a_rare_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    label = np.array(["red", "green", "blue"])[np.argmax(X + 0.5 * rng.normal(size=(240, 3)), axis=1)]
    label[:3] = "rare"
    report = report_of(tmp_path, pl.DataFrame({f"v{i}": X[:, i] for i in range(3)} | {"y": label}), "y")
    assert report["task"]["classes"] == ["blue", "green", "rare", "red"]
    assert len(report["test"]["confusion"]["counts"]) == 4
    assert report["test"]["scores"] is None
    assert {c["class"] for c in report["model"]["coefficients"]} == {"blue", "green", "rare", "red"}
    assert metric(report, "accuracy")["model"]["value"] > 0.7
    assert any("'rare'" in line for line in report["limits"])
    assert any(f["code"] == "ER110" and f["level"] == "serious" for f in report["findings"])


@pytest.mark.full
def test_groups_are_held_out_whole_and_widen_the_interval(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(50), 8)
    x, shift = rng.normal(size=400), rng.normal(size=50)[group]
    frame = pl.DataFrame(
        {"x": x, "g": [f"p{g}" for g in group], "y": x + 2.0 * shift + 0.5 * rng.normal(size=400)}
    )
    grouped = report_of(tmp_path / "a", frame, "y", group="g")
    plain = report_of(tmp_path / "b", frame, "y", drop=("g",))
    assert grouped["split"]["unit"] == "group"
    assert [p["n_groups"] for p in grouped["split"]["parts"]] == [40, 10]
    assert "groups" in grouped["candidates"][1]["score"]["method"]
    width = [next(c for c in r["candidates"] if c["name"] == "lasso")["score"] for r in (grouped, plain)]
    assert width[0]["high"] - width[0]["low"] > 1.5 * (width[1]["high"] - width[1]["low"])


@pytest.mark.full
def test_time_is_respected(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    when = np.datetime64("2024-01-01") + rng.permutation(300)
    frame = pl.DataFrame({"x": x, "when": when, "y": np.where(x + rng.normal(size=300) > 0, "up", "down")})
    report = report_of(tmp_path, frame, "y", time="when")
    assert report["split"]["unit"] == "time"
    assert "forward in time" in report["split"]["folds"]["sentence"]
    assert any("close in time" in line for line in report["limits"])


@pytest.mark.full
def test_a_test_file_is_used_as_it_is(tmp_path: Path) -> None:
    two_classes(n=90, seed=7).write_csv(tmp_path / "held.csv")
    report = report_of(tmp_path, two_classes(), "answer", test=tmp_path / "held.csv")
    assert report["split"]["unit"] == "file"
    assert [p["n_rows"] for p in report["split"]["parts"]] == [240, 90]
    assert "--test held.csv" in report["provenance"]["command"]


def test_time_limit_is_kept_in_a_stated_way(classes: tuple[Path, Json]) -> None:
    _, report = classes
    said = report["provenance"]["settings"]["left_out_for_time"]
    assert "1 repeat instead of 5" in said
    assert report["provenance"]["settings"]["repeats"] == 1
    if "no gradient boosting" in said:
        assert "reference" not in {c["name"] for c in report["candidates"]}


@pytest.mark.full  # a whole report
def test_positive_class_can_be_the_first(tmp_path: Path) -> None:
    report = report_of(tmp_path, two_classes(), "answer", positive="no")
    assert report["task"]["positive"] == "no"
    assert report["task"]["classes"] == ["yes", "no"]
    term = next(c for c in report["model"]["coefficients"] if c["term"] == "age")
    assert term["value"]["value"] < 0.0  # age speaks for "yes"
    assert metric(report, "roc_auc")["model"]["value"] > 0.6
