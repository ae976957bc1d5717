"""One-class machines: the optimum of another library, LIBSVM's machine, and what nu promises."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import OneClassSVM as LibsvmMachine

import empirisk as er
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.kernels import Gaussian, UserKernel

KERNEL = Gaussian(gamma=0.3)


def rows(rng: np.random.Generator, n: int = 120) -> np.ndarray:
    """Two groups, and a few rows far from both."""
    X = rng.normal(size=(n, 2))
    X[: n // 2] += 4.0
    X[: n // 20] *= 3.0
    return X


def lowest(K: np.ndarray, nu: float, s: np.ndarray) -> float:
    """The minimum of F, from the dual by another library."""
    a = cp.Variable(len(K))
    root = np.linalg.cholesky(K + 1e-12 * np.eye(len(K)))
    limits = [a >= 0.0, a <= s / (nu * s.sum()), cp.sum(a) == 1.0]
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(root.T @ a)), limits)
    problem.solve(solver=cp.CLARABEL)
    return -float(problem.value)


def objective(model: Any, X: np.ndarray, s: np.ndarray) -> float:
    """F at the fitted function and offset, from its definition."""
    a = np.zeros(len(X))
    a[model.support_] = model.dual_coef_[0]
    f = KERNEL.block(X) @ a
    short = s @ np.maximum(model.offset_ - f, 0.0) / (model.nu * s.sum())
    return float(0.5 * a @ f - model.offset_ + short)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.5, 1.0])
def test_the_optimum_is_that_of_another_library(nu: float, rng: np.random.Generator) -> None:
    X = rows(rng)
    s = rng.integers(1, 4, size=len(X)).astype(float)
    model = er.OneClassSVM(nu, kernel=KERNEL, tol=1e-8).fit(X, sample_weight=s)
    excess = objective(model, X, s) - lowest(KERNEL.block(X), nu, s)
    assert abs(excess) <= 1e-7
    assert excess <= model.certificate_.value + 1e-8
    assert model.certificate_.within(1e-8)
    assert er.verify(model, X, None, s).within(2e-8)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.6])
def test_scores_are_those_of_libsvm(nu: float, rng: np.random.Generator) -> None:
    X, new = rows(rng), 5.0 * rng.normal(size=(200, 2))
    model = er.OneClassSVM(nu, kernel=KERNEL, tol=1e-11).fit(X)
    peer = LibsvmMachine(nu=nu, gamma=0.3, tol=1e-10).fit(X)
    wanted = peer.decision_function(new) / (nu * len(X))
    np.testing.assert_allclose(model.score_samples(new), peer.score_samples(new) / (nu * len(X)), atol=1e-6)
    # Where no support vector is inside its box the offset is not unique: between two rows.
    free = (model.dual_coef_[0] > 1e-9) & (model.dual_coef_[0] < (1.0 - 1e-6) / (nu * len(X)))
    assert free.any()
    np.testing.assert_allclose(model.decision_function(new), wanted, atol=1e-6)
    far = np.abs(wanted) > 1e-5
    assert np.array_equal(model.predict(new)[far], peer.predict(new)[far])


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("kernel", [KERNEL, "laplacian", "linear"], ids=str)
def test_nu_bounds_what_is_outside_and_what_supports(
    nu: float, kernel: Any, rng: np.random.Generator
) -> None:
    X = rows(rng, 200) + 10.0  # for the linear kernel: the origin is not among the rows
    s = rng.integers(1, 4, size=len(X)).astype(float)
    model = er.OneClassSVM(nu, kernel=kernel).fit(X, sample_weight=s)
    outside = model.predict(X) == -1
    assert s[outside].sum() < nu * s.sum()
    assert s[model.support_].sum() >= nu * s.sum() * (1.0 - 1e-12)
    assert model.dual_coef_.sum() == pytest.approx(1.0, abs=1e-12)


def test_weights_are_repetition_and_zero_is_absence(rng: np.random.Generator) -> None:
    X = rows(rng)
    times = rng.integers(0, 4, size=len(X))
    far = np.where((times == 0)[:, None], 1e3, X)
    one = er.OneClassSVM(0.2, kernel=KERNEL, tol=1e-11).fit(far, sample_weight=7.0 * times)
    two = er.OneClassSVM(0.2, kernel=KERNEL, tol=1e-11).fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-6)


def test_layouts_agree(rng: np.random.Generator) -> None:
    X = rows(rng)
    X[rng.random(X.shape) < 0.3] = 0.0
    wanted = er.OneClassSVM(0.2, kernel=KERNEL, tol=1e-11).fit(X).decision_function(X)
    mine = UserKernel(lambda A, B: np.exp(-0.3 * ((A[:, None] - B) ** 2).sum(axis=2)))
    for form, kernel in ((sp.csr_array, KERNEL), (sp.csc_array, KERNEL), (np.asfortranarray, mine)):
        other = er.OneClassSVM(0.2, kernel=kernel, tol=1e-11).fit(form(X))
        np.testing.assert_allclose(other.decision_function(form(X)), wanted, atol=1e-6)
    matrix = er.OneClassSVM(0.2, kernel="precomputed", tol=1e-11).fit(KERNEL.block(X))
    np.testing.assert_allclose(matrix.decision_function(KERNEL.block(X)), wanted, atol=1e-6)
    single = er.OneClassSVM(0.2, kernel=KERNEL).fit(X.astype(np.float32))
    np.testing.assert_allclose(single.decision_function(X), wanted, atol=1e-3)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_extreme_scales(scale: float, rng: np.random.Generator) -> None:
    X = rows(rng) + 10.0
    for kernel in ("gaussian", "linear"):
        plain = er.OneClassSVM(0.2, kernel=kernel).fit(X)
        other = er.OneClassSVM(0.2, kernel=kernel).fit(X * scale)
        assert other.certificate_.within(1e-6)
        share = np.mean(plain.predict(X) == other.predict(X * scale))
        assert share > 0.9  # rows on the border may fall to either side


def test_no_half_space_where_the_origin_is_among_the_rows(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 2))
    model = er.OneClassSVM(0.1, kernel="linear").fit(X)
    assert model.certificate_.within(1e-6)  # F = 0: no function is better than none
    np.testing.assert_allclose(model.score_samples(X), 0.0, atol=1e-4)


def test_the_gap_is_true_whatever_the_weights(rng: np.random.Generator) -> None:
    X = rows(rng, 60)
    model = er.OneClassSVM(0.3, kernel=KERNEL).fit(X)
    least = lowest(KERNEL.block(X), 0.3, np.ones(60))
    problem = model._region(X, None, fitting=False)
    for _ in range(20):
        a = rng.exponential(size=60) * (rng.random(60) < 0.5) / rng.integers(5, 60)
        b = problem.feasible(a)
        assert (b >= 0.0).all()
        assert (b <= problem.high).all()
        assert b.sum() == pytest.approx(1.0, abs=1e-12)
        f = KERNEL.block(X) @ a
        r = float(rng.normal())
        value = 0.5 * a @ f - r + np.maximum(r - f, 0.0).sum() / (0.3 * 60)
        assert value - least <= problem.certify(a, None, r).value + 1e-8
        best = problem.offset(f)
        at_best = -best + np.maximum(best - f, 0.0).sum() / (0.3 * 60)
        assert at_best <= -r + np.maximum(r - f, 0.0).sum() / (0.3 * 60) + 1e-12


def test_what_it_refuses(rng: np.random.Generator) -> None:
    X = rows(rng)
    for bad, words in (
        ({"nu": 0.0}, r"nu must be a finite number > 0 and <= 1, got 0\.0"),
        ({"nu": 1.5}, "nu must be a finite number > 0 and <= 1"),
        ({"tol": 0.0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1"),
        ({"kernel": "rbf"}, "the kernel 'rbf' is called 'gaussian' here"),
    ):
        with pytest.raises(ValueError, match=words):
            er.OneClassSVM(**bad).fit(X)
    with pytest.raises(TypeError, match="OneClassSVM has no gamma: it belongs to the kernel"):
        er.OneClassSVM(gamma=0.1)
    negative = UserKernel(lambda A, B: -np.exp(-((A[:, None] - B) ** 2).sum(axis=2)))
    with pytest.raises(ValueError, match="not positive semi-definite"):
        er.OneClassSVM(kernel=negative).fit(X)
    with pytest.raises(ValueError, match="weight"):
        er.OneClassSVM().fit(X, sample_weight=np.zeros(len(X)))


def test_a_limit_of_looks_is_said(rng: np.random.Generator) -> None:
    X = rows(rng)
    with pytest.warns(CertificateWarning, match="ER001: Stopped at the step limit"):
        er.OneClassSVM(0.5, kernel=KERNEL, tol=1e-14, max_iter=1).fit(X)
