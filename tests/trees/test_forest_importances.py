"""Importances of forests: the loop against plain walks, the formulas by hand, null columns by simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from empirisk.data.threads import at_most
from empirisk.trees import Trees
from empirisk.trees.debiased_importance import debiased_importance, impurity_importance
from empirisk.trees.permutation_importance import permutation_importance
from empirisk.trees.shuffle_tree import shuffle_tree
from tests.oracles.forests import Grown, grown

Rng = np.random.Generator


def with_categories(n: int, rng: Rng) -> tuple[NDArray, NDArray]:
    """Two columns that matter, a null number, a null coin and 40 null codes."""
    X = rng.normal(size=(n, 5))
    X[:, 3], X[:, 4] = rng.integers(2, size=n), rng.integers(40, size=n)
    return X, X[:, 0] + X[:, 1] * (X[:, 0] > 0) + rng.normal(size=n)


def forest(n: int, T: int, rng: Rng) -> Grown:
    model = RandomForestRegressor(T, max_features=2, random_state=rng.integers(2**31))
    return grown(model, *with_categories(n, rng))


def mixed_tree(rng: Rng) -> Trees:
    """A full tree of depth 6 over two numbers and a column of 70 categories, missing values either way."""
    inner, nodes = 63, 127
    feature = np.full(nodes, -1, dtype=np.int32)
    feature[:inner] = rng.integers(3, size=inner)
    left = np.full(nodes, -1, dtype=np.int32)
    left[:inner] = 2 * np.arange(inner) + 1
    sets = np.flatnonzero(feature == 2)
    start = np.full(nodes, -1)
    start[sets] = 3 * np.arange(sets.size)
    zeros = np.zeros(nodes)
    return Trees(
        start=np.array([0, nodes]),
        feature=feature,
        threshold=rng.normal(size=nodes),
        left=left,
        missing_left=rng.random(nodes) < 0.5,
        category_start=start,
        category_words=rng.integers(2**32, size=3 * sets.size, dtype=np.uint32),
        value=rng.normal(size=(nodes, 2)),
        weight=zeros,
        count=zeros.astype(np.int64),
        gain=zeros,
        heterogeneity=zeros,
        n_categories=np.array([0, 0, 70]),
    )


def mixed_rows(n: int, rng: Rng) -> NDArray:
    X = rng.normal(size=(n, 3))
    X[:, 2] = rng.integers(80, size=n)  # ten of which no node has seen
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def test_the_loop_against_plain_walks(rng: Rng) -> None:
    tree, X = mixed_tree(rng), mixed_rows(400, rng)
    rows = rng.permutation(400)[:300]
    donors = rng.integers(400, size=(300, 2))
    group = np.array([1, -1, 0])
    out = np.zeros((400, 2, 2))
    shuffle_tree(tree, X, rows, donors, group, rows, out)
    for g, column in ((0, 2), (1, 0)):
        other = X[rows].copy()
        other[:, column] = X[donors[:, g], column]
        expected = tree.predict(other) - tree.predict(X[rows])
        np.testing.assert_allclose(out[rows, g], expected, atol=1e-12)
        assert np.abs(expected).max() > 1.0
    assert not np.delete(out, rows, axis=0).any()


def test_the_loop_has_the_same_bits_for_any_number_of_threads(rng: Rng) -> None:
    tree, X = mixed_tree(rng), mixed_rows(60_000, rng)
    donors, found = rng.permutation(60_000)[:, None], []
    for threads in (1, 2):
        out = np.zeros((60_000, 3, 2))
        with at_most(threads):
            shuffle_tree(tree, X, np.arange(60_000), donors, np.arange(3), np.arange(60_000), out)
        found.append(out)
    assert found[0].tobytes() == found[1].tobytes()


def test_the_loop_refuses_what_it_cannot_follow(rng: Rng) -> None:
    tree, X = mixed_tree(rng), mixed_rows(10, rng)
    one, zero = np.zeros((10, 3, 2)), np.zeros((1, 1), dtype=int)
    with pytest.raises(ValueError, match="donors names a row"):
        shuffle_tree(tree, X, zero[0], zero + 10, np.arange(3), zero[0], one)
    loop = replace(tree, left=np.zeros_like(tree.left))
    with pytest.raises(ValueError, match="children of a node must follow"):
        shuffle_tree(loop, X, zero[0], zero, np.arange(3), zero[0], one)
    with pytest.raises(ValueError, match="too short"):
        shuffle_tree(
            replace(tree, category_words=tree.category_words[:1]),
            X,
            zero[0],
            zero,
            np.arange(3),
            zero[0],
            one,
        )


def test_permutation_importance_by_hand(rng: Rng) -> None:
    """Every pair of rows as receiver and donor is what many shuffles come to."""
    g = forest(60, 25, rng)
    square = lambda z, rows: (g.y[rows] - z[:, 0]) ** 2  # noqa: E731
    found = permutation_importance(g.trees, g.X, g.leaves, g.unseen, square, repeats=400, seed=1)
    own, count = g.out_of_bag()[:, 0], g.unseen.sum(axis=1)
    assert count.min() > 0
    for j in range(2):
        rises = []
        for donor in range(60):
            X = g.X.copy()
            X[:, j] = g.X[donor, j]
            z = (g.by_tree(g.trees.apply(X))[:, :, 0] * g.unseen).sum(axis=1) / count
            rises.append((g.y - z) ** 2 - (g.y - own) ** 2)
        np.testing.assert_allclose(found.value[j], np.mean(rises), rtol=0.03)


def test_groups_move_together_and_cells_keep_rows_apart(rng: Rng) -> None:
    g = forest(200, 20, rng)
    square = lambda z, rows: (g.y[rows] - z[:, 0]) ** 2  # noqa: E731
    args = (g.trees, g.X, g.leaves, g.unseen, square)
    alone, both = permutation_importance(*args), permutation_importance(*args, groups=[[0, 1], [3]])
    assert both.value[0] > alone.value[0] > both.value[1]
    cells = np.tile(np.arange(200)[:, None], (1, 5))  # every row alone: nothing can move
    assert not permutation_importance(*args, cells=cells).value.any()
    with pytest.raises(ValueError, match="both hold column 1"):
        permutation_importance(*args, groups=[[0, 1], [1]])
    with pytest.raises(ValueError, match="names column 9"):
        permutation_importance(*args, groups=[[9]])
    with pytest.raises(ValueError, match="of must be"):
        permutation_importance(*args, of="rows")
    with pytest.raises(ValueError, match="fewer than two rows"):
        permutation_importance(*args[:3], np.zeros_like(g.unseen), square)


def test_importances_that_do_not_fit_are_refused(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    g = forest(60, 5, rng)
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda: 1e-6)
    with pytest.raises(MemoryError, match="fewer columns at a time"):
        permutation_importance(g.trees, g.X, g.leaves, g.unseen, lambda z, rows: z[:, 0])
    with pytest.raises(MemoryError, match="fewer rows or columns"):
        debiased_importance(g.trees, g.leaves, g.y, g.counts)


def test_weights_count_rows(rng: Rng) -> None:
    g = forest(150, 15, rng)
    square = lambda z, rows: (g.y[rows] - z[:, 0]) ** 2  # noqa: E731
    weight = (np.arange(150) < 100).astype(float)
    some = permutation_importance(g.trees, g.X, g.leaves, g.unseen, square, weight=weight, seed=3)
    assert some.n == 100
    twice = permutation_importance(g.trees, g.X, g.leaves, g.unseen, square, weight=2.0 * weight, seed=3)
    np.testing.assert_allclose(some.value, twice.value)


def test_impurity_importance_is_scikit_learns(rng: Rng) -> None:
    g = forest(150, 12, rng)
    each = [impurity_importance(g.trees[t]) for t in range(12)]
    expected = np.mean([e / e.sum() for e in each], axis=0)
    np.testing.assert_allclose(expected, g.forest.feature_importances_, rtol=1e-8)
    np.testing.assert_allclose(np.mean(each, axis=0), impurity_importance(g.trees), rtol=1e-12)


def test_debiased_importance_by_hand(rng: Rng) -> None:
    g = forest(80, 6, rng)
    found = debiased_importance(g.trees, g.leaves, g.y, g.counts)
    path = g.trees.decision_path(g.X).toarray().astype(bool)
    total = np.zeros(5)
    for t in range(6):
        seen, unseen = g.counts[:, t].astype(float), g.unseen[:, t]
        for node in range(g.trees.start[t], g.trees.start[t + 1]):
            if g.trees.feature[node] < 0:
                continue
            a = g.trees.start[t] + g.trees.left[node]
            here, L, R = (path[:, v] & unseen for v in (node, a, a + 1))
            if here.sum() < 2 or not L.any() or not R.any():
                continue
            gap = [np.average(g.y[path[:, v]], weights=seen[path[:, v]]) for v in (a, a + 1)]
            new = g.y[L].mean() - g.y[R].mean()
            part = L.sum() * R.sum() / (here.sum() - 1) * (gap[0] - gap[1]) * new
            total[g.trees.feature[node]] += part / unseen.sum() / 6
    np.testing.assert_allclose(found.value, total, atol=1e-12)


def test_debiased_importance_of_classes_is_the_sum_over_classes(rng: Rng) -> None:
    X, y = with_categories(120, rng)
    g = grown(RandomForestClassifier(10, random_state=0), X, (y > 0).astype(int) + (y > 1))
    Y = np.eye(3)[g.y]
    found = debiased_importance(g.trees, g.leaves, Y, g.counts).value
    each = [debiased_importance(g.trees, g.leaves, Y[:, c], g.counts).value for c in range(3)]
    np.testing.assert_allclose(found, np.sum(each, axis=0), atol=1e-14)
    with pytest.raises(ValueError, match="no tree left rows out"):
        debiased_importance(g.trees, g.leaves, Y, np.ones_like(g.counts))


def study(samples: int, rng: Rng, n: int = 120, T: int = 30) -> dict[str, tuple[NDArray, NDArray]]:
    """Values of the five columns, and whether their 95 % intervals hold 0."""
    found: dict[str, list[tuple[NDArray, NDArray]]] = {
        "forest": [],
        "trees": [],
        "debiased": [],
        "impurity": [],
    }
    for _ in range(samples):
        g = forest(n, T, rng)
        square = lambda z, rows, y=g.y: (y[rows] - z[:, 0]) ** 2  # noqa: E731
        made = {
            of: permutation_importance(g.trees, g.X, g.leaves, g.unseen, square, of=of)
            for of in ("forest", "trees")
        }
        made["debiased"] = debiased_importance(g.trees, g.leaves, g.y, g.counts)
        for name, one in made.items():
            low, high = one.interval(0.95)
            found[name].append((one.value, (low <= 0) & (high >= 0)))
        found["impurity"].append((impurity_importance(g.trees), np.zeros(5, dtype=bool)))
    return {name: tuple(np.array(part) for part in zip(*rows, strict=True)) for name, rows in found.items()}  # type: ignore[misc]


def check_null(found: dict[str, tuple[NDArray, NDArray]], share: float) -> None:
    for name in ("forest", "trees", "debiased"):
        value, holds = found[name]
        error = value[:, 2:].std(axis=0, ddof=1) / np.sqrt(len(value))
        assert (np.abs(value[:, 2:].mean(axis=0)) < 4.0 * error).all(), name
        assert (holds[:, 2:].mean(axis=0) >= share).all(), name
        assert (value[:, :2].mean(axis=0) > 0).all(), name


@pytest.mark.full  # simulated
def test_null_columns_have_mean_zero_and_intervals_that_say_so(rng: Rng) -> None:
    found = study(12, rng)
    check_null(found, 0.6)
    # What the debiased version is for: 40 codes of noise look a fifth as important as the strongest column.
    raw = found["impurity"][0].mean(axis=0)
    assert raw[4] > 0.15 * raw[0]
    assert abs(found["debiased"][0].mean(axis=0)[4]) < 0.05 * raw[0]


@pytest.mark.slow
def test_null_columns_in_many_samples(rng: Rng) -> None:
    # 200 samples: 0.95 with a standard error of 0.015.
    check_null(study(200, rng), 0.90)
