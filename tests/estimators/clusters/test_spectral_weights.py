"""Weights of rows in spectral clustering: the weighted problem is that of the repeated rows, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh

import empirisk as er
from tests.conformance.clusterers import same_partition

VERSIONS = ("unnormalised", "random_walk", "symmetric")
GRAPHS: dict[str, dict[str, Any]] = {
    "gaussian": {"affinity": "gaussian"},
    "wide": {"affinity": "gaussian", "bandwidth": 2.0, "metric": "manhattan"},
    "epsilon": {"affinity": "epsilon", "radius": 2.5},
    "near": {"affinity": "epsilon", "radius": 2.5, "weights": "gaussian"},
}


def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of two groups, and numbers of copies, some of them 0."""
    X = rng.normal(size=(30, 2)) + 3.0 * (np.arange(30) % 2)[:, None]
    s = rng.integers(0, 4, 30)
    s[:2] = 1, 2
    return X, s


@pytest.mark.parametrize("laplacian", VERSIONS)
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_the_weighted_problem_is_the_repeated_one(
    name: str, laplacian: str, rng: np.random.Generator
) -> None:
    X, s = table(rng)
    est = er.SpectralClustering(2, laplacian=laplacian, **GRAPHS[name])
    one = est.fit(X, sample_weight=s.astype(float))
    assert er.verify(one, X, None, sample_weight=s.astype(float)).within(1e-6)
    other = er.SpectralClustering(2, laplacian=laplacian, **GRAPHS[name]).fit(np.repeat(X, s, axis=0))
    place = np.repeat(np.arange(30), s)
    assert same_partition(one.labels_[place], other.labels_)
    assert (one.labels_[s == 0] == -1).all()
    assert one.n_components_ == other.n_components_
    for attribute in ("eigenvalues_", "cut_", "cut_bound_"):
        np.testing.assert_allclose(getattr(one, attribute), getattr(other, attribute), rtol=1e-7, atol=1e-8)
    A, B = one.embedding_[place], other.embedding_
    np.testing.assert_allclose(A @ A.T, B @ B.T, atol=1e-6)


def repeated_values(W: np.ndarray, s: np.ndarray, normalised: bool) -> np.ndarray:
    """Return all eigenvalues of the graph of all copies, by dense algebra from its definition."""
    place = np.repeat(np.arange(len(s)), s)
    big = W[np.ix_(place, place)] + np.equal.outer(place, place) - np.eye(len(place))
    d = big.sum(axis=1)
    return np.asarray(eigh(np.diag(d) - big, np.diag(d) if normalised else None, eigvals_only=True))


@pytest.mark.parametrize("normalised", [False, True])
def test_the_other_eigenvalues_of_the_repeated_graph_tell_copies_apart(
    normalised: bool, rng: np.random.Generator
) -> None:
    """They are ``s_i + sum_j s_j w_ij``, or that over the degree, s_i - 1 times each."""
    X, s = table(rng)
    X, s = X[s > 0], s[s > 0]
    W = er.graphs.GaussianGraph(1.0).matrix(X)
    degree = s - 1.0 + W @ s
    apart = np.repeat((degree + 1.0) / (degree if normalised else 1.0), s - 1)
    from empirisk.graphs.counted import counted

    operator = er.graphs.LaplacianOperator(counted(W, s * 1.0, 1.0), normalised, s * 1.0)
    every = np.sort(np.concatenate([np.linalg.eigvalsh(operator.dense()), apart]))
    np.testing.assert_allclose(every, repeated_values(W, s, normalised), atol=1e-10)


@pytest.mark.parametrize("laplacian", VERSIONS)
@pytest.mark.parametrize("loops", [0.0, 1.0])
def test_weights_of_a_given_graph_repeat_its_vertices(
    loops: float, laplacian: str, rng: np.random.Generator
) -> None:
    X, s = table(rng)
    W = er.graphs.GaussianGraph(1.0).matrix(X) + loops * np.eye(30)
    place = np.repeat(np.arange(30), s)
    one = er.SpectralClustering(2, laplacian=laplacian, affinity="precomputed").fit(W, sample_weight=s)
    other = er.SpectralClustering(2, laplacian=laplacian, affinity="precomputed").fit(W[np.ix_(place, place)])
    assert same_partition(one.labels_[place], other.labels_)
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, atol=1e-9)
    assert one.cut_ == pytest.approx(other.cut_)


def test_every_graph_counts_copies_or_refuses_them(rng: np.random.Generator) -> None:
    X, s = table(rng)
    X, s = X[s > 0], s[s > 0]
    place = np.repeat(np.arange(len(s)), s)
    for name, kind in er.graphs.REGISTRY.items():
        rule: Any = kind()
        np.testing.assert_array_equal(as_array(rule.matrix(X, np.ones(len(X)))), as_array(rule.matrix(X)))
        if not rule.counts:
            with pytest.raises(ValueError, match=r"sample_weight differs in row \d+: copies of a row"):
                rule.matrix(X, s)
            continue
        W, whole = as_array(rule.matrix(X, s)), as_array(rule.matrix(np.repeat(X, s, axis=0)))
        want = W[np.ix_(place, place)] + np.equal.outer(place, place) - np.eye(len(place))
        np.testing.assert_allclose(whole, want, atol=1e-12, err_msg=name)
        with pytest.raises(ValueError, match=r"sample_weight\[0\] = 0.5, .* numbers of copies"):
            rule.matrix(X, np.full(len(X), 0.5))
        with pytest.raises(ValueError, match=r"sample_weight has shape \(2,\)"):
            rule.matrix(X, np.ones(2))


def as_array(W: Any) -> np.ndarray:
    """Return weights as an array, dense or not."""
    return W if isinstance(W, np.ndarray) else W.toarray()


def test_an_absent_row_changes_no_graph_of_neighbours(rng: np.random.Generator) -> None:
    X, s = table(rng)
    for affinity in ("knn", "mutual_knn"):
        est = er.SpectralClustering(2, affinity=affinity, n_neighbors=8)
        one = est.fit(X, sample_weight=3.0 * (s > 0))
        assert er.verify(one, X, None, sample_weight=(s > 0)).within(1e-6)
        kept = er.SpectralClustering(2, affinity=affinity, n_neighbors=8).fit(X[s > 0])
        np.testing.assert_array_equal(one.labels_[s > 0], kept.labels_)
        assert (one.labels_[s == 0] == -1).all()
        with pytest.raises(ValueError, match="graphs of neighbours take rows that count alike"):
            est.fit(X, sample_weight=s)


def test_a_far_row_with_copies_is_a_component_and_without_is_isolated() -> None:
    X = np.array([[0.0], [0.5], [1.0], [9.0]])
    for copies, label in ((1.0, -1), (2.0, 1)):
        model = er.SpectralClustering(2 if copies > 1.0 else 1, affinity="epsilon", radius=1.0)
        assert model.fit(X, sample_weight=[1.0, 1.0, 1.0, copies]).labels_[3] == label


def test_the_width_of_a_table_of_copies_has_its_units(rng: np.random.Generator) -> None:
    X, many = rng.normal(size=(12, 2)), np.full(12, 50.0)
    for scale in (1.0, 1e6):
        by_weight = er.graphs.GaussianGraph().matrix(scale * X, many)
        whole = er.graphs.GaussianGraph().matrix(np.repeat(scale * X, 50, axis=0))
        np.testing.assert_allclose(by_weight, whole[::50, ::50], atol=1e-12)
        assert 0.01 < by_weight[by_weight > 0.0].mean() < 0.99


@pytest.mark.parametrize("laplacian", VERSIONS)
@pytest.mark.parametrize("name", [*sorted(GRAPHS), "precomputed", "sparse"])
def test_weights_of_any_size_keep_the_graph_symmetric(
    name: str, laplacian: str, rng: np.random.Generator
) -> None:
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(30, 3)) + 8.0 * (np.arange(30) % 2)[:, None]
        s = rng.choice([1.0, 2.5, 3.1, 4.7, 7.0], 30) * rng.uniform(1.0, 9.0, 30)
        W: Any = er.graphs.GaussianGraph().matrix(X)
        given = {"precomputed": W, "sparse": sp.csr_array(W)}.get(name, X)
        options = GRAPHS.get(name, {"affinity": "precomputed"})
        if "radius" in options:
            options = {**options, "radius": 9.0}
        model = er.SpectralClustering(2, laplacian=laplacian, **options).fit(given, sample_weight=s)
        assert er.verify(model, given, None, sample_weight=s).within(1e-6)


@pytest.mark.parametrize("name", [*sorted(GRAPHS), "precomputed"])
def test_weights_that_overflow_are_refused_by_name(name: str, rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(30, 3)), np.ones(30)
    options = GRAPHS.get(name, {"affinity": "precomputed"})
    given = er.graphs.GaussianGraph().matrix(X) if name == "precomputed" else X
    for big in (1e200, 1e300, 1.7e308):
        s[4] = big
        with pytest.raises(ValueError, match=r"sample_weight\[4\] = 1.*divide all weights by one number"):
            er.SpectralClustering(2, **options).fit(given, sample_weight=s)
