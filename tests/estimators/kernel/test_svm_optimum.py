"""Optima of kernel machines: another program, LIBSVM's own numbers, and explicit features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

import empirisk as er
from empirisk.kernels import Gaussian, Precomputed

HEART = Path(__file__).parents[2] / "data" / "svm" / "heart_scale.libsvm"


def gaussian(A: Any, B: Any, gamma: float) -> Any:
    """The definition, pair by pair of rows."""
    return np.exp(-gamma * np.square(A[:, None] - B[None]).sum(axis=2))


def rows(rng: np.random.Generator, n: int = 40) -> tuple[Any, Any, Any]:
    X = rng.normal(size=(n, 3))
    z = X[:, 0] - X[:, 1] * X[:, 2] + 0.4 * rng.normal(size=n)
    return X, z, rng.integers(1, 4, size=n).astype(float)


def solved_dual(K: Any, low: Any, high: Any, gain: Any) -> float:
    """The largest ``gain(v) - v'K v / 2`` over a box with ``sum v = 0``."""
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    v = cp.Variable(len(K))
    problem = cp.Problem(
        cp.Maximize(gain(v) - 0.5 * cp.sum_squares(root.T @ v)), [v >= low, v <= high, cp.sum(v) == 0]
    )
    tight = {"tol_gap_abs": 1e-13, "tol_gap_rel": 1e-13, "tol_feas": 1e-13}
    return float(problem.solve(solver=cp.CLARABEL, **tight))


@pytest.mark.parametrize("alpha", [1e-3, 0.02, 0.5])
def test_svc_is_the_optimum_of_a_quadratic_program(alpha: float, rng: np.random.Generator) -> None:
    X, z, s = rows(rng)
    y = np.where(z > 0.0, 1.0, -1.0)
    K, limit = gaussian(X, X, 0.5), s / (s.sum() * alpha)
    best = alpha * solved_dual(K, np.minimum(0.0, limit * y), np.maximum(0.0, limit * y), lambda v: v @ y)
    model = er.SVC(alpha, kernel=Gaussian(gamma=0.5), tol=1e-10).fit(X, y, sample_weight=s)
    a = np.zeros(len(y))
    a[model.support_] = model.dual_coef_[0]
    scores = K @ a + model.intercept_[0]
    value = s @ np.maximum(0.0, 1.0 - y * scores) / s.sum() + 0.5 * alpha * a @ K @ a
    assert value == pytest.approx(best, abs=1e-8)
    assert model.certificate_.within(1e-10)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-12)
    np.testing.assert_allclose(model.slack_, np.maximum(0.0, 1.0 - y * scores), atol=1e-12)
    assert model.margin_[0] == pytest.approx(1.0 / np.sqrt(a @ K @ a), rel=1e-10)


@pytest.mark.parametrize("alpha", [1e-3, 0.05])
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_svr_is_the_optimum_of_a_quadratic_program(
    alpha: float, epsilon: float, rng: np.random.Generator
) -> None:
    X, z, s = rows(rng)
    K, limit = gaussian(X, X, 0.5), s / (s.sum() * alpha)
    best = alpha * solved_dual(K, -limit, limit, lambda v: v @ z - epsilon * cp.norm1(v))
    model = er.SVR(alpha, kernel=Gaussian(gamma=0.5), epsilon=epsilon, tol=1e-10)
    model.fit(X, z, sample_weight=s)
    a = np.zeros(len(z))
    a[model.support_] = model.dual_coef_[0]
    scores = K @ a + model.intercept_
    value = s @ np.maximum(0.0, abs(z - scores) - epsilon) / s.sum() + 0.5 * alpha * a @ K @ a
    assert value == pytest.approx(best, abs=1e-8)
    assert model.certificate_.within(1e-10)


def test_libsvm_on_heart_scale() -> None:
    """``svm-train -e 1e-9``: obj -100.877292, rho 0.424508, 132 support vectors, 107 of them at the limit.

    LIBSVM holds kernel rows in float32, which leaves the last digits of these numbers open.
    """
    X, y = load_svmlight_file(str(HEART))
    model = er.SVC(kernel=Gaussian(gamma=1.0 / 13.0), tol=1e-9).fit(X, y)
    norm = 1.0 / model.margin_[0] ** 2
    assert model.slack_.sum() + 0.5 * norm == pytest.approx(100.877292, abs=2e-6)
    assert model.intercept_[0] == pytest.approx(-0.424508, abs=2e-5)
    assert len(model.support_) == 132
    assert np.count_nonzero(abs(model.dual_coef_[0]) > 1.0 - 1e-9) == 107
    np.testing.assert_allclose(
        model.decision_function(X)[:5],
        [1.23500435, -0.349644798, -0.779101355, 1.433539519, -1.0],
        atol=1e-4,
    )


def test_libsvm_on_heart_scale_with_the_linear_kernel() -> None:
    """``svm-train -t 0 -e 1e-9``: obj -92.473359, rho -1.049098; dense, sparse and LinearSVC alike."""
    X, y = load_svmlight_file(str(HEART))
    for rows_ in (X, X.toarray()):
        model = er.SVC(kernel="linear", tol=1e-9).fit(rows_, y)
        objective = model.slack_.sum() + 0.5 / model.margin_[0] ** 2
        assert objective == pytest.approx(92.473359, rel=3e-7)
        assert model.intercept_[0] == pytest.approx(1.049098, abs=1e-5)
    plane = er.LinearSVC(tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plane.decision_function(X), atol=1e-4)


def test_features_of_a_polynomial_kernel_give_the_same_function(rng: np.random.Generator) -> None:
    """``(1 + x.x')^2`` has the features 1, sqrt(2) x, x_i^2 and sqrt(2) x_i x_j (representer theorem)."""
    X, z, _ = rows(rng, 60)
    y, new = np.where(z > 0.0, 1, 0), rng.normal(size=(20, 3))

    def features(A: Any) -> Any:
        i, j = np.triu_indices(3, 1)
        return np.c_[np.sqrt(2.0) * A, A**2, np.sqrt(2.0) * A[:, i] * A[:, j]]

    flat = er.LinearSVC(0.02, tol=1e-11).fit(features(X), y)
    K = (1.0 + X @ X.T) ** 2
    model = er.SVC(0.02, kernel=Precomputed(), tol=1e-11).fit(K, y)
    # The constant feature 1 only moves the free intercept.
    np.testing.assert_allclose(
        model.decision_function((1.0 + new @ X.T) ** 2), flat.decision_function(features(new)), atol=1e-5
    )
