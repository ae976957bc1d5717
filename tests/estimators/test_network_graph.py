"""Layered graphs of networks: the arcs alone give back the scores, names, pictures, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import empirisk as er

XOR = ([np.ones((2, 2)), np.array([[1.0], [-1.0]])], [np.array([-0.5, -1.5]), np.array([-0.5])])


def along_the_arcs(frame: pd.DataFrame, row: np.ndarray, bend: Any) -> list[float]:
    """Return the values of the last layer for a row, arc by arc from a table of arcs."""
    values = {(0, j + 1): v for j, v in enumerate(row)}
    last = int(frame["layer"].max())
    for t in range(1, last + 1):
        into = frame[frame["layer"] == t]
        values |= {(t - 1, 0): 1.0}
        for j, arcs in into.groupby("to"):
            total = sum(values[t - 1, r] * w for r, w in zip(arcs["from"], arcs["weight"], strict=True))
            values[t, int(j)] = bend(total) if t < last else total
    return [v for (t, _), v in sorted(values.items()) if t == last]


def test_the_arcs_alone_give_back_the_scores(rng: np.random.Generator) -> None:
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["age", "dose", "town"])
    y = np.array(["no", "yes", "never"])[rng.integers(0, 3, 60)]
    model = er.MLPClassifier((4, 2), "tanh", n_epochs=5).fit(X, y)
    graph = model.graph()
    frame = graph.to_frame()
    scaled = ((X - X.mean()) / X.std(ddof=0)).to_numpy()
    for row, z in zip(scaled[:5], model.decision_function(X), strict=False):
        assert along_the_arcs(frame, row, np.tanh) == pytest.approx(z, rel=1e-12)
    assert graph.widths == (3, 4, 2, 3)
    assert len(frame) == graph.n_arcs == 4 * 4 + 5 * 2 + 3 * 3
    assert graph.n_nodes == 4 + 5 + 3 + 3
    assert set(frame[frame["layer"] == 1]["source"]) == {"1", "age", "dose", "town"}
    assert list(frame[frame["layer"] == 3]["target"])[:3] == ["never", "no", "yes"]
    np.testing.assert_array_equal(graph.weights(2)[0], model.intercepts_[1])
    np.testing.assert_array_equal(graph.weights(2)[1:], model.coefs_[1])


def test_names_of_scores_and_columns(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    assert er.MLPClassifier(2, n_epochs=1).fit(X, y).graph().outputs == ("1",)
    graph = er.MLPRegressor((), n_epochs=1, standardise=False).fit(X, X).graph()
    assert (graph.inputs, graph.outputs) == (("x0", "x1"), ("target 1", "target 2"))
    assert (graph.units, graph.activations) == ("", ("identity",))


def test_large_layers_are_abbreviated_and_the_picture_says_so(rng: np.random.Generator) -> None:
    hidden = 0.01 * rng.normal(size=(3, 40))
    hidden[1, 36] = -7.0
    graph = er.NetworkGraph([hidden, np.zeros((40, 1))], [np.zeros(40), np.zeros(1)], ["relu", "identity"])
    view = graph.view(5)
    assert view["layers"][1]["left_out"] == 35
    assert 37 in view["layers"][1]["numbers"]
    assert len(view["layers"][1]["numbers"]) == 6
    assert view["largest"] == {"weight": -7.0, "source": "x1", "target": "v1,37"}
    ax = graph.plot(max_nodes=5).axes
    said = [text.get_text() for text in ax.texts]
    assert "35 more" in said
    assert "37" in said
    assert "the largest of 201 weights, −7, goes from x1 to v1,37" in ax.get_title(loc="left").replace(
        "\n", " "
    )


def test_weights_stand_on_the_arcs_of_small_layers() -> None:
    graph = er.NetworkGraph(*XOR, ["step", "step"], inputs=["a", "b"], outputs=["a xor b"])
    said = [text.get_text() for text in graph.plot().axes.texts]
    assert sorted(said) == sorted(
        ["−0.5", "−1.5", "1", "1", "1", "1", "−0.5", "1", "−1", "1", "1", "1", "2", "a", "b", "a xor b"]
    )


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"coefs": XOR[0][:1]}, "one entry for each layer, got 1, 2 and 2"),
        ({"coefs": [np.ones((2, 2)), np.ones((3, 1))]}, r"layer 2 must have weights \(2, units\)"),
        ({"inputs": ["a"]}, "inputs must hold 2 names, got 1"),
        ({"outputs": ["a", "b"]}, "outputs must hold 1 names, got 2"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], word: str) -> None:
    given = {"coefs": XOR[0], "intercepts": XOR[1], "activations": ["step", "step"], **change}
    with pytest.raises(ValueError, match=word):
        er.NetworkGraph(**given)


def test_nodes_that_are_not_there_are_refused() -> None:
    graph = er.NetworkGraph(*XOR, ["step", "step"])
    for layer, place in ((2, 0), (3, 1), (1, 3), (-1, 1)):
        with pytest.raises(ValueError, match=f"no node {place} in layer {layer} of the network 2-2-1"):
            graph.node(layer, place)
    with pytest.raises(ValueError, match=r"layer must be in 1, \.\.\., 2, got 0"):
        graph.weights(0)
