"""Kernels that are none: every kernel machine that solves with their matrix refuses them, with rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.kernels import Gaussian, Precomputed
from empirisk.kernels.definite import refuse_indefinite

MACHINES: dict[str, Any] = {
    "ridge": lambda **k: er.KernelRidge(**k),
    "ridge, leave-one-out": lambda **k: er.KernelRidge("cv", **k),
    "ridge, folds": lambda **k: er.KernelRidge("cv", cv=3, **k),
    "ridge, conjugate gradients": lambda **k: er.KernelRidge(solver="kernel_cg", **k),
    "ridge, Newton": lambda **k: er.KernelRidge(solver="kernel_newton", **k),
    "logistic": lambda **k: er.KernelLogisticRegression(**k),
    "steps": lambda **k: er.KernelSGDClassifier(**k),
    "steps without the matrix": lambda **k: er.KernelSGDClassifier(cache_size=1e-6, **k),
}


def data(rng: np.random.Generator, n: int = 40) -> tuple[Any, Any]:
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] > X[:, 1] * X[:, 2], 1, 0)


@pytest.mark.parametrize("name", MACHINES)
def test_a_negative_diagonal_names_its_row(name: str, rng: np.random.Generator) -> None:
    X, y = data(rng)
    with pytest.raises(ValueError, match=r"not positive semi-definite: k\(i, i\) = -\S+ < 0 for row") as told:
        MACHINES[name](kernel=lambda A, B: -(A @ B.T)).fit(X, y)
    row = int(re.findall(r"for row (\d+)", str(told.value))[0])
    assert row == int(np.square(X).sum(axis=1).argmax())


@pytest.mark.parametrize("name", MACHINES)
def test_a_matrix_below_its_identity_is_refused_with_its_eigenvalue(
    name: str, rng: np.random.Generator
) -> None:
    """The diagonal of ``K - 0.9 I`` is positive, and its eigenvalues are those of K less 0.9."""
    X, y = data(rng)
    K = Gaussian(gamma=0.5).block(X) - 0.9 * np.eye(len(X))
    with pytest.raises(ValueError, match=r"has the eigenvalue -.* weighs rows") as told:
        MACHINES[name](kernel="precomputed").fit(K, y)
    n, value = re.findall(r"of (\d+) rows has the eigenvalue (\S+)", str(told.value))[0]
    if int(n) == len(X):
        assert float(value) == pytest.approx(np.linalg.eigvalsh(K)[0], rel=1e-2)


@pytest.mark.parametrize("name", MACHINES)
def test_true_kernels_are_fitted_from_singular_and_rounded_matrices(
    name: str, rng: np.random.Generator
) -> None:
    X, y = data(rng)
    for K in (X @ X.T, Gaussian(gamma=1e-3).block(X), Gaussian(gamma=0.5).block(X).astype(np.float32)):
        MACHINES[name](kernel="precomputed").fit(K, y)


@pytest.mark.parametrize("name", ["ridge", "logistic", "ridge, conjugate gradients"])
def test_rows_without_weight_do_not_count(name: str, rng: np.random.Generator) -> None:
    X, y = data(rng)
    K = X @ X.T + np.eye(len(X))
    K[7, 7] = -1.0
    with pytest.raises(ValueError, match="for row 7"):
        MACHINES[name](kernel="precomputed").fit(K, y)
    weight = np.ones(len(X))
    weight[7] = 0.0
    MACHINES[name](kernel="precomputed").fit(K, y, sample_weight=weight)


def test_a_negative_minor_is_seen_between_zeros() -> None:
    with pytest.raises(ValueError, match=r"eigenvalue -1 .* weighs rows (5, 3|3, 5)"):
        refuse_indefinite(Precomputed(), np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([3, 5]), 1e-16)
    refuse_indefinite(Precomputed(), np.zeros((2, 2)), np.arange(2), 1e-16)


def test_components_of_no_kernel_are_refused(rng: np.random.Generator) -> None:
    X, _ = data(rng)
    K = Gaussian(gamma=0.5).block(X)
    for bad in (-K, K - 0.9 * np.eye(len(X)), (K - 0.9 * np.eye(len(X))).astype(np.float32)):
        for features in (er.KernelPCA("precomputed"), er.Nystroem("precomputed", n_components=len(X))):
            with pytest.raises(ValueError, match="is not positive semi-definite"):
                features.fit(bad)
    for true in (X @ X.T, K, K.astype(np.float32)):
        shares = er.KernelPCA("precomputed", len(X)).fit(true).explained_variance_ratio_
        assert shares.min() >= 0.0
        assert shares.sum() == pytest.approx(1.0, abs=1e-4)


# -- sparse matrices of kernel values -------------------------------------------------------------


def test_sparse_matrices_are_fitted_like_dense_ones(rng: np.random.Generator) -> None:
    X, y = data(rng)
    K = np.maximum(Gaussian(gamma=0.5).block(X), 0.0)
    for name in (
        "KernelRidge",
        "KernelLogisticRegression",
        "SVC",
        "SVR",
        "KernelQuantile",
        "KernelSGDClassifier",
        "OneClassSVM",
        "GaussianProcessRegressor",
        "GaussianProcessClassifier",
        "KernelPCA",
        "Nystroem",
    ):
        models = [getattr(er, name)(kernel="precomputed").fit(form, y) for form in (K, sp.csr_matrix(K))]
        for say in ("decision_function", "predict", "transform"):
            if hasattr(models[0], say):
                dense, sparse = (getattr(m, say) for m in models)
                np.testing.assert_allclose(sparse(sp.csr_matrix(K[:5])), dense(K[:5]), atol=1e-5)
                break


def test_sparse_matrices_that_are_no_kernels_are_refused(rng: np.random.Generator) -> None:
    X, y = data(rng)
    K = Gaussian(gamma=0.5).block(X)
    crooked = K.copy()
    crooked[2, 5] += 1.0
    for name in ("KernelRidge", "SVC", "KernelPCA", "GaussianProcessRegressor"):
        model = getattr(er, name)(kernel="precomputed")
        with pytest.raises(ValueError, match=r"not symmetric: K\[2, 5\] = "):
            model.fit(sp.csr_matrix(crooked), y)
        with pytest.raises(ValueError, match="is not positive semi-definite"):
            model.fit(sp.csr_matrix(-K), y)
