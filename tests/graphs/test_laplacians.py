"""The identities of graph Laplacians (propositions 5 and 6 of the Lyon notes), and cuts as traces."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import empirisk as er
from empirisk.graphs.multilevel import Multilevel

G = er.graphs


@st.composite
def graphs(draw: st.DrawFn) -> np.ndarray:
    """Draw weights of few vertices, many of them 0, so that graphs fall apart and vertices are isolated."""
    n = draw(st.integers(1, 9))
    W = np.zeros((n, n))
    weight = st.one_of(st.just(0.0), st.just(0.0), st.floats(0.01, 4.0))
    for i in range(n):
        for j in range(i, n):
            W[i, j] = W[j, i] = draw(weight) if i != j or draw(st.booleans()) else 0.0
    return W


def parts(W: np.ndarray) -> list[set[int]]:
    """Return the components by growing sets, a second road beside SciPy's search."""
    left, out = set(range(len(W))), []
    while left:
        grown = {min(left)}
        while True:
            more = {j for i in grown for j in np.flatnonzero(W[i])} | grown
            if more == grown:
                break
            grown = more
        out.append(grown)
        left -= grown
    return out


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(0, 2**32 - 1))
def test_quadratic_forms_are_sums_over_edges(W: np.ndarray, seed: int) -> None:
    u = np.random.default_rng(seed).normal(size=len(W))
    d = W.sum(axis=1)
    assert u @ G.laplacian(W) @ u == pytest.approx(0.5 * (W * np.subtract.outer(u, u) ** 2).sum(), abs=1e-10)
    v = np.divide(u, np.sqrt(d), out=np.zeros_like(u), where=d > 0.0)
    of_s = u @ G.laplacian(W, "symmetric") @ u
    assert of_s == pytest.approx(0.5 * (W * np.subtract.outer(v, v) ** 2).sum(), abs=1e-10)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_null_spaces_are_spanned_by_components(W: np.ndarray) -> None:
    found = parts(W)
    count, label = G.components(W)
    assert count == len(found)
    assert [set(np.flatnonzero(label == k)) for k in range(count)] == found
    d = W.sum(axis=1)
    for kind in ("unnormalised", "symmetric", "random_walk"):
        A = G.laplacian(W, kind)
        values = np.sort(np.linalg.eigvals(A).real)
        assert values[0] > -1e-9, "no eigenvalue is negative"
        assert (np.abs(values) < 1e-9).sum() == count, "as many zeros as components"
        for part in found:
            ones = np.isin(np.arange(len(W)), list(part)).astype(float)
            # L_s: D^(1/2) times the indicator, where the notes print D^(-1/2).
            root = np.sqrt(d) * ones if len(part) > 1 or d[min(part)] > 0.0 else ones
            np.testing.assert_allclose(A @ (root if kind == "symmetric" else ones), 0.0, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(graphs(), st.booleans())
def test_operators_are_their_matrices(W: np.ndarray, sparse: bool) -> None:
    given_ = G.adjacency(sp.csr_array(W) if sparse else W)
    for normalised, kind in ((False, "unnormalised"), (True, "symmetric")):
        operator, A = G.LaplacianOperator(given_, normalised), G.laplacian(W, kind)
        np.testing.assert_allclose(operator.dense(), A, atol=1e-12)
        assert np.linalg.eigvalsh(A)[-1] <= operator.bound + 1e-12
        N = operator.null.toarray()
        np.testing.assert_allclose(N.T @ N, np.eye(N.shape[1]), atol=1e-12)
        np.testing.assert_allclose(A @ N, 0.0, atol=1e-9)
        again = G.laplacian(sp.csr_array(W) if sparse else W, kind)
        np.testing.assert_allclose(again.toarray() if sparse else again, A, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(0, 2**32 - 1))
def test_cuts_are_traces_of_indicators(W: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, len(W))
    one = (labels[:, None] == np.unique(labels)).astype(float)
    L, d = G.laplacian(W), W.sum(axis=1)
    leaving = sum(W[i, j] for i in range(len(W)) for j in range(len(W)) if labels[i] != labels[j])
    assert G.cut(W, labels) == pytest.approx(leaving, abs=1e-10)
    H = one / np.sqrt(one.sum(axis=0))
    assert G.ratio_cut(W, labels) == pytest.approx(np.trace(H.T @ L @ H), abs=1e-10)
    size = one.T @ d
    U = np.divide(one, np.sqrt(size), out=np.zeros_like(one), where=size > 0.0)
    assert G.normalized_cut(W, labels) == pytest.approx(np.trace(U.T @ L @ U), abs=1e-10)
    assert G.volume(W, labels == labels[0]) == pytest.approx(d[labels == labels[0]].sum())


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_minimum_cut_is_the_least_of_all_subsets(W: np.ndarray) -> None:
    n = len(W)
    if n < 2:
        with pytest.raises(ValueError, match="one vertex"):
            G.minimum_cut(W)
        return
    least = np.inf
    for code in range(1, 2 ** (n - 1)):
        side = np.array([code >> i & 1 for i in range(n)], dtype=bool)
        least = min(least, W[np.ix_(side, ~side)].sum())
    found = G.minimum_cut(W)
    assert found.value == pytest.approx(least, abs=1e-9)
    assert found.value == pytest.approx(G.cut(W, found.labels) / 2.0, abs=1e-9)
    assert found.labels[0] == 0
    assert found.labels.max() == 1


# Closed forms of paths, cycles, complete graphs and stars (Brouwer and Haemers, Spectra of Graphs, 1.4).
def spectrum(name: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of a graph and the eigenvalues of its Laplacian, by the book."""
    k = np.arange(n)
    W = np.zeros((n, n))
    if name in ("path", "cycle"):
        W[k[:-1], k[1:]] = 1.0
        W[0, -1] = float(name == "cycle")
        values = 2.0 - 2.0 * np.cos((1.0 if name == "path" else 2.0) * np.pi * k / n)
    elif name == "complete":
        W, values = np.triu(np.ones((n, n)), 1), np.r_[0.0, np.full(n - 1, float(n))]
    else:
        W[0, 1:] = 1.0
        values = np.r_[0.0, np.ones(n - 2), float(n)]
    return W + W.T, np.sort(values)


@pytest.mark.parametrize("n", [7, 700])
@pytest.mark.parametrize("name", ["path", "cycle", "complete", "star"])
def test_known_spectra(name: str, n: int) -> None:
    W, values = spectrum(name, n)
    problem = er.problems.SpectralProblem(G.LaplacianOperator(G.adjacency(sp.csr_array(W))), 5)
    solution = er.solve(problem, tol=1e-9).require()
    np.testing.assert_allclose(problem.evaluate(solution.w).values, values[:5], atol=2e-9 * n)


def test_the_approximate_inverse_is_symmetric_and_positive() -> None:
    X = np.random.default_rng(0).normal(size=(900, 2))
    W = G.NearestNeighborGraph(6).matrix(X)
    M = Multilevel.of(W).solve(np.eye(900))
    assert np.abs(M - M.T).max() < 1e-9 * np.abs(M).max()
    assert np.linalg.eigvalsh(0.5 * (M + M.T))[0] > 0.0


def test_weights_that_are_no_graph_are_refused_by_their_entry() -> None:
    cases = [
        ([[0, 1], [2, 0]], r"W\[0, 1\] = 1 while W\[1, 0\] = 2"),
        ([[0, -1], [-1, 0]], r"W\[0, 1\] = -1 is negative"),
        ([[0, np.nan], [np.nan, 0]], r"W\[0, 1\] = nan is not finite"),
    ]
    for W, words in cases:
        for given_ in (np.array(W), sp.csr_array(np.array(W))):
            with pytest.raises(ValueError, match=words):
                G.adjacency(given_)
    with pytest.raises(ValueError, match=r"square.*\(2, 3\)"):
        G.laplacian(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="kind must be one of"):
        G.laplacian(np.zeros((2, 2)), "signless")
    with pytest.raises(ValueError, match=r"shape \(2,\), got \(3,\)"):
        G.cut(np.zeros((2, 2)), [0, 1, 1])


def test_residuals_of_dense_weights_are_divided_by_the_diagonal(rng: np.random.Generator) -> None:
    W = rng.uniform(size=(6, 6))
    W = W + W.T
    W[2] = W[:, 2] = 0.0  # without an edge
    R, mass = rng.normal(size=(6, 2)), rng.integers(1, 4, 6).astype(float)
    for operator in (G.LaplacianOperator(W), G.LaplacianOperator(W, mass=mass)):
        diagonal = np.diag(operator.dense()).copy()
        diagonal[2] = 1.0
        inverse = operator.approximate_inverse()
        assert inverse is not None
        np.testing.assert_allclose(inverse(R), R / diagonal[:, None], rtol=1e-12)
    assert G.LaplacianOperator(W, True).approximate_inverse() is None
