"""Laplace's approximation: the mode against a general optimiser, and the evidence against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from empirisk.gaussian_processes import Covariance, LaplaceEvidence
from empirisk.gaussian_processes.laplace import find_mode, latent_variance, predictive_root
from empirisk.kernels import Gaussian

KERNEL = 3.0 * Gaussian(gamma=0.5)


@pytest.fixture
def rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = rng.normal(size=(25, 2))
    t = np.where(X[:, 0] + 0.7 * rng.normal(size=25) > 0.0, 1.0, -1.0)
    return X, t, rng.integers(1, 4, 25).astype(float)


def test_the_mode_is_that_of_kernel_logistic_regression(
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    X, t, s = rows
    K = KERNEL.block(X)

    def loss(a: np.ndarray) -> tuple[float, np.ndarray]:
        f = K @ a
        return float(-s @ log_expit(t * f) + 0.5 * a @ f), K @ (a - s * t * expit(-t * f))

    best = minimize(loss, np.zeros(25), jac=True, method="BFGS", options={"gtol": 1e-10})
    mode = find_mode(K, t, s)
    np.testing.assert_allclose(mode.f, K @ best.x, atol=1e-6)
    np.testing.assert_allclose(mode.a, s * t * expit(-t * mode.f), atol=1e-9)
    # The gap is a bound: a worse point has a larger one, which covers what it misses.
    for steps in (0.9, 0.5):
        a = steps * mode.a
        r = s * t * expit(-t * (K @ a)) - a
        assert loss(a)[0] - best.fun <= 0.5 * r @ K @ r + 1e-12
    assert mode.gap <= 1e-16 * s.sum()


def test_the_evidence_is_its_formula(rows: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, t, s = rows
    K = KERNEL.block(X)
    f = find_mode(K, t, s).f
    W = np.diag(s * expit(f) * expit(-f))
    plain = (
        s @ log_expit(t * f)
        - 0.5 * f @ np.linalg.solve(K, f)
        - 0.5 * np.linalg.slogdet(np.eye(25) + K @ W)[1]
    )
    model = LaplaceEvidence(Covariance(KERNEL, X, s), t[None])
    assert model(model.covariance.start)[0] == pytest.approx(plain, rel=1e-7)
    both = LaplaceEvidence(Covariance(KERNEL, X, s), np.stack([t, -t]))
    assert both(both.covariance.start)[0] == pytest.approx(2.0 * plain, rel=1e-7)


def test_the_latent_variance_is_its_formula(rows: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, t, s = rows
    K, new = KERNEL.block(X), KERNEL.block(X, X[:4] + 0.3)
    mode = find_mode(K, t, s)
    W = s * expit(mode.f) * expit(-mode.f)
    plain = 3.0 - np.einsum("ij,ij->j", new, np.linalg.solve(K + np.diag(1.0 / W), new))
    root, inside = predictive_root(K, mode, s)
    np.testing.assert_allclose(latent_variance(np.full(4, 3.0), new, root, inside), plain, rtol=1e-9)


def test_far_labels_and_large_weights_find_their_mode() -> None:
    X = np.array([[0.0], [0.0], [5.0]])
    K = (1e6 * Gaussian(gamma=1.0)).block(X)
    mode = find_mode(K, np.array([1.0, -1.0, 1.0]), np.array([1e4, 1.0, 1.0]))
    assert mode.gap <= 1e-8 * 1e4
    assert mode.f[0] == pytest.approx(np.log(1e4), rel=1e-3)
