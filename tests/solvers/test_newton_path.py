"""Newton's method along a path keeps its Hessian, and certifies each strength all the same."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from empirisk.problems.certify import certify
from empirisk.solvers import newton, solve
from empirisk.solvers.path import solve_path


@pytest.mark.parametrize("weighted", [False, True])
def test_few_hessians_and_every_strength_certified(
    weighted: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    real = newton.full_hessian
    monkeypatch.setattr(newton, "full_hessian", lambda *a: made.append(1) or real(*a))
    X = rng.normal(size=(400, 8)) * np.logspace(-2, 2, 8)
    y = X[:, 0] * 50 + X[:, 5] / 10 + rng.normal(size=400) > 0
    weight = rng.integers(0, 3, size=400).astype(float) if weighted else None
    problem = er.LogisticRegression(alpha=1.0).problem(X, y, weight)
    alphas = np.logspace(0, -5, 25)
    path = solve_path(problem, alphas, tol=1e-8, solver="newton")
    assert len(made) < 25  # one a strength would be the least without keeping it
    for alpha, found in zip(alphas, path, strict=True):
        here = problem.with_strength(alpha)
        assert found.status.ok
        assert certify(here, found.w).within(2e-8)
        alone = solve(here, "newton", tol=1e-8)
        gap = found.certificate.value + alone.certificate.value
        assert np.linalg.norm((found.w - alone.w)[:8]) <= 2.0 * np.sqrt(2.0 * gap / alpha)
    assert len(made) > 25  # the separate fits made one a step
