"""Comparisons of any number of models: one set of folds, simultaneous intervals, baselines, every metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import make_scorer, max_error

import empirisk as er
from empirisk.evaluation.compare_many import max_t
from empirisk.evaluation.standing import Standing, few_decide, stand


def rows(rng: np.random.Generator, n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n)


MODELS = {"weak": er.Ridge(100.0), "plain": er.Ridge(0.01), "lasso": er.Lasso(0.5)}


@pytest.mark.parametrize("m", [2, 3, 6])
@pytest.mark.parametrize("df", [12.0, 400.0])
def test_the_quantile_is_that_of_tukey(m: int, df: float) -> None:
    """Independent scores of one variance: the studentized range over the root of 2, by SciPy's code."""
    standing = Standing(np.zeros(m), np.eye(m), df, "")
    right = stats.studentized_range.ppf(0.95, m, df) / np.sqrt(2.0)
    assert max_t(standing, 0.95) == pytest.approx(right, abs=0.06)
    nearly = np.full((m, m), 0.7) + 0.3 * np.eye(m)  # what all share is no difference
    assert max_t(Standing(np.zeros(m), nearly, df, ""), 0.95) == pytest.approx(right, abs=0.06)


def test_two_of_a_table_are_the_pair(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    table = er.compare(MODELS, X, y, random_state=0)
    pair = er.compare(MODELS["weak"], MODELS["plain"], X, y, random_state=0)
    c = table["mse"]
    weak, plain = table.names.index("weak"), table.names.index("plain")
    assert c.scores[weak] == pair.a
    assert c.scores[plain] == pair.b
    assert c.best == plain
    e = c.to_best[weak]
    assert e.value == pytest.approx(pair.difference.value, rel=1e-12)
    assert e.low < pair.difference.low  # all pairs at once cost width
    assert e.high > pair.difference.high
    assert c.to_best[c.best] is None
    assert sum(c.probability_best) == pytest.approx(1.0)
    frame = table.to_frame()
    assert len(frame) == 4
    assert next(iter(frame["model"])) == table.names[c.best]
    assert {"to_best_low", "to_baseline_high", "probability_best"} <= set(frame.columns)


def test_the_baseline_is_added_found_named_or_left_out(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    again: dict[str, Any] = {"random_state": 0, "repeats": 1}
    assert er.compare(MODELS, X, y, **again).baseline == "baseline"
    assert er.compare([er.Ridge(), DummyRegressor()], X, y, **again).baseline == "DummyRegressor"
    named = er.compare(MODELS, X, y, baseline="weak", **again)
    assert named.baseline == "weak"
    assert len(named.names) == 3
    own = er.compare(MODELS, X, y, baseline=er.Ridge(1e4), **again)
    assert own.evaluations["baseline"]["mse"].value > own.evaluations["weak"]["mse"].value
    without = er.compare(MODELS, X, y, baseline=False, **again)
    assert without.baseline is None
    assert "minus the baseline" not in without.to_markdown()
    with pytest.raises(ValueError, match="none of the models: weak, plain, lasso"):
        er.compare(MODELS, X, y, baseline="best", **again)
    labels = np.where(y > 0.0, "yes", "no")
    told = er.compare([er.LogisticRegression(), er.RandomForestClassifier(3)], X, labels, **again)
    assert list(told) == ["brier_score"]  # a forest may answer 0
    assert isinstance(told.evaluations["baseline"].fitted.plan.folds, int)
    given = er.compare([er.LogisticRegression(), DummyClassifier()], X, labels, **again)
    assert given.baseline == "DummyClassifier"


def test_metrics_of_every_kind_with_text_labels(rng: np.random.Generator) -> None:
    X, y = rows(rng, 200)
    labels = np.where(y > 0.0, "yes", "no")

    def agreed(true: Any, told: Any) -> float:
        return float(np.mean(true == told))

    models = {"logit": er.LogisticRegression(), "tight": er.LogisticRegression(1.0)}
    wanted = ["log_loss", "recall", "roc_auc", agreed]
    table = er.compare(models, X, labels, metric=wanted, positive="no", random_state=0)
    assert list(table) == ["log_loss", "recall", "roc_auc", "agreed"]
    for c in table.contests:
        assert c.to_baseline[c.best].low is not None
        good = c.scores[c.best].value
        assert all(good >= e.value if c.greater_is_better else good <= e.value for e in c.scores)
    assert "about the class no" in table["recall"].scores[0].target
    pair = er.compare(*models.values(), X, labels, metric="recall", positive="no", random_state=0)
    assert pair.a == table["recall"].scores[0]
    X, y = rows(rng)
    worst = make_scorer(max_error, greater_is_better=False)
    far = er.compare(list(MODELS.values()), X, y, metric=[worst, er.selection.metrics.pinball(0.9)])
    assert list(far) == ["max_error", "pinball(0.9)"]
    assert not far["pinball(0.9)"].greater_is_better
    assert far.names[:2] == ("Ridge (a)", "Ridge (b)")


def test_equal_models_are_not_told_apart(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    table = er.compare({"one": er.Ridge(), "other": er.Ridge()}, X, y, random_state=0)
    other = next(e for i, e in enumerate(table["mse"].to_best) if i < 2 and e is not None)
    assert other.low is None
    assert "not shown to be better than" in table.title


@pytest.mark.parametrize("metric", ["mse", "r2"])
@pytest.mark.parametrize("grouped", [False, True])
def test_weights_are_in_the_errors_of_differences(
    metric: str, grouped: bool, rng: np.random.Generator
) -> None:
    """The joint law has the errors of the pairs, which a file of its own tests with weights."""
    X, y = rows(rng, 240)
    w = rng.uniform(0.1, 4.0, size=240)
    groups = np.arange(240) // 4 if grouped else None
    told: dict[str, Any] = {"sample_weight": w, "groups": groups, "random_state": 0, "repeats": 1}
    table = er.compare(MODELS, X, y, metric=[metric], **told)
    e = list(table.evaluations.values())
    ours = e[0].ours(metric)
    joint = stand(e, metric, 1.0)
    right = ours.difference(e[0].out_of_fold, e[1].out_of_fold, 5, 0.95)[1]
    assert joint.error(0, 1) == pytest.approx(right, rel=0.03)
    assert table[metric].to_baseline[0].value == pytest.approx(e[0][metric].value - e[3][metric].value)


def test_rows_with_an_exposure_get_no_constant(rng: np.random.Generator) -> None:
    X, exposure = rng.normal(size=(200, 2)), rng.uniform(0.5, 2.0, size=200)
    y = rng.poisson(exposure * np.exp(0.5 * X[:, 0]))
    models = [er.PoissonRegressor(alpha=0.01), er.PoissonRegressor(1.0)]
    table = er.compare(models, X, y, metric=["poisson_deviance"], exposure=exposure, random_state=0)
    assert table.baseline is None
    assert len(table.names) == 2


def test_plots_and_forms(rng: np.random.Generator) -> None:
    pytest.importorskip("matplotlib")
    X, y = rows(rng)
    table = er.compare(MODELS, X, y, metric=["mse", "mae"], random_state=0, repeats=1)
    for kind in ("scores", "best", "baseline", "probability"):
        assert table.plot(kind=kind, metric="mae").axes is not None
    with pytest.raises(ValueError, match="kind must be"):
        table.plot(kind="bars")
    assert "P(best)" in table._repr_html_()
    pair = er.compare(er.Ridge(), er.Lasso(1.0), X, y, random_state=0)
    assert pair.plot().axes is not None
    assert len(pair.to_frame()) == 3
    assert "<table>" in pair._repr_html_()


def test_what_is_no_comparison_is_refused(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    with pytest.raises(ValueError, match="there is no model"):
        er.compare([], X, y)
    with pytest.raises(TypeError, match="classifier cannot be compared"):
        er.compare([er.Ridge(), er.LogisticRegression()], X, y)
    with pytest.raises(TypeError, match="by name"):
        er.compare([er.Ridge(), er.Lasso()], X, y, 5)
    sample = er.selection.Sample(X, y)
    one = er.compare([er.Ridge(), er.Lasso(0.1)], sample, random_state=0)
    two = er.compare([er.Ridge(), er.Lasso(0.1)], X=X, y=y, random_state=0)
    assert one["mse"].scores == two["mse"].scores


@pytest.mark.full  # simulated
def test_all_differences_to_the_best_hold_at_once() -> None:
    """Five constants predict noise; the loss of each is its square plus 1, and the rows choose the best."""
    rng = np.random.default_rng(0)
    constants, hits = np.array([0.0, 0.05, 0.1, -0.1, 0.3]), []
    models = {f"c{c}": DummyRegressor(strategy="constant", constant=c) for c in constants}
    for _ in range(250):
        y = rng.normal(size=100)
        table = er.compare(models, np.zeros((100, 1)), y, baseline="c0.3", random_state=0, repeats=1)
        c = table["mse"]
        truth = constants**2 - constants[c.best] ** 2
        hits.append(
            all(e.low - 1e-12 <= t <= e.high + 1e-12 for e, t in zip(c.to_best, truth, strict=True) if e)
        )
    assert np.mean(hits) >= 0.95 - 2.5 * np.sqrt(0.95 * 0.05 / 250)


@pytest.mark.parametrize("where", ["target", "column"])
def test_no_chance_is_told_where_one_row_decides(where: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 3))
    y = X[:, 0] + np.exp(rng.normal(size=150))
    models = {"line": er.Ridge(0.01), "tree": er.DecisionTreeRegressor(min_samples_leaf=5)}
    told = er.compare(models, X=X, y=y, random_state=0)
    assert told["mse"].probability_best.sum() == pytest.approx(1.0)
    if where == "target":
        y[17] = 1e12
    else:
        X[17, 0] = 1e12
    found = er.compare(models, X=X, y=y, random_state=0)
    assert np.isnan(found["mse"].probability_best).all()
    assert "P(best) cannot be told" in str(found)


def test_two_classifiers_that_differ_in_one_row_have_chances() -> None:
    few = np.zeros((2, 100))
    few[0, 3] = 1.0
    assert not few_decide(few)
    assert not few_decide(np.vstack([few[0], few[1]]) + (np.arange(100) % 7 == 0))


def test_two_groups_out_of_proportion_decide(rng: np.random.Generator) -> None:
    losses = rng.exponential(size=(2, 300))
    codes = np.arange(300) // 5
    assert not few_decide(losses, codes)
    losses[:, [12, 14, 77]] += 1e7
    assert few_decide(losses, codes)
    losses[:, 100:200:10] += 1e7
    assert not few_decide(losses, codes)
