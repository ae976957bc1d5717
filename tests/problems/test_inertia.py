"""Counts of eigenvalues below a level, against all eigenvalues; what they prove about a spectrum."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.problems import MatrixOperator, SpectralProblem, inertia, spectral
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
    operator = graph(1300, 8)
    problem = SpectralProblem(operator, 2)
    with threadpool_limits(1):
        values, V = eigh(operator.dense(), subset_by_index=[0, 2])
    spectrum, certificate = problem.evaluate(V[:, :2]), problem.certify(V[:, :2])
    made: list[int] = []
    plain = inertia._factor
    monkeypatch.setattr(inertia, "_factor", lambda A, level: made.append(A.shape[0]) or plain(A, level))
    left_out = problem.proved(certificate, spectrum, float(values[2]), 1e7, ", as was allowed")
    assert "not proved: a factor would take the work of about" in left_out.claim
    assert left_out.claim.endswith("more than 1e+07, as was allowed")
    assert not made, "entries that are read cost more already"
    work = inertia.forecast(operator.entries()).work
    assert made == [162, 325], "an eighth and a quarter of the rows"
    assert "not proved" in problem.proved(certificate, spectrum, float(values[2]), 0.9 * work).claim
    for budget in (1.1 * work, np.inf):
        assert (
            "; they are the smallest" in problem.proved(certificate, spectrum, float(values[2]), budget).claim
        )
    monkeypatch.setattr(spectral, "available_memory", lambda: 1e-6)
    assert "GB are free" in problem.proved(certificate, spectrum, float(values[2])).claim


@pytest.mark.parametrize(("n", "p"), [(1030, 2), (1030, 5), (2000, 3)])
def test_the_forecast_is_near_what_the_factor_takes(n: int, p: int) -> None:
    A = graph(n, p).entries()
    column = np.diff(sp.csc_array(inertia._factor(A, -1.0).L).indptr).astype(float)
    work = float(column @ column + inertia.FILL * column.sum() + inertia.READ * A.nnz)
    assert 0.3 * work < inertia.forecast(A).work < 3.0 * work


@pytest.mark.parametrize("n", [300, 1030])
def test_what_the_factors_differ_by_is_the_same_by_places_and_by_sums(n: int) -> None:
    A = graph(n, 2).entries()
    factor = inertia._factor(A, 0.01)
    L, U = sp.csc_array(factor.L), sp.csr_array(factor.U)
    D = U.diagonal()
    found = inertia._apart(U, D, L)
    assert np.array_equal(found.indptr, U.indptr), "the two have entries at the same places"
    np.testing.assert_allclose(found.toarray(), abs(U.toarray() - D[:, None] * L.toarray().T), atol=1e-300)
    fewer = sp.csc_array(sp.tril(L, -1) + sp.eye_array(n))
    fewer.data[:3] = 0.0
    fewer.eliminate_zeros()
    found = inertia._apart(U, D, fewer)
    np.testing.assert_allclose(
        found.toarray(), abs(U.toarray() - D[:, None] * fewer.toarray().T), atol=1e-300
    )


def test_the_forecast_follows_the_power_of_the_parts() -> None:
    effort, entries = inertia._extended([(250, 1e5, 2e3), (500, 4e5, 4.4e3)], 2000)
    assert effort == pytest.approx(4e5 * 16.0)
    assert entries == pytest.approx(4.4e3 * 4.0 ** np.log2(2.2))
    assert inertia._extended([(250, 1e5, 2e3)], 1000) == (4e5, 8e3)


def test_a_fit_leaves_out_a_proof_that_costs_more_and_says_how_to_ask_for_it() -> None:
    X = np.random.default_rng(0).normal(size=(1500, 6))
    model = er.SpectralClustering(3).fit(X)
    for certificate in (model.certificate_, er.verify(model, X, None)):
        assert "that they are the smallest ones is not proved: a factor would take" in certificate.claim
        assert "prove(X) counts all the same" in certificate.claim
    claim = model.prove(X).claim
    assert "; they are the smallest ones, since the signs of a factor prove" in claim
    level = float(claim.split("lie below ")[1].split(",")[0])
    with threadpool_limits(1):
        values = eigh(
            G.laplacian(model.affinity_matrix_, "symmetric").toarray(),
            subset_by_index=[0, 3],
            eigvals_only=True,
        )
    assert values[2] < level < values[3]
    assert "1500" in model.prove(X[:600]).claim


@pytest.mark.parametrize("options", [{}, {"laplacian": "unnormalised"}, {"affinity": "gaussian"}])
def test_small_fits_are_proved(options: dict[str, object]) -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    assert "not proved" not in er.SpectralClustering(3, **options).fit(X).certificate_.claim


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
