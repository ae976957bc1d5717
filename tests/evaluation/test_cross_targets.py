"""Several targets in cross-validation: column by column, or fitted together in every fold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er


def table(rng: np.random.Generator, n: int = 80) -> tuple[Any, Any]:
    X = rng.standard_normal((n, 3))
    return X, pd.DataFrame(X[:, :2] + rng.standard_normal((n, 2)), columns=["early", "late"])


def labels(Y: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {"sign": np.where(Y["early"] > 0.0, "plus", "minus"), "size": np.digitize(Y["late"], [0.0])}
    )


@pytest.mark.parametrize("piped", [False, True])
def test_targets_that_are_fitted_apart_are_scored_as_their_columns(
    piped: bool, rng: np.random.Generator
) -> None:
    X, Y = table(rng)
    weight = rng.uniform(0.5, 2.0, len(Y))
    model: Any = er.LogisticRegression(alpha=0.1)
    rows: dict[str, Any] = {} if piped else {"sample_weight": weight}
    model = make_pipeline(StandardScaler(), model) if piped else model
    C = labels(Y)
    found = er.cross_evaluate(model, X, C, random_state=3, metrics=["accuracy", "log_loss"], **rows)
    assert list(found) == [f"{t}: {m}" for t in C.columns for m in ("accuracy", "log_loss")]
    for name in C.columns:
        alone = er.cross_evaluate(model, X, C[name], random_state=3, metrics=["accuracy", "log_loss"], **rows)
        for metric in alone:
            assert found[f"{name}: {metric}"] == alone[metric]
    assert "2 targets, each on folds of its own" in repr(found)


def test_targets_that_are_fitted_together_are_so_in_every_fold(rng: np.random.Generator) -> None:
    """By hand, on given folds: the error of each target by the forest of both."""
    X, Y = table(rng)
    forest = RandomForestRegressor(5, max_depth=3, random_state=0)
    splits = list(KFold(4, shuffle=True, random_state=1).split(X))
    found = er.cross_evaluate(forest, X, Y.to_numpy(), cv=splits, metrics=["mse"])
    told = np.zeros(Y.shape)
    for train, test in splits:
        told[test] = forest.fit(X[train], Y.to_numpy()[train]).predict(X[test])
    for j in range(2):
        assert found[f"{j}: mse"].value == pytest.approx(mean_squared_error(Y.iloc[:, j], told[:, j]))
    plain = er.cross_evaluate(forest, X, Y["early"], cv=splits, metrics=["mse"])
    assert plain["mse"].value != found["0: mse"].value
    shared = er.RandomForestRegressor(5, max_depth=3, targets="together")
    ours = er.cross_evaluate(shared, X, Y, cv=splits, metrics=["mse"])
    for train, test in splits:
        told[test] = shared.fit(X[train], Y.iloc[train]).predict(X[test])
    assert ours["late: mse"].value == pytest.approx(mean_squared_error(Y["late"], told[:, 1]))
    X, Y = X[:12], Y[:12].to_numpy()
    left_out = er.cross_evaluate(forest, X, Y, cv="loo", metrics=["mse"])
    each = [forest.fit(np.delete(X, i, 0), np.delete(Y, i, 0)).predict(X[[i]])[0] for i in range(12)]
    assert left_out["1: mse"].value == pytest.approx(mean_squared_error(Y[:, 1], np.array(each)[:, 1]))


def test_classes_of_several_targets_that_are_fitted_together(rng: np.random.Generator) -> None:
    X, Y = table(rng)
    codes = np.column_stack([Y["early"] > 0.0, np.digitize(Y["late"], [-0.5, 0.5])])
    shares = er.cross_evaluate(
        RandomForestClassifier(5), X, codes, random_state=0, metrics=["accuracy", "mcc"]
    )
    assert list(shares) == ["0: accuracy", "0: mcc", "1: accuracy", "1: mcc"]


def test_a_strength_for_each_target_goes_with_its_column(rng: np.random.Generator) -> None:
    X, Y = table(rng, 40)
    found = er.cross_evaluate(er.Ridge(alpha=[0.01, 3.0]), X, Y, random_state=0, metrics=["mse"])
    for name, alpha in (("early", 0.01), ("late", 3.0)):
        alone = er.cross_evaluate(er.Ridge(alpha=alpha), X, Y[name], random_state=0, metrics=["mse"])
        assert found[f"{name}: mse"].value == pytest.approx(alone["mse"].value)
    left_out = er.cross_evaluate(er.Ridge(alpha=[0.01, 3.0]), X, Y, cv="loo", metrics=["mse"])
    alone = er.cross_evaluate(er.Ridge(alpha=3.0), X, Y["late"], cv="loo", metrics=["mse"])
    assert left_out["late: mse"].value == pytest.approx(alone["mse"].value)


@pytest.mark.parametrize("model", [er.Ridge(alpha=0.1), DummyRegressor()], ids=["Ridge", "Dummy"])
def test_frames_lists_and_leaving_one_out(model: Any, rng: np.random.Generator) -> None:
    X, Y = table(rng, 30)
    for y in (Y, Y.to_numpy().tolist()):
        found = er.cross_evaluate(model, X, y, cv="loo", metrics=["mse"])
        alone = er.cross_evaluate(model, X, Y["late"], cv="loo", metrics=["mse"])
        assert list(found.values())[1].value == pytest.approx(alone["mse"].value)


def test_what_is_about_one_target_says_which_column_to_give(rng: np.random.Generator) -> None:
    X, Y = table(rng, 30)
    model = er.Ridge(alpha=0.1).fit(X, Y)
    asked: list[Any] = [
        lambda y: er.compare(er.Ridge(), er.LinearRegression(), X, y),
        lambda y: er.compare({"a": er.Ridge(), "b": er.LinearRegression()}, X, y),
        lambda y: er.diagnose(model, X, y),
        lambda y: er.conformalize(model, X, y),
        lambda y: er.selection.learning_curve(er.Ridge(), X, y),
    ]
    for call in asked:
        with pytest.raises(ValueError, match=r"one target at a time, y(_cal)?\['early'\] for the first"):
            call(Y)
        with pytest.raises(ValueError, match=r"one target at a time, y(_cal)?\[:, 0\] for the first"):
            call(Y.to_numpy())
