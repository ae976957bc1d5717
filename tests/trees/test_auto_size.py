"""The Monte-Carlo error of an out-of-bag risk: trees with a known law, then forests over many seeds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from empirisk.trees.auto_size import auto_size
from empirisk.trees.forest_memory import forest_memory, refuse_large_forest
from empirisk.trees.out_of_bag_tally import MOST_GROUPS, OutOfBagTally
from tests.oracles.forests import grown, smooth

Rng = np.random.Generator
N = 400


def noisy_trees(rng: Rng, spread: float) -> Callable[[int], tuple[NDArray, NDArray]]:
    """Every tree predicts 0 + noise for every row, and leaves out 37 per cent of the rows."""

    def grow(m: int) -> tuple[NDArray, NDArray]:
        out = rng.random((N, m)) < 0.37
        return (spread * rng.normal(size=(N, m)) * out).sum(axis=1, keepdims=True), out.sum(axis=1)

    return grow


def tally_of(y: NDArray, grow: Callable[[int], tuple[NDArray, NDArray]], batches: int) -> OutOfBagTally:
    tally = OutOfBagTally(lambda z, rows: (y[rows] - z[:, 0]) ** 2)
    for _ in range(batches):
        tally.add(*grow(10), trees=10)
    return tally


@pytest.mark.full  # simulated
def test_error_and_excess_of_trees_with_a_known_law(rng: Rng) -> None:
    """``R_T - R = (1/n) sum (2 e_i d_i + d_i^2)``, d_i of variance v/c_i: both moments are known."""
    y, v, T = rng.normal(size=N), 4.0, 400
    found = [tally_of(y, noisy_trees(rng, np.sqrt(v)), T // 10).risk() for _ in range(40)]
    c = 0.37 * T
    sd = np.sqrt((4.0 * (y @ y) * v / c + N * 2.0 * (v / c) ** 2) / N**2)
    np.testing.assert_allclose(np.sqrt(np.mean([f.mc_error**2 for f in found])), sd, rtol=0.1)
    np.testing.assert_allclose(np.std([f.risk for f in found], ddof=1), sd, rtol=0.3)
    np.testing.assert_allclose(np.mean([f.excess for f in found]), v / T, rtol=0.1)
    np.testing.assert_allclose(found[0].standard_error, (y**2).std(ddof=1) / np.sqrt(N), rtol=0.1)


def test_mergers_keep_the_sums(rng: Rng) -> None:
    y = rng.normal(size=N)
    batches = [noisy_trees(rng, 1.0)(10) for _ in range(3 * MOST_GROUPS + 1)]
    rest = iter(batches)
    tally = tally_of(y, lambda _: next(rest), len(batches))
    assert MOST_GROUPS // 2 < tally.groups <= MOST_GROUPS
    sums, counts = (np.sum([b[i] for b in batches], axis=0) for i in (0, 1))
    prediction, seen = tally.predictions()
    np.testing.assert_allclose(prediction, sums / counts[:, None])
    np.testing.assert_array_equal(seen, counts)
    assert tally.trees == 10 * len(batches)


def test_growth_stops_when_the_error_is_small_or_at_the_most(rng: Rng) -> None:
    y = rng.normal(size=N)
    square = lambda z, rows: (y[rows] - z[:, 0]) ** 2  # noqa: E731
    size, tally = auto_size(noisy_trees(rng, 1.0), square)
    assert size.mc_error <= 0.25 * size.standard_error
    assert size.trees == tally.trees
    # sqrt(2 v/(0.37 T r)) = 0.25 at T = 86 for v = r; its upper limit is a third larger: T = 150.
    assert 100 <= size.trees <= 250
    capped, _ = auto_size(noisy_trees(rng, 3.0), square, most=150)
    assert capped.trees == 150
    assert "the most that were allowed" in capped.reason
    with pytest.raises(ValueError, match="fraction must lie"):
        auto_size(noisy_trees(rng, 1.0), square, fraction=0.0)
    with pytest.raises(ValueError, match="most must be at least 100"):
        auto_size(noisy_trees(rng, 1.0), square, most=20)


def test_rows_without_weight_do_not_count(rng: Rng) -> None:
    y = rng.normal(size=N)
    y[:50] += 1000.0
    tally = OutOfBagTally(lambda z, rows: (y[rows] - z[:, 0]) ** 2, (np.arange(N) >= 50).astype(float))
    for _ in range(4):
        tally.add(*noisy_trees(rng, 1.0)(10), trees=10)
    found = tally.risk()
    assert found.n <= N - 50
    assert found.risk < 3.0
    with pytest.raises(ValueError, match="at least two batches"):
        OutOfBagTally(lambda z, rows: y[rows]).risk()


@pytest.mark.full  # simulated: many seeds
def test_the_error_is_the_spread_over_seeds_of_a_forest(rng: Rng) -> None:
    X, y = smooth(120, rng)
    found = []
    for seed in range(12):
        tally = OutOfBagTally(lambda z, rows: (y[rows] - z[:, 0]) ** 2)
        for batch in range(6):
            g = grown(RandomForestRegressor(5, random_state=100 * seed + batch), X, y)
            by_tree = g.by_tree(g.leaves)[:, :, 0]
            tally.add((by_tree * g.unseen).sum(axis=1, keepdims=True), g.unseen.sum(axis=1), trees=5)
        found.append(tally.risk())
    spread = np.std([f.risk for f in found], ddof=1)
    assert 0.5 < np.sqrt(np.mean([f.mc_error**2 for f in found])) / spread < 2.0


def test_the_forecast_of_a_forest(monkeypatch: pytest.MonkeyPatch, rng: Rng) -> None:
    g = grown(RandomForestRegressor(7, random_state=0), *smooth(300, rng))
    held = sum(
        getattr(g.trees, name).nbytes for name in vars(g.trees) if hasattr(getattr(g.trees, name), "nbytes")
    )
    forecast = forest_memory(300, 5, 7)
    # The bound is for one distinct row a leaf, which a bootstrap tree on distinct targets comes to.
    assert 0.85 * forecast["trees"] < held < 1.05 * forecast["trees"]
    assert forest_memory(10**6, 5, 7, max_leaves=31)["trees"] == 7 * 61 * 65
    assert forest_memory(10**6, 5, 7, max_depth=3)["trees"] == 7 * 15 * 65
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda: 1.0)
    with pytest.raises(MemoryError, match="grow fewer trees"):
        refuse_large_forest(forest_memory(10**7, 30, 500), 500)
    with pytest.raises(ValueError, match="trees must be at least 1"):
        forest_memory(10, 2, 0)
