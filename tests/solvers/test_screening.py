"""Which columns may be dropped: only those that every later dual point leaves at 0."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.solvers.screening import safely_zero


@pytest.mark.parametrize("gamma", [0.25, 1.0])
@pytest.mark.parametrize("gap", [1e-8, 1e-3])
def test_the_border_is_twice_the_radius(gap: float, gamma: float) -> None:
    # Two dual points within sqrt(2 gamma gap) of the optimum are twice that apart, times the column's norm.
    norm, l1 = np.array([2.0, 2.0]), 0.7
    border = l1 - 2.0 * math.sqrt(2.0 * gamma * gap) * 2.0
    zero = safely_zero(np.array([border * (1.0 - 1e-6), border * (1.0 + 1e-6)]), norm, l1, gap, gamma)
    assert zero.tolist() == [True, False]


def test_nothing_is_dropped_without_a_gap_or_an_l1_part() -> None:
    size, norm = np.zeros(3), np.ones(3)
    assert not safely_zero(size, norm, 0.0, 1e-9, 1.0).any()
    assert not safely_zero(size, norm, 0.5, math.inf, 1.0).any()


def test_dropped_columns_are_zero_at_the_optimum(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 30))
    y = X[:, :3] @ [1.0, -1.0, 0.5] + 0.1 * rng.normal(size=50)
    X, y = X - X.mean(axis=0), y - y.mean()
    norm, alpha = np.sqrt((X**2).mean(axis=0)), 0.05
    best = er.Lasso(alpha=alpha, fit_intercept=False, tol=1e-14).fit(X, y).coef_
    for share in (0.9, 0.99, 0.999):
        w = share * best
        r = y - X @ w
        v = X.T @ r / len(y)
        scale = min(1.0, alpha / np.abs(v).max())
        # Primal and dual of half the mean square plus alpha |w|_1.
        primal = 0.5 * np.mean(r**2) + alpha * np.abs(w).sum()
        dual = scale * np.mean(r * y) - 0.5 * scale**2 * np.mean(r**2)
        zero = safely_zero(np.abs(scale * v), norm, alpha, primal - dual, 1.0)
        assert np.all(best[zero] == 0.0)
