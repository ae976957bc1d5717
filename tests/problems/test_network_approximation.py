"""What one hidden layer can do: exclusive or, all functions of signs, curves to any error, at known rates."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.problems import Layers
from empirisk.problems.activations import Identity, Step

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "hidden_layer.py"))


def largest_error(build: str, m: int) -> float:
    """Return the largest error of a network by hand against the sine, on a fine grid."""
    x = np.linspace(0.0, 1.0, 20_001)[:, None]
    layers, w = EXAMPLE[build](EXAMPLE["wave"], m)
    return float(np.abs(layers.scores(w, x)[:, 0] - EXAMPLE["wave"](x[:, 0])).max())


def test_no_single_neuron_says_exclusive_or_and_three_do() -> None:
    square, wanted = EXAMPLE["SQUARE"], EXAMPLE["XOR"]
    answer = er.hypotheses.Halfspaces(2).shatters(square)
    assert not answer
    # Exclusive or and its complement are the two of the 16 labellings that half-spaces do not make.
    made = {tuple(row) for row in er.hypotheses.Halfspaces(2).restriction(square).astype(int).tolist()}
    assert len(made) == 14
    assert {tuple(wanted), tuple(1 - wanted)}.isdisjoint(made)
    layers = Layers((2, 2, 1), (Step(), Step()))
    w = np.array([1.0, 1.0, 1.0, 1.0, -0.5, -1.5, 1.0, -1.0, -0.5])
    assert layers.scores(w, square)[:, 0].tolist() == wanted.tolist()


def test_a_network_of_two_hidden_neurons_learns_exclusive_or() -> None:
    square, wanted = EXAMPLE["SQUARE"], EXAMPLE["XOR"]
    model = er.MLPClassifier(2, "tanh", step=0.3, n_epochs=500, n_init=10).fit(square, wanted)
    assert (model.predict(square) == wanted).all()
    assert "over 10 starts F lay between" in model.certificate_.claim


def test_every_function_of_three_signs_has_one_hidden_layer(capsys: pytest.CaptureFixture[str]) -> None:
    EXAMPLE["functions_of_bits"](3)
    assert "256 are right" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("build", "bound", "rate"),
    [
        # Half a cell of width 1 / (m + 1) at the largest slope, 2 pi.
        ("steps", lambda m: np.pi / (m + 1), 1.0),
        # h^2 / 8 times the largest second derivative, 4 pi^2.
        ("bends", lambda m: np.pi**2 / (2.0 * m**2), 2.0),
    ],
)
def test_errors_keep_their_bounds_and_rates(build: str, bound: Any, rate: float) -> None:
    widths = np.array([8, 16, 32, 64, 128])
    errors = np.array([largest_error(build, int(m)) for m in widths])
    assert (errors <= [bound(m) * (1.0 + 1e-9) for m in widths]).all()
    assert (errors >= [0.8 * bound(m) for m in widths]).all()  # and no sharper: the sine attains them
    slope = np.polyfit(np.log(widths[2:]), np.log(errors[2:]), 1)[0]
    assert slope == pytest.approx(-rate, abs=0.03)


def test_two_step_neurons_are_the_indicator_of_an_interval(rng: np.random.Generator) -> None:
    x = rng.uniform(-1.0, 2.0, size=(500, 1))
    w = np.array([1.0, 1.0, -0.3, -0.6, 1.0, -1.0, 0.0])
    said = Layers((1, 2, 1), (Step(), Identity())).scores(w, x)[:, 0]
    assert np.array_equal(said, (x[:, 0] > 0.3) & (x[:, 0] <= 0.6))
