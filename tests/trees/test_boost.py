"""Boosting against a plain booster, algebra and its own invariants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.data.threads import at_most
from empirisk.losses import (
    Absolute,
    Exponential,
    Gamma,
    HalfSquared,
    Huber,
    Logistic,
    Loss,
    Offset,
    Poisson,
    Quantile,
    Softmax,
    Tweedie,
)
from empirisk.trees import Trees
from empirisk.trees.bins import Binned, Bins
from empirisk.trees.boost import Boosted, Round, Validation, boost
from empirisk.trees.growth import Growth
from tests.oracles.boosting import boosted_scores


def table(rng: np.random.Generator, n: int, categories: int = 0, missing: float = 0.0) -> tuple[Any, Any]:
    """X of 4 columns, the last one categorical if wanted; a signal in all of them."""
    X = rng.standard_normal((n, 4))
    X[:, 1] = np.round(X[:, 1] * 3)
    signal = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + np.where(X[:, 2] > 0.3, 1.0, 0.0)
    if categories:
        X[:, 3] = rng.integers(0, categories, n)
        signal += np.cos(3.0 * X[:, 3])
    X[rng.random(X.shape) < missing] = np.nan
    return X, signal


def binned_of(X: Any, categories: int = 0, **how: Any) -> Binned:
    kinds = np.array([0] * (X.shape[1] - 1) + [categories])
    return Bins.fit(X, kinds, **how).transform(X)


def targets(loss: Loss, signal: Any, rng: np.random.Generator) -> Any:
    """Targets that the loss is defined for, with the signal in them."""
    if loss.labels:
        return np.where(rng.random(len(signal)) < 1 / (1 + np.exp(-signal)), 1.0, -1.0)
    if isinstance(loss, Softmax):
        return np.digitize(signal + 0.5 * rng.standard_normal(len(signal)), [0.0, 1.0]).astype(float)
    if loss.y_domain.low == 0.0:
        return rng.poisson(np.exp(0.5 * signal)) + (0.0 if loss.y_domain.low_closed else 0.5)
    return signal + 0.5 * rng.standard_normal(len(signal))


SMALL = Growth(max_leaves=6, min_rows_leaf=5, category_smoothing=0.0)


@pytest.mark.parametrize(
    ("loss", "categories", "missing", "weighted", "growth"),
    [
        (Logistic(), 0, 0.0, False, SMALL),
        (HalfSquared(), 0, 0.2, False, SMALL),
        (Logistic(), 5, 0.1, True, SMALL),
        (
            Poisson(),
            6,
            0.0,
            False,
            Growth(max_depth=2, max_leaves=99, min_rows_leaf=8, category_smoothing=0.0),
        ),
        (HalfSquared(), 4, 0.3, True, Growth(max_leaves=5, l2=2.0, min_gain=3.0, category_smoothing=0.0)),
    ],
    ids=["logistic", "missing", "categories", "depth", "l2-min-gain"],
)
def test_scores_are_those_of_a_plain_booster(
    loss: Loss, categories: int, missing: float, weighted: bool, growth: Growth, rng: np.random.Generator
) -> None:
    X, signal = table(rng, 300, categories, missing)
    y, w = targets(loss, signal, rng), rng.exponential(size=300) if weighted else np.ones(300)
    binned = binned_of(X, categories, max_bins=12)
    found = boost(binned, y, w, loss, rounds=4, learning_rate=0.5, growth=growth)
    scores, trees = boosted_scores(binned, y, w, loss, 4, 0.5, growth)
    np.testing.assert_allclose(found.scores[:, 0], scores, rtol=1e-9, atol=1e-9)
    for tree, nodes in zip(found.trees[0], trees, strict=True):
        assert tree.feature.tolist() == [v["split"]["feature"] if "children" in v else -1 for v in nodes]
        gains = [v["split"]["gain"] if "children" in v else 0.0 for v in nodes]
        np.testing.assert_allclose(tree.gain, gains, rtol=1e-4, atol=1e-6)  # sums of rounded derivatives
        np.testing.assert_allclose(tree.weight, [w[v["rows"]].sum() for v in nodes], rtol=1e-12)
        assert tree.count.tolist() == [len(v["rows"]) for v in nodes]
        np.testing.assert_allclose(tree.value[:, 0], [0.5 * v["value"] for v in nodes], rtol=1e-9, atol=1e-12)


def test_smoothing_orders_categories_and_lowers_their_gain(rng: np.random.Generator) -> None:
    code = np.repeat(np.arange(6), [40, 30, 3, 25, 2, 50])
    y = np.array([0.0, 1.0, 9.0, 2.0, -9.0, 3.0])[code] + rng.standard_normal(150)
    binned = Bins.fit(code[:, None].astype(float), np.array([6])).transform(code[:, None].astype(float))
    growth = Growth(max_leaves=2, min_rows_leaf=1, category_smoothing=10.0, l2=0.5)
    tree = boost(binned, y, None, HalfSquared(), rounds=1, growth=growth).trees[0]
    a, b = np.bincount(code, y - y.mean()), np.bincount(code)
    order = np.argsort(a / (b + 10.0))
    left_a, left_b = np.cumsum(a[order])[:-1], np.cumsum(b[order])[:-1]
    gain = (
        left_a**2 / (left_b + 10.5) + (a.sum() - left_a) ** 2 / (150 - left_b + 10.5) - a.sum() ** 2 / 160.5
    )
    assert tree.gain[0] == pytest.approx(gain.max(), rel=1e-5)
    left = order[: gain.argmax() + 1]
    assert tree.category_words.tolist() == [sum(1 << int(c) for c in left)]


def predicted(found: Boosted, X: Any) -> Any:
    return found.initial + np.column_stack([t.predict(X) for t in found.trees])


def test_trees_in_raw_units_predict_the_scores(rng: np.random.Generator) -> None:
    X, signal = table(rng, 2000, 40, 0.1)
    y = targets(Logistic(), signal, rng)
    train, held = np.arange(1500), np.arange(1500, 2000)
    bins = Bins.fit(X[train], np.array([0, 0, 0, 40]))
    X[train[X[train, 3] == 39.0], 3] = 38.0
    X[held[::7], 3] = 39.0  # a category that training has not
    watched = Validation(bins.transform(X[held]), y[held])
    found = boost(
        bins.transform(X[train]), y[train], None, Logistic(), rounds=20, validation=watched, subsample=0.7
    )
    np.testing.assert_allclose(predicted(found, X[train]), found.scores, rtol=1e-12, atol=1e-12)
    loss = Logistic().value(y[held], predicted(found, X[held])[:, 0]).mean()
    assert found.validation_loss is not None
    assert found.validation_loss[-1] == pytest.approx(loss, rel=1e-12)
    assert found.train_loss[-1] == pytest.approx(
        Logistic().value(y[train], found.scores[:, 0]).mean(), rel=1e-12
    )


def same_trees(a: Trees, b: Trees) -> bool:
    names = (
        "feature",
        "threshold",
        "left",
        "missing_left",
        "category_words",
        "value",
        "gain",
        "weight",
        "count",
    )
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in names)


# From 131,072 rows on several threads part the rows of a node, too: all of them, or those drawn.
@pytest.mark.parametrize(("n", "subsample"), [(60_000, 0.9), (150_000, 1.0), (160_000, 0.95)])
def test_same_bits_for_any_number_of_threads(n: int, subsample: float, rng: np.random.Generator) -> None:
    X, signal = table(rng, n, 30, 0.05)
    binned, y = binned_of(X, 30), targets(Logistic(), signal, rng)
    w = rng.exponential(size=len(y))
    runs = []
    for threads in (1, 2, 3):
        with at_most(threads):
            runs.append(boost(binned, y, w, Logistic(), rounds=3, subsample=subsample))
    for other in runs[1:]:
        assert same_trees(runs[0].trees[0], other.trees[0])
        assert other.scores.tobytes() == runs[0].scores.tobytes()
        assert other.train_loss.tobytes() == runs[0].train_loss.tobytes()


def test_trees_of_several_outputs_grow_side_by_side_with_the_bits_of_one_after_the_other(
    rng: np.random.Generator,
) -> None:
    X, signal = table(rng, 15_000, 0, 0.05)
    scores = np.nan_to_num(np.column_stack([signal, X[:, :2], np.ones(len(X))]))
    y = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1).astype(float)
    w = rng.exponential(size=len(y))
    learn, watch = (Bins.fit(X, weight=w).transform(X[rows]) for rows in (slice(1000, None), slice(1000)))
    runs = []
    for threads in (1, 2, 3, 6):  # more threads than outputs grow the trees one after the other
        with at_most(threads):
            watched = Validation(watch, y[:1000], w[:1000])
            runs.append(
                boost(
                    learn, y[1000:], w[1000:], Softmax(), rounds=3, subsample=0.8,
                    growth=Growth(tree_features=3), validation=watched,
                )
            )  # fmt: skip
    for other in runs[1:]:
        assert all(same_trees(*pair) for pair in zip(runs[0].trees, other.trees, strict=True))
        assert other.scores.tobytes() == runs[0].scores.tobytes()
        assert np.array_equal(other.validation_loss, runs[0].validation_loss)
    start = np.broadcast_to(runs[0].initial, (len(learn.rows), 4))
    again = start + np.column_stack([trees.predict(X[1000:])[:, 0] for trees in runs[0].trees])
    np.testing.assert_allclose(again, runs[0].scores, rtol=1e-12, atol=1e-12)


class PlainPoisson(Poisson):
    """Not in the list of compiled losses: the same formulas by NumPy."""


class PlainLogistic(Logistic):
    """Not in the list of compiled losses, too: the logistic formulas by NumPy."""


@pytest.mark.parametrize(("loss", "plain"), [(Poisson(), PlainPoisson()), (Logistic(), PlainLogistic())])
def test_compiled_and_plain_derivatives_agree(loss: Loss, plain: Loss, rng: np.random.Generator) -> None:
    X, signal = table(rng, 500)
    y, w = targets(loss, signal, rng), rng.integers(0, 3, 500).astype(float)
    a, b = (boost(binned_of(X), y, w, kind, rounds=10) for kind in (loss, plain))
    np.testing.assert_allclose(a.train_loss, b.train_loss, rtol=1e-10)
    np.testing.assert_allclose(a.scores, b.scores, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "loss",
    [
        HalfSquared(),
        Logistic(),
        Exponential(),
        Poisson(),
        Gamma(),
        Tweedie(1.5),
        Softmax(),
        Absolute(),
        Quantile(0.8),
        Huber(0.5),
    ],
    ids=lambda loss: loss.name,
)
def test_the_training_loss_falls_in_every_round(loss: Loss, rng: np.random.Generator) -> None:
    X, signal = table(rng, 600, 3, 0.05)
    found = boost(binned_of(X, 3), targets(loss, signal, rng), None, loss, rounds=25)
    assert (np.diff(found.train_loss) < 0.0).all()
    assert found.train_loss[-1] < 0.95 * found.train_loss[0]


def test_leaves_of_the_absolute_loss_hold_medians(rng: np.random.Generator) -> None:
    X, signal = table(rng, 400)
    y = targets(Absolute(), signal, rng)
    for loss, q in ((Absolute(), 0.5), (Quantile(0.9), 0.9)):
        found = boost(binned_of(X), y, None, loss, rounds=1, learning_rate=1.0)
        leaf = found.trees[0].apply(X)[:, 0]
        assert len(np.unique(leaf)) > 5
        for v in np.unique(leaf):
            residual = np.sort(y[leaf == v] - found.initial[0])
            assert found.trees[0].value[v, 0] == residual[int(np.ceil(q * len(residual))) - 1]


def test_leaves_of_softmax_hold_friedmans_step(rng: np.random.Generator) -> None:
    X, signal = table(rng, 500)
    y = targets(Softmax(), signal, rng)
    found = boost(binned_of(X), y, None, Softmax(), rounds=1, learning_rate=0.5)
    share = np.bincount(y.astype(int)) / 500
    for c, tree in enumerate(found.trees):
        leaf = tree.apply(X)[:, 0]
        for v in np.unique(leaf):
            r = (y[leaf == v] == c) - share[c]
            step = 0.5 * 2 / 3 * r.sum() / (np.abs(r) * (1 - np.abs(r))).sum()
            assert tree.value[v, 0] == pytest.approx(step, rel=1e-10)


def test_offsets_are_part_of_the_score(rng: np.random.Generator) -> None:
    X, signal = table(rng, 500)
    exposure = rng.uniform(0.5, 3.0, 500)
    y = rng.poisson(exposure * np.exp(0.4 * signal)).astype(float)
    found = boost(
        binned_of(X),
        np.column_stack([y, np.log(exposure)]),
        None,
        Offset(Poisson()),
        rounds=1,
        learning_rate=1.0,
    )
    leaf = found.trees[0].apply(X)[:, 0]
    for v in np.unique(leaf):  # one Newton step from the common rate
        mean = exposure[leaf == v] * np.exp(found.initial[0])
        assert found.trees[0].value[v, 0] == pytest.approx(
            (y[leaf == v] - mean).sum() / mean.sum(), rel=1e-10
        )


def test_whole_weights_are_repetition_and_weight_0_is_absence(rng: np.random.Generator) -> None:
    X, signal = table(rng, 400, 4, 0.1)
    y, w = targets(Logistic(), signal, rng), rng.integers(0, 4, 400)
    growth = Growth(min_rows_leaf=1)
    bins = Bins.fit(X, np.array([0, 0, 0, 4]), weight=w.astype(float))
    weighted = boost(bins.transform(X), y, w.astype(float), Logistic(), rounds=10, growth=growth)
    X2, y2 = X.repeat(w, axis=0), y.repeat(w)
    repeated = boost(bins.transform(X2), y2, None, Logistic(), rounds=10, growth=growth)
    np.testing.assert_array_equal(weighted.trees[0].feature, repeated.trees[0].feature)
    np.testing.assert_array_equal(weighted.trees[0].threshold, repeated.trees[0].threshold)
    np.testing.assert_allclose(weighted.trees[0].value, repeated.trees[0].value, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(weighted.train_loss, repeated.train_loss, rtol=1e-12)
    present = boost(bins.transform(X[w > 0]), y[w > 0], w[w > 0] * 1.0, Logistic(), rounds=10, growth=growth)
    assert same_trees(present.trees[0], weighted.trees[0])


@pytest.mark.parametrize(
    "loss", [HalfSquared(), Logistic(), Absolute(), Quantile(0.95)], ids=lambda loss: loss.name
)
def test_monotonic_constraints_hold(loss: Loss, rng: np.random.Generator) -> None:
    X, signal = table(rng, 1500, missing=0.1)
    y = targets(loss, signal, rng)
    signs = (1, -1, 0, 0)
    free, bound = (boost(binned_of(X), y, None, loss, growth=Growth(monotonic=m)) for m in (None, signs))
    grid = np.repeat(X[:50], 41, axis=0)
    broken = 0
    for j in (0, 1):
        moved = grid.copy()
        moved[:, j] = np.tile(np.linspace(-3, 3, 41), 50)
        for found in (free, bound):
            steps = signs[j] * np.diff(predicted(found, moved).reshape(50, 41), axis=1)
            if found is bound:
                assert (steps >= 0.0).all()
            else:
                broken += int((steps < -1e-6).sum())
    assert broken > 100
    assert bound.train_loss[-1] < 0.99 * bound.train_loss[0]


def paths(tree: Trees) -> list[set[int]]:
    """The columns asked on the way to each leaf."""
    inside: list[set[int]] = [set() for _ in tree.feature]
    for v, j in enumerate(tree.feature):
        if j >= 0:
            for child in (tree.left[v], tree.left[v] + 1):
                inside[child] = inside[v] | {int(j)}
    return [inside[v] for v, j in enumerate(tree.feature) if j < 0]


def test_interaction_constraints_hold(rng: np.random.Generator) -> None:
    X, signal = table(rng, 1500)
    y = signal * (1 + X[:, 3])
    sets = [[0, 1], [3, 1, 2]]
    found = boost(binned_of(X), y, None, HalfSquared(), growth=Growth(interactions=sets))
    free = boost(binned_of(X), y, None, HalfSquared())
    allowed = [path for tree in found.trees[0] for path in paths(tree)]
    assert all(any(path <= set(group) for group in sets) for path in allowed)
    assert {1, 2, 3} in allowed  # overlapping sets may still be used up
    assert any({0, 3} <= path for tree in free.trees[0] for path in paths(tree))


def test_columns_are_drawn_for_trees_and_for_nodes(rng: np.random.Generator) -> None:
    X, signal = table(rng, 800)
    y = signal + 0.1 * rng.standard_normal(800)
    by_tree = boost(binned_of(X), y, None, HalfSquared(), rounds=30, growth=Growth(tree_features=2)).trees[0]
    used = [frozenset(t.feature[t.feature >= 0].tolist()) for t in by_tree]
    assert max(map(len, used)) == 2
    assert len(set(used)) >= 5
    by_node = boost(binned_of(X), y, None, HalfSquared(), rounds=30, growth=Growth(max_features=1)).trees[0]
    roots = by_node.feature[by_node.start[:-1]]
    assert set(roots.tolist()) == {0, 1, 2, 3}


def test_going_on_equals_one_longer_run(rng: np.random.Generator) -> None:
    X, signal = table(rng, 500, missing=0.1)
    binned, y = binned_of(X), targets(Logistic(), signal, rng)
    how: dict[str, Any] = {"subsample": 0.6, "growth": Growth(tree_features=3, max_features=2), "seed": 5}
    whole = boost(binned, y, None, Logistic(), rounds=6, **how)
    first = boost(binned, y, None, Logistic(), rounds=4, **how)
    rest = boost(binned, y, None, Logistic(), rounds=2, first_round=4, scores=first.scores, **how)
    assert same_trees(whole.trees[0], Trees.concatenate([first.trees[0], rest.trees[0]]))
    assert same_trees(whole.trees[0][2:5], Trees.concatenate([whole.trees[0][t] for t in (2, 3, 4)]))
    assert whole.scores.tobytes() == rest.scores.tobytes()
    other = boost(binned, y, None, Logistic(), rounds=6, **(how | {"seed": 6}))
    assert not same_trees(whole.trees[0], other.trees[0])


def test_a_callback_sees_each_round_and_stops(rng: np.random.Generator) -> None:
    X, signal = table(rng, 300)
    binned, y = binned_of(X), targets(HalfSquared(), signal, rng)
    seen: list[tuple[int, float]] = []

    def watch(state: Round) -> bool:
        assert state.validation_losses is not None
        assert state.validation_scores is not None
        np.testing.assert_array_equal(state.validation_scores, state.scores)
        seen.append((state.number, float(state.validation_losses.mean())))
        return state.number == 3

    found = boost(binned, y, None, HalfSquared(), validation=Validation(binned, y), on_round=watch)
    assert [number for number, _ in seen] == [1, 2, 3]
    assert len(found.trees[0]) == 3
    np.testing.assert_allclose([loss for _, loss in seen], found.train_loss[1:], rtol=1e-12)
    assert found.validation_loss is not None
    assert len(found.validation_loss) == 4


def test_growth_without_a_limit_ends_with_the_rows(rng: np.random.Generator) -> None:
    X, signal = table(rng, 700, 9)
    y = targets(HalfSquared(), signal, rng)
    trees = [
        boost(
            binned_of(X, 9), y, None, HalfSquared(), rounds=1, growth=Growth(max_leaves=most, min_rows_leaf=7)
        )
        for most in (None, 10_000)
    ]
    np.testing.assert_array_equal(
        trees[0].scores, trees[1].scores
    )  # depth-first and best-first: the same leaves
    assert trees[0].trees[0].n_leaves[0] > 50
    leaves = trees[0].trees[0]
    assert leaves.count[leaves.feature < 0].min() >= 7


@pytest.mark.slow
def test_histograms_beyond_the_budget_are_summed_again(rng: np.random.Generator) -> None:
    X = rng.standard_normal((3000, 2000))  # 8 MB a histogram, of which 64 fit
    y = X[:, :20].sum(axis=1) + np.abs(X[:, 20:40]).sum(axis=1)
    best, deep = (
        boost(
            Bins.fit(X).transform(X),
            y,
            None,
            HalfSquared(),
            rounds=1,
            growth=Growth(max_leaves=m, min_rows_leaf=12),
        )
        for m in (100_000, None)
    )
    assert best.trees[0].n_leaves[0] > 140
    np.testing.assert_array_equal(best.scores, deep.scores)


def test_a_constant_target_and_constant_columns_give_leaves_alone() -> None:
    X = np.ones((60, 2))
    found = boost(Bins.fit(X).transform(X), np.arange(60.0), None, HalfSquared(), rounds=2)
    assert found.trees[0].n_leaves.tolist() == [1, 1]
    X = np.arange(60.0)[:, None]
    found = boost(Bins.fit(X).transform(X), np.full(60, 3.0), None, HalfSquared(), rounds=2)
    assert found.trees[0].n_leaves.tolist() == [1, 1]
    np.testing.assert_array_equal(found.scores, 3.0)


def test_what_cannot_be_boosted_is_said() -> None:
    binned = Bins.fit(X := np.arange(40.0)[:, None]).transform(X)
    y = np.ones(40)
    with pytest.raises(ValueError, match="one class alone"):
        boost(binned, y, None, Logistic())
    with pytest.raises(ValueError, match="y and weight must have one entry for each of the 40 rows"):
        boost(binned, y[:3], None, HalfSquared())
    with pytest.raises(ValueError, match="no row has a positive weight"):
        boost(binned, y, np.zeros(40), HalfSquared())
    with pytest.raises(ValueError, match=r"subsample must lie in \(0, 1\], got 0.0"):
        boost(binned, y, None, HalfSquared(), subsample=0.0)
    with pytest.raises(ValueError, match="learning_rate must be a finite number > 0, got nan"):
        boost(binned, y, None, HalfSquared(), learning_rate=float("nan"))
    with pytest.raises(ValueError, match="monotonic must hold -1, 0 or 1 for each of the 1 columns"):
        boost(binned, y, None, HalfSquared(), growth=Growth(monotonic=[1, 1]))
    with pytest.raises(ValueError, match=r"interactions must hold column numbers 0 .. 0, got \[1\]"):
        boost(binned, y, None, HalfSquared(), growth=Growth(interactions=[[1]]))
    with pytest.raises(ValueError, match="the loss 'poisson' overflows at the scores to begin with"):
        boost(binned, y, None, Poisson(), scores=np.full(40, 1e3))


@pytest.mark.full  # many rounds of both
def test_the_test_loss_is_that_of_scikit_learn() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    differences = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, signal = table(rng, 3000, missing=0.05)
        y = targets(Logistic(), signal, rng)
        found = boost(binned_of(X[:1500]), y[:1500], None, Logistic(), rounds=40)
        peer = ensemble.HistGradientBoostingClassifier(max_iter=40, early_stopping=False).fit(
            X[:1500], y[:1500]
        )
        ours = Logistic().value(y[1500:], predicted(found, X[1500:])[:, 0]).mean()
        theirs = Logistic().value(y[1500:], peer.decision_function(X[1500:])).mean()
        differences.append(ours - theirs)
    error = np.std(differences, ddof=1) / np.sqrt(8)
    assert abs(np.mean(differences)) <= max(4 * error, 1e-3)
