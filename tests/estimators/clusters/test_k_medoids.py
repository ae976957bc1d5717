"""KMedoids: published and brute-force values, metrics, what its certificate says, and what it refuses."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_score

import empirisk as er
from empirisk.data import memory
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.results import Kind
from tests.oracles.ruspini import RUSPINI

METRICS = {
    "euclidean": "euclidean",
    "manhattan": "cityblock",
    "chebyshev": "chebyshev",
    "cosine": "cosine",
    "hamming": "hamming",
}


def test_partitions_of_the_ruspini_points_are_those_of_pam() -> None:
    # The silhouette of pam(ruspini, 4) in the tests of R's package cluster is 0.737657.
    model = er.KMedoids(4).fit(RUSPINI)
    assert silhouette_score(RUSPINI, model.labels_) == pytest.approx(0.737656990880661, abs=1e-12)
    assert np.bincount(model.labels_).tolist() == [20, 23, 17, 15]


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_the_best_set_of_few_rows_is_found_in_every_metric(metric: str, rng: np.random.Generator) -> None:
    X = rng.integers(1, 4, (18, 5)).astype(float) if metric == "hamming" else rng.normal(size=(18, 5))
    s = rng.exponential(size=18)
    D = cdist(X, X, METRICS[metric])
    right = min(float(s @ D[list(rows)].min(axis=0)) for rows in combinations(range(18), 3))
    for given in (X, sp.csr_array(X)):
        model = er.KMedoids(3, metric=metric).fit(given, sample_weight=s)
        assert model.inertia_ == pytest.approx(right, rel=1e-10)
        assert model.certificate_.kind is Kind.EXACT
        assert er.verify(model, given, None, sample_weight=s).kind is Kind.EXACT
        np.testing.assert_allclose(model.transform(given), D[:, model.medoid_indices_], atol=1e-7)
        np.testing.assert_array_equal(model.cluster_centers_, X[model.medoid_indices_])
        assert list(model.get_feature_names_out()) == ["kmedoids0", "kmedoids1", "kmedoids2"]
    own = er.KMedoids(3, metric="precomputed").fit(D, sample_weight=s)
    assert own.inertia_ == pytest.approx(right, rel=1e-10)
    assert not hasattr(own, "cluster_centers_")
    np.testing.assert_array_equal(own.predict(D), own.labels_)
    assert er.verify(own, D, None, sample_weight=s).kind is Kind.EXACT


def test_certificates_of_many_rows_are_about_exchanges(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 3))
    model = er.KMedoids(8, init="random", random_state=3).fit(X)
    assert model.certificate_.kind is Kind.STATIONARITY
    assert model.certificate_.within(1e-12)
    assert "no exchange of a medoid with a row lowers the sum of distances" in model.certificate_.claim
    assert f"of 10 starts reached it, the worst {model.starts_.max():.6g}" in model.certificate_.claim
    assert model.starts_.min() == pytest.approx(model.inertia_, rel=1e-12)
    assert er.verify(model, X, None) == model.certificate_
    model.medoid_indices_ = np.arange(8)
    model.cluster_centers_ = X[:8]
    model.labels_ = cdist(X, X[:8]).argmin(axis=1)
    model.inertia_ = float(cdist(X, X[:8]).min(axis=1).sum())
    assert "other medoids lower the sum of distances" in er.verify(model, X, None).claim


def test_a_start_that_is_cut_short_says_so(rng: np.random.Generator) -> None:
    X = rng.normal(size=(400, 2))
    start = np.argsort(X[:, 0])[:9]
    with pytest.warns(CertificateWarning, match="stopped after max_iter = 1 passes"):
        model = er.KMedoids(9, init=start, max_iter=1).fit(X)
    assert model.certificate_.value > 1e-6 * model.inertia_
    assert er.verify(model, X, None).value == pytest.approx(model.certificate_.value)
    assert er.KMedoids(9, init=start).fit(X).certificate_.within(1e-12)


def test_one_medoid_is_exact_and_as_many_as_rows_cost_nothing(rng: np.random.Generator) -> None:
    X = rng.normal(size=(500, 2))
    one = er.KMedoids(1).fit(X)
    assert one.certificate_.kind is Kind.EXACT
    assert one.inertia_ == pytest.approx(cdist(X, X).sum(axis=1).min())
    assert er.KMedoids(30).fit(X[:30]).inertia_ == 0.0


def test_rows_of_weight_zero_are_no_medoids_and_have_labels(rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(90, 2)), np.ones(90)
    s[:30] = 0.0
    model = er.KMedoids(4).fit(X, sample_weight=s)
    assert (model.medoid_indices_ >= 30).all()
    alone = er.KMedoids(4).fit(X[30:])
    np.testing.assert_array_equal(model.labels_[30:], alone.labels_)
    np.testing.assert_array_equal(model.medoid_indices_ - 30, alone.medoid_indices_)
    np.testing.assert_array_equal(model.labels_, model.predict(X))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "hamming"])
def test_units_change_nothing_even_far_from_one(metric: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2)).astype(np.float32)
    model = er.KMedoids(5, metric=metric, init="k-medoids++").fit(X)
    other = er.KMedoids(5, metric=metric, init="k-medoids++").fit(X * np.float32(2.0**-30))
    np.testing.assert_array_equal(model.labels_, other.labels_)
    assert model.transform(X).dtype == np.float32


@pytest.mark.parametrize("make", [
    lambda: er.KMedoids(3, metric="precomputed"),
    lambda: er.DivisiveClustering(3, method="diana", metric="precomputed"),
    lambda: er.AgglomerativeClustering(3, linkage="average", metric="precomputed"),
], ids=["medoids", "diana", "average"])  # fmt: skip
@pytest.mark.parametrize("place", [(3, 299), (299, 3), (40, 41), (290, 270), (0, 256)])
def test_one_crooked_distance_of_many_is_named_wherever_it_is(
    make: Any, place: tuple[int, int], rng: np.random.Generator
) -> None:
    """Distances are compared tile by tile: 300 rows have tiles on, above and beside the diagonal."""
    X = rng.normal(size=(300, 2))
    D = cdist(X, X)
    D[place] *= 1.0 + 1e-9  # rounding is taken
    model = make().fit(D)
    assert len(np.unique(model.labels_)) == 3
    D[place] *= 2.0
    first, second = min(place, place[::-1]), max(place, place[::-1])
    words = rf"symmetric, and X\[{first[0]}, {first[1]}\] is .* while X\[{second[0]}, {second[1]}\] is"
    with pytest.raises(ValueError, match=words):
        make().fit(D)


def test_what_cannot_be_is_refused_by_name(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X = rng.normal(size=(6, 2))
    D = cdist(X, X)
    crooked, negative = D.copy(), D.copy()
    crooked[1, 4] = 9.0
    negative[2, 3] = negative[3, 2] = -1.0
    for est, rows, words in (
        (er.KMedoids(7), X, "n_clusters = 7 is more than n_samples = 6"),
        (er.KMedoids(0), X, "n_clusters must be an integer >= 1"),
        (er.KMedoids(2, init="best"), X, "init must be 'build' or 'random' or"),
        (er.KMedoids(2, init=[0, 0]), X, "2 different row numbers"),
        (er.KMedoids(2, init=[0, 6]), X, "init names row 6"),
        (er.KMedoids(2, method="clara"), X, "method must be 'fasterpam'"),
        (er.KMedoids(2, n_init=0), X, "n_init must be an integer >= 1"),
        (er.KMedoids(2, metric="correlation"), X, "metric must be one of"),
        (er.KMedoids(2, metric="cosine"), X * [[0.0]], "row 0 of X is zero and has no direction"),
        (er.KMedoids(2, metric="precomputed"), crooked, r"X\[1, 4\] is 9 while X\[4, 1\] is"),
        (er.KMedoids(2, metric="precomputed"), negative, r"X\[2, 3\] is -1"),
        (er.KMedoids(2, metric="precomputed"), X, "the matrix of distances of the training rows"),
        (er.KMedoids(3), np.repeat(X[:2], 3, axis=0), "are at 2 different places"),
        (er.KMedoids(2), X * 1e300, "overflows: divide X by a power of ten"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            est.fit(rows)
    monkeypatch.setattr(memory, "available_memory", lambda: 1e-6)
    with pytest.raises(MemoryError, match=r"matrix of distances of 6 rows .* float32 rows"):
        er.KMedoids(2).fit(X)
