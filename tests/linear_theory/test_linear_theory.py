"""The formulas against simulation, against each other, and against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.linear_theory import gauss_markov, ols_excess_risk, optimal_alpha, ridge_bound, ridge_risk


def setting(rng, n=30, p=5):
    X = rng.standard_normal((n, p)) * np.array([2.0, 1.0, 1.0, 0.5, 0.1])[:p]
    return X, rng.standard_normal(p), 0.7


def simulated(X, theta, sigma, alpha, rng, samples):
    """Excess risks of the estimator over drawn noise, through the public Ridge (many targets at once)."""
    n = len(X)
    Y = (X @ theta)[:, None] + sigma * rng.standard_normal((n, samples))
    model = er.Ridge(alpha=alpha, fit_intercept=False) if alpha else er.LinearRegression(fit_intercept=False)
    W = model.fit(X, Y).coef_
    return ((W - theta) @ X.T) ** 2 @ np.full(n, 1.0 / n)


def agrees(values, truth, width=4.0):
    error = values.std() / math.sqrt(len(values))
    return abs(values.mean() - truth) <= width * error


@pytest.mark.parametrize("samples", [2000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_least_squares_by_simulation(rng, samples):
    X, theta, sigma = setting(rng)
    assert agrees(simulated(X, theta, sigma, 0.0, rng, samples), ols_excess_risk(sigma, 5, 30))


@pytest.mark.parametrize("samples", [2000, pytest.param(200_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("alpha", [0.01, 0.3, 5.0])
def test_ridge_by_simulation(rng, samples, alpha):
    X, theta, sigma = setting(rng)
    wanted = ridge_risk(X, theta, sigma, alpha)
    assert agrees(simulated(X, theta, sigma, alpha, rng, samples), wanted.risk)
    # Without noise only the bias is left.
    assert simulated(X, theta, 0.0, alpha, rng, 1)[0] == pytest.approx(wanted.bias2, rel=1e-6)


@pytest.mark.parametrize("samples", [1500, pytest.param(60_000, marks=pytest.mark.slow)])
def test_new_gaussian_rows_by_simulation(rng, samples):
    n, p, sigma = 20, 4, 1.5
    X = rng.standard_normal((samples, n, p))
    noise = sigma * rng.standard_normal((samples, n, 1))
    w = np.linalg.solve(X.transpose(0, 2, 1) @ X, X.transpose(0, 2, 1) @ noise)[:, :, 0]
    # The risk at a new normal row is the squared length of the error.
    assert agrees((w**2).sum(axis=1), ols_excess_risk(sigma, p, n, design="gaussian"))


def test_ridge_without_penalty_is_least_squares_and_without_end_predicts_zero(rng):
    X, theta, sigma = setting(rng)
    assert ridge_risk(X, theta, sigma, 0.0).risk == pytest.approx(ols_excess_risk(sigma, 5, 30))
    assert ridge_risk(X, theta, sigma, 1e-9).risk == pytest.approx(ols_excess_risk(sigma, 5, 30), rel=1e-6)
    nothing = ridge_risk(X, theta, sigma, math.inf)
    assert nothing.risk == pytest.approx(float(((X @ theta) ** 2).mean()))
    assert ridge_risk(X, theta, sigma, 1e9).risk == pytest.approx(nothing.risk, rel=1e-6)
    wide = rng.standard_normal((4, 9))
    assert ridge_risk(wide, np.ones(9), 1.0, 0.0).risk == pytest.approx(1.0)  # rank 4 of 4 rows


def test_the_best_strength_is_best(rng):
    for _ in range(6):
        X, theta, sigma = setting(rng)
        best = optimal_alpha(X, theta, sigma)
        least = ridge_risk(X, theta, sigma, best).risk
        grid = [ridge_risk(X, theta, sigma, a).risk for a in np.geomspace(1e-6, 1e4, 800)]
        assert least <= min(grid) * (1.0 + 1e-9)
        assert least < ols_excess_risk(sigma, 5, 30)
        simple = optimal_alpha(X, theta, sigma, criterion="bound")
        at = ridge_risk(X, theta, sigma, simple).risk
        assert least <= at <= ridge_bound(X, theta, sigma)


def test_the_bound_is_minimal_where_it_says(rng):
    X, theta, sigma = setting(rng)
    trace, size2, n = float((X**2).sum()) / 30, float(theta @ theta), 30

    def bound(alpha):
        return alpha * size2 / 4.0 + sigma**2 * trace / (4.0 * n * alpha)

    best = optimal_alpha(X, theta, sigma, criterion="bound")
    assert bound(best) == pytest.approx(ridge_bound(X, theta, sigma), rel=1e-12)
    for alpha in np.geomspace(best / 100, best * 100, 50):
        assert bound(alpha) >= bound(best) * (1.0 - 1e-12)
        assert ridge_risk(X, theta, sigma, alpha).risk <= bound(alpha)


def test_limits_of_the_best_strength(rng):
    X, theta, _ = setting(rng)
    assert optimal_alpha(X, theta, 0.0) == 0.0
    assert optimal_alpha(X, np.zeros(5), 1.0) == math.inf
    one = optimal_alpha(np.eye(3) * math.sqrt(3.0), np.full(3, 2.0), 1.0)
    assert one == pytest.approx(1.0 / (3 * 4.0))


def test_no_linear_unbiased_estimator_beats_least_squares(rng):
    X = rng.standard_normal((12, 3))
    H = np.linalg.pinv(X)
    null = np.eye(12) - X @ H
    for _ in range(50):
        found = gauss_markov(X, H + rng.standard_normal((3, 12)) @ null, 0.5)
        assert found.unbiased
        assert found.smallest >= -1e-12
    ridge = np.linalg.solve(X.T @ X + np.eye(3), X.T)
    found = gauss_markov(X, ridge, 0.5)
    assert not found.unbiased
    assert found.smallest < 0.0
    noise = 0.5 * rng.standard_normal((20_000, 12))
    np.testing.assert_allclose(np.cov((noise @ ridge.T).T), found.covariance, atol=5e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ols_excess_risk(-1.0, 2, 5), "sigma must be a finite number >= 0"),
        (lambda: ols_excess_risk(1.0, 6, 5), "at most n"),
        (lambda: ols_excess_risk(1.0, 2.5, 5), "p must be a whole number"),
        (lambda: ols_excess_risk(1.0, 2, 0), "n must be a whole number >= 1"),
        (lambda: ols_excess_risk(1.0, 2, 5, design="random"), "design must be one of"),
        (lambda: ridge_risk(np.eye(2), [1.0], 1.0, 1.0), "theta must be 2 finite numbers"),
        (lambda: ridge_risk([[1.0, math.nan]], [1.0, 1.0], 1.0, 1.0), "row 0, column 1"),
        (lambda: ridge_risk(np.eye(2), [1.0, 1.0], 1.0, -1.0), "alpha must be"),
        (lambda: ridge_risk(np.ones(3), [1.0], 1.0, 1.0), "X must be a matrix"),
        (lambda: optimal_alpha(np.eye(2), [1.0, 1.0], 1.0, criterion="cv"), "criterion must be one of"),
        (lambda: gauss_markov(np.eye(2), np.eye(3)), "its shape must be"),
        (lambda: gauss_markov(np.ones((3, 2)), np.ones((2, 3))), "collinear"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_more_columns_than_gaussian_rows_have_infinite_risk():
    assert ols_excess_risk(1.0, 9, 10, design="gaussian") == math.inf
    assert ols_excess_risk(1.0, 0, 10, design="gaussian") == 0.0
