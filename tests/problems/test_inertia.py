"""Counts of eigenvalues below a level, against all eigenvalues; what they prove about a spectrum."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.problems import MatrixOperator, SpectralProblem, inertia
from empirisk.problems.inertia import Below, below
from empirisk.results import Certificate

G = er.graphs


def counted(A: sp.csr_array, level: float) -> Below | str:
    """Return the count by the signs of a sparse factor, however small the matrix is."""
    return inertia._by_signs(A, level, float(abs(A).sum(axis=1).max()))


@pytest.mark.parametrize("seed", range(8))
def test_no_count_is_below_that_of_all_eigenvalues(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 120
    A = sp.random_array((n, n), density=0.04, rng=rng, format="csr")
    A = sp.csr_array(A + A.T + sp.diags_array(rng.normal(size=n)))
    values = np.linalg.eigvalsh(A.toarray())
    for k in (0, 1, 7, n - 1, n):
        edges = np.r_[values[0] - 1.0, values, values[-1] + 1.0]
        level = float(0.5 * (edges[k] + edges[k + 1]))
        found = counted(A, level)
        assert isinstance(found, Below), found
        assert found.level < level
        assert found.count >= (values < found.level).sum()
        # Pivots of random numbers grow, and the bound says so; mostly it is next to nothing.
        if level - found.level < 1e-8:
            assert found.count == k


def test_a_tiny_pivot_lowers_the_level_instead_of_telling_a_wrong_count() -> None:
    A = sp.csr_array(np.array([[1e-18, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 2.0]]))
    found = counted(A, 0.0)
    assert isinstance(found, Below)
    assert found.level < -1.0, "products of 1e18 leave nothing of the other entries"


def test_rows_that_are_exchanged_tell_nothing() -> None:
    assert "needs an exchange of rows" in str(counted(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), 0.0))
    assert "needs an exchange of rows" in str(counted(sp.csr_array(np.zeros((2, 2)) + np.eye(2)), 1.0))


@pytest.mark.parametrize("k", [1, 3])
def test_cholesky_counts_with_any_vectors(k: int, rng: np.random.Generator) -> None:
    values = np.r_[0.0, 0.1, 0.2, np.linspace(1.0, 4.0, 57)]
    Q, _ = np.linalg.qr(rng.normal(size=(60, 60)))
    A = (Q * values) @ Q.T
    A = 0.5 * (A + A.T)
    level = 0.05 if k == 1 else 0.5
    found = below(A, level, Q[:, :k], 4.0)
    assert isinstance(found, Below)
    assert found.count == k
    assert level - 1e-10 < found.level < level
    # Vectors that are not those of the smallest eigenvalues leave one of them below.
    wrong = below(A, level, Q[:, 5 : 5 + k], 4.0)
    assert wrong == f"more than {k} eigenvalues may lie below {level:.4g}"


def graph(n: int, p: int, seed: int = 0) -> G.LaplacianOperator:
    """Return L_s of the ten nearest neighbours of normal rows."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    return G.LaplacianOperator(G.NearestNeighborGraph(10).matrix(X), True)


@pytest.mark.parametrize("n", [300, 1030])
def test_the_smallest_are_proved_and_others_are_not(n: int) -> None:
    operator = graph(n, 2)
    with threadpool_limits(1):
        values, V = eigh(operator.dense(), subset_by_index=[0, 3])
    problem = SpectralProblem(operator, 2)
    for columns, proved in (([0, 1], True), ([0, 2], False)):
        spectrum = problem.evaluate(V[:, columns])
        following = float(values[columns[-1] + 1])
        certificate = problem.proved(problem.certify(V[:, columns]), spectrum, following)
        assert ("; they are the smallest ones" in certificate.claim) == proved
        assert ("not proved: " in certificate.claim) != proved
    # A next value that is too large is not believed: no level that is proved is above the third eigenvalue.
    far = problem.proved(problem.certify(V[:, :2]), problem.evaluate(V[:, :2]), 1.5)
    if "not proved" not in far.claim:
        assert float(far.claim.split("lie below ")[1].split(",")[0]) < values[2]


def test_without_a_gap_nothing_is_proved_and_without_others_all_is() -> None:
    problem = SpectralProblem(MatrixOperator(np.diag([0.0, 1.0, 1.0])), 2)
    spectrum = problem.evaluate(np.eye(3)[:, :2])
    assert said(problem, spectrum, 1.0).endswith("not proved: no gap is known after them")
    assert said(problem, spectrum, None).endswith("not proved: no gap is known after them")
    every = SpectralProblem(MatrixOperator(np.diag([0.0, 1.0, 1.0])), 3)
    assert said(every, every.evaluate(np.eye(3)), None).endswith("; there are no others")
    two = G.LaplacianOperator(G.adjacency(np.kron(np.eye(2), 1.0 - np.eye(3))))
    known = SpectralProblem(two, 2)
    assert said(known, known.evaluate(two.null.toarray()), None).endswith("since no eigenvalue is below 0")


def said(problem: SpectralProblem, spectrum: object, following: float | None) -> str:
    """Return what is proved about a spectrum of exact vectors, in words."""
    certificate: Certificate = problem.certify(spectrum.vectors)  # type: ignore[attr-defined]
    return problem.proved(certificate, spectrum, following).claim  # type: ignore[arg-type]


def test_a_factor_that_would_fill_up_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inertia, "EFFORT", 1e5)
    monkeypatch.setattr(inertia, "EACH", 10.0)
    A = graph(1300, 8).entries()
    assert "multiplications, more than 1e+05" in str(below(A, 0.01, np.ones((1300, 1)), 2.0))
    monkeypatch.setattr(inertia, "available_memory", lambda: 1e-6)
    assert "a dense factor of 40 rows is not made" in str(below(np.eye(40), 0.5, np.ones((40, 1)), 1.0))
    monkeypatch.setattr(inertia, "EFFORT", 1e12)
    assert "more than memory holds" in str(below(A, 0.01, np.ones((1300, 1)), 2.0))


def test_the_forecast_follows_the_power_of_the_parts() -> None:
    effort, entries = inertia._forecast([(250, 1e5, 2e3), (500, 4e5, 4.4e3)], 2000)
    assert effort == pytest.approx(4e5 * 16.0)
    assert entries == pytest.approx(4.4e3 * 4.0 ** np.log2(2.2))
    assert inertia._forecast([(250, 1e5, 2e3)], 1000) == (4e5, 8e3)


def test_fits_and_verify_say_that_the_eigenvalues_are_the_smallest() -> None:
    X = np.random.default_rng(1).normal(size=(1030, 2))
    model = er.SpectralClustering(2).fit(X)
    for certificate in (model.certificate_, er.verify(model, X, None)):
        assert "; they are the smallest ones" in certificate.claim
    level = float(model.certificate_.claim.split("lie below ")[1].split(",")[0])
    L = G.laplacian(model.affinity_matrix_, "symmetric").toarray()
    with threadpool_limits(1):
        values = eigh(L, subset_by_index=[0, 2], eigvals_only=True)
    assert values[1] < level < values[2]
