"""Linkages against their definitions, and what each object claims of itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage, linkage
from scipy.spatial.distance import cdist, pdist, squareform
from threadpoolctl import threadpool_limits

from empirisk import _loops
from empirisk.linkage import REGISTRY, MergeTree
from empirisk.linkage.merging import merge as merge_and_count
from tests.oracles.greedy import DEFINITIONS, excess, greedy

EACH = pytest.mark.parametrize("name", sorted(REGISTRY))
NAMES: dict[str, Any] = {"euclidean": "euclidean", "manhattan": "cityblock", "cosine": "cosine"}


def merge(X: Any, link: Any, metric: str, weight: Any) -> Any:
    return merge_and_count(X, link, metric, weight)[0]


def unit(X: Any) -> Any:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@EACH
def test_the_recurrence_gives_the_definition(name: str, rng: np.random.Generator) -> None:
    """A distance to a union follows from those to its parts; the definition takes the rows themselves."""
    link = REGISTRY[name]()
    if name in ("weighted", "median"):  # defined by their recurrence
        return
    a, b, c = (rng.normal(size=(size, 3)) for size in (2, 3, 4))
    power = 2 if link.squared else 1
    D = DEFINITIONS[name]
    ac, bc, ab = D(a, c) ** power, D(b, c) ** power, D(a, b) ** power
    f = [float(np.squeeze(v)) for v in link.coefficients(2.0, 3.0, np.array([4.0]))]
    joined = f[0] * ac + f[1] * bc + f[2] * ab + f[3] * abs(ac - bc)
    assert joined == pytest.approx(D(np.vstack([a, b]), c) ** power, rel=1e-12)


@EACH
def test_reducible_linkages_have_no_inversion(name: str, rng: np.random.Generator) -> None:
    """An equilateral triangle, a little flat, is the known inversion of centroids."""
    link = REGISTRY[name]()
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    tree = MergeTree(merge(X, link, "euclidean", np.ones(3)))
    assert (tree.inversions == 0) is link.reducible


@EACH
@pytest.mark.parametrize("metric", [*NAMES, "precomputed"])
@pytest.mark.parametrize("n", [2, 3, 17, 150])
def test_trees_are_those_of_scipy(name: str, metric: str, n: int, rng: np.random.Generator) -> None:
    link = REGISTRY[name]()
    if link.centroids and metric in ("manhattan", "cosine"):
        return
    X = rng.normal(size=(n, 4))
    d = pdist(X, metric=NAMES.get(metric, "euclidean"))
    given = squareform(d) if metric == "precomputed" else unit(X) if metric == "cosine" else X
    Z, want = merge(given, link, metric, np.ones(n)), linkage(d, name)
    assert is_valid_linkage(Z)
    np.testing.assert_array_equal(Z[:, [0, 1, 3]], want[:, [0, 1, 3]])
    np.testing.assert_allclose(Z[:, 2], want[:, 2], rtol=1e-9)


@EACH
@pytest.mark.parametrize("given", [False, True])
def test_chains_of_growing_gaps_are_merged_one_by_one(name: str, given: bool) -> None:
    """In these rows one pair alone is mutually nearest at a time, so that rounds give way to the chain."""
    X = np.cumsum(1.02 ** np.arange(300.0))[:, None]
    d = pdist(X)
    Z = merge(
        squareform(d) if given else X, REGISTRY[name](), "precomputed" if given else "euclidean", np.ones(300)
    )
    want = linkage(d, name)
    np.testing.assert_array_equal(Z[:, :2], want[:, :2])
    np.testing.assert_allclose(Z[:, 2], want[:, 2], rtol=1e-9)


@pytest.mark.parametrize("name", ["single", "complete", "average", "weighted"])
@pytest.mark.parametrize("given", [False, True])
def test_ties_are_broken_by_the_smallest_numbers(name: str, given: bool, rng: np.random.Generator) -> None:
    """Distances of small integers tie all the time, and their sums and halves are exact."""
    for trial in range(25):
        X = rng.integers(0, 4, size=(3 + trial % 8, 1 + trial % 2)).astype(float)
        D = cdist(X, X, "cityblock")
        one = np.ones(len(X))
        link = REGISTRY[name]()
        Z = merge(D, link, "precomputed", one) if given else merge(X, link, "manhattan", one)
        want = greedy(X, name, "cityblock")
        np.testing.assert_allclose(Z[:, 2], want[:, 2], atol=1e-9, err_msg=f"{X.tolist()}")
        np.testing.assert_array_equal(Z[:, :2], want[:, :2], err_msg=f"{X.tolist()}")


@EACH
@pytest.mark.parametrize("given", [False, True])
def test_every_merge_of_tied_rows_joins_a_closest_pair(
    name: str, given: bool, rng: np.random.Generator
) -> None:
    """Roots and means round, so that ties of the definition need not tie in the computed numbers."""
    for trial in range(20):
        X = rng.integers(0, 4, size=(3 + trial % 9, 1 + trial % 2)).astype(float)
        metric = "precomputed" if given else "euclidean"
        Z = merge(cdist(X, X) if given else X, REGISTRY[name](), metric, np.ones(len(X)))
        assert excess(X, name, Z) < 1e-7  # centroids that meet have a root of rounding between them


@EACH
def test_identical_rows_merge_at_zero(name: str) -> None:
    Z = merge(np.ones((40, 2)), REGISTRY[name](), "euclidean", np.ones(40))
    assert is_valid_linkage(Z)
    np.testing.assert_array_equal(Z[:, 2], 0.0)


def test_heights_of_ward_are_the_rise_of_inertia(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 3))
    tree = MergeTree(merge(X, REGISTRY["ward"](), "euclidean", np.ones(30)))

    def inertia(rows: Any) -> float:
        return float(np.sum((X[rows] - X[rows].mean(axis=0)) ** 2))

    for k, (left, right, height, _) in enumerate(tree.matrix):
        one, other = tree.members(int(left)), tree.members(int(right))
        rise = inertia(tree.members(30 + k)) - inertia(one) - inertia(other)
        assert height**2 / 2.0 == pytest.approx(rise, rel=1e-9)


@pytest.mark.parametrize("name", ["single", "ward"])
def test_boxes_find_what_comparing_all_finds(name: str, rng: np.random.Generator) -> None:
    """The two searches have the same bits, ties and weights included."""
    for trial in range(40):
        n, p = int(rng.integers(2, 300)), int(rng.integers(1, 6))
        X = rng.normal(size=(n, p)) if trial % 2 else rng.integers(0, 4, size=(n, p)).astype(float)
        weight = rng.uniform(0.5, 3.0, n)
        metric = "manhattan" if name == "single" and trial % 3 == 0 else "euclidean"
        merges = []
        for boxes in (0, 1):
            linker = _loops.Linker(X, name, metric, weight, boxes)
            while linker.step(10**4):
                pass
            found = np.stack([np.sort(linker.result()[:2], axis=0)[0], *linker.result()[1:]])
            found[1] = np.max(linker.result()[:2], axis=0)
            merges.append(found[:, np.lexsort(found)])
        np.testing.assert_array_equal(*merges)


@pytest.mark.parametrize("n", [700, 3000])
def test_boxes_give_the_same_merges_for_any_number_of_threads(n: int, rng: np.random.Generator) -> None:
    """Normal rows beside a lattice with repeated rows and many equal distances, in clouds far apart."""
    X = np.concatenate([rng.normal(size=(n // 2, 2)), rng.integers(0, 20, size=(n - n // 2, 2)) + 90.0])
    merges = []
    for boxes, threads in ((0, 1), (1, 1), (1, 2), (1, 5)):
        with threadpool_limits(threads, user_api="openmp"):
            linker = _loops.Linker(X, "single", "euclidean", np.ones(n), boxes)
            while linker.step(10**9):
                pass
        first, second, length = linker.result()
        ends = np.sort([first, second], axis=0)
        merges.append(np.stack([length, *ends])[:, np.lexsort((ends[1], ends[0], length))])
    for other in merges[1:]:
        np.testing.assert_array_equal(other, merges[0])


def test_cuts_are_the_merges_that_are_kept(rng: np.random.Generator) -> None:
    """Any merges may be kept: a merge without what it joins leaves the leaves of that apart."""
    matrix = merge(rng.normal(size=(40, 3)), REGISTRY["average"](), "euclidean", np.ones(40))
    for share in (0.0, 0.3, 0.7, 1.0):
        kept = rng.random(39) < share
        together = [{i} for i in range(40)]
        for k in np.flatnonzero(kept):
            tops = {int(c) for c in matrix[k, :2]}
            whole = {int(k) + 40}.union(*(group for group in together if group & tops), tops)
            together = [group for group in together if not group & whole] + [whole]
        labels = _loops.cut_tree(matrix, kept)
        for i in range(40):
            mine = next(group for group in together if i in group)
            assert {j for j in range(40) if labels[j] == labels[i]} == {j for j in mine if j < 40}
        _, first = np.unique(labels, return_index=True)
        assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("wrong", [-1.0, 3.0, np.nan])
def test_a_matrix_that_is_no_tree_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="two of the numbers below n"):
        _loops.cut_tree(np.array([[0.0, wrong, 1.0, 2.0], [2.0, 3.0, 2.0, 3.0]]), np.ones(2, dtype=bool))
