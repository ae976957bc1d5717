"""Agglomerative clustering: published trees, cuts, weights, refusals, memory, certificate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import cdist, pdist
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.data import memory
from empirisk.linkage import REGISTRY
from empirisk.results import Kind
from tests.conformance.clusterers import same_partition
from tests.oracles.arrests import ARRESTS, HCLUST

EACH = pytest.mark.parametrize("name", sorted(REGISTRY))


@EACH
def test_trees_of_the_arrests_are_those_of_r(name: str) -> None:
    last, total, correlation, four = HCLUST[name]
    model = er.AgglomerativeClustering(4, linkage=name).fit(ARRESTS)
    heights = model.distances_ ** (2 if name in ("centroid", "median") else 1)
    np.testing.assert_allclose(heights[-4:], last, rtol=1e-12)
    assert heights.sum() == pytest.approx(total, rel=1e-12)
    assert same_partition(model.labels_, [int(c) for c in four])
    if correlation is not None:
        assert model.cophenetic(ARRESTS) == pytest.approx(correlation, rel=1e-10)


@EACH
def test_cuts_are_those_of_scipy(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    model = er.AgglomerativeClustering(5, linkage=name).fit(X)
    Z = model.linkage_matrix_
    assert is_valid_linkage(Z)
    for height in np.quantile(model.distances_, [0.0, 0.3, 0.9, 1.0]):
        assert same_partition(model.cut(height=height), fcluster(Z, height, "distance"))
        other = er.AgglomerativeClustering(None, linkage=name, distance_threshold=height).fit(X)
        np.testing.assert_array_equal(other.labels_, model.cut(height=height))
    for k in (1, 2, 7, 80):
        labels = model.cut(k)
        assert labels.max() == k - 1
        if REGISTRY[name].reducible:
            assert same_partition(labels, fcluster(Z, k, "maxclust"))
    assert model.cophenetic(X) == pytest.approx(cophenet(linkage(pdist(X), name), pdist(X))[0], rel=1e-9)


@pytest.mark.parametrize("name", ["single", "complete", "average", "weighted"])
def test_scaled_threshold_is_a_share_of_the_largest_distance(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    model = er.AgglomerativeClustering(None, linkage=name, scaled_threshold=0.3).fit(X)
    assert model.threshold_ == pytest.approx(0.3 * pdist(X).max(), rel=1e-12)
    np.testing.assert_array_equal(model.labels_, model.cut(height=0.3 * pdist(X).max()))
    assert np.ptp(er.AgglomerativeClustering(None, linkage=name, scaled_threshold=1.0).fit(X).labels_) == 0


@EACH
def test_weights_are_copies_and_their_heights_are_the_same(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(25, 2))
    s = rng.integers(0, 4, 25)
    s[0] = 2
    one = er.AgglomerativeClustering(3, linkage=name).fit(X, sample_weight=s)
    many = er.AgglomerativeClustering(3, linkage=name).fit(np.repeat(X, s, axis=0))
    above = many.distances_[many.distances_ > 1e-6]
    np.testing.assert_allclose(one.distances_, above, rtol=1e-7)
    assert same_partition(one.labels_[s > 0], many.labels_[np.cumsum(s)[s > 0] - 1])
    assert set(one.labels_[s == 0]) == {-1}
    assert er.verify(one, X, None, sample_weight=s).within(1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"distance_threshold": 1.0}, "n_clusters and distance_threshold are given"),
        ({"n_clusters": None}, "none is given"),
        ({"linkage": "ward", "metric": "manhattan"}, "measures from centroids"),
        ({"n_clusters": None, "scaled_threshold": 0.5}, "bounds no height of linkage='ward'"),
        ({"n_clusters": 0}, "n_clusters must be an integer >= 1"),
        ({"n_clusters": 31}, "n_clusters = 31 is more than the 30 samples"),
        ({"linkage": "wards"}, "linkage must be"),
        ({"metric": "hamming"}, "metric must be"),
        ({"n_clusters": None, "distance_threshold": -1.0}, "distance_threshold must be a finite number"),
    ],
)
def test_parameters_are_refused_in_words(
    arguments: dict[str, Any], message: str, rng: np.random.Generator
) -> None:
    with pytest.raises(ValueError, match=message):
        er.AgglomerativeClustering(**arguments).fit(rng.normal(size=(30, 2)))


def test_matrices_that_hold_no_distances_are_refused_by_entry(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    good = cdist(X, X)
    model = er.AgglomerativeClustering(2, linkage="average", metric="precomputed")
    model.fit(good)
    for i, j, value, message in (
        (3, 7, 99.0, r"X\[3, 7\] is 99 while X\[7, 3\]"),
        (4, 4, 1.0, r"X\[4, 4\] is 1"),
        (5, 6, -1.0, r"X\[5, 6\] is -1"),
        (5, 6, np.nan, "NaN"),
    ):
        bad = good.copy()
        bad[i, j] = value
        with pytest.raises(ValueError, match=message):
            model.fit(bad)
    with pytest.raises(ValueError, match="30 x 29"):
        model.fit(good[:, :29])
    X[2] = 0.0
    with pytest.raises(ValueError, match="row 2 of X has no direction"):
        er.AgglomerativeClustering(2, linkage="average", metric="cosine").fit(X)


@pytest.mark.parametrize("name", ["complete", "average", "weighted"])
def test_memory_is_forecast_before_the_matrix_is_made(
    name: str, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(600, 2))
    model = er.AgglomerativeClustering(2, linkage=name)
    for free in (1e-4, 2e-4):  # GB; less than the least, and less than this matrix
        monkeypatch.setattr(memory, "available_memory", lambda free=free: free)
        with pytest.raises(MemoryError, match=r"needs about .* GB and .* are free: take fewer rows, or Eucl"):
            model.fit(X)
        assert not hasattr(model, "labels_")
        er.AgglomerativeClustering(2, linkage="ward").fit(X)


@EACH
def test_threads_change_no_bit(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(1500, 8))
    with threadpool_limits(1):
        one = er.AgglomerativeClustering(4, linkage=name).fit(X)
    other = er.AgglomerativeClustering(4, linkage=name).fit(X)
    np.testing.assert_array_equal(one.linkage_matrix_, other.linkage_matrix_)


@EACH
@pytest.mark.parametrize("n", [60, 700])
def test_wrong_heights_and_wrong_merges_are_not_confirmed(
    name: str, n: int, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(n, 3))
    model = er.AgglomerativeClustering(3, linkage=name).fit(X)
    assert er.verify(model, X, None).within(1e-9)
    kept = model.linkage_matrix_.copy()
    model.linkage_matrix_[-1, 2] *= 1.01
    assert er.verify(model, X, None).kind is Kind.NONE
    model.linkage_matrix_ = kept
    if n == 60:  # a leaf of the first merge changes places with one of another: no closest pair
        row = model.linkage_matrix_
        k = next(k for k in range(1, n) if row[k, 1] < n)
        row[0, 0], row[k, 1] = row[k, 1], row[0, 0]
        assert er.verify(model, X, None).kind is Kind.NONE


def test_float32_rows_have_the_tree_of_their_numbers(rng: np.random.Generator) -> None:
    X = rng.normal(size=(90, 4)).astype(np.float32)
    one = er.AgglomerativeClustering(3, linkage="average").fit(X)
    other = er.AgglomerativeClustering(3, linkage="average").fit(X.astype(np.float64))
    np.testing.assert_array_equal(one.linkage_matrix_, other.linkage_matrix_)


def test_dendrograms_show_the_top_of_large_trees(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 2))
    model = er.AgglomerativeClustering(3).fit(X)
    view = model.dendrogram(X, max_leaves=12).view
    assert (len(view["links"]), len(view["leaves"])) == (11, 12)
    assert sum(leaf["rows"] for leaf in view["leaves"]) == 200
    assert model.distances_[-3] < view["cut"] < model.distances_[-2]
    np.testing.assert_allclose([link[4] for link in view["links"]], model.distances_[-11:])
    named = er.AgglomerativeClustering(3).fit(X[:5]).dendrogram(labels=list("abcde")).view
    assert sorted(leaf["name"] for leaf in named["leaves"]) == list("abcde")
