"""A tree as text says what its arrays hold: questions, rows, shares and weights, read back line by line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

import empirisk as er

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3))
Y = X[:, 0] + (X[:, 1] > 0.3) + 0.3 * RNG.normal(size=150)
LABEL = np.array(["low", "middle", "high"])[np.digitize(Y, [0.0, 1.0])]
WEIGHT = RNG.integers(1, 4, size=150).astype(float)
LINE = re.compile(
    r"^(?P<indent>(?:\|  )*(?:\|- )?)(?P<asked>.*?): n = (?P<n>\d+)(?P<rest>.*?)(?P<end> \*| \.\.\.|)$"
)


def read(text: str) -> list[tuple[int, str, int, str, str]]:
    """Depth, question, rows, the answer and the end of each line."""
    found = [LINE.match(line) for line in text.splitlines()]
    assert all(found)
    return [
        (m["indent"].count("|"), m["asked"], int(m["n"]), m["rest"].removeprefix(", "), m["end"].strip())
        for m in found
    ]


def in_order(tree: Any) -> list[tuple[int, int]]:
    """Nodes and their depths, each before its children, the left child first."""
    walk, stack = [], [(0, 0)]
    while stack:
        node, depth = stack.pop()
        walk.append((node, depth))
        if tree.feature[node] >= 0:
            left = int(tree.left[node])
            stack += [(left + 1, depth + 1), (left, depth + 1)]
    return walk


def test_the_lines_are_the_nodes_of_the_arrays() -> None:
    model = er.DecisionTreeClassifier(alpha=None, max_depth=4).fit(X, LABEL, sample_weight=WEIGHT)
    tree = model.tree_
    names, classes = ["a", "b", "c"], ["H", "L", "M"]
    text = er.export_text(model, feature_names=names, class_names=classes, decimals=5, show_weights=True)
    lines, walk = read(text), in_order(tree)
    assert len(lines) == len(walk)
    for (depth, asked, n, answer, end), (node, level) in zip(lines, walk, strict=True):
        assert (depth, n) == (level, tree.count[node])
        weight, told, shares, weights = re.fullmatch(
            r"weight (\S+), (\w) \((.*?)\), weights \((.*?)\)", answer
        ).groups()
        assert float(weight) == pytest.approx(tree.weight[node], rel=1e-4)
        assert told == classes[int(tree.value[node].argmax())]
        np.testing.assert_allclose(np.array(shares.split(), dtype=float), tree.value[node], atol=5e-6)
        np.testing.assert_allclose(
            np.array(weights.split(), dtype=float), tree.value[node] * tree.weight[node], rtol=1e-4, atol=1e-9
        )
        assert (end == "*") == (tree.feature[node] < 0)
        if node:
            parent = int(np.flatnonzero((tree.left == node) | (tree.left == node - 1) & (tree.left > 0))[0])
            sign = "<=" if tree.left[parent] == node else ">"
            column, how, threshold = asked.split()
            assert (column, how) == (names[tree.feature[parent]], sign)
            assert float(threshold) == pytest.approx(tree.threshold[parent], rel=1e-4)


def test_the_numbers_are_those_of_scikit_learn() -> None:
    ours = er.DecisionTreeRegressor(alpha=None, max_depth=3).fit(X, Y)
    peer = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, Y)
    told = [
        float(answer.removeprefix("mean "))
        for *_, answer, end in read(er.export_text(ours, decimals=6))
        if end
    ]
    leaves = peer.tree_.children_left < 0
    np.testing.assert_allclose(told, peer.tree_.value[leaves, 0, 0], rtol=1e-6)


def test_depth_medians_and_the_options_of_the_method() -> None:
    model = er.DecisionTreeRegressor(criterion="absolute_error", alpha=None, max_depth=4).fit(X, Y)
    short = read(er.export_text(model, max_depth=1))
    assert [depth for depth, *_ in short] == [0, 1, 1]
    assert [end for *_, end in short] == ["", "...", "..."]
    assert all(answer.startswith("median ") for *_, answer, _ in short)
    assert er.export_text(model, max_depth=2, decimals=1) == model.to_text(max_depth=2, decimals=1)
    assert er.export_text(model, max_depth=0) == "root: " + model.to_text().splitlines()[0][6:] + " ..."


def test_names_of_frames_categories_and_targets() -> None:
    town = pd.Categorical(np.where(X[:, 2] > 0, "x", "y"))
    frame = pd.DataFrame({"town": town, "age": X[:, 0]})
    model = er.DecisionTreeRegressor(alpha=None, max_depth=2).fit(
        frame, pd.DataFrame({"a": Y, "b": (town == "x") * 5.0})
    )
    assert "town in {x}" in er.export_text(model.by_target_["b"]) or "town = x" in er.export_text(
        model.by_target_["b"]
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"class_names": ["a", "b"]}, "class_names must hold 3 names, one for each of"),
        ({"class_names": "abc"}, "class_names must hold 3 names"),
        ({"feature_names": ["a"]}, "feature_names has 1 names, the tree has 3 columns"),
        ({"max_depth": -1}, "max_depth must be an integer >= 0"),
        ({"decimals": 1.5}, "decimals must be an integer >= 0"),
        ({"show_weights": 1}, "show_weights must be True or False"),
    ],
)
def test_odd_options_are_refused(options: dict[str, Any], words: str) -> None:
    model = er.DecisionTreeClassifier().fit(X, LABEL)
    with pytest.raises(ValueError, match=words):
        er.export_text(model, **options)


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"export_text writes a DecisionTreeClassifier .* got LinearRegression"
    ):
        er.export_text(er.LinearRegression())
    with pytest.raises(ValueError, match="class_names is for classifiers"):
        er.export_text(er.DecisionTreeRegressor().fit(X, Y), class_names=["a"])
