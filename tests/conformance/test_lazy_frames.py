"""Lazy frames of polars have no rows yet: every estimator says so in a sentence, without a warning before."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import empirisk as er
from empirisk.estimators import REGISTRY
from tests.conformance.estimators import FIXED


@pytest.mark.parametrize(
    "name", sorted({use.kind for use in FIXED} | {"DecisionTreeRegressor", "SVC", "GaussianNB"})
)
def test_lazy_frames_are_refused_in_words(name: str) -> None:
    rows = pl.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 0.0]}).lazy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match=r"X is a LazyFrame of polars, .*: give X.collect\(\)"):
            REGISTRY[name]().fit(rows, np.array([0, 1, 0, 1]))


def test_tables_without_rows_are_refused_in_words() -> None:
    rows = pl.DataFrame({"a": [0.0, 1.0, 3.0], "town": ["u", "v", "u"]})
    for model in (er.LinearRegression(), er.DecisionTreeRegressor()):
        with pytest.raises(ValueError, match=r"\(0, 2\)"):
            model.fit(rows[:0], [])


def test_results_of_formulas_are_frames_as_the_rows_were() -> None:
    pytest.importorskip("formulaic")
    rows = pl.DataFrame({"a": [0.0, 1.0, 3.0, 2.0], "y": [0.5, 1.0, 3.1, 2.4]})
    model = er.formula("y ~ a", rows)
    for found in (model.summary(), model.interval(rows)):
        assert isinstance(found.to_frame(), pl.DataFrame)
    with pytest.raises(ValueError, match=r"x must hold 4 numbers, .* not the name 'a': give the column"):
        model.interval(rows).plot(x="a")


def test_thresholds_are_frames_as_the_rows_were(rng: np.random.Generator) -> None:
    X, y = pl.DataFrame({"a": rng.normal(size=120)}), np.arange(120) % 2
    ev = er.evaluate(er.LogisticRegression().fit(X, y), X, y)
    found = ev.threshold({"false_positive": 1, "false_negative": 2})
    assert isinstance(found.to_frame(), pl.DataFrame)
