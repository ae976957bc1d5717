"""Bounds of our own trees, alone and in bags, beside the same trees of scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

import empirisk as er


def data(rng: np.random.Generator, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    X = rng.standard_normal((n, 4)).astype(np.float32)
    return X, np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.standard_normal(n) > 1, "a", "b")


def test_one_tree(rng: np.random.Generator) -> None:
    X, y = data(rng)
    ours = er.DecisionTreeClassifier(alpha=None, max_depth=3).fit(X, y)
    peer = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    cuts = peer.tree_.node_count // 2
    assert int(ours.tree_.n_leaves[0]) == cuts + 1
    mine, theirs = er.risk_bounds(ours, X, y), er.risk_bounds(peer, X, y)
    assert mine["growth function of trees"].value == theirs["growth function of trees"].value < 1.0
    # 65 bits for each cut instead of 33.
    catalan = math.comb(2 * cuts, cuts) // (cuts + 1)
    nats = math.log((cuts + 1) * (cuts + 2) * catalan * 4**cuts * 2 ** (cuts + 1)) + 65 * cuts * math.log(2)
    losses = (ours.predict(X) != y).astype(float)
    expected = er.bounds.occam(losses, nats, 0.05).value
    assert mine["Occam by tree size"].value == pytest.approx(min(1.0, expected), rel=1e-9)


def test_sets_of_categories_are_not_thresholds(rng: np.random.Generator) -> None:
    X = rng.integers(0, 5, (300, 1)).astype(float)
    y = np.isin(X[:, 0], [1, 3]).astype(int)
    tree = er.DecisionTreeClassifier(alpha=None, categorical_features=[0]).fit(X, y)
    assert "sets of categories" in er.risk_bounds(tree, X, y)["growth function of trees"].reason


def test_bags_of_our_trees(rng: np.random.Generator) -> None:
    X, y = data(rng)
    ours = er.BaggingClassifier(n_estimators=30, vote="majority").fit(X, y)
    peer = BaggingClassifier(DecisionTreeClassifier(), 30, random_state=0).fit(X, y)
    mine, theirs = er.risk_bounds(ours, X, y), er.risk_bounds(peer, X, y)
    for name in ("vote by tandem loss", "vote by twice the mean error"):
        assert mine[name].applies
        assert mine[name].kind == theirs[name].kind == "the fitted model"
        assert mine[name].value == pytest.approx(theirs[name].value, rel=0.3)
