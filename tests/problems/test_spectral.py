"""Spectral problems: certificates against all eigenvalues, the search against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import subspace_angles

import empirisk as er
from empirisk.problems import MatrixOperator, SpectralProblem
from empirisk.results import Kind, Status


def matrix(rng: np.random.Generator, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a symmetric matrix with given eigenvalues, and its eigenvectors."""
    Q, _ = np.linalg.qr(rng.normal(size=(len(values), len(values))))
    A = (Q * values) @ Q.T
    return 0.5 * (A + A.T), Q


@pytest.mark.parametrize("error", [1e-1, 1e-3, 1e-7])
def test_claims_hold_for_vectors_that_are_off(error: float, rng: np.random.Generator) -> None:
    values = np.sort(rng.uniform(0.0, 5.0, 30))
    values[:3] = [0.0, 0.0, 0.2]
    values[3:] += 1.0
    A, Q = matrix(rng, values)
    problem = SpectralProblem(MatrixOperator(A), 3)
    w = (Q[:, :3] + error * rng.normal(size=(30, 3))) @ rng.normal(size=(3, 3))
    certificate = problem.certify(w, None, 0.0, Q[:, 3:6])
    assert certificate.kind is Kind.EIGEN_RESIDUAL
    found = problem.evaluate(w)
    assert np.abs(found.values - values[:3]).max() <= certificate.value
    gap = problem.next_value(found, Q[:, 3:6])
    assert gap is not None
    angle = np.sin(subspace_angles(found.vectors, Q[:, :3]).max())
    assert angle <= certificate.value / (values[3] - found.values[-1]) + 1e-12
    assert certificate.within(1e-5) == (error < 1e-6)


def test_the_value_is_the_norm_of_the_residual(rng: np.random.Generator) -> None:
    A, _ = matrix(rng, np.arange(12.0))
    V, _ = np.linalg.qr(rng.normal(size=(12, 4)))
    R = A @ V - V @ (V.T @ A @ V)
    certificate = SpectralProblem(MatrixOperator(A), 4).certify(V)
    assert certificate.value == pytest.approx(np.linalg.norm(R, 2), rel=1e-12)
    assert certificate.scale == pytest.approx(np.abs(A).sum(axis=1).max())


def test_gradient_is_that_of_the_trace_along_the_sphere(rng: np.random.Generator) -> None:
    A, _ = matrix(rng, np.arange(8.0))
    problem = SpectralProblem(MatrixOperator(A), 2)
    found = problem.evaluate(rng.normal(size=(8, 2)))
    V, step = found.vectors, 1e-6
    D = rng.normal(size=(8, 2))
    up, down = (problem.evaluate(V + sign * step * D).loss for sign in (1.0, -1.0))
    assert (up - down) / (2.0 * step) == pytest.approx(float((found.grad * D).sum()), rel=1e-6)


@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n", [40, 900])
def test_smallest_eigenvalues_by_dense_algebra(n: int, stored: object, rng: np.random.Generator) -> None:
    values = np.sort(rng.uniform(-1.0, 3.0, n))
    values[1] = values[0]  # a double one
    A, _ = matrix(rng, values)
    problem = SpectralProblem(MatrixOperator(stored(A)), 4)  # type: ignore[operator]
    solution = er.solve(problem, tol=1e-9).require()
    assert solution.solver == "eigen"
    np.testing.assert_allclose(problem.evaluate(solution.w).values, values[:4], atol=1e-7)
    warm = er.solve(problem, w0=solution.w, tol=1e-8)
    assert warm.status is Status.CERTIFIED
    assert warm.n_steps <= solution.n_steps


def test_what_is_no_problem_or_no_solver_for_it_is_refused(rng: np.random.Generator) -> None:
    operator = MatrixOperator(np.eye(5))
    for k in (0, 6):
        with pytest.raises(ValueError, match="k must be an integer from 1 to the 5 rows"):
            SpectralProblem(operator, k)
    problem = SpectralProblem(operator, 2)
    with pytest.raises(ValueError, match="they span fewer dimensions"):
        problem.certify(np.ones((5, 2)))
    with pytest.raises(ValueError, match="needs a differentiable loss"):
        er.solve(problem, "lbfgs")
    with pytest.raises(ValueError, match="no penalty"):
        problem.with_strength(1.0)
    with pytest.raises(ValueError, match="products with a symmetric operator"):
        er.solve(er.Ridge().problem(np.eye(3), np.ones(3)), "eigen")


def test_a_step_limit_is_said(rng: np.random.Generator) -> None:
    X = rng.normal(size=(1500, 2))
    W = er.graphs.NearestNeighborGraph(5).matrix(X)
    problem = SpectralProblem(er.graphs.LaplacianOperator(W), 6)
    solution = er.solve(problem, tol=1e-12, max_steps=1)
    assert solution.status is Status.MAX_STEPS
    dense = np.linalg.eigvalsh(er.graphs.laplacian(W).toarray())
    good = er.solve(problem, tol=1e-10).require()
    np.testing.assert_allclose(problem.evaluate(good.w).values, dense[:6], atol=1e-8)
