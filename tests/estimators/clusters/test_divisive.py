"""Divisive clustering: DIANA against its definition and published numbers, bisections against k-means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.spatial.distance import cdist

import empirisk as er
from empirisk.linkage import MergeTree, plain_greedy
from empirisk.linkage.diana import diana, divisive_coefficient
from empirisk.results import Kind
from tests.conformance.clusterers import same_partition


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_distances_are_made_in_pieces_between_which_an_interrupt_is_heard(
    metric: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(70, 3))
    whole = plain_greedy.all_distances(X, metric)
    seen: list[int] = []

    def recorded(A: Any, B: Any, name: str) -> Any:
        seen.append(len(A) * len(B) * A.shape[1])
        return cdist(A, B, name)

    monkeypatch.setattr(plain_greedy, "cdist", recorded)
    monkeypatch.setattr(plain_greedy, "CALL", 1000)
    np.testing.assert_array_equal(plain_greedy.all_distances(X, metric), whole)
    assert max(seen) <= 1000
    assert sum(seen) == 70 * 70 * 3
    er.DivisiveClustering(2, method="diana", metric=metric).fit(X)
    assert max(seen) <= 1000


# Gross national product per head and percentage in agriculture of twelve countries of the European Union in
# 1993: facts that Eurostat published in 1994. R prints the divisive coefficient for them in the examples of
# its package cluster.
AGRICULTURE = np.array(
    [
        (16.8, 2.7),
        (21.3, 5.7),
        (18.7, 3.5),
        (5.9, 22.2),
        (11.4, 10.9),
        (17.8, 6.0),
        (10.9, 14.0),
        (16.6, 8.5),
        (21.0, 3.5),
        (16.4, 4.3),
        (7.8, 17.4),
        (14.0, 2.3),
    ]
)


def splits(D: Any) -> list[tuple[list[int], float]]:
    """Return the parts that leave, and the diameters, by the definition: means over lists of rows."""
    out, todo = [], [list(range(len(D)))]
    while todo:
        diameter, cluster = max(((D[np.ix_(c, c)].max(), c) for c in todo), key=lambda s: (s[0], -s[1][0]))
        todo.remove(cluster)
        stay: list[int] = list(cluster)
        first = max(stay, key=lambda i: (round(np.mean([D[i, j] for j in stay if j != i]), 10), -i))
        gone = [first]
        stay.remove(first)
        while len(stay) > 1:
            gain = {
                i: np.mean([D[i, j] for j in stay if j != i]) - np.mean([D[i, j] for j in gone]) for i in stay
            }
            best = max(stay, key=lambda i: (round(gain[i], 10), -i))
            if gain[best] <= 1e-10:
                break
            gone.append(best)
            stay.remove(best)
        out.append((sorted(gone), float(diameter)))
        todo += [part for part in (sorted(gone), sorted(stay)) if len(part) > 1]
    return out


@pytest.mark.parametrize("n", [2, 3, 8, 25])
def test_diana_is_its_definition(n: int, rng: np.random.Generator) -> None:
    for X in (rng.normal(size=(n, 2)), rng.integers(0, 4, size=(n, 2)).astype(float)):
        D = cdist(X, X, "cityblock")
        Z = diana(D)
        tree = MergeTree(Z)
        assert is_valid_linkage(Z)
        for (gone, diameter), (left, right, height, _) in zip(splits(D), Z[::-1], strict=True):
            assert height == pytest.approx(diameter)
            assert gone in [tree.members(int(node)).tolist() for node in (left, right)]


def test_diana_finds_the_published_coefficient() -> None:
    model = er.DivisiveClustering(2, method="diana").fit(AGRICULTURE)
    assert model.divisive_coefficient_ == pytest.approx(0.8711062, abs=5e-8)


def test_the_coefficient_of_five_objects_by_hand() -> None:
    """Splits at 10 ({a, b} from {c, d, e}), 5, 3 and 2: the means of .8, .8, .5, .7 and .7."""
    D = np.zeros((5, 5))
    D[np.triu_indices(5, 1)] = [2, 6, 10, 9, 5, 9, 8, 4, 5, 3]
    Z = diana(D + D.T)
    np.testing.assert_array_equal(Z[:, 2], [2, 3, 5, 10])
    assert divisive_coefficient(Z) == pytest.approx(0.7)
    labels = er.DivisiveClustering(3, method="diana", metric="precomputed").fit(D + D.T).labels_
    np.testing.assert_array_equal(labels, [0, 0, 1, 2, 2])


def test_the_widest_cluster_is_bisected_by_k_means(rng: np.random.Generator) -> None:
    X = np.vstack([rng.normal(size=(40, 2)) + at for at in ([0, 0], [30, 0], [34, 0])])
    weight = rng.integers(0, 3, 120).astype(float)
    weight[::40] = 1.0
    model = er.DivisiveClustering(3).fit(X, sample_weight=weight)
    seen = weight > 0
    assert same_partition(model.labels_[seen], np.repeat([0, 1, 2], 40)[seen])
    two = er.DivisiveClustering(2).fit(X, sample_weight=weight)
    assert same_partition(two.labels_[seen], np.repeat([0, 1, 1], 40)[seen])
    within = 0.0
    for c in range(3):
        rows = model.labels_ == c
        mean = np.average(X[rows], axis=0, weights=weight[rows])
        np.testing.assert_allclose(model.cluster_centers_[c], mean, rtol=1e-12)
        within += float(weight[rows] @ np.sum((X[rows] - mean) ** 2, axis=1))
    assert model.inertia_ == pytest.approx(within, rel=1e-12)
    assert is_valid_linkage(model.linkage_matrix_)
    mean = np.average(X, axis=0, weights=weight)
    assert model.linkage_matrix_[-1, 2] == pytest.approx(weight @ np.sum((X - mean) ** 2, axis=1))


def test_labels_that_were_changed_are_not_confirmed(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    for method in ("diana", "bisecting_kmeans"):
        model = er.DivisiveClustering(4, method=method).fit(X)
        assert er.verify(model, X, None).within(1e-6)
        other = er.verify(model, rng.normal(size=(60, 2)), None)
        assert other.kind is Kind.NONE or not other.within(1e-2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "pddp"}, "method must be 'bisecting_kmeans' or 'diana'"),
        ({"metric": "manhattan"}, "is Euclidean, got metric='manhattan'"),
        ({"n_clusters": 0}, "n_clusters must be an integer >= 1"),
        ({"n_clusters": 11}, "n_clusters = 11 is more than the 10 samples"),
    ],
)
def test_parameters_are_refused_in_words(
    arguments: dict[str, Any], message: str, rng: np.random.Generator
) -> None:
    with pytest.raises(ValueError, match=message):
        er.DivisiveClustering(**arguments).fit(rng.normal(size=(10, 2)))


def test_weights_and_copies_are_refused_by_name(rng: np.random.Generator) -> None:
    X = rng.normal(size=(10, 2))
    model = er.DivisiveClustering(2, method="diana")
    with pytest.raises(ValueError, match="sample_weight is 1 in row 0 and 2 in row 5"):
        model.fit(X, sample_weight=[1.0] * 5 + [2.0] * 5)
    assert set(model.fit(X, sample_weight=[0.0] + [3.0] * 9).labels_[:1]) == {-1}
    with pytest.raises(ValueError, match="n_clusters = 3 is more than the 2 distinct rows"):
        er.DivisiveClustering(3).fit(np.repeat([[0.1, 0.3], [0.7, 0.2]], 5, axis=0))


def test_trees_are_drawn(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    assert len(er.DivisiveClustering(5).fit(X).dendrogram().view["leaves"]) == 5
    view = er.DivisiveClustering(5, method="diana").fit(X).dendrogram(max_leaves=10).view
    assert sum(leaf["rows"] for leaf in view["leaves"]) == 50
