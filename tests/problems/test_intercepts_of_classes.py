"""The gap of several classes whose intercepts are off: a Newton step in them repairs the dual point."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from empirisk.problems.intercept import best_intercept, intercept_step


def _rows(n: int = 120, p: int = 4, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, p)) + 0.5
    return X, (X @ rng.normal(size=(p, k)) + rng.gumbel(size=(n, k))).argmax(axis=1)


def _objective(w: np.ndarray, X: np.ndarray, y: np.ndarray, alpha: float) -> float:
    z = X @ w[:-1] + w[-1]
    largest = z.max(axis=1)
    total = largest + np.log(np.exp(z - largest[:, None]).sum(axis=1)) - z[np.arange(len(y)), y]
    return float(total.mean() + alpha / 2.0 * np.sum(w[:-1] ** 2))


@pytest.mark.parametrize("alpha", [1e-3, 1e-1])
@pytest.mark.parametrize("off", [1e-2, 1e-4])
def test_the_gap_is_near_the_true_one_where_intercepts_are_off(alpha: float, off: float) -> None:
    """The certificate is no less than F(w) - F(w') for any w', and within a tenth of it at the optimum."""
    X, y = _rows()
    problem = er.LogisticRegression(alpha=alpha).problem(X, y)
    best = er.solve(problem, "newton", tol=1e-13).w
    w = best.copy()
    w[-1] += off * np.array([1.0, -0.5, 0.25, -1.0, 0.25])
    true = _objective(w, X, y, alpha) - _objective(best, X, y, alpha)
    claimed = problem.certify(w).value
    assert claimed >= true
    assert claimed <= 1.1 * true + 1e-13


def test_a_step_leaves_the_square_of_what_was_off() -> None:
    """Newton's step from nearby ends as far as the square of the distance from the best intercepts."""
    X, y = _rows()
    problem = er.LogisticRegression(alpha=0.1).problem(X, y)
    z, s = X @ np.ones((4, 5)) * np.linspace(-1.0, 1.0, 5), problem.data.weight
    best = best_intercept(problem.loss, problem.data.y, s, z)
    off = 1e-3 * np.array([1.0, -2.0, 0.5, 0.0, 0.5])
    left = off + intercept_step(problem.loss, problem.data.y, s, z + best + off)
    assert np.abs(left - left.mean()).max() < 1e-5
