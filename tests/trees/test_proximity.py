"""Proximities counted by hand, and the out-of-bag predictions that the geometric ones reproduce."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from empirisk.trees.proximity import outlyingness, proximity, proximity_memory
from tests.oracles.forests import Grown, grown, smooth

Rng = np.random.Generator


def forest(rng: Rng, n: int = 50, T: int = 15) -> Grown:
    return grown(RandomForestRegressor(T, min_samples_leaf=3, random_state=0), *smooth(n, rng))


def test_by_hand(rng: Rng) -> None:
    g = forest(rng)
    every = proximity(g.trees.start, g.leaves, kind="all").toarray()
    unseen = proximity(g.trees.start, g.leaves, g.counts, "out-of-bag").toarray()
    for i in range(50):
        for j in range(50):
            meet, neither = g.leaves[i] == g.leaves[j], g.unseen[i] & g.unseen[j]
            assert every[i, j] == pytest.approx(meet.mean())
            if neither.any():
                assert unseen[i, j] == pytest.approx((meet & neither).sum() / neither.sum())


def test_gap_proximities_are_the_weights_of_out_of_bag_predictions(rng: Rng) -> None:
    g = forest(rng, 60, 20)
    P = proximity(g.trees.start, g.leaves, g.counts)
    np.testing.assert_allclose(P @ g.y, g.out_of_bag()[:, 0], rtol=1e-12)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert not P.diagonal().any()
    X = smooth(9, rng)[0].astype(np.float32)
    new = proximity(g.trees.start, g.leaves, g.counts, new=g.trees.apply(X.astype(np.float64)))
    np.testing.assert_allclose(new @ g.y, g.forest.predict(X), rtol=1e-12)


def test_classes_by_gap_proximities(rng: Rng) -> None:
    X, y = smooth(80, rng)
    g = grown(RandomForestClassifier(20, random_state=0, oob_score=True), X, (y > 1).astype(int))
    P = proximity(g.trees.start, g.leaves, g.counts)
    some = g.unseen.any(axis=1)
    np.testing.assert_allclose(
        (P @ np.eye(2)[g.y])[some], g.forest.oob_decision_function_[some], rtol=1e-12, atol=1e-12
    )


def test_an_outlier_of_its_class_stands_out(rng: Rng) -> None:
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 6.0])
    y = np.repeat([0, 1], 60)
    X[0] += 6.0  # of class 0, among class 1
    g = grown(RandomForestClassifier(60, min_samples_leaf=3, random_state=0), X, y)
    found = outlyingness(proximity(g.trees.start, g.leaves, kind="all"), g.y)
    assert found.argmax() == 0
    assert found[0] > 10.0
    assert np.median(found[1:60]) < 1.0


def test_the_forecast_bounds_what_is_made_and_refuses(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    g = forest(rng)
    made = proximity(g.trees.start, g.leaves, kind="all")
    assert 12 * made.nnz <= proximity_memory(g.trees.start, g.leaves)
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda: 1e-6)
    with pytest.raises(MemoryError, match="the matrix of proximities needs about"):
        proximity(g.trees.start, g.leaves, kind="all")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="kind must be one of"):
        proximity(g.trees.start, g.leaves, kind="some")
    with pytest.raises(ValueError, match="give counts"):
        proximity(g.trees.start, g.leaves)
