"""Distributions from leaves: weights and quantiles counted by hand; intervals: simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from empirisk.trees import leaf_quantiles
from empirisk.trees.conformal_leaves import ConformalLeaves
from empirisk.trees.jackknife_plus import jackknife_plus
from empirisk.trees.leaf_quantiles import LeafSample
from empirisk.trees.residual_interval import residual_interval
from tests.oracles.forests import Grown, grown, smooth

Rng = np.random.Generator


def forest(n: int, T: int, rng: Rng, leaf: int = 3) -> Grown:
    model = RandomForestRegressor(T, min_samples_leaf=leaf, max_features=2, random_state=rng.integers(2**31))
    return grown(model, *smooth(n, rng))


def by_hand(counts: NDArray, leaves: NDArray, row: NDArray, use: NDArray | None = None) -> NDArray:
    """Weights of the training rows at one row."""
    total, trees = np.zeros(len(counts)), 0
    for t in range(leaves.shape[1]):
        mine = counts[:, t] * (leaves[:, t] == row[t])
        if mine.sum() and (use is None or use[t]):
            total, trees = total + mine / mine.sum(), trees + 1
    return total / trees


@pytest.mark.parametrize("drawn", [True, False])
def test_weights_and_quantiles_by_hand(drawn: bool, rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    g = forest(80, 12, rng)
    counts = g.counts if drawn else np.ones_like(g.counts)
    sample = LeafSample.of(g.trees, g.leaves, g.y, g.counts if drawn else None)
    new = g.trees.apply(smooth(30, rng)[0])
    q = np.array([0.05, 0.5, 0.9, 1.0])
    found = sample.quantiles(new, q)
    order = np.argsort(g.y)
    for row, quantiles in zip(new, found, strict=True):
        below = np.cumsum(by_hand(counts, g.leaves, row)[order])
        expected = [g.y[order][np.flatnonzero(below >= share - 1e-9)[0]] for share in q]
        np.testing.assert_array_equal(quantiles, expected)
    monkeypatch.setattr(leaf_quantiles, "BLOCK", 50)  # many blocks of few rows
    np.testing.assert_array_equal(sample.quantiles(new, q), found)


def test_the_mean_of_the_distribution_is_the_forest(rng: Rng) -> None:
    g = forest(120, 20, rng)
    sample = LeafSample.of(g.trees, g.leaves, g.y, g.counts)
    X = smooth(40, rng)[0].astype(np.float32)
    mean = np.concatenate([w @ sample.y for _, w in sample.blocks(g.trees.apply(X.astype(float)))])
    np.testing.assert_allclose(mean, g.forest.predict(X), rtol=1e-12)
    own = np.concatenate([w @ sample.y for _, w in sample.blocks(g.leaves, g.unseen)])
    np.testing.assert_allclose(own, g.out_of_bag()[:, 0], rtol=1e-12)


def test_rows_without_a_tree_that_may_speak(rng: Rng) -> None:
    g = forest(40, 5, rng)
    use = np.zeros(g.leaves.shape, dtype=bool)
    use[3:] = True
    found = LeafSample.of(g.trees, g.leaves, g.y).quantiles(g.leaves, [0.5], use)
    np.testing.assert_array_equal(np.isnan(found[:, 0]), np.arange(40) < 3)
    with pytest.raises(ValueError, match="quantiles must lie in"):
        LeafSample.of(g.trees, g.leaves, g.y).quantiles(g.leaves, [0.0])


def test_jackknife_plus_by_hand(rng: Rng) -> None:
    g = forest(50, 15, rng)
    residual = np.abs(g.y - g.out_of_bag()[:, 0])
    X = smooth(10, rng)[0]
    P = g.by_tree(g.trees.apply(X))[:, :, 0]
    low, high = jackknife_plus(P, g.unseen, residual, 0.8)
    use = np.flatnonzero(np.isfinite(residual))
    n = use.size
    for i in range(10):
        left_out = np.array([P[i, g.unseen[j]].mean() for j in use])
        below, above = np.sort(left_out - residual[use]), np.sort(left_out + residual[use])
        assert low[i] == pytest.approx(below[int(np.floor(0.2 * (n + 1) + 1e-9)) - 1])
        assert high[i] == pytest.approx(above[int(np.ceil(0.8 * (n + 1) - 1e-9)) - 1])
    few = jackknife_plus(P, g.unseen[:8], residual[:8], 0.95)
    assert np.isinf(few).all()


def test_conformal_leaves_refuse_rows_that_judge_themselves(rng: Rng) -> None:
    g = forest(40, 10, rng)
    with pytest.raises(ValueError, match="rows that the trees drew"):
        ConformalLeaves.fit(LeafSample.of(g.trees, g.leaves, g.y), g.leaves, g.unseen, g.y, 0.9)


def coverage(n: int, T: int, samples: int, rng: Rng) -> dict[str, float]:
    hits: dict[str, list[float]] = {"leaves": [], "jackknife+": [], "residuals": []}
    for _ in range(samples):
        g, (X, y) = forest(n, T, rng, 5), smooth(400, rng)
        new = g.trees.apply(X)
        P, residual = g.by_tree(new)[:, :, 0], g.y - g.out_of_bag()[:, 0]
        sample = LeafSample.of(g.trees, g.leaves, g.y, g.counts)
        made = {
            "leaves": ConformalLeaves.fit(sample, g.leaves, g.unseen, g.y, 0.9).interval(new),
            "jackknife+": jackknife_plus(P, g.unseen, np.abs(residual), 0.9),
            "residuals": residual_interval(P.mean(axis=1), residual, 0.9),
        }
        for name, (low, high) in made.items():
            hits[name].append(((low <= y) & (y <= high)).mean())
    return {name: float(np.mean(h)) for name, h in hits.items()}


@pytest.mark.full  # simulated
def test_prediction_intervals_cover(rng: Rng) -> None:
    # One sample of 150 rows moves the coverage of its intervals by 0.03, the mean of 12 by 0.01.
    for name, share in coverage(150, 60, 12, rng).items():
        assert 0.86 < share < 0.95, (name, share)


@pytest.mark.slow
def test_prediction_intervals_cover_in_many_samples(rng: Rng) -> None:
    for name, share in coverage(300, 150, 100, rng).items():
        assert 0.89 < share < 0.92, (name, share)
