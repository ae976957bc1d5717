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


@pytest.mark.parametrize("kind", [er.MLPRegressor, er.MLPClassifier])
def test_early_stopping_and_streams_do_not_go_together(kind: type) -> None:
    X, y = table()
    more = {} if kind is er.MLPRegressor else {"classes": [False, True]}
    with pytest.raises(
        ValueError, match=r"early_stopping=True needs rows that are held out, and partial_fit"
    ):
        kind(3, early_stopping=True).partial_fit(X, y if not more else y > 0.0, **more)


@pytest.mark.parametrize("folder", ["/proc", "/dev/null/none"])
def test_checkpoints_that_cannot_be_written_are_refused_before_an_epoch(folder: str) -> None:
    X, y = table()
    for ask in (
        lambda: er.MLPRegressor(3, checkpoint=f"{folder}/state").fit(X, y),
        lambda: er.selection.GridSearch(
            er.Ridge(), {"alpha": [0.1, 1.0]}, checkpoint=f"{folder}/state", random_state=0
        ).fit(X, y),
    ):
        with pytest.raises(ValueError, match=r"^checkpoint: .*folder"):
            ask()


def test_graphs_have_finite_weights() -> None:
    for W, b, where in (
        ([[1.0], [np.nan]], [0.0], "the weight of unit 2 in unit 1 of layer 1 is nan"),
        ([[1.0], [2.0]], [np.inf], "the bias of unit 1 of layer 1 is inf"),
    ):
        with pytest.raises(ValueError, match=where):
            er.NetworkGraph([np.array(W)], [np.array(b)], ["step"])


def test_losses_of_held_out_rows_tell_their_units_and_are_not_below_0() -> None:
    X, y = table(120)
    y = y + 3.0 * np.random.default_rng(1).standard_t(1.5, 120)
    given = {"early_stopping": True, "n_epochs": 30, "validation_share": 0.1}
    one = er.MLPRegressor(3, **given).fit(X, y).validation_loss_
    far = er.MLPRegressor(3, **given).fit(X, 1024.0 * y + 4096.0).validation_loss_
    assert "units of their standard deviation" in one.target
    assert one.value == pytest.approx(far.value, rel=1e-6)
    assert one.low == 0.0 < one.value < one.high  # symmetric, it would reach below
    assert "units" not in er.MLPRegressor(3, loss="absolute", **given).fit(X, y).validation_loss_.target
