"""The pruning sequence against all pruned subtrees, against scikit-learn, and against rpart's numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from empirisk.trees.criteria import REGISTRY
from empirisk.trees.prune import weakest_link
from empirisk.trees.structure import Trees
from tests.oracles.sklearn_trees import from_sklearn


def node_risk(tree: Trees, kind: str) -> Any:
    """Loss of each node's own prediction, by the criterion of this name."""
    return REGISTRY[kind]().node_loss(tree.value, tree.weight, tree.heterogeneity)


def pruned_subtrees(tree: Trees, node: int = 0) -> Iterator[tuple[int, ...]]:
    """The leaves of every subtree that keeps `node`."""
    yield (node,)
    if tree.feature[node] >= 0:
        left = int(tree.left[node])
        sides = (list(pruned_subtrees(tree, left)), list(pruned_subtrees(tree, left + 1)))
        yield from (a + b for a, b in itertools.product(*sides))


def small_tree(rng: np.random.Generator, leaves: int = 9) -> tuple[Trees, Any, Any]:
    X, y = rng.standard_normal((60, 3)), rng.integers(0, 3, 60)
    grown = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    return from_sklearn(grown), X, y


@pytest.mark.parametrize("kind", ["misclassification", "gini", "entropy"])
def test_sequence_is_the_best_of_all_subtrees(kind: str, rng: np.random.Generator) -> None:
    for _ in range(10):
        tree, _, _ = small_tree(rng)
        risk = node_risk(tree, kind)
        found = weakest_link(tree, risk)
        leaves = [np.array(s) for s in pruned_subtrees(tree)]
        cost = np.array([risk[s].sum() / tree.weight[0] for s in leaves])
        size = np.array([len(s) for s in leaves])
        between = np.sqrt(found.alpha[1:-1] * found.alpha[2:])
        for alpha in [0.0, *found.alpha, *between, 2.0 * found.alpha[-1] + 1e-3]:
            total = cost + alpha * size
            least = total <= total.min() + 1e-11
            k = found.at(alpha + 1e-13)
            assert found.risk[k] + alpha * found.n_leaves[k] == pytest.approx(total.min(), abs=1e-11)
            assert found.n_leaves[k] == size[least].min()
            best = leaves[int(np.flatnonzero(least)[size[least].argmin()])]
            chosen = np.flatnonzero((found.low <= found.alpha[k]) & (found.high > found.alpha[k]))
            assert set(chosen) == set(best)


@pytest.mark.parametrize("kind", ["gini", "entropy"])
def test_scikit_learns_path(kind: str, rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((400, 5)), rng.integers(0, 3, 400)
    weight = rng.random(400)
    grown = DecisionTreeClassifier(criterion=kind, random_state=0)
    path = grown.cost_complexity_pruning_path(X, y, sample_weight=weight)
    tree = from_sklearn(grown.fit(X, y, sample_weight=weight))
    found = weakest_link(tree, node_risk(tree, kind))
    # scikit-learn counts entropy in bits.
    unit = np.log(2.0) if kind == "entropy" else 1.0
    theirs = np.unique(np.round(path.ccp_alphas * unit, 12))
    np.testing.assert_allclose(found.alpha, np.append(0.0, theirs[theirs > 1e-10]), atol=1e-10)
    np.testing.assert_allclose(found.risk[-1], path.impurities[-1] * unit, rtol=1e-10)


def test_scikit_learns_pruned_trees() -> None:
    X, y = load_diabetes(return_X_y=True)
    tree = from_sklearn(DecisionTreeRegressor(random_state=0).fit(X, y))
    found = weakest_link(tree, node_risk(tree, "squared_error"))
    for k in range(0, len(found.alpha), 37):
        upper = found.alpha[k + 1] if k + 1 < len(found.alpha) else 2.0 * found.alpha[k]
        alpha = 0.5 * (found.alpha[k] + upper)
        pruned = DecisionTreeRegressor(random_state=0, ccp_alpha=alpha).fit(X, y)
        mine = found.subtree(k)
        assert mine.n_leaves[0] == pruned.get_n_leaves() == found.n_leaves[k]
        np.testing.assert_allclose(mine.predict(X)[:, 0], pruned.predict(X), rtol=1e-12)
        assert found.risk[k] == pytest.approx(np.mean((y - pruned.predict(X)) ** 2), rel=1e-10)


def test_rpart_on_iris() -> None:
    """``rpart(Species ~ ., iris)`` prints CP .5, .44, .01 with relative errors 1, .5, .06."""
    X, y = load_iris(return_X_y=True)
    grown = DecisionTreeClassifier(min_samples_split=20, min_samples_leaf=7, max_depth=2).fit(X, y)
    tree = from_sklearn(grown)
    found = weakest_link(tree, node_risk(tree, "misclassification"))
    np.testing.assert_allclose(found.alpha[1:] / found.risk[-1], [0.44, 0.5], rtol=1e-14)
    np.testing.assert_allclose(found.risk / found.risk[-1], [0.06, 0.5, 1.0], rtol=1e-14)
    assert found.n_leaves.tolist() == [3, 2, 1]


def counts_tree(left: list[int], counts: list[list[int]]) -> Trees:
    """A tree of which only the shape and the class counts matter."""
    n, weight = len(left), np.sum(counts, axis=1).astype(float)
    return Trees(
        start=np.array([0, n]),
        feature=np.where(np.array(left) >= 0, 0, -1).astype(np.int32),
        threshold=np.zeros(n),
        left=np.array(left, dtype=np.int32),
        missing_left=np.zeros(n, dtype=bool),
        category_start=np.full(n, -1),
        category_words=np.zeros(0, dtype=np.uint32),
        value=np.array(counts) / weight[:, None],
        weight=weight,
        count=weight.astype(np.int64),
        gain=np.zeros(n),
        heterogeneity=np.zeros(n),
        n_categories=np.zeros(1, dtype=np.int64),
    )


def test_rpart_on_kyphosis() -> None:
    """The printed tree of ``rpart(Kyphosis ~ Age + Number + Start)``: its class counts and its cp column."""
    left = [1, 3, -1, -1, 5, -1, 7, -1, -1]
    counts = [[64, 17], [56, 6], [8, 11], [29, 0], [27, 6], [12, 0], [15, 6], [12, 2], [3, 4]]
    tree = counts_tree(left, counts)
    found = weakest_link(tree, node_risk(tree, "misclassification"))
    assert found.n_leaves.tolist() == [5, 2, 1]
    np.testing.assert_allclose(found.alpha[1:] * 81 / 17, [0.0196078431372549, 0.176470588235294], rtol=1e-13)
    np.testing.assert_allclose(found.risk * 81 / 17, [0.764705882352941, 0.823529411764706, 1.0], rtol=1e-13)


def test_rpart_on_kyphosis_by_information() -> None:
    """Here rpart prints cp .0882 for the root, which is not the weakest link of the printed tree.

    rpart takes the lowest split (2 errors) out before it looks at the root: (17 - 14) / 2 errors a leaf.  The
    root goes first, at (17 - 12) / 3: between the two, four leaves cost less than one.
    """
    left = [1, -1, 3, -1, 5, -1, -1]
    counts = [[64, 17], [44, 2], [20, 15], [9, 1], [11, 14], [7, 5], [4, 9]]
    tree = counts_tree(left, counts)
    risk = node_risk(tree, "misclassification")
    found = weakest_link(tree, risk)
    assert found.n_leaves.tolist() == [4, 1]
    np.testing.assert_allclose(found.risk * 81 / 17, [0.705882352941176, 1.0], rtol=1e-13)
    assert found.alpha[1] * 81 == pytest.approx((17 - 12) / 3)
    alpha = 0.5 * (1.5 + 5 / 3)
    cost = {s: risk[list(s)].sum() + alpha * len(s) for s in pruned_subtrees(tree)}
    assert len(min(cost, key=lambda s: cost[s])) == 4


def test_splits_without_gain_fall_at_zero() -> None:
    # Both children of the inner node name the same class: no error is lost without them.
    tree = counts_tree([1, -1, 3, -1, -1], [[6, 6], [6, 1], [0, 5], [0, 2], [0, 3]])
    found = weakest_link(tree, node_risk(tree, "misclassification"))
    assert found.n_leaves.tolist() == [2, 1]
    assert found.subtree(0).n_leaves[0] == 2


def test_a_chain_falls_together_or_one_by_one() -> None:
    # A long chain is the worst case of a recursive search.
    n = 4001
    left = [k + 1 if k % 2 == 0 and k < n - 1 else -1 for k in range(n)]
    counts = [[(n - k) // 2 + 1, 1] for k in range(n)]
    found = weakest_link(counts_tree(left, counts), np.linspace(2000.0, 0.0, n))
    assert found.n_leaves[0] >= found.n_leaves[-1] == 1
    assert (np.diff(found.alpha) > 0.0).all()
    assert (np.diff(found.n_leaves) < 0).all()


def test_subtree_of_a_number_of_leaves(rng: np.random.Generator) -> None:
    tree, X, _ = small_tree(rng, leaves=20)
    found = weakest_link(tree, node_risk(tree, "gini"))
    for wanted in range(1, 21):
        sub = found.subtree(found.with_leaves(wanted))
        assert sub.n_leaves[0] <= wanted
        assert sub.n_leaves[0] == max(k for k in found.n_leaves if k <= wanted)
        # Each row ends in an ancestor of its leaf.
        assert np.isfinite(sub.predict(X)).all()
        np.testing.assert_allclose(
            np.bincount(sub.apply(X)[:, 0], minlength=len(sub.feature))[sub.feature < 0],
            sub.count[sub.feature < 0],
        )


def test_many_trees_are_refused(rng: np.random.Generator) -> None:
    tree, _, _ = small_tree(rng)
    with pytest.raises(ValueError, match="one tree"):
        weakest_link(Trees.concatenate([tree, tree]), np.zeros(2))
