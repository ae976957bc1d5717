"""Explanations of models that were fitted with exposures, and of rows with weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import empirisk as er

RNG = np.random.default_rng(5)
N = 80
X = RNG.normal(size=(N, 2))
E = RNG.uniform(0.5, 9.0, size=N)
Y = RNG.poisson(E * np.exp(0.5 * X[:, 0])).astype(float)
GRID = [-1.0, 0.0, 1.5]
MODELS = {
    "poisson": lambda: er.PoissonRegressor(alpha=0.01).fit(X, Y, exposure=E),
    "glm": lambda: er.GeneralizedLinearModel(family="poisson", alpha=0.01).fit(X, Y, exposure=E),
    "offset": lambda: er.PoissonRegressor(alpha=0.01).fit(X, Y, offset=np.log(E)),
}


def moved(value: float) -> Any:
    """Return the rows with the first column set to a value."""
    return np.column_stack([np.full(N, value), X[:, 1]])


@pytest.mark.parametrize("name", list(MODELS))
def test_dependence_is_a_rate_without_exposures_and_a_count_with_them(name: str) -> None:
    model = MODELS[name]()
    rate = er.partial_dependence(model, X, 0, grid=GRID)
    assert rate.scale == "prediction, for one unit of exposure (offset 0)"
    np.testing.assert_allclose(rate.value[:, 0], [model.predict(moved(v)).mean() for v in GRID], rtol=1e-12)
    told = {"offset": np.log(E)} if name == "offset" else {"exposure": E}
    count = er.partial_dependence(model, X, 0, grid=GRID, **told)
    assert count.scale == f"prediction at the {next(iter(told))} of the rows"
    means = [model.predict(moved(v), **told).mean() for v in GRID]
    np.testing.assert_allclose(count.value[:, 0], means, rtol=1e-12)
    assert "one unit of exposure" in er.interaction_strength(model, X, max_rows=10).title


def test_exposures_go_with_their_rows_through_draws_and_frames() -> None:
    model = er.PoissonRegressor(alpha=0.01).fit(frame := pd.DataFrame(X, columns=["a", "b"]), Y, exposure=E)
    found = er.partial_dependence(model, frame, ["a", "b"], grid=4, max_rows=30, exposure=E)
    kept = [int(np.flatnonzero(np.isclose(E, e))[0]) for e in sorted_exposures(model, found)]
    assert len(set(kept)) == 30
    for g, at in enumerate(found.grid):
        told = [
            float(model.predict(pd.DataFrame([at], columns=["a", "b"]), exposure=[E[i]])[0]) for i in kept
        ]
        np.testing.assert_allclose(found.individual[g, :, 0], told, rtol=1e-10)


def sorted_exposures(model: Any, found: Any) -> Any:
    """Return the exposures of the rows that were drawn: counts at one place over the rate there."""
    rate = model.predict(pd.DataFrame([found.grid[0]], columns=["a", "b"]))[0]
    return found.individual[0, :, 0] / rate


def test_weights_are_repeated_rows_in_the_curve_and_their_scale_is_nothing() -> None:
    model = er.Ridge(0.1).fit(X, X[:, 0] * X[:, 1])
    w = RNG.integers(1, 4, size=N).astype(float)
    told = er.partial_dependence(model, X, 0, grid=GRID, sample_weight=w)
    again = er.partial_dependence(model, np.repeat(X, w.astype(int), axis=0), 0, grid=GRID)
    np.testing.assert_allclose(told.value, again.value, rtol=1e-12)
    scaled = er.partial_dependence(model, X, 0, grid=GRID, sample_weight=1e-3 * w)
    np.testing.assert_allclose(scaled.simultaneous, told.simultaneous, atol=1e-9)  # of sizes of 1
    plain, same = (er.partial_dependence(model, X, 0, sample_weight=v) for v in (None, np.full(N, 2.0)))
    np.testing.assert_allclose(same.simultaneous, plain.simultaneous, rtol=1e-9)
    worth = w.sum() ** 2 / (w @ w)
    at = np.sum((w[:, None] * (told.individual[0] - told.value[0])) ** 2) / w.sum() ** 2 * N / (N - 1)
    half = 0.5 * (told.pointwise[1, 0, 0] - told.pointwise[0, 0, 0])
    from scipy import stats

    assert half == pytest.approx(float(stats.t.ppf(0.975, worth - 1.0) * np.sqrt(at)), rel=1e-9)
    with pytest.raises(ValueError, match="sample_weight is -1 in row 0"):
        er.partial_dependence(model, X, 0, sample_weight=-w / w)


def test_boosting_is_explained_as_the_logarithm_of_a_rate() -> None:
    model = er.GradientBoostingRegressor(loss="poisson", n_estimators=5).fit(X, Y, exposure=E)
    assert er.partial_dependence(model, X, 0).scale == "raw score, for one unit of exposure (offset 0)"
    shap = er.tree_shap(model, X)
    assert shap.scale == "raw score, for one unit of exposure (offset 0)"
    rate = model.predict(X, exposure=np.ones(N))
    np.testing.assert_allclose(np.exp(shap.base + shap.values.sum(axis=1)), rate, rtol=1e-9)
    with pytest.raises(ValueError, match="exposure only moves the raw score of each row by a constant"):
        er.partial_dependence(model, X, 0, exposure=E)
    plain = er.GradientBoostingRegressor(n_estimators=5).fit(X, Y)
    assert er.tree_shap(plain, X).scale == "raw score"


def test_models_that_take_no_exposure_are_refused_by_name() -> None:
    model = er.Ridge().fit(X, Y)
    with pytest.raises(TypeError, match=r"Ridge\.predict takes no exposure"):
        er.partial_dependence(model, X, 0, exposure=E)
    fitted = er.PoissonRegressor().fit(X, Y, exposure=E)
    with pytest.raises(ValueError, match="exposure has 79 rows but y has 80"):
        er.partial_dependence(fitted, X, 0, exposure=E[1:])


def test_margins_say_what_they_are_averages_of() -> None:
    model = er.PoissonRegressor(alpha=0.0).fit(X, Y, exposure=E)
    told = "averages are those of one unit"
    assert told in str(er.margins(model, X))
    assert told not in str(er.margins(model, X, exposure=E))
    assert told not in str(er.margins(er.PoissonRegressor(alpha=0.0).fit(X, Y), X))
