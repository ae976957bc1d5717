"""Constants of a problem against second derivatives, long rows and power iteration by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Absolute, HalfSquared, Huber, Logistic, Poisson
from empirisk.penalties import L1, L2, Zero
from empirisk.problems import LinearProblem


def build(loss, penalty, X, intercept, rng):
    n = X.shape[0]
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0) if loss.labels else rng.poisson(2.0, n).astype(float)
    data = ArrayBlocks(Design(X), y, rng.integers(0, 3, n).astype(float))
    return LinearProblem(loss, penalty, data, intercept)


def ends(problem, low, high):
    """Eigenvalues of the Hessian's bounds, formed row by row."""
    X = problem.design.X.toarray() if problem.design.sparse else problem.design.X
    X = np.column_stack([X, np.ones(len(X))]) if problem.intercept else X
    s = problem.data.weight / problem.data.weight.sum()
    D = np.diag([problem.penalty.l2] * problem.data.n_cols + [0.0] * problem.intercept)
    G = sum(a * np.outer(x, x) for a, x in zip(s, X, strict=True))
    return np.linalg.eigvalsh(low * G + D)[0], np.linalg.eigvalsh(high * G + D)[-1]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("loss", [HalfSquared(), Logistic(), Huber(1.0)], ids=lambda v: v.name)
def test_smoothness_and_strong_convexity(loss, storage, intercept, rng):
    problem = build(loss, L2(0.3), storage(rng.normal(size=(30, 4)) + 1.0), intercept, rng)
    bottom, top = ends(problem, *loss.curvature)
    c = problem.constants
    assert c.L.proved
    assert c.mu.proved
    assert c.L.value == pytest.approx(top, rel=1e-10)
    assert c.mu.value == pytest.approx(max(bottom, 0.0), rel=1e-8, abs=1e-12)


def test_the_gradient_moves_no_faster_than_the_larger_and_no_slower_than_the_smaller(rng):
    problem = build(HalfSquared(), L2(0.1), rng.normal(size=(40, 6)), True, rng)
    c = problem.constants
    pad = np.append(np.full(6, 0.1), 0.0)
    for _ in range(20):
        a, b = rng.normal(size=(2, 7))
        change = problem.smooth(a)[1] + pad * a - problem.smooth(b)[1] - pad * b
        assert np.linalg.norm(change) <= c.L.value * np.linalg.norm(a - b) * (1.0 + 1e-12)
        assert change @ (a - b) >= c.mu.value * np.sum((a - b) ** 2) * (1.0 - 1e-12)


def test_lipschitz_constant_counts_rows_with_weight_only(rng):
    X = np.array([[3.0, 4.0], [100.0, 0.0], [1.0, 0.0]])
    data = ArrayBlocks(Design(X), np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 2.0]))
    problem = LinearProblem(Absolute(), Zero(), data, intercept=False)
    assert problem.constants.row_norm.value == 5.0
    assert problem.constants.rho.value == 5.0
    assert problem.constants.L.value == np.inf
    assert LinearProblem(Absolute(), Zero(), data).constants.rho.value == pytest.approx(np.sqrt(26.0))


def test_poisson_has_no_smoothness_constant(rng):
    problem = build(Poisson(), L1(0.1), rng.normal(size=(10, 2)), True, rng)
    assert problem.constants.L.value == np.inf
    assert problem.constants.mu.value == 0.0


@pytest.mark.full  # many rows
@pytest.mark.parametrize("shape", [(40, 1100), (1100, 1200)])
def test_large_problems(shape, rng):
    X = rng.normal(size=shape) * np.linspace(0.1, 3.0, shape[1])
    problem = build(HalfSquared(), L2(0.2), X, True, rng)
    X1 = np.column_stack([X, np.ones(shape[0])])
    s = problem.data.weight / problem.data.weight.sum()
    top = np.linalg.norm(np.sqrt(s)[:, None] * X1, 2) ** 2
    c = problem.constants
    assert c.L.proved == (shape[0] <= 1000)
    assert c.L.value == pytest.approx(top + 0.2, rel=1e-3)
    assert c.mu.value == 0.0  # the intercept has no curvature of its own
