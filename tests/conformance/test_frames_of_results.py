"""Tables of results come in the frames of the user: polars where the rows were in polars, else pandas."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.estimators import REGISTRY
from tests.conformance.test_forms import MACHINERY, is_result, known, returned

RNG = np.random.default_rng(11)
N = 120
CELLS = {"a": RNG.normal(size=N), "b": RNG.normal(size=N)}
Y = CELLS["a"] + RNG.normal(size=N)
LABELS = (Y > 0.0).astype(int)
OTHERS = {"X", "X_cal", "data", "est", "estimator", "model", "models"}  # parameters that hold rows, or have
# What takes no rows of a user, and why.
WITHOUT_ROWS = {
    "averaged_subgradient": "numbers", "bands_at": "its fit holds a design", "no_free_lunch": "a domain",
    "evaluate_predictions": "arrays of outputs", "estimators_risk": "samples that it draws itself",
}  # fmt: skip


def linear(X: Any) -> Any:
    """Return least squares on the rows."""
    return er.LinearRegression().fit(X, Y)


def forest(X: Any) -> Any:
    """Return a small forest on the rows."""
    return er.RandomForestRegressor(20, random_state=0).fit(X, Y)


def classes(X: Any) -> Any:
    """Return a small forest of classes on the rows."""
    return er.RandomForestClassifier(20, random_state=0).fit(X, LABELS)


def boosted(X: Any) -> Any:
    """Return boosting with a calibration part."""
    return er.GradientBoostingRegressor(n_estimators=3, calibration_fraction=0.4).fit(X, Y)


CALLS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda X: er.evaluate(linear(X), X, Y),
    "evaluate a pipeline": lambda X: er.evaluate(make_pipeline(StandardScaler(), er.Ridge()).fit(X, Y), X, Y),
    "cross_evaluate": lambda X: er.cross_evaluate(er.Ridge(0.1), X, Y, cv=3, repeats=1, random_state=0),
    "a sample": lambda X: er.cross_evaluate(er.Ridge(0.1), er.selection.Sample(X, Y), cv=3, repeats=1),
    "compare": lambda X: er.compare(er.Ridge(0.1), er.Ridge(9.0), X, Y, cv=3, repeats=1, random_state=0),
    "compare many": lambda X: er.compare([er.Ridge(0.1), er.Ridge(9.0)], X, Y, cv=3, repeats=1),
    "compare_fitted": lambda X: er.selection.compare_fitted(linear(X), forest(X), X, Y, metric="mse"),
    "leave_one_out": lambda X: er.selection.leave_one_out(er.Ridge(0.1), X, Y),
    "train_validation_test_split": lambda X: er.selection.train_validation_test_split(X, Y, random_state=0),
    "learning_curve": lambda X: er.selection.learning_curve(er.Ridge(0.1), X, Y, sizes=[20, 60], cv=3),
    "model_selection_curve": lambda X: er.selection.model_selection_curve(
        er.Ridge(), X, Y, "alpha", [0.1, 1.0], cv=3, random_state=0
    ),
    "diagnose": lambda X: er.diagnose(er.Ridge(0.1), X, Y, cv=3, random_state=0),
    "path": lambda X: er.path(er.Ridge(), X, Y, alphas=[1.0, 0.1]),
    "conformalize": lambda X: er.conformalize(linear(X), X, Y).interval(X),
    "partial_dependence": lambda X: er.partial_dependence(linear(X), X, "a", grid=3),
    "interaction_strength": lambda X: er.interaction_strength(linear(X), X, max_rows=5, n_resamples=5),
    "tree_shap": lambda X: er.tree_shap(forest(X), X),
    "margins": lambda X: er.margins(linear(X), X, effects="all"),
    "regression_table": lambda X: er.regression_table([linear(X)]),
    "anova": lambda X: er.anova(linear(X), terms={"both": ["a", "b"]}),
    "risk_bounds": lambda X: er.risk_bounds(er.LogisticRegression(0.1).fit(X, LABELS), X, LABELS),
    "choose_k": lambda X: er.choose_k(er.KMeans(), X, [2, 3], random_state=0),
    "partition_stability": lambda X: er.partitions.partition_stability(er.KMeans(2), X, n_resamples=20),
    "compare_partitions": lambda X: er.compare_partitions(X["a"] > 0.0, X["b"] > 0.0),
    "bootstrap": lambda X: er.bootstrap("mean", X["a"], n_resamples=999, random_state=0),
    "stability": lambda X: er.selection.stability(er.Ridge(0.1), X, Y, n_resamples=5, random_state=0),
    "bias_variance": lambda X: er.selection.bias_variance(er.Ridge(0.1), X, Y, random_state=0),
    "nested_cross_evaluate": lambda X: er.selection.nested_cross_evaluate(
        er.selection.GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, random_state=0), X, Y, cv=3, random_state=0
    ),
    "debiased_lasso": lambda X: er.debiased_lasso(X, Y),
    "split_sample_inference": lambda X: er.split_sample_inference(
        er.Lasso(0.05), X, Y, n_splits=5, random_state=0
    ),
    "summary": lambda X: linear(X).summary(),
    "summary of rates": lambda X: er.PoissonRegressor(alpha=0.0).fit(X, LABELS).summary(),
    "ratios": lambda X: er.PoissonRegressor(alpha=0.0).fit(X, LABELS).summary().ratios(),
    "influence": lambda X: linear(X).influence(),
    "interval": lambda X: linear(X).interval(X),
    "interval of a forest": lambda X: forest(X).interval(X),
    "interval of shares": lambda X: classes(X).interval(X),
    "interval of boosting": lambda X: boosted(X).interval(X),
    "importances": lambda X: forest(X).importances(),
    "cost_complexity_path": lambda X: er.DecisionTreeRegressor().cost_complexity_path(X, Y),
    "graph": lambda X: er.MLPRegressor((2,), n_epochs=2, random_state=0).fit(X, Y).graph(),
    "result_": lambda X: er.selection.GridSearch(
        er.Ridge(), {"alpha": [0.1, 1.0]}, random_state=0
    ).fit(X, Y).result_,
    "selection_": lambda X: er.Ridge("cv", random_state=0).fit(X, Y).selection_,
}  # fmt: skip


# They fit tens of models each: seconds on a busy machine.
MANY_FITS = (
    "nested_cross_evaluate", "stability", "choose_k", "compare many", "bias_variance", "learning_curve",
    "diagnose", "model_selection_curve", "result_", "compare", "partition_stability", "risk_bounds",
    "split_sample_inference", "debiased_lasso", "conformalize", "graph", "importances",
)  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.full) if n in MANY_FITS else n for n in CALLS]
)
def test_results_come_in_the_frames_of_the_rows(name: str) -> None:
    for frame in (pl.DataFrame, pd.DataFrame):
        found = CALLS[name](frame(CELLS)).to_frame()
        assert isinstance(found, frame), f"{name} of {frame.__module__} is {type(found).__module__}"
        assert len(found) > 0


def test_a_new_fit_forgets_the_frame_of_the_last() -> None:
    model = linear(pl.DataFrame(CELLS))
    assert isinstance(model.summary().to_frame(), pl.DataFrame)
    assert isinstance(model.fit(np.column_stack(list(CELLS.values())), Y).summary().to_frame(), pd.DataFrame)


@pytest.mark.full  # imports every file of the package, which takes seconds
def test_every_function_with_tables_remembers_its_input() -> None:
    names = known()
    functions = [(n, getattr(er, n)) for n in er.__all__]
    rooms = [v for n, v in functions if inspect.ismodule(v) and n not in MACHINERY]
    functions += [(k, getattr(v, k)) for v in rooms for k in getattr(v, "__all__", [])]
    for kind in REGISTRY.values():
        members = ((n, inspect.getattr_static(kind, n)) for n in dir(kind) if not n.startswith("_"))
        functions += [(f"{kind.__name__}.{n}", m) for n, m in members]
    forgetful = set()
    for name, function in functions:
        if not inspect.isfunction(function) or name in WITHOUT_ROWS:
            continue
        tables = [k for k in returned(function, names) if is_result(k) and hasattr(k, "to_frame")]
        takes = OTHERS & set(inspect.signature(function).parameters) or ("." in name)
        if tables and takes and not hasattr(function, "__wrapped__") and "guarantee" not in name:
            forgetful.add(function.__qualname__)
    assert not forgetful, f"write @like_input above {', '.join(sorted(forgetful))}"
