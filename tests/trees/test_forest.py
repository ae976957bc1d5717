"""The forest engine: every split by brute force, bags by their law, out-of-bag sums by the finished trees."""

from __future__ import annotations

import pickle
from dataclasses import fields
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from empirisk.data.threads import at_most
from empirisk.trees import Trees, criteria
from empirisk.trees.bins import Bins
from empirisk.trees.criteria.choices import criteria_for
from empirisk.trees.forest import Bag, ForestGrowth, GrownTrees, grow_forest

# Every criterion: of class shares for two and for more classes, and of numbers.
KINDS = [(c.name, k) for c in criteria_for("classes").values() for k in (2, 3)]
KINDS += [("entropy", 4), *((c.name, 0) for c in criteria_for("numbers").values())]
KINDS = list(dict.fromkeys(KINDS))


def table(rng: np.random.Generator, n: int, categories: int = 5) -> tuple[Any, Any]:
    """Numbers with ties and missing values, and one column of categories."""
    X = rng.integers(0, 12, size=(n, 3)).astype(float)
    X[:, 2] = rng.integers(0, categories, n)
    X[rng.random((n, 3)) < 0.15] = np.nan
    return X, np.array([0, 0, categories])


def target(rng: np.random.Generator, X: Any, n_classes: int) -> Any:
    z = np.nan_to_num(X[:, 0], nan=3.0) + 2.0 * np.isin(X[:, 2], [1, 3]) + rng.standard_normal(len(X))
    if n_classes:
        return np.searchsorted(np.quantile(z, np.arange(1, n_classes) / n_classes), z).astype(float)
    return np.maximum(0.0, np.round(z, 1))


def criterion_of(name: str, n_classes: int) -> Any:
    kind = criteria.REGISTRY[name]
    return kind(n_classes) if n_classes else kind()


def grow(X: Any, n_categories: Any, y: Any, growth: ForestGrowth, bag: Bag, **more: Any) -> GrownTrees:
    return grow_forest(Bins.fit(X, n_categories).transform(X), y, growth, bag, **more)


def sides(x: Any, categories: int) -> Any:
    """All ways of sending known values left, each with missing values on either side."""
    known = np.unique(x[~np.isnan(x)])
    if categories:
        sets = [s for k in range(1, len(known) + 1) for s in combinations(known, k)]
        left = [np.isin(x, s) for s in sets]
    else:
        left = [x <= v for v in known]
    for side in left:
        yield side
        yield side | np.isnan(x)


def score(rule: Any, S: Any) -> float:
    """Minus the cost of rows, of their sums or, for medians, of the rows themselves."""
    if rule.sums == "order":
        return -S[:, 1].sum() * rule.heterogeneity(S[:, 0], S[:, 1])
    return float(rule.score(S.sum(axis=0)))


def best_gain(X: Any, n_categories: Any, S: Any, rule: Any, positive: bool) -> float:
    """The largest gain over all cuts of all columns, by the definition."""
    best, parent = -np.inf, score(rule, S)
    for j, c in enumerate(n_categories):
        for left in sides(X[:, j], c):
            if left.all() or not left.any():
                continue
            if positive and min(S[left, 0].sum(), S[~left, 0].sum()) <= 0.0:
                continue
            best = max(best, score(rule, S[left]) + score(rule, S[~left]) - parent)
    return best


@pytest.mark.parametrize(("criterion", "n_classes"), KINDS)
@pytest.mark.parametrize("weighted", [False, True], ids=["drawn", "weighted"])
def test_every_split_is_the_best_of_all(
    criterion: str, n_classes: int, weighted: bool, rng: np.random.Generator
) -> None:
    n = 70
    X, n_categories = table(rng, n)
    if n_classes > 2 or criterion == "absolute_error":  # whose orders of categories are heuristics
        X, n_categories = X[:, :2], n_categories[:2]
        X = np.column_stack([X, np.full(n, 1.0)])
        n_categories = np.array([0, 0, 0])
    y = target(rng, X, n_classes)
    weight = rng.uniform(0.5, 2.0, n) if weighted else None
    bag = Bag(n, 0 if weighted else n)
    grown = grow(
        X,
        n_categories,
        y,
        ForestGrowth(criterion),
        bag,
        n_classes=n_classes,
        weight=weight,
        n_trees=3,
        seed=4,
    )
    trees, rule = grown.trees, criterion_of(criterion, n_classes)
    counts = bag.counts(4, 3) if weight is None else np.column_stack([weight] * 3)
    looked = 0
    for t, tree in enumerate(trees):
        S = rule.statistics(y, counts[:, t].astype(float))
        path = tree.decision_path(X).toarray() > 0
        for node in range(len(tree.feature)):
            rows = path[:, node] & (counts[:, t] > 0)
            w = counts[rows, t].astype(float)
            assert tree.weight[node] == pytest.approx(w.sum())
            assert tree.count[node] == rows.sum()
            leaf = rule.median(y[rows], w) if rule.sums == "order" else rule.leaf(S[rows].sum(axis=0))
            np.testing.assert_allclose(tree.value[node], leaf, atol=1e-12)
            assert tree.heterogeneity[node] == pytest.approx(rule.heterogeneity(y[rows], w), abs=1e-9)
            best = best_gain(X[rows], n_categories, S[rows], rule, rule.non_negative)
            if tree.feature[node] >= 0:
                looked += 1
                assert tree.gain[node] == pytest.approx(max(best, 0.0), abs=1e-9)
            else:
                assert best == -np.inf or len(np.unique(y[rows])) == 1
    assert looked > 10


def test_gains_are_what_the_children_say(rng: np.random.Generator) -> None:
    """Categories with three classes: a heuristic, whose gain is that of its split, at most the optimum."""
    X, n_categories = table(rng, 80)
    y, rule = target(rng, X, 3), criterion_of("gini", 3)
    tree = grow(X, n_categories, y, ForestGrowth("gini"), Bag(80, 0), n_classes=3, n_trees=1).trees
    path = tree.decision_path(X).toarray() > 0
    S = rule.statistics(y, np.ones(80))
    of_categories = 0
    for node in np.flatnonzero(tree.feature >= 0):
        a, b = (S[path[:, tree.left[node] + k]].sum(axis=0) for k in (0, 1))
        rows = path[:, node]
        assert tree.gain[node] == pytest.approx(rule.score(a) + rule.score(b) - rule.score(a + b))
        best = best_gain(X[rows], n_categories, S[rows], rule, False)
        assert tree.gain[node] <= best + 1e-9
        if tree.category_start[node] >= 0:
            of_categories += 1
            assert tree.gain[node] >= 0.8 * best
    assert of_categories > 2


def test_categories_that_a_node_did_not_see_go_where_missing_values_go(rng: np.random.Generator) -> None:
    X = rng.integers(0, 4, size=(60, 1)).astype(float)
    n_categories = np.array([40])
    y = np.isin(X[:, 0], [1, 2]).astype(float)
    tree = grow(X, n_categories, y, ForestGrowth("gini"), Bag(60, 0), n_classes=2, n_trees=1).trees
    unseen = np.array([[7.0], [39.0], [40.0], [-1.0]])
    missing = tree.predict(np.array([[np.nan]]))
    np.testing.assert_array_equal(tree.predict(unseen), np.repeat(missing, 4, axis=0))
    assert tree.missing_left[0] == (tree.weight[1] >= tree.weight[2])
    np.testing.assert_array_equal(tree.predict(X)[:, 1], y)


# -- bags -------------------------------------------------------------------------------------------


def test_bags_are_multinomial() -> None:
    n, T = 200, 400
    counts = Bag(n, n).counts(seed=1, trees=T)
    np.testing.assert_array_equal(counts.sum(axis=0), n)
    # The number of times that a row is drawn in all trees is binomial(nT, 1/n).
    assert stats.chisquare(counts.sum(axis=1)).pvalue > 1e-4
    seen = [(counts == k).mean() for k in range(4)]
    np.testing.assert_allclose(seen, stats.binom.pmf(range(4), n, 1 / n), atol=0.005)


def test_weighted_bags_draw_in_proportion(rng: np.random.Generator) -> None:
    weight = rng.uniform(0.01, 5.0, 50)
    weight[7] = 1e-9
    total = Bag(50, 5000, weight).counts(seed=3, trees=20).sum(axis=1)
    assert total.sum() == 100_000
    keep = np.arange(50) != 7
    expected = weight[keep] / weight[keep].sum() * total[keep].sum()
    assert stats.chisquare(total[keep], expected).pvalue > 1e-4


def test_medians_of_categories_are_the_best_order_where_it_matters(rng: np.random.Generator) -> None:
    """Two groups of categories far apart: the heuristic finds the best of all subsets, missing values too."""
    X = rng.integers(0, 6, size=(90, 1)).astype(float)
    y = np.round(rng.standard_normal(90), 1) + 20.0 * np.isin(X[:, 0], [1, 4])
    X[rng.random(90) < 0.1] = np.nan
    n_categories, rule = np.array([6]), criterion_of("absolute_error", 0)
    growth = ForestGrowth("absolute_error", max_depth=1)
    tree = grow(X, n_categories, y, growth, Bag(90, 0), n_trees=1).trees
    best = best_gain(X, n_categories, rule.statistics(y, np.ones(90)), rule, False)
    assert tree.gain[0] == pytest.approx(best)
    assert len(np.unique(tree.predict(np.arange(6.0)[:, None])[[1, 4]])) == 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_balanced_bags_weigh_the_classes_by_what_they_drew(n_classes: int, rng: np.random.Generator) -> None:
    """Each tree is that of the rows of its bag with the weights m / (K m_c), which are computed here."""
    n, T = 120, 4
    X, n_categories = table(rng, n)
    y = np.minimum(rng.poisson(0.4, n), n_classes - 1).astype(float)
    growth = ForestGrowth("entropy")
    bag = Bag(n, 80, balanced=True)
    codes = Bins.fit(X, n_categories).transform(X)
    grown = grow_forest(codes, y, growth, bag, n_classes=n_classes, n_trees=T, seed=3)
    for t, counts in enumerate(bag.counts(3, T).T):
        rows = np.flatnonzero(counts)
        drawn = np.bincount(y.astype(int), counts, minlength=n_classes)
        weight = 80 / (np.count_nonzero(drawn) * drawn[y.astype(int)]) * counts
        assert weight.sum() == pytest.approx(80)
        alone = grow_forest(
            codes.take(rows),
            y[rows],
            growth,
            Bag(len(rows), 0),
            n_classes=n_classes,
            weight=weight[rows],
            n_trees=1,
            first=t,
            seed=3,
        ).trees
        for name in ("feature", "threshold", "missing_left", "left"):
            np.testing.assert_array_equal(getattr(grown.trees[t], name), getattr(alone, name))
        np.testing.assert_allclose(grown.trees[t].value, alone.value, rtol=1e-12)
        np.testing.assert_allclose(grown.trees[t].weight, alone.weight, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True], ids=["drawn", "weighted"])
@pytest.mark.parametrize(
    "name", ["squared_error", *dict.fromkeys(c.name for c in criteria_for("classes").values())]
)
def test_shared_splits_make_the_mean_over_targets_smallest(
    name: str, weighted: bool, rng: np.random.Generator
) -> None:
    """By the definition, over all cuts of all columns with missing values on either side."""
    n = 60
    X, n_categories = table(rng, n)
    X, n_categories = X[:, :2], n_categories[:2]
    classes = (0, 0, 0) if name == "squared_error" else (2, 3)
    Y = np.column_stack([target(rng, X[:, [0, 1, 1]], k) for k in classes])
    rules = [criterion_of(name, k) for k in classes]
    shown = np.column_stack([np.eye(k)[y.astype(int)] if k else y for k, y in zip(classes, Y.T, strict=True)])
    weight = rng.uniform(0.5, 2.0, n) if weighted else None
    bag = Bag(n, 0 if weighted else n)
    grown = grow_forest(
        Bins.fit(X, n_categories).transform(X),
        shown,
        ForestGrowth(name),
        bag,
        parts=[k or 1 for k in classes],
        weight=weight,
        n_trees=2,
        seed=4,
    )
    counts = bag.counts(4, 2) if weight is None else np.column_stack([weight] * 2)
    looked = 0
    for t, tree in enumerate(grown.trees):
        S = [rule.statistics(y, counts[:, t].astype(float)) for rule, y in zip(rules, Y.T, strict=True)]
        path = tree.decision_path(X).toarray() > 0
        for node in range(len(tree.feature)):
            rows = path[:, node] & (counts[:, t] > 0)
            w = counts[rows, t].astype(float)
            value = np.average(shown[rows], axis=0, weights=w)
            np.testing.assert_allclose(tree.value[node, : len(value)], value, atol=1e-12)
            unlike = [rule.heterogeneity(y[rows], w) for rule, y in zip(rules, Y.T, strict=True)]
            assert tree.heterogeneity[node] == pytest.approx(np.mean(unlike), abs=1e-9)
            if name == "squared_error":
                np.testing.assert_allclose(tree.value[node, 3:], unlike, atol=1e-9)
            best = -np.inf
            for j in range(2):
                for left in sides(X[rows, j], 0):
                    if left.all() or not left.any():
                        continue
                    taken = [
                        score(rule, s[rows][left]) + score(rule, s[rows][~left]) - score(rule, s[rows])
                        for rule, s in zip(rules, S, strict=True)
                    ]
                    best = max(best, float(np.mean(taken)))
            if tree.feature[node] >= 0:
                looked += 1
                assert tree.gain[node] == pytest.approx(max(best, 0.0), abs=1e-9)
            else:
                assert best == -np.inf or len(np.unique(Y[rows], axis=0)) == 1
    assert looked > 10
    if not weighted:
        unseen = counts == 0
        leaf = grown.trees.apply(X) + grown.trees.start[:-1]
        said = grown.trees.value[leaf][:, :, : shown.shape[1]] * unseen[:, :, None]
        np.testing.assert_allclose(grown.oob_sums[0], said.sum(axis=1), atol=1e-9)


def test_balanced_bags_need_draws() -> None:
    with pytest.raises(ValueError, match="set draws"):
        Bag(5, 0, balanced=True)


@pytest.mark.parametrize(
    ("name", "n_classes"), [("gini", 2), ("gini", 3), ("squared_error", 0), ("absolute_error", 0)]
)
def test_out_of_bag_sums_by_the_finished_trees(name: str, n_classes: int, rng: np.random.Generator) -> None:
    n, T = 300, 13
    X, n_categories = table(rng, n)
    y = 100.0 * target(rng, X, n_classes) if not n_classes else target(rng, X, n_classes)
    bag = Bag(n, n)
    grown = grow(
        X, n_categories, y, ForestGrowth(name, max_features=1), bag, n_classes=n_classes, n_trees=T, groups=4
    )
    unseen = bag.counts(0, T) == 0
    leaf = grown.trees.apply(X) + grown.trees.start[:-1]
    said = grown.trees.value[leaf] * unseen[:, :, None]
    np.testing.assert_array_equal(grown.groups, (4, 3, 3, 3))
    np.testing.assert_allclose(grown.oob_sums.sum(axis=0), said.sum(axis=1), rtol=1e-9, atol=1e-10 * y.max())
    np.testing.assert_array_equal(grown.oob_trees.sum(axis=0), unseen.sum(axis=1))
    np.testing.assert_allclose(grown.oob_sums[3], said[:, 3::4].sum(axis=1), rtol=1e-9, atol=1e-10 * y.max())


def test_a_tree_is_a_function_of_its_number(rng: np.random.Generator) -> None:
    X, n_categories = table(rng, 200)
    y = target(rng, X, 2)
    growth = ForestGrowth("gini", max_features=1)
    whole = grow(X, n_categories, y, growth, Bag(200, 200), n_classes=2, n_trees=6, seed=9).trees
    late = grow(X, n_categories, y, growth, Bag(200, 200), n_classes=2, n_trees=2, first=4, seed=9).trees
    for a, b in zip(whole[4:6], late, strict=True):
        np.testing.assert_array_equal(a.feature, b.feature)
        np.testing.assert_array_equal(a.threshold, b.threshold)


def test_trees_of_several_threads_are_joined_in_the_order_of_their_numbers(rng: np.random.Generator) -> None:
    """Trees of unlike size finish in any order; nodes ask for categories in some of them alone."""
    n = 3000
    X, n_categories = table(rng, n, 40)
    y = target(rng, X, 2)
    growth = ForestGrowth("gini", max_features=1, max_depth=3)
    runs = []
    for threads in (1, 2, 5):
        with at_most(threads):
            runs.append(grow(X, n_categories, y, growth, Bag(n, n), n_classes=2, n_trees=60, groups=3))
    alone = [grow(X, n_categories, y, growth, Bag(n, n), n_classes=2, n_trees=1, first=t) for t in range(60)]
    joined = Trees.concatenate(one.trees for one in alone)
    asks = [bool((one.trees.category_start >= 0).any()) for one in alone]
    assert 0 < sum(asks) < 60, "no tree without categories, or none with"
    for run in runs:
        for f in fields(Trees):
            np.testing.assert_array_equal(getattr(run.trees, f.name), getattr(joined, f.name), err_msg=f.name)
        np.testing.assert_array_equal(run.oob_trees.sum(axis=0), sum(one.oob_trees[0] for one in alone))
        np.testing.assert_array_equal(run.oob_sums.sum(axis=0), sum(one.oob_sums[0] for one in alone))


def test_a_forest_of_numbers_alone_stores_no_places_of_category_sets(rng: np.random.Generator) -> None:
    X = rng.standard_normal((500, 3))
    y = (X[:, 0] > 0.0).astype(float)
    trees = grow(X, np.zeros(3, int), y, ForestGrowth("gini"), Bag(500, 500), n_classes=2, n_trees=5).trees
    assert trees.category_start.shape == trees.feature.shape
    assert trees.category_start.strides == (0,), "one number stands for all nodes"
    again = pickle.loads(pickle.dumps(trees))
    np.testing.assert_array_equal(again.predict(X), trees.predict(X))
    both = Trees.concatenate([trees, trees[1:3]])
    np.testing.assert_allclose(both.predict(X), trees.predict(X) + trees[1:3].predict(X), rtol=1e-12)


# -- what nodes look at -----------------------------------------------------------------------------


def roots(trees: Trees) -> Any:
    return trees.start[:-1]


def test_columns_are_drawn_alike_and_constants_do_not_count(rng: np.random.Generator) -> None:
    n = 60
    X = np.column_stack([np.zeros(n), rng.standard_normal(n), np.ones(n), rng.standard_normal((n, 2))])
    y = rng.integers(0, 2, n).astype(float)
    growth = ForestGrowth("gini", max_features=1, max_depth=1)
    trees = grow(X, np.zeros(5, int), y, growth, Bag(n, 0), n_classes=2, n_trees=3000).trees
    asked = np.bincount(trees.feature[roots(trees)], minlength=5)
    assert asked[0] == asked[2] == 0
    assert stats.chisquare(asked[[1, 3, 4]]).pvalue > 1e-4


def test_random_cuts_are_uniform_in_value() -> None:
    X = np.array([0.0, 1.0, 2.0, 10.0, 11.0])[:, None]
    y = np.array([0.0, 1.0, 0.0, 1.0, 0.0])
    growth = ForestGrowth("squared_error", max_depth=1, random_cuts=True)
    trees = grow(X, np.zeros(1, int), y, growth, Bag(5, 0), n_trees=4000).trees
    cut, times = np.unique(trees.threshold[roots(trees)], return_counts=True)
    np.testing.assert_array_equal(cut, [0.5, 1.5, 6.0, 10.5])
    # The cells of the nearest cut are [0, 1], [1, 3.75], [3.75, 8.25] and, mirrored, [8.25, 12.75].
    assert stats.chisquare(times, 4000 * np.array([1.0, 2.75, 4.5, 4.5]) / 12.75).pvalue > 1e-4


@pytest.mark.parametrize("random_cuts", [False, True])
def test_limits_hold(random_cuts: bool, rng: np.random.Generator) -> None:
    n = 400
    X, n_categories = table(rng, n)
    y = target(rng, X, 2)

    def grown(**limits: Any) -> Trees:
        growth = ForestGrowth("gini", random_cuts=random_cuts, **limits)
        return grow(X, n_categories, y, growth, Bag(n, n), n_classes=2, n_trees=5).trees

    assert grown(max_depth=3).depth.max() == 3
    assert grown(max_depth=0).n_leaves.max() == 1
    assert grown(min_rows_leaf=20).weight.min() >= 20
    assert grown(min_weight_leaf=33.0).weight.min() >= 33
    tree = grown(min_rows_split=50)
    assert tree.weight[tree.feature >= 0].min() >= 50
    tree = grown(min_gain=2.0)
    assert tree.gain[tree.feature >= 0].min() >= 2.0
    np.testing.assert_array_equal(grown(max_leaves=9).n_leaves, 9)


def test_best_first_takes_the_largest_gains(rng: np.random.Generator) -> None:
    X = rng.standard_normal((300, 2))
    y = X[:, 0] + 0.3 * rng.standard_normal(300)
    few, all_ = (
        grow(X, np.zeros(2, int), y, ForestGrowth("squared_error", **m), Bag(300, 0), n_trees=1).trees
        for m in ({"max_leaves": 8}, {})
    )
    taken = np.sort(few.gain[few.feature >= 0])
    # Greedy: each split taken is at least as good as every split still open below the tree that was grown.
    leaves = set(map(tuple, few.predict(X)))
    assert len(leaves) == 8
    order = [int(np.argmax(few.left == left)) for left in np.sort(few.left[few.left > 0])]
    open_, gains = {0: few.gain[0]}, []
    for node in order:
        assert few.gain[node] == max(open_.values())
        gains.append(open_.pop(node))
        for child in (few.left[node], few.left[node] + 1):
            open_[int(child)] = few.gain[child] if few.feature[child] >= 0 else -1.0
    assert len(gains) == 7
    assert taken[-1] == all_.gain[0]


@pytest.mark.parametrize("n_classes", [0, 2])
def test_monotonic_columns(n_classes: int, rng: np.random.Generator) -> None:
    n = 400
    X = rng.uniform(size=(n, 2))
    z = np.sin(6.0 * X[:, 0]) + X[:, 1] + 0.5 * rng.standard_normal(n)
    y = (z > 0.5).astype(float) if n_classes else z
    name = "gini" if n_classes else "squared_error"
    growth = ForestGrowth(name, monotonic=np.array([1, -1]))
    trees = grow(X, np.zeros(2, int), y, growth, Bag(n, n), n_classes=n_classes, n_trees=10).trees
    line = np.linspace(0.0, 1.0, 50)
    for other in (0.1, 0.5, 0.9):
        rising = trees.predict(np.column_stack([line, np.full(50, other)]))[:, -1]
        falling = trees.predict(np.column_stack([np.full(50, other), line]))[:, -1]
        assert (np.diff(rising) >= -1e-9).all()
        assert (np.diff(falling) <= 1e-9).all()
    free = grow(X, np.zeros(2, int), y, ForestGrowth(name), Bag(n, n), n_classes=n_classes, n_trees=10).trees
    assert (np.diff(free.predict(np.column_stack([line, np.full(50, 0.5)]))[:, -1]) < 0).any()


# -- sizes ------------------------------------------------------------------------------------------


def test_many_rows_pass_all_levels_of_the_cache(rng: np.random.Generator) -> None:
    """Above 256 KB of codes: the table, the copy for the second level and that for the first."""
    n = 40_000
    X = rng.standard_normal((n, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(float)
    bins = Bins.fit(X, max_bins=50)
    grown = grow_forest(bins.transform(X), y, ForestGrowth("gini"), Bag(n, n), n_classes=2, n_trees=1)
    tree, inside = grown.trees, Bag(n, n).counts(0, 1)[:, 0]
    leaf, leaves = tree.apply(X)[:, 0], tree.feature < 0
    drawn = np.bincount(leaf, inside, minlength=len(leaves))[leaves]
    np.testing.assert_array_equal(drawn, tree.weight[leaves])
    share = np.bincount(leaf, inside * y, minlength=len(leaves))[leaves] / drawn
    np.testing.assert_allclose(share, tree.value[leaves, 1], atol=1e-12)


@pytest.mark.parametrize("n", [0, 2**30 + 1, 2**31])
def test_numbers_of_rows_that_cannot_be_numbered(n: int) -> None:
    with pytest.raises(ValueError, match="2\\^30 rows"):
        Bag(n, 10)
    with pytest.raises(ValueError, match="draws"):
        Bag(10, 2**31)
