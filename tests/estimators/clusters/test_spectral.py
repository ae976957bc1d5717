"""Spectral clustering: known shapes, closed forms, the choice of K, graphs that fall apart, refusals."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.cluster import SpectralClustering as Peer
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

import empirisk as er
from empirisk.results import Kind

VERSIONS = ("unnormalised", "random_walk", "symmetric")


def flame() -> tuple[np.ndarray, np.ndarray]:
    """Return a ball above a thick bow that holds it, at a distance of 0.8."""
    rng = np.random.default_rng(0)
    angle, depth = rng.uniform(0.0, np.pi, 160), rng.uniform(3.0, 4.5, 160)
    bow = np.column_stack([depth * np.cos(angle), -depth * np.sin(angle)])
    turn, radius = rng.uniform(0.0, 2.0 * np.pi, 100), 2.2 * np.sqrt(rng.uniform(size=100))
    ball = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    return np.vstack([bow, ball]), np.repeat([0, 1], [160, 100])


def blocks(sizes: tuple[int, ...], between: float) -> np.ndarray:
    """Return weights 1 within blocks, and another one between them."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    W = np.where(np.equal.outer(group, group), 1.0, between)
    np.fill_diagonal(W, 0.0)
    return W


@pytest.mark.parametrize("laplacian", VERSIONS)
@pytest.mark.parametrize("shape", ["moons", "rings", "flame"])
def test_shapes_that_no_centre_tells_apart(shape: str, laplacian: str) -> None:
    made = {
        "moons": lambda: make_moons(400, noise=0.05, random_state=1),
        "rings": lambda: make_circles(400, noise=0.04, factor=0.5, random_state=1),
        "flame": flame,
    }
    X, group = made[shape]()
    model = er.SpectralClustering(2, laplacian=laplacian).fit(X)
    assert adjusted_rand_score(group, model.labels_) > 0.95
    assert er.verify(model, X, None).within(1e-6)


@pytest.mark.parametrize("laplacian", VERSIONS)
def test_eigenvectors_by_dense_algebra(laplacian: str) -> None:
    X, _ = make_blobs(120, 3, centers=3, cluster_std=2.5, random_state=2)
    model = er.SpectralClustering(3, laplacian=laplacian, affinity="gaussian").fit(X)
    W = model.affinity_matrix_
    d = W.sum(axis=1)
    values, U = eigh(np.diag(d) - W, None if laplacian == "unnormalised" else np.diag(d))
    np.testing.assert_allclose(model.eigenvalues_, values[:3], atol=1e-9 * d.max())
    assert model.cut_bound_ == pytest.approx(values[:3].sum(), abs=1e-8 * d.max())
    H = model.embedding_
    if laplacian == "symmetric":
        np.testing.assert_allclose(np.linalg.norm(H, axis=1), 1.0)
        return
    mass = np.eye(len(W)) if laplacian == "unnormalised" else np.diag(d)
    np.testing.assert_allclose(H.T @ mass @ H, np.eye(3), atol=1e-9)
    inner = np.abs(H.T @ mass @ U[:, :3])
    np.testing.assert_allclose(inner, np.eye(3), atol=1e-5)


def test_a_block_matrix_has_its_eigenvalues() -> None:
    # Blocks of m vertices, K of them: 0, then K m b (K - 1 times), then m + (K - 1) m b.
    m, b = 10, 0.01
    W = blocks((m, m, m), b)
    model = er.SpectralClustering("eigengap", affinity="precomputed", laplacian="unnormalised").fit(W)
    np.testing.assert_allclose(model.eigenvalues_[:4], [0.0, 3 * m * b, 3 * m * b, m + 2 * m * b], atol=1e-9)
    assert model.n_clusters_ == 3
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], m))
    assert model.cut_ == pytest.approx(3 * (2 * m * m * b) / m)
    assert not hasattr(model, "n_clusters_interval_")


@pytest.mark.parametrize("laplacian", VERSIONS)
def test_no_partition_is_below_the_bound_of_the_relaxation(laplacian: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(8, 2))
    model = er.SpectralClustering(3, laplacian=laplacian, affinity="gaussian").fit(X)
    cut = er.graphs.ratio_cut if laplacian == "unnormalised" else er.graphs.normalized_cut
    every = [c for c in product(range(3), repeat=8) if len(set(c)) == 3]
    least = min(cut(model.affinity_matrix_, labels) for labels in every)
    assert model.cut_bound_ <= least <= model.cut_ + 1e-12
    assert model.cut_ == pytest.approx(cut(model.affinity_matrix_, model.labels_))


def test_the_cut_is_no_worse_than_the_peer_s() -> None:
    X, _ = make_blobs(1500, 5, centers=6, cluster_std=3.0, random_state=4)
    model = er.SpectralClustering(6, random_state=0).fit(X)
    peer = Peer(6, affinity="precomputed", assign_labels="kmeans", random_state=0)
    theirs = peer.fit(sp.csr_matrix(model.affinity_matrix_)).labels_
    assert model.cut_ <= 1.02 * er.graphs.normalized_cut(model.affinity_matrix_, theirs)
    assert model.certificate_.kind is Kind.EIGEN_RESIDUAL
    assert model.certificate_.within(1e-6)


def test_components_are_clusters_and_cost_nothing() -> None:
    X, group = make_blobs(300, 2, centers=np.array([[0, 0], [50, 0], [0, 50]]), random_state=0)
    for laplacian in VERSIONS:
        model = er.SpectralClustering(3, laplacian=laplacian).fit(X)
        assert adjusted_rand_score(group, model.labels_) == 1.0
        assert model.cut_ == 0.0
        np.testing.assert_array_equal(model.eigenvalues_, 0.0)
        assert model.n_components_ == 3
        assert len(model.bridges_) == 0


def test_more_components_than_clusters_are_bridged(rng: np.random.Generator) -> None:
    # Two large groups; a small one, far from everything, is nearer to the second.
    at, spread = np.repeat([0.0, 30.0, 60.0], [60, 60, 8]), np.repeat([1.0, 1.0, 0.1], [60, 60, 8])
    X = spread[:, None] * rng.normal(size=(128, 2)) + np.column_stack([at, np.zeros(128)])
    model = er.SpectralClustering(2, n_neighbors=5).fit(X)
    assert model.n_components_ == 3
    assert len(model.bridges_) == 2
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 1], [60, 60, 8]))
    assert er.verify(model, X, None).within(1e-6)
    W = er.graphs.NearestNeighborGraph(5).matrix(X)
    with pytest.raises(ValueError, match=r"3 connected components, more than clusters \(2\)"):
        er.SpectralClustering(2, affinity="precomputed").fit(W)


def test_isolated_vertices_are_in_no_cluster() -> None:
    W = np.zeros((7, 7))
    W[:3, :3] = W[4:, 4:] = 1.0
    W[2, 4] = W[4, 2] = 0.1
    np.fill_diagonal(W, 0.0)
    W[3, 3] = 2.0  # an edge to itself is none to another vertex
    for laplacian in VERSIONS:
        model = er.SpectralClustering(2, affinity="precomputed", laplacian=laplacian).fit(W)
        assert model.labels_.tolist() == [0, 0, 0, -1, 1, 1, 1]
        assert not model.embedding_[3].any()
    with pytest.raises(
        ValueError, match="6 rows with an edge to another row and 1 without one are too few for 7"
    ):
        er.SpectralClustering(7, affinity="precomputed").fit(W)


def test_the_eigengap_says_one_or_three_and_how_stable_that_is(rng: np.random.Generator) -> None:
    one = er.SpectralClustering("eigengap", n_resamples=6, max_clusters=6).fit(rng.normal(size=(300, 6)))
    assert one.n_clusters_ == 1
    assert not one.labels_.any()
    X, _ = make_blobs(300, 2, centers=np.array([[0, 0], [7, 0], [0, 7]]), random_state=0)
    three = er.SpectralClustering("eigengap", n_resamples=6, max_clusters=6).fit(X)
    assert three.n_clusters_ == 3
    assert three.n_clusters_interval_ == (3, 3)
    assert len(three.n_clusters_resampled_) == 6
    assert len(three.eigenvalues_) == 7


def test_bad_input_is_refused_by_name(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    for options, words in (
        ({"n_clusters": 0}, "n_clusters must be an integer >= 1, got 0"),
        ({"n_clusters": "many"}, "n_clusters must be an integer >= 1 or 'eigengap', got 'many'"),
        ({"laplacian": "signless"}, "laplacian must be 'unnormalised' or"),
        ({"affinity": "rbf"}, "affinity must be 'knn' or"),
        ({"n_clusters": 31}, "n_clusters = 31 is more than the 30 distinct rows"),
    ):
        with pytest.raises(ValueError, match=words):
            er.SpectralClustering(**options).fit(X)
    with pytest.raises(ValueError, match=r"sample_weight differs in row 3.*repeat or drop rows"):
        er.SpectralClustering(2).fit(X, sample_weight=np.r_[1.0, 1.0, 1.0, 2.0, np.ones(26)])
    W = er.graphs.GaussianGraph().matrix(X)
    W[0, 1] = -1.0
    for bad, words in ((W, r"W\[0, 1\] = -1 is negative"), (np.triu(np.abs(W)), r"W must be symmetric")):
        with pytest.raises(ValueError, match=words):
            er.SpectralClustering(2, affinity="precomputed").fit(bad)


def test_a_second_fit_forgets_the_choice_of_the_first(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    model = er.SpectralClustering("eigengap", n_resamples=3).fit(X)
    assert hasattr(model, "n_clusters_interval_")
    model.set_params(n_clusters=2).fit(X)
    assert not hasattr(model, "n_clusters_interval_")
    tampered = er.SpectralClustering(2).fit(X)
    kept = tampered.labels_
    tampered.labels_ = np.roll(kept, 7)
    assert er.verify(tampered, X, None).kind is Kind.NONE


def test_vectors_of_other_eigenvalues_are_not_confirmed() -> None:
    W = er.graphs.adjacency(blocks((6, 6), 0.1))
    model = er.SpectralClustering(2, affinity="precomputed", laplacian="unnormalised").fit(W)
    # Other eigenvectors have as small a residual, and only all eigenvalues tell that they are not the first.
    model.eigenvectors_ = eigh(er.graphs.laplacian(W))[1][:, [1, 5]]
    assert "not the smallest ones" in er.verify(model, W, None).claim


@pytest.mark.parametrize("seed", range(3))
def test_vectors_are_orthonormal_where_eigenvalues_are_as_good_as_zero(seed: int) -> None:
    """The weights between far groups are tiny and not 0, so that one component has three such eigenvalues."""
    rng = np.random.default_rng(seed)
    X = 40.0 * np.eye(3)[np.arange(60) % 3] + rng.normal(size=(60, 3))
    model = er.SpectralClustering(3, affinity="gaussian").fit(X)
    V = model.eigenvectors_
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e-10)
    assert er.verify(model, X, None).within(1e-9)


@pytest.mark.parametrize(("n", "noise", "seed"), [(300, 0.06, 1), (200, 0.08, 0), (200, 0.1, 3)])
@pytest.mark.parametrize("laplacian", VERSIONS)
def test_the_cut_of_two_moons_is_at_most_that_of_the_moons(
    laplacian: str, n: int, noise: float, seed: int
) -> None:
    X, group = make_moons(n, noise=noise, random_state=seed)
    model = er.SpectralClustering(2, laplacian=laplacian).fit(X)
    cut = er.graphs.ratio_cut if laplacian == "unnormalised" else er.graphs.normalized_cut
    assert model.cut_bound_ * (1.0 - 1e-6) <= model.cut_ <= cut(model.affinity_matrix_, group) * (1.0 + 1e-9)
    assert "times cut_bound_" in model.certificate_.claim or model.cut_ == 0.0
    assert er.verify(model, X, None).claim == model.certificate_.claim


@pytest.mark.parametrize("laplacian", VERSIONS)
@pytest.mark.parametrize("affinity", sorted(er.graphs.REGISTRY))
def test_the_cut_is_never_above_that_of_k_means_alone(
    affinity: str, laplacian: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = make_blobs(90, 3, centers=4, cluster_std=4.0, random_state=3)[0]
    est = er.SpectralClustering(4, laplacian=laplacian, affinity=affinity)
    found = est.fit(X).cut_
    monkeypatch.setattr(
        "empirisk.estimators.clusters.spectral_rows.lowered", lambda W, size, labels, at: labels
    )
    assert found <= est.fit(X).cut_


def test_a_move_that_lowers_the_cut_is_told(rng: np.random.Generator) -> None:
    X = make_blobs(90, 3, centers=2, cluster_std=1.0, random_state=3)[0]
    model = er.SpectralClustering(2, affinity="gaussian").fit(X)
    model.labels_ = model.labels_.copy()
    model.labels_[5] = 1 - model.labels_[5]
    assert "a move of one row lowers the cut" in er.verify(model, X, None).claim


@pytest.mark.parametrize("laplacian", VERSIONS)
@pytest.mark.parametrize("affinity", sorted(er.graphs.REGISTRY))
def test_copies_of_a_row_belong_together(affinity: str, laplacian: str, rng: np.random.Generator) -> None:
    """Ten neighbours of ten copies are nine copies and one row elsewhere."""
    places = np.vstack([rng.normal(size=3), rng.normal(size=3) + 8.0])
    for times in ((10, 10), (4, 30)):
        X = np.repeat(places, times, axis=0)
        group = np.repeat([0, 1], times)
        shuffled = rng.permutation(len(X))
        for rows, want in ((X, group), (X[shuffled], group[shuffled])):
            model = er.SpectralClustering(2, affinity=affinity, laplacian=laplacian).fit(rows)
            np.testing.assert_array_equal(model.labels_ == model.labels_[0], want == want[0])
            V = model.eigenvectors_
            np.testing.assert_allclose(V.T @ V, np.eye(2), atol=1e-10)
            assert er.verify(model, rows, None).within(1e-6)
    many = np.repeat(rng.normal(size=(15, 3)), rng.integers(1, 9, 15), axis=0)
    labels = er.SpectralClustering(3, affinity=affinity, laplacian=laplacian, n_neighbors=4).fit(many).labels_
    for row in np.unique(many, axis=0):
        assert len(set(labels[(many == row).all(axis=1)])) == 1


@pytest.mark.parametrize("laplacian", VERSIONS)
@pytest.mark.parametrize("affinity", [*sorted(er.graphs.REGISTRY), "precomputed"])
def test_a_bound_is_never_above_the_cut(affinity: str, laplacian: str) -> None:
    """Groups whose cut is as good as 0: what rounding leaves of their eigenvalues is far above it."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.normal(size=(20, 3)), rng.normal(6.0, 1.0, (20, 3))])
        if affinity == "precomputed":
            X = np.exp(-1.5 * ((X[:, None] - X) ** 2).sum(axis=2))
        est = er.SpectralClustering(2, affinity=affinity, laplacian=laplacian)
        model = est.set_params(bandwidth=0.7 if affinity == "gaussian" else "auto").fit(X)
        assert model.cut_bound_ <= model.cut_
        times = re.findall(r"([\d.e+-]+) times cut_bound_", model.certificate_.claim)
        assert all(float(ratio) >= 1.0 for ratio in times)
        assert er.verify(model, X).kind is not Kind.NONE
        model.cut_bound_ = 2.0 * model.cut_ + 1e-17
        assert "is above cut_" in er.verify(model, X).claim
