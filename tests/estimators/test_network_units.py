"""Units of networks: rows and targets in other units of measurement give the same network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er

# Exact multiples, so that standardised rows are the same numbers.
UNITS = (2.0**-1000, 2.0**-600, 2.0**-40, 2.0**400)


def rows(rng: np.random.Generator) -> tuple[Any, Any]:
    X = rng.normal([0.0, 1.0, 2.0], size=(80, 3))
    return X, np.sin(X[:, 0]) + X[:, 1]


@pytest.mark.parametrize("unit", UNITS)
def test_units_of_columns_change_nothing(unit: float, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    for model, targets in ((er.MLPRegressor(n_epochs=3), y), (er.MLPClassifier(n_epochs=3), y > 1.0)):
        usual = clone(model).fit(X, targets)
        other = clone(model).fit(X * [unit, 1.0, unit], targets)
        np.testing.assert_allclose(other.loss_, usual.loss_, rtol=1e-9)


@pytest.mark.parametrize("unit", UNITS)
def test_predictions_have_the_unit_of_the_targets(unit: float, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    usual, other = (er.MLPRegressor(n_epochs=3).fit(X, y * u) for u in (1.0, unit))
    np.testing.assert_allclose(other.predict(X) / unit, usual.predict(X), rtol=1e-9)


@pytest.mark.parametrize("normalization", [None, "batch"])
def test_units_of_weights_change_nothing(normalization: str | None, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    weight = rng.uniform(0.5, 1.0, 80)
    usual, *others = (
        er.MLPRegressor(n_epochs=3, normalization=normalization).fit(X, y, sample_weight=u * weight)
        for u in (1.0, 2.0**-1000, 2.0**900)
    )
    for other in others:
        assert other.certificate_.value == usual.certificate_.value
        assert (other.predict(X) == usual.predict(X)).all()


def test_targets_beyond_the_format_of_the_rows_are_refused(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    er.MLPRegressor(n_epochs=1).fit(X, 1e100 * y)
    with pytest.raises(ValueError, match="predictions have the format of X, float32"):
        er.MLPRegressor(n_epochs=1).fit(X.astype(np.float32), 1e100 * y)


def test_a_stream_goes_on_with_the_same_layers(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.MLPRegressor(hidden=4).partial_fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="16 parameters with these layers and targets, and 21 were trained"):
        model.set_params(hidden=3).partial_fit(X, y)
    with pytest.raises(ValueError, match="2 targets a row, and the blocks before had 1"):
        model.set_params(hidden=4).partial_fit(X, np.column_stack([y, y]))
    assert (model.predict(X) == before).all()


@pytest.mark.parametrize("schedule", ["strongly_convex", "pegasos", er.optimizers.StronglyConvex(0.1)])
def test_steps_of_strong_convexity_are_refused(schedule: Any, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="a network has none"):
        er.MLPRegressor(schedule=schedule).fit(*rows(rng))
