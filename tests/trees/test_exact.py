"""Exact growth: splits against brute force, sets of categories against enumeration, limits, ties, threads."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from empirisk.data.columns import Table
from empirisk.data.threads import at_most
from empirisk.trees.criteria import (
    REGISTRY,
    AbsoluteError,
    Entropy,
    Gini,
    NewtonGain,
    PoissonDeviance,
    SquaredError,
)
from empirisk.trees.exact import ExactLimits, check_rows, grow_exact
from tests.oracles.best_splits import all_gains, cost, node_rows

# Of every row of the registry, those of class shares for two and three classes.
CRITERIA: dict[str, Any] = {
    **{name: c() for name, c in REGISTRY.items() if c.targets != "classes"},
    "newton": NewtonGain(l2=0.5),
    **{f"{c.__name__}-{k}": c(k) for c in REGISTRY.values() if c.targets == "classes" for k in (2, 3)},
}
STRICT = ("absolute_error", "misclassification", "newton")


def table(X: Any, n_categories: Any = None) -> Table:
    """Columns of numbers, or with the given numbers of categories."""
    counts = np.zeros(X.shape[1], dtype=np.int64) if n_categories is None else np.asarray(n_categories)
    return Table(X, counts)


def targets(criterion: Any, rng: np.random.Generator, n: int) -> Any:
    """Few distinct values, so that pure nodes and ties occur."""
    if criterion.targets == "derivatives":
        return np.column_stack([rng.integers(-2, 3, n), rng.integers(1, 3, n)]).astype(float)
    if criterion.sums == "classes":
        return rng.integers(0, criterion.n_classes, n).astype(float)
    return rng.integers(0, 4, n).astype(float) + (0.0 if criterion.non_negative else rng.random(n))


def check_splits(tree: Any, criterion: Any, t: Table, y: Any, weight: Any, limits: ExactLimits) -> None:
    """Every split is the first among the best, and every leaf has a reason to be one."""
    X = np.asarray(t.X)
    rows = node_rows(tree, X)
    for node, here in rows.items():
        w = weight[here]
        assert tree.count[node] == len(here)
        if criterion.loop != "newton":  # whose weight is the sum of second derivatives
            assert tree.weight[node] == pytest.approx(w.sum())
        whole = cost(criterion, y[here], w)
        assert tree.heterogeneity[node] * tree.weight[node] == pytest.approx(whole, abs=1e-11)
        scale = max(1.0, abs(whole))
        gains = all_gains(criterion, X[here], t.n_categories, y[here], w, limits)
        best = max((g for g, _, _ in gains), default=-np.inf)
        if tree.feature[node] < 0:
            pure = len(np.unique(y[here], axis=0)) == 1
            small = len(here) < limits.min_rows_split or tree.node_depth[node] == limits.max_depth
            worthless = best < 1e-9 * scale if criterion.loop in STRICT else not gains
            assert pure or small or worthless or best < limits.min_gain
            continue
        assert tree.gain[node] == pytest.approx(best, abs=1e-10 * scale)
        assert tree.gain[node] >= 0.0
        went_left = np.isin(here, rows[int(tree.left[node])])
        first = next(g for g in gains if g[0] > best - 1e-9 * scale)
        assert first[1] == tree.feature[node], "ties go to the first column"
        if t.n_categories[first[1]] == 0:
            assert (first[2] == went_left).all(), "ties go to the lowest threshold"


@pytest.mark.parametrize("name", CRITERIA)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 14),
    weighted=st.sampled_from(["no", "whole", "real"]),
    levels=st.sampled_from([2, 5, 1000]),
    gaps=st.sampled_from([0.0, 0.3]),
    least=st.sampled_from([1, 2, 3]),
)
def test_every_split_is_the_best(
    name: str, seed: int, n: int, weighted: str, levels: int, gaps: float, least: int
) -> None:
    rng, criterion = np.random.default_rng(seed), CRITERIA[name]
    X = rng.integers(0, levels, (n, 3)).astype(float)
    X[rng.random(X.shape) < gaps] = np.nan
    y = targets(criterion, rng, n)
    weight = {"no": np.ones(n), "whole": rng.integers(1, 4, n) * 1.0, "real": rng.exponential(size=n)}[
        weighted
    ]
    heavy = 0.0 if criterion.loop == "newton" else 0.3 * (seed % 2)
    limits = ExactLimits(min_rows_leaf=least, min_weight_leaf=heavy)
    tree = grow_exact(table(X), criterion, y, None if weighted == "no" else weight, limits)
    check_splits(tree, criterion, table(X), y, weight, limits)


@pytest.mark.parametrize("name", [name for name in CRITERIA if name != "absolute_error"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 16), gaps=st.sampled_from([0.0, 0.3]), real=st.booleans())
def test_sets_of_categories_are_the_best_of_all(
    name: str, seed: int, n: int, gaps: float, real: bool
) -> None:
    rng, criterion = np.random.default_rng(seed), CRITERIA[name]
    counts = np.array([6, 0, 5])
    X = np.column_stack([rng.integers(0, 6, n), rng.integers(0, 9, n), rng.integers(0, 5, n)]).astype(float)
    X[rng.random(X.shape) < gaps] = np.nan
    y = targets(criterion, rng, n)
    weight = rng.exponential(size=n) if real else np.ones(n)
    # With a least leaf size the best allowed set need not begin the order by means; enumeration finds it.
    least = 1 + seed % 2 if getattr(criterion, "n_classes", 2) > 2 else 1
    limits = ExactLimits(min_rows_leaf=least)
    tree = grow_exact(table(X, counts), criterion, y, weight, limits)
    check_splits(tree, criterion, table(X, counts), y, weight, limits)
    for node in np.flatnonzero(tree.category_start >= 0):
        j, rows = int(tree.feature[node]), node_rows(tree, X)[int(node)]
        absent = np.setdiff1d(np.arange(counts[j]), X[rows, j])
        left = tree.goes_left(np.full(len(absent), node), absent.astype(float))
        child = tree.left[node]
        heavier = tree.weight[child] >= tree.weight[child + 1]
        assert (left == heavier).all(), "categories that the node did not have go with the heavier child"


@pytest.mark.full  # many rows
@pytest.mark.parametrize(
    "kind", ["squared_error", "absolute_error", "Gini-2", "Gini-3", "Entropy-3", "poisson"]
)
def test_large_trees_do_not_depend_on_threads_or_order_of_jobs(kind: str, rng: np.random.Generator) -> None:
    criterion, n = CRITERIA[kind], 30_000
    X = np.round(rng.standard_normal((n, 8)), 2)
    X[rng.random(n) < 0.1, 1] = np.nan
    X[:, 2] = rng.integers(0, 40, n)
    y = np.floor(np.exp(np.nan_to_num(X[:, 0] + X[:, 3] * (X[:, 2] > 20)) / 2 + rng.random(n)))
    y = np.minimum(y, criterion.n_classes - 1) if criterion.sums == "classes" else y
    t = table(X, [0, 0, 40, 0, 0, 0, 0, 0])
    limits = ExactLimits(max_features=4) if kind == "Gini-2" else ExactLimits(max_depth=12)
    grown = []
    for threads in (1, 2, 3):
        with at_most(threads):
            grown.append(grow_exact(t, criterion, y, None, limits, seed=3))
    for other in grown[1:]:
        for field in ("feature", "threshold", "left", "value", "gain", "category_words", "missing_left"):
            assert np.array_equal(getattr(grown[0], field), getattr(other, field)), field
    rows = node_rows(grown[0], X)
    assert all(len(rows[k]) == grown[0].count[k] for k in rows), "rules and training rows agree"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SquaredError(), DecisionTreeRegressor(min_samples_leaf=20)),
        (Gini(), DecisionTreeClassifier(min_samples_leaf=20)),
        (Gini(n_classes=4), DecisionTreeClassifier(min_samples_leaf=20)),
        (Entropy(n_classes=4), DecisionTreeClassifier(criterion="entropy", min_samples_leaf=20)),
        (AbsoluteError(), DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=20)),
        (PoissonDeviance(), DecisionTreeRegressor(criterion="poisson", min_samples_leaf=20)),
    ],
    ids=lambda c: getattr(c, "name", ""),
)
def test_agrees_with_scikit_learn_but_for_ties(ours: Any, theirs: Any, rng: np.random.Generator) -> None:
    X = rng.standard_normal((2000, 5))
    X[rng.random(2000) < 0.2, 4] = np.nan
    X = X[:, :4] if ours.name == "absolute_error" else X  # which scikit-learn does not combine with NaN
    z = np.exp(X[:, 0] / 2 + np.where(np.isnan(X[:, -1]), 1.0, X[:, 1])) + rng.random(2000)
    y = np.minimum(np.floor(z), ours.n_classes - 1) if ours.sums == "classes" else z
    peer = theirs.set_params(random_state=0).fit(X, y).tree_
    tree = grow_exact(table(X), ours, y, None, ExactLimits(min_rows_leaf=20))
    open_pairs, alike, tied = [(0, 0, np.arange(len(X)))], 0, 0
    while open_pairs:
        a, b, rows = open_pairs.pop()
        assert (tree.feature[a] < 0) == (peer.feature[b] < 0)
        if tree.feature[a] < 0:
            continue
        left = tree.goes_left(np.full(len(rows), a), X[rows, tree.feature[a]])
        value = X[rows, peer.feature[b]].astype(np.float32)
        other = np.where(np.isnan(value), peer.missing_go_to_left[b] == 1, value <= peer.threshold[b])
        if (left == other).all():
            alike, child = alike + 1, int(tree.left[a])
            open_pairs += [(child, peer.children_left[b], rows[left])]
            open_pairs += [(child + 1, peer.children_right[b], rows[~left])]
        else:
            tied, one = tied + 1, np.ones(len(rows))
            costs = [cost(ours, y[rows][s], one[s]) + cost(ours, y[rows][~s], one[~s]) for s in (left, other)]
            assert costs[0] == pytest.approx(costs[1], abs=1e-9)
    assert alike > 20
    assert tied < alike / 4


@pytest.mark.parametrize("name", CRITERIA)
def test_weights_are_repetition_and_absence(name: str, rng: np.random.Generator) -> None:
    criterion, n = CRITERIA[name], 60
    X, y, weight = rng.standard_normal((n, 3)), targets(criterion, rng, n), rng.integers(0, 4, n)
    limits = ExactLimits(max_depth=4)
    once = grow_exact(table(X), criterion, y, weight.astype(float), limits)
    often = grow_exact(
        table(np.repeat(X, weight, axis=0)), criterion, np.repeat(y, weight, axis=0), None, limits
    )
    assert np.array_equal(once.feature, often.feature)
    assert np.array_equal(once.threshold, often.threshold)
    assert once.predict(X) == pytest.approx(often.predict(X), abs=1e-12)


@pytest.mark.parametrize("name", ["squared_error", "poisson", "newton", "Gini-2", "Entropy-2"])
@pytest.mark.parametrize("leaves", [None, 12])
def test_monotonic_constraints_hold(name: str, leaves: int | None, rng: np.random.Generator) -> None:
    criterion, n = CRITERIA[name], 400
    X = rng.standard_normal((n, 3))
    X[rng.random(n) < 0.1, 1] = np.nan
    up = np.sin(3 * X[:, 0]) + X[:, 0] - np.nan_to_num(X[:, 1]) + rng.standard_normal(n)
    y = {"newton": np.column_stack([-up, np.ones(n)]), "poisson": np.floor(np.exp(up))}.get(name, up)
    y = (up > 0.0) * 1.0 if criterion.sums == "classes" else y
    free = grow_exact(table(X), criterion, y, None, ExactLimits(max_leaves=leaves))
    held = grow_exact(table(X), criterion, y, None, ExactLimits(max_leaves=leaves, monotonic=[1, -1, 0]))
    assert held.n_leaves[0] > 3
    grid, base = np.linspace(-3, 3, 61), rng.standard_normal((40, 3))
    worst = {}
    for which, tree in (("free", free), ("held", held)):
        for j, sign in ((0, 1.0), (1, -1.0)):
            rows = np.repeat(base, len(grid), axis=0)
            rows[:, j] = np.tile(grid, len(base))
            path = sign * tree.predict(rows)[:, -1].reshape(len(base), -1)
            worst[which, j] = float(np.diff(path, axis=1).min())
    assert min(worst["held", 0], worst["held", 1]) >= 0.0
    assert min(worst["free", 0], worst["free", 1]) < 0.0, "the free tree must be able to fail"


def test_thresholds_separate_neighbours_and_do_not_overflow() -> None:
    for low, high in [(1.0, np.nextafter(1.0, 2.0)), (-1.7e308, 1.7e308), (1.6e308, 1.7e308), (-0.0, 5e-324)]:
        tree = grow_exact(table(np.array([[high], [low]])), SquaredError(), np.array([1.0, 0.0]))
        assert tree.predict(np.array([[low], [high]])).ravel().tolist() == [0.0, 1.0]
        assert np.isfinite(tree.threshold).all()
    zeros = grow_exact(table(np.array([[0.0], [-0.0]])), SquaredError(), np.array([1.0, 0.0]))
    assert zeros.n_leaves[0] == 1, "zero has one rank"


def test_sorting_repairs_numbers_that_are_alike_in_single_precision(rng: np.random.Generator) -> None:
    x = np.concatenate([1e9 + np.arange(3000.0) * 2.0**-20, [1e300, -1e300, 1e-300, -1e-300, np.nan]])
    x, y = rng.permutation(x), np.zeros(len(x))
    y = (np.nan_to_num(x, nan=np.inf) > 1e9 + 1000.5 * 2.0**-20) * 1.0
    tree = grow_exact(table(x[:, None]), SquaredError(), y)
    assert tree.n_leaves[0] == 2
    assert tree.threshold[0] == 1e9 + 1000.5 * 2.0**-20


def test_exclusive_or_is_grown_through_a_split_without_gain() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([0.0, 1.0, 1.0, 0.0])
    for criterion in (Gini(), Entropy(), SquaredError()):
        tree = grow_exact(table(X), criterion, y)
        assert tree.n_leaves[0] == 4
        assert tree.gain[0] == 0.0
    assert grow_exact(table(X), SquaredError(), y, None, ExactLimits(min_gain=1e-9)).n_leaves[0] == 1


def test_trees_that_cannot_grow() -> None:
    one = grow_exact(table(np.array([[3.0]])), SquaredError(), np.array([2.5]))
    assert (one.n_leaves[0], one.value[0, 0]) == (1, 2.5)
    X, y = np.array([[1.0, np.nan], [1.0, np.nan], [1.0, np.nan]]), np.array([0.0, 1.0, 5.0])
    for criterion in (SquaredError(), AbsoluteError(), Gini(n_classes=6), PoissonDeviance()):
        assert grow_exact(table(X), criterion, y).n_leaves[0] == 1
    rising = np.arange(3.0)[:, None]
    assert grow_exact(table(rising), SquaredError(), y, None, ExactLimits(max_depth=0)).n_leaves[0] == 1
    assert grow_exact(table(rising), SquaredError(), y, None, ExactLimits(max_leaves=1)).n_leaves[0] == 1
    same = grow_exact(table(rising), Entropy(n_classes=3), np.full(3, 2.0))
    assert same.value[0].tolist() == [0.0, 0.0, 1.0]


def test_missing_values_alone_can_be_split_off() -> None:
    X, y = np.array([[1.0], [2.0], [np.nan], [np.nan]]), np.array([1.0, 1.0, 0.0, 0.0])
    tree = grow_exact(table(X), Gini(), y)
    assert tree.threshold[0] == np.inf
    assert tree.predict(np.array([[5.0], [np.nan]]))[:, 1].tolist() == [1.0, 0.0]


def test_ten_thousand_categories(rng: np.random.Generator) -> None:
    n, c = 20_000, 10_000
    codes = rng.integers(0, c, n)
    effect = rng.standard_normal(c)
    y = effect[codes] + 0.01 * rng.standard_normal(n)
    for criterion, target in ((SquaredError(), y), (Gini(n_classes=3), np.digitize(y, [-0.5, 0.5]) * 1.0)):
        tree = grow_exact(
            table(codes[:, None].astype(float), [c]), criterion, target, None, ExactLimits(max_depth=8)
        )
        said = tree.predict(codes[:, None].astype(float))
        right = (
            1.0 - np.mean((said[:, 0] - y) ** 2) / y.var()
            if said.shape[1] == 1
            else np.mean(said.argmax(axis=1) == target)
        )
        assert right > 0.99


def test_random_columns_skip_the_constant_ones_and_depend_on_the_seed(rng: np.random.Generator) -> None:
    X = np.column_stack([np.ones((200, 5)), rng.standard_normal((200, 4))])
    y = X[:, 5] + rng.standard_normal(200)
    few = [
        grow_exact(table(X), SquaredError(), y, None, ExactLimits(max_features=1), seed=s) for s in range(6)
    ]
    assert all(t.n_leaves[0] == 200 for t in few), "one column that varies is enough to split every node"
    assert len({int(t.feature[0]) for t in few}) > 1
    again = grow_exact(table(X), SquaredError(), y, None, ExactLimits(max_features=1), seed=0)
    assert np.array_equal(again.threshold, few[0].threshold)
    every = grow_exact(table(X), SquaredError(), y, None, ExactLimits(max_features=10**9))
    assert np.array_equal(every.feature, grow_exact(table(X), SquaredError(), y).feature)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_layouts_agree(kind: Any, rng: np.random.Generator) -> None:
    dense = np.where(rng.random((300, 6)) < 0.7, 0.0, np.round(rng.standard_normal((300, 6)), 1)).astype(kind)
    y = dense[:, 0] - dense[:, 1] ** 2 + rng.standard_normal(300)
    want = grow_exact(table(dense), SquaredError(), y)
    for X in (np.asfortranarray(dense), dense[::-1][::-1], sp.csr_array(dense), sp.csc_matrix(dense)):
        got = grow_exact(table(X), SquaredError(), y)
        assert np.array_equal(got.feature, want.feature)
        assert np.array_equal(got.threshold, want.threshold)


def test_targets_of_any_size(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((200, 3)), rng.standard_normal(200)
    want = grow_exact(table(X), SquaredError(), y, None, ExactLimits(max_depth=4))
    for scale, shift in ((2.0**600, 0.0), (2.0**-600, 0.0), (1.0, 2.0**30)):
        got = grow_exact(table(X), SquaredError(), scale * y + shift, None, ExactLimits(max_depth=4))
        assert np.array_equal(got.feature, want.feature)
        assert got.value == pytest.approx(scale * want.value + shift, rel=1e-12)


@pytest.mark.parametrize("name", [name for name in CRITERIA if name != "newton"])
def test_weights_of_any_size(name: str, rng: np.random.Generator) -> None:
    criterion, X, weight = CRITERIA[name], rng.standard_normal((80, 3)), rng.exponential(size=80)
    y = targets(criterion, rng, 80)
    want = grow_exact(table(X), criterion, y, weight, ExactLimits(max_depth=4, min_weight_leaf=2.0))
    for scale in (2.0**600, 2.0**-600):
        limits = ExactLimits(max_depth=4, min_weight_leaf=2.0 * scale)
        got = grow_exact(table(X), criterion, y, weight * scale, limits)
        assert np.array_equal(got.feature, want.feature)
        assert got.value == pytest.approx(want.value, rel=1e-12)
        assert got.weight == pytest.approx(want.weight * scale, rel=1e-12)
        assert got.gain / scale == pytest.approx(want.gain, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.array([1.0, np.nan, 0.0])}, "row 1"),
        ({"y": np.array([1.0, -1.0, 0.0]), "criterion": PoissonDeviance()}, "row 1"),
        ({"y": np.array([1.0, 2.0, 0.0]), "criterion": Gini()}, "class codes"),
        ({"y": np.ones(2)}, "shape"),
        ({"weight": np.zeros(3)}, "positive"),
        ({"weight": -np.ones(3)}, ">= 0"),
        ({"limits": ExactLimits(monotonic=[1])}, "monotonic"),
        ({"limits": ExactLimits(monotonic=[1, 0]), "criterion": AbsoluteError()}, "mean"),
        ({"limits": ExactLimits(monotonic=[0, 1])}, "categorical"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], message: str) -> None:
    X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    call = {"criterion": SquaredError(), "y": np.arange(3.0), "weight": None, "limits": None, **change}
    with pytest.raises(ValueError, match=message):
        grow_exact(table(X, [0, 2]), call["criterion"], call["y"], call["weight"], call["limits"])


def test_growth_can_be_interrupted(rng: np.random.Generator) -> None:
    X, finished = rng.standard_normal((300_000, 8)), []
    y = X[:, 0] * X[:, 1] + rng.standard_normal(len(X))
    ctrl_c = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))

    def grow() -> None:
        ctrl_c.start()
        grow_exact(table(X), SquaredError(), y)
        finished.append(True)
        ctrl_c.join()

    # A job in the background is started with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):  # which comes after the growth if the growth does not listen
        grow()
    signal.signal(signal.SIGINT, before)
    assert not finished


def test_row_counts_are_checked_before_numbers_overflow() -> None:
    check_rows(2**30 - 1)
    for n in (0, 2**30, 3_000_000_000):
        with pytest.raises(ValueError, match="2\\^30"):
            check_rows(n)
