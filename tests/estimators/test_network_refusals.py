"""Networks refuse by name what does not fit them: numbers of targets, parameters, changed arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.typing import Array


def table(n: int = 40) -> tuple[Array, Array]:
    """Two columns, and a target of them."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    return X, X[:, 0] - X[:, 1]


@pytest.mark.parametrize("before", [1, 2, 3])
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_stream_keeps_its_number_of_targets(before: int, after: int) -> None:
    X, y = table()
    targets = {1: y, 2: np.c_[y, y], 3: np.c_[y, y, y]}
    model = er.MLPRegressor(3).partial_fit(X, targets[before])
    if before == after:
        assert model.partial_fit(X, targets[after]).predict(X).shape == targets[after].shape
        return
    old = model.predict(X)
    with pytest.raises(ValueError, match=f"y has {after} targets? a row, and the blocks before had {before}"):
        model.partial_fit(X, targets[after])
    np.testing.assert_array_equal(model.predict(X), old)


@pytest.mark.parametrize("normalization", [None, "layer", "batch"])
def test_parameters_of_another_length_are_refused(normalization: Any) -> None:
    X, y = table()
    problem = er.MLPRegressor(3, normalization=normalization).problem(X, y)
    for ask in (problem.gradient_check, problem.evaluate, problem.certify):
        for w in (np.zeros(3), np.zeros((problem.layers.size, 1))):
            with pytest.raises(ValueError, match=rf"w must have shape \({problem.layers.size},\)"):
                ask(w)


@pytest.mark.parametrize("kind", [er.MLPRegressor, er.MLPClassifier])
@pytest.mark.parametrize("normalization", [None, "layer", "batch"])
@pytest.mark.parametrize("name", ["coefs_", "intercepts_", "gains_"])
def test_arrays_of_another_shape_are_not_confirmed(kind: type, normalization: Any, name: str) -> None:
    X, y = table()
    y = y if kind is er.MLPRegressor else y > 0.0
    model = kind(3, normalization=normalization, n_epochs=2).fit(X, y)
    given = list(getattr(model, name))
    for other in ([np.ones(7), *given[1:]], given[:-1]):
        setattr(model, name, other)
        assert f"{name} has the shapes" in er.verify(model, X, y).claim
    setattr(model, name, given)
    assert "not confirmed" not in er.verify(model, X, y).claim
