"""K-means against all partitions of few rows, published minima, scikit-learn's steps, and itself."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans as Peer
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.clustering.lloyd import Lloyd, hopeless
from empirisk.clustering.seedings import KMeansPlusPlus
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.results import Kind

# The minima of Fisher's 150 irises for K = 2..6, which du Merle, Hansen, Jaumard and Mladenovic (SIAM Journal
# on Scientific Computing 21, 1999) were the first to prove.
IRIS = {2: 152.347951760358, 3: 78.851441426146, 4: 57.228473214286, 5: 46.446182051282, 6: 39.039987246087}


def test_one_weight_beside_which_all_others_vanish_claims_nothing_of_them(rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(200, 2)), np.ones(200)
    s[3] = 1e300
    model = er.KMeans(3).fit(X, sample_weight=s)
    said = model.certificate_
    assert "one row outweighs all others" in said.claim
    assert "fixed point" not in said.claim
    assert said.at_floor
    assert "one row outweighs all others" in er.verify(model, X, None, sample_weight=s).claim


def test_squares_that_vanish_are_said_to_be_zero() -> None:
    X = np.array([[0.0, 0.0], [1e-170, 1e-170], [1.0, 1.0], [1.0, 1.0]])
    model = er.KMeans(2).fit(X)
    assert model.inertia_ == 0.0
    assert "or so near that squares vanish" in model.certificate_.claim


def partitions(n: int, k: int) -> list[tuple[int, ...]]:
    """Every way to put n rows into k groups, none empty, groups numbered by their first rows."""
    return [
        labels
        for labels in itertools.product(range(k), repeat=n)
        if list(dict.fromkeys(labels)) == list(range(k))
    ]


def inertia_of(X: np.ndarray, labels: Any, s: np.ndarray) -> float:
    """The sum of squares about the means of the groups."""
    labels = np.asarray(labels)
    total = 0.0
    for k in set(labels.tolist()):
        rows, w = X[labels == k], s[labels == k]
        total += float(w @ ((rows - np.average(rows, axis=0, weights=w)) ** 2).sum(axis=1))
    return total


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_best_of_all_partitions_of_few_rows(k: int, rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(8, 2)), rng.integers(1, 4, 8).astype(float)
    best = min(partitions(8, k), key=lambda labels: inertia_of(X, labels, s))
    model = er.KMeans(k, n_init=40, tol=0.0).fit(X, sample_weight=s)
    assert model.inertia_ == pytest.approx(inertia_of(X, best, s), rel=1e-12)
    np.testing.assert_array_equal(model.labels_, best)
    assert model.certificate_.kind is (Kind.EXACT if k == 1 else Kind.STATIONARITY)


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "farthest-first", "random"])
def test_every_start_ends_at_a_fixed_point(init: str, rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(200, 3)), rng.integers(0, 3, 200).astype(float)
    model = er.KMeans(7, init=init, n_init=2, tol=0.0).fit(X, sample_weight=s)
    square = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.labels_, square.argmin(axis=1))
    for k in range(7):
        at = model.labels_ == k
        np.testing.assert_allclose(
            model.cluster_centers_[k], np.average(X[at], axis=0, weights=s[at]), atol=1e-13
        )
    assert model.inertia_ == pytest.approx(float(s @ square.min(axis=1)), rel=1e-12)
    assert model.score(X, sample_weight=s) == pytest.approx(-model.inertia_, rel=1e-12)
    assert model.inertia_ == pytest.approx(model.objectives_.min(), rel=1e-9)


def test_published_minima_of_the_irises() -> None:
    X = load_iris().data
    for k, least in IRIS.items():
        model = er.KMeans(k, n_init=60, tol=0.0).fit(X)
        assert model.inertia_ == pytest.approx(least, rel=1e-11), k
        assert 0 < model.given_up_.sum() < 60


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_steps_of_scikit_learn_from_the_same_start(dtype: Any, rng: np.random.Generator) -> None:
    X = (rng.normal(size=(3000, 6)) + 3.0 * rng.integers(0, 2, size=(3000, 6))).astype(dtype)
    start, s = X[:20], rng.integers(1, 4, 3000).astype(float)
    ours = er.KMeans(20, init=start, tol=0.0).fit(X, sample_weight=s)
    peer = Peer(20, init=start, n_init=1, tol=0.0).fit(X, sample_weight=s)
    # Clusters are numbered otherwise; products in single precision may move a row on a border.
    pairs, count = np.unique(np.stack([ours.labels_, peer.labels_]), axis=1, return_counts=True)
    agree = sum(count[pairs[0] == k].max() for k in range(20))
    assert agree >= (3000 if dtype is np.float64 else 2990)
    assert ours.inertia_ == pytest.approx(peer.inertia_, rel=1e-10 if dtype is np.float64 else 1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_bounds_have_the_bits_of_the_plain_loop(dtype: Any, sparse: bool, rng: np.random.Generator) -> None:
    n, k = 4000, 50
    X = (rng.normal(size=(n, 7)) + 2.0 * rng.integers(0, 3, size=(n, 7))).astype(dtype)
    X[rng.random(X.shape) < 0.3] = 0.0
    rows: Any = sp.csr_array(X) if sparse else X
    start = X[:k].astype(float)
    start[-1] = 99.0  # an empty cluster, which is relocated
    runs = {name: Lloyd(rows, None, name).run(start, 0.0, 300) for name in ("lloyd", "bounds", "auto")}
    plain = runs["lloyd"]
    assert plain.n_iter > 10
    for name in ("bounds", "auto"):
        np.testing.assert_array_equal(runs[name].label, plain.label)
        np.testing.assert_array_equal(runs[name].centers, plain.centers)
        assert runs[name].path == plain.path
    assert np.all(np.diff(plain.path[1:]) <= 1e-12 * plain.path[0])


def test_ties_and_copies_have_the_same_bits_with_bounds() -> None:
    # A grid of whole numbers, on which many rows are equally near to two centres.
    X = np.array(list(itertools.product(range(12), range(12), range(6))), dtype=float)
    X = np.concatenate([X, X[::3]])
    start = X[:: len(X) // 40][:40]
    one, other = (Lloyd(X, None, name).run(start, 0.0, 300) for name in ("lloyd", "bounds"))
    np.testing.assert_array_equal(one.label, other.label)
    np.testing.assert_array_equal(one.centers, other.centers)
    model = er.KMeans(40, init=start, tol=0.0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_same_bits_for_any_number_of_threads(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30_000, 12))
    one = er.KMeans(24, n_init=1, max_iter=25, tol=1e-3).fit(X)
    with threadpool_limits(1):
        other = er.KMeans(24, n_init=1, max_iter=25, tol=1e-3).fit(X)
    np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)
    assert one.certificate_ == other.certificate_


def test_empty_clusters_take_the_farthest_rows() -> None:
    X = np.array([[0.0], [1.0], [2.0], [50.0], [50.0], [80.0]])
    # Both far centres are empty: the first takes the row at 80, the second one of those at 50.
    model = er.KMeans(3, init=[[1.0], [1e3], [2e3]], max_iter=50).fit(X)
    assert sorted(model.cluster_centers_.ravel()) == [1.0, 50.0, 80.0]
    absent = er.KMeans(2, init=[[1.0], [1e3]]).fit(X, sample_weight=[1, 1, 1, 1, 1, 0])
    assert sorted(absent.cluster_centers_.ravel()) == [1.0, 50.0]


def test_more_clusters_than_points_are_refused_with_their_number() -> None:
    X = np.repeat(np.eye(4), 5, axis=0)
    for init in ("k-means++", "random", np.arange(20.0).reshape(5, 4)):
        with pytest.raises(ValueError, match="n_clusters=5 is more than the 4 distinct rows"):
            er.KMeans(5, init=init).fit(X)
    model = er.KMeans(4).fit(X)
    assert model.inertia_ == 0.0
    assert model.certificate_.kind is Kind.EXACT
    assert er.verify(model, X, None).kind is Kind.EXACT
    one = er.KMeans(1).fit(X[:1])
    np.testing.assert_array_equal(one.cluster_centers_, X[:1])


def test_the_seeding_of_the_theorem_is_named_and_others_are_not(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    named = er.KMeans(4, init=KMeansPlusPlus(1)).fit(X)
    assert f"within {8.0 * (np.log(4) + 2.0):.4g} of the minimum in expectation" in named.certificate_.claim
    assert "expectation" not in er.KMeans(4).fit(X).certificate_.claim


def test_hopeless_starts_are_given_up_and_the_best_is_kept(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    model = er.KMeans(12, init="random", n_init=30).fit(X)
    assert model.given_up_[0] == False  # noqa: E712  the first start is always completed
    done = model.objectives_[~model.given_up_]
    assert model.inertia_ == pytest.approx(done.min(), rel=1e-9)
    assert f"{len(done)} ended between" in model.certificate_.claim
    assert f"{int(model.given_up_.sum())} given up early" in model.certificate_.claim
    assert not hopeless([3.0, 2.0, 1.9, 1.8, 1.7], [1.0, 0.0]), "never before the fifth step"


def test_an_unfinished_fit_says_so(rng: np.random.Generator) -> None:
    X = rng.normal(size=(2000, 2))
    with pytest.warns(CertificateWarning, match="ER001: k-means stopped after max_iter=2 steps"):
        short = er.KMeans(15, n_init=1, max_iter=2).fit(X)
    assert not short.certificate_.within(1e-8)
    assert short.n_iter_ == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        er.KMeans(15, n_init=1, max_iter=2, tol=1.0).fit(X)


def test_steps_end_at_max_iter_in_single_precision_too(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20_000, 8)).astype(np.float32) + np.float32(30.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = er.KMeans(20, init=X[:20], max_iter=4, tol=0.0).fit(X)
    assert model.n_iter_ == 4
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_what_the_certificate_says_is_what_a_step_does(rng: np.random.Generator) -> None:
    X = rng.normal(size=(500, 3))
    model = er.KMeans(9, n_init=1, max_iter=3, tol=1e-2).fit(X)
    means = np.stack([X[model.labels_ == k].mean(axis=0) for k in range(9)])
    moved = ((X - means[model.labels_]) ** 2).sum()
    assert model.certificate_.value == pytest.approx((model.inertia_ - moved) / 500, rel=1e-9)
    assert model.certificate_.scale == pytest.approx(((X - X.mean(axis=0)) ** 2).sum() / 500, rel=1e-12)
    again = er.verify(model, X, None)
    assert again.value == pytest.approx(model.certificate_.value, rel=1e-9)


def test_distances_names_and_scores(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    model = er.KMeans(4).fit(X)
    np.testing.assert_allclose(
        model.transform(X), np.sqrt(((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)), rtol=1e-12
    )
    assert list(model.get_feature_names_out()) == ["kmeans0", "kmeans1", "kmeans2", "kmeans3"]
    frame = model.set_output(transform="pandas").transform(X)
    assert list(frame.columns) == list(model.get_feature_names_out())


def test_lower_bounds_are_below(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 9.0])
    model = er.KMeans(2).fit(X)
    bound = model.lower_bound(X)
    assert 0.9 * model.inertia_ < bound.value <= model.inertia_ * (1.0 + 1e-9)


def test_the_certificate_carries_a_bound_that_the_published_minima_are_above() -> None:
    X = load_iris().data
    for k in (2, 3, 4):
        model = er.KMeans(k).fit(X)
        low = model.inertia_bound_
        assert low is not None
        # The eigenvalues beyond the first K - 1 are the spectral bound, from NumPy's singular values.
        tail = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[k - 1 :] ** 2
        assert low == pytest.approx(tail.sum(), rel=1e-9)
        assert low <= IRIS[k]
        # Twice the optimum and more says nothing of the clusters; what does is named.
        assert model.inertia_ > 2.0 * low
        told = "the eigenvalues of the scatter prove less than J <= 2 min J: lower_bound(X) may prove more"
        assert model.certificate_.claim.endswith(told)
        assert er.verify(model, X, None).claim.endswith(told)
        model.inertia_bound_ = 1.01 * low  # false, or proved by nothing that was computed
        assert "inertia_bound_ is" in er.verify(model, X, None).claim


def test_a_bound_within_twice_the_inertia_is_named_by_what_proves_it(rng: np.random.Generator) -> None:
    for X, by in (
        (rng.normal(size=(60, 12)), "the eigenvalues of the scatter"),
        (rng.normal(size=(400, 1)) * [8.0, 0.1, 0.1, 0.1] + 0.1 * rng.normal(size=(400, 4)), "a bound along"),
    ):
        model = er.KMeans(3, n_init=200).fit(X)
        assert (model._axes == 0) == by.startswith("the")
        told = f"J <= {model.inertia_ / model.inertia_bound_:.6g} min J, by {by}"
        assert told in model.certificate_.claim
        assert told in er.verify(model, X, None).claim
        # What the method proves is at least as much.
        assert model.lower_bound(X).value >= model.inertia_bound_ * (1.0 - 1e-9)


def test_where_a_bound_costs_too_much_the_certificate_says_that_there_is_none(
    rng: np.random.Generator,
) -> None:
    rows = er.data.BlockList.cut(X := rng.normal(size=(60, 4)), np.zeros(60), rows=20)
    plane = X[:, :2]
    for model in (
        er.KMeans(3).fit(plane),
        er.KMeans(3).fit(sp.csr_array(X)),
        er.KMeans(3).fit(rng.normal(size=(40, 900))),
    ):
        assert model.inertia_bound_ is None
        assert "no lower bound was computed: lower_bound(X) gives one" in model.certificate_.claim
    assert er.KMeans(3).fit_blocks(rows).inertia_bound_ is None
    assert er.KMeans(3).fit(X[:, :1]).inertia_bound_ is None
    assert "no lower bound" not in er.KMeans(3).fit(X[:, :1]).certificate_.claim


def test_the_bound_of_the_certificate_knows_weights_offsets_and_units(rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(90, 5)), rng.integers(0, 3, 90).astype(float)
    model = er.KMeans(3).fit(X, sample_weight=s)
    same = er.KMeans(3).fit(np.repeat(X, s.astype(int), axis=0))
    assert model.inertia_bound_ is not None
    assert same.inertia_bound_ == pytest.approx(model.inertia_bound_, rel=1e-9)
    large = er.KMeans(3).fit(np.ldexp(X, 300), sample_weight=5.0 * s)
    assert large.inertia_bound_ == pytest.approx(5.0 * np.ldexp(model.inertia_bound_, 600), rel=1e-9)
    # Numbers of 30 bits: those that are moved by 2^20 are held exactly.
    short = np.rint(np.ldexp(X, 20)) / 2.0**20
    here, there = (er.KMeans(3).fit(at).inertia_bound_ for at in (short, short + 2.0**20))
    assert there == pytest.approx(here, rel=1e-9)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_clusters": 0}, "n_clusters must be an integer >= 1"),
        ({"n_init": "many"}, "n_init must be an integer >= 1 or 'auto'"),
        ({"n_init": 0}, "n_init must be an integer >= 1"),
        ({"algorithm": "elkan"}, "algorithm must be one of 'auto', 'bounds', 'lloyd', got 'elkan'"),
        ({"tol": -1.0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"init": "kmeans++"}, "init must be one of"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.KMeans(**parameters).fit(np.eye(9))


@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("max_iter", [1, 2, 300])
def test_the_fit_is_the_best_of_the_starts_wherever_they_are_stopped(
    init: str, max_iter: int, rng: np.random.Generator
) -> None:
    X, s = rng.normal(size=(150, 2)), rng.integers(1, 4, 150).astype(float)
    # Copies of one row are drawn as seeds together, so that clusters become empty.
    X[:40] = X[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        model = er.KMeans(8, init=init, n_init=6, max_iter=max_iter, random_state=1).fit(X, sample_weight=s)
        alone = [
            er.KMeans(8, init=model_init, n_init=1, max_iter=max_iter).fit(X, sample_weight=s).inertia_
            for model_init in _seeds(X, s, init)
        ]
    done = model.objectives_[~model.given_up_]
    assert model.inertia_ == done.min()
    np.testing.assert_allclose(done, np.array(alone)[~model.given_up_], rtol=1e-6)
    low = float(model.certificate_.claim.split("ended between ")[1].split(" ")[0])
    assert low == pytest.approx(model.inertia_ / s.sum(), rel=1e-5)


def _seeds(X: Any, s: Any, init: str) -> list[Any]:
    """Return the starts that the six fits of the test above draw, one after the other."""
    seeding, rng = er.clustering.SEEDINGS[init](), np.random.default_rng(1)
    return [seeding.centers(X, s, 8, rng) for _ in range(6)]
