"""Bounds of the majority vote on our forests: errors counted by hand, and where they must not apply."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import empirisk as er
from empirisk.trees.auto_size import possible_sizes

Rng = np.random.Generator
VOTES = ("vote by twice the mean error", "vote by tandem loss", "vote by C-bound")


def data(n: int, rng: Rng) -> tuple[NDArray, NDArray]:
    X = rng.uniform(-1.0, 1.0, size=(n, 3))
    return X, np.where((X[:, 0] + X[:, 1] > 0.0) ^ (rng.random(n) < 0.1), "yes", "no")


def test_errors_by_hand(rng: Rng) -> None:
    X, y = data(400, rng)
    forest = er.RandomForestClassifier(9, random_state=1).fit(X, y)
    counts, leaves, codes = forest.bag_counts(), forest.apply(X), np.searchsorted(forest.classes_, y)
    said = np.stack([forest.trees_[t].value[leaves[:, t]].argmax(axis=1) for t in range(9)])
    wrong, unseen = said != codes, (counts == 0).T
    gibbs = np.mean([w[u].mean() for w, u in zip(wrong, unseen, strict=True)])
    pairs = [(a, b, unseen[a] & unseen[b]) for a in range(9) for b in range(9)]
    tandem = np.mean([(wrong[a] & wrong[b])[u].mean() for a, b, u in pairs])
    table = er.risk_bounds(forest, X, y)
    one = er.bounds.first_order_vote(gibbs, int(unseen.sum(axis=1).min()))
    two = er.bounds.tandem_vote(tandem, min(int(u.sum()) for _, _, u in pairs))
    # Shares of rows are float32 there: counts are exact, quotients to 6e-8.
    assert table[VOTES[0]].value == pytest.approx(one.value, rel=1e-6)
    assert table[VOTES[1]].value == pytest.approx(two.value, rel=1e-6)
    assert any("all rows decide without their labels" in a.text for a in table[VOTES[0]].assumptions)


def test_categories_of_a_frame_and_leaves_with_two_classes(rng: Rng) -> None:
    X, y = data(500, rng)
    frame = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(np.where(X[:, 1] > 0, "high", "low"))})
    forest = er.RandomForestClassifier(15, min_samples_leaf=20).fit(frame, y)
    row = er.risk_bounds(forest, frame, y)[VOTES[0]]
    assert row.applies
    assert row.kind == "the majority vote of the members"  # the forest averages shares: another classifier
    pure = er.risk_bounds(er.RandomForestClassifier(15).fit(X, y), X, y)[VOTES[0]]
    assert pure.kind == "the fitted model"


def test_where_they_do_not_apply(rng: Rng) -> None:
    X, y = data(300, rng)

    def reason(forest: er.RandomForestClassifier, **fit: NDArray) -> str:
        return er.risk_bounds(forest.fit(X, y, **fit), X, y)[VOTES[1]].reason

    assert "the trees saw all rows" in reason(er.RandomForestClassifier(20, bootstrap=False))
    weight = rng.integers(1, 4, size=300).astype(float)
    assert "in proportion to weights" in reason(er.RandomForestClassifier(20), sample_weight=weight)
    weight = (np.arange(300) > 5).astype(float)
    assert "rows of weight 0" in reason(er.RandomForestClassifier(20), sample_weight=weight)
    forest = er.RandomForestClassifier(20).fit(X, y)
    assert "fewer rows" in er.risk_bounds(forest, X[:200], y[:200])[VOTES[0]].reason


def test_a_number_of_trees_that_the_rows_chose_is_paid_for(rng: Rng) -> None:
    X, y = data(300, rng)
    chosen = er.RandomForestClassifier("auto", max_depth=4).fit(X, y)
    given = er.RandomForestClassifier(chosen.n_estimators_, max_depth=4).fit(X, y)
    paid, free = (er.risk_bounds(f, X, y)[VOTES[0]].value for f in (chosen, given))
    assert paid > free
    less = er.risk_bounds(given, X, y, delta=0.05 / possible_sizes())[VOTES[0]].value
    assert paid == pytest.approx(less, rel=1e-9)
