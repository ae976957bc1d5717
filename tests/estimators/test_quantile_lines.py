"""Several quantiles in one fit: the optimum of a linear programme, lines in order, proofs that can fail."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

import empirisk as er
from empirisk.results import Kind

LEVELS = [0.1, 0.3, 0.5, 0.7, 0.9]


def rows(rng: np.random.Generator, n: int = 40, p: int = 2):
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + rng.standard_t(2, size=n) * (1.0 + 0.5 * X[:, 1]) + 2.0


def programme(X, y, s, levels, intercept: bool, l1: float) -> float:
    """Return the optimum by HiGHS: coefficients, parts of the residuals, orders as they stand."""
    n, p = X.shape
    A = np.column_stack([X, np.ones(n)]) if intercept else X
    q, k = A.shape[1], len(levels)
    line, size = np.kron(np.eye(k), A), np.kron(np.eye(k), np.eye(q)[:p])
    share = s / s.sum()
    sides = [*[level * share for level in levels], *[(1.0 - level) * share for level in levels]]
    cost = [np.zeros(k * q), *sides, np.full(k * p, l1)]
    equal = np.hstack([line, np.eye(k * n), -np.eye(k * n), np.zeros((k * n, k * p))])
    parts = np.zeros((k * p, 2 * k * n))
    below = np.vstack([np.hstack([sign * size, parts, -np.eye(k * p)]) for sign in (1.0, -1.0)])
    steps = np.kron(np.eye(k)[:-1] - np.eye(k)[1:], A[s > 0.0])
    order = np.hstack([steps, np.zeros((len(steps), 2 * k * n + k * p))])
    above = np.vstack([below, order])
    bounds = [(None, None)] * (k * q) + [(0.0, None)] * (2 * k * n + k * p)
    found = linprog(np.concatenate(cost), above, np.zeros(len(above)), equal, np.tile(y, k), bounds, "highs")
    assert found.status == 0
    return float(found.fun)


def objective(model, X, y, s, l1: float) -> float:
    out = 0.0
    for q, coef, b in zip(model.q, model.coef_, np.broadcast_to(model.intercept_, len(model.q)), strict=True):
        r = y - X @ coef - b
        out += float(np.average(np.maximum(q * r, (q - 1.0) * r), weights=s)) + l1 * np.abs(coef).sum()
    return out


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.02])
def test_it_is_the_optimum_of_the_linear_programme(alpha, intercept, rng) -> None:
    X, y = rows(rng)
    s = rng.integers(0, 3, size=len(y)).astype(float)
    model = er.QuantileRegressor(LEVELS, alpha=alpha, fit_intercept=intercept).fit(X, y, s)
    least = programme(X, y, s, LEVELS, intercept, alpha)
    assert objective(model, X, y, s, alpha) == pytest.approx(least, rel=1e-9)
    assert model.certificate_.within(1e-9)
    alone = [er.QuantileRegressor(q, alpha=alpha, fit_intercept=intercept).fit(X, y, s) for q in LEVELS]
    crossed = np.diff(np.stack([one.predict(X[s > 0.0]) for one in alone], axis=1), axis=1).min()
    assert crossed < -1e-3  # else nothing would have been tried here


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_no_lines_in_order_are_better_under_a_ridge(l1_ratio, rng) -> None:
    """The dual value is a lower bound: nearby lines in order, and those of other fits, are no better."""
    X, y = rows(rng)
    model = er.QuantileRegressor(LEVELS, alpha=0.02, l1_ratio=l1_ratio, fit_intercept=False).fit(X, y)
    problem = model.problem(X, y)
    best = problem.value(model.coef_.T)
    assert model.certificate_.kind is Kind.DUALITY_GAP
    assert model.certificate_.within(1e-8)
    for _ in range(50):  # without an intercept lines in order around 0 are equal
        other = model.coef_ + 0.1 * rng.normal(size=model.coef_.shape[1])
        assert problem.value(other.T) >= best - model.certificate_.value


def test_lines_do_not_cross_on_the_hull_and_predictions_never_do(rng) -> None:
    X, y = rows(rng)
    model = er.QuantileRegressor(LEVELS).fit(X, y)
    inside = rng.dirichlet(np.full(len(X), 0.05), size=500) @ X
    assert np.diff(inside @ model.coef_.T + model.intercept_, axis=1).min() > -1e-12
    far = 30.0 * rng.normal(size=(200, 2))
    assert np.diff(far @ model.coef_.T + model.intercept_, axis=1).min() < 0.0
    assert np.diff(model.predict(far), axis=1).min() >= 0.0
    assert model.predict(far).shape == (200, 5)


def test_lines_that_keep_their_order_are_those_of_single_fits(rng) -> None:
    X = rng.uniform(size=(400, 1))
    y = X[:, 0] + rng.normal(size=400)
    model = er.QuantileRegressor([0.2, 0.8]).fit(X, y)
    for q, coef, b in zip(model.q, model.coef_, model.intercept_, strict=True):
        alone = er.QuantileRegressor(q).fit(X, y)
        np.testing.assert_allclose(coef, alone.coef_, rtol=1e-12)
        assert b == pytest.approx(alone.intercept_, rel=1e-12)
    assert er.QuantileRegressor([0.4]).fit(X, y).predict(X).shape == (400, 1)


def test_a_proof_is_found_again_and_fails_for_other_numbers(rng) -> None:
    X, y = rows(rng)
    model = er.QuantileRegressor(LEVELS).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert er.verify(again, X, y).within(1e-9)
    again.coef_ = again.coef_ + 1e-3 * np.arange(5.0)[:, None]
    assert not er.verify(again, X, y).within(1e-6)
    crossing = pickle.loads(pickle.dumps(model))
    crossing.intercept_ = crossing.intercept_[[1, 0, 2, 3, 4]]
    assert "cross" in er.verify(crossing, X, y).claim
    assert not er.verify(crossing, X, y).within(1e-6)


def test_weights_are_repetitions_and_layouts_agree(rng) -> None:
    X, y = rows(rng)
    s = rng.integers(0, 3, size=len(y))
    settings = {"q": LEVELS, "alpha": 0.01, "l1_ratio": 0.0}
    model = er.QuantileRegressor(**settings).fit(X, y, s.astype(float))
    repeated = er.QuantileRegressor(**settings).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    np.testing.assert_allclose(model.coef_, repeated.coef_, atol=1e-6)
    sparse = er.QuantileRegressor(**settings).fit(sp.csr_matrix(X), y, s.astype(float))
    np.testing.assert_allclose(model.coef_, sparse.coef_, atol=1e-6)
    single = er.QuantileRegressor(LEVELS).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    assert single.solution_.status.ok


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"q": [0.5, 0.1]}, "levels of q must rise"),
        ({"q": [0.5, 1.0]}, "every level of q"),
        ({"q": []}, "every level of q"),
        ({"q": "half"}, "q must be a number"),
        ({"q": LEVELS, "solver": "fista"}, "several quantiles"),
        ({"q": LEVELS, "alpha": "cv"}, "one level q"),
    ],
)
def test_what_several_levels_cannot_do_is_said(settings, message, rng) -> None:
    with pytest.raises(ValueError, match=message):
        er.QuantileRegressor(**settings).fit(*rows(rng))


def test_a_path_is_about_one_level(rng) -> None:
    with pytest.raises(ValueError, match="one quantile"):
        er.path(er.QuantileRegressor(LEVELS, alpha=0.1), *rows(rng))


def test_the_score_is_the_share_of_the_pinball_loss(rng) -> None:
    X, y = rows(rng)
    model = er.QuantileRegressor([0.2, 0.8]).fit(X, y)
    shares = []
    for q, line in zip(model.q, model.predict(X).T, strict=True):
        constant = np.quantile(y, q, method="inverted_cdf")
        loss = [np.mean(np.maximum(q * (y - z), (q - 1.0) * (y - z))) for z in (line, constant)]
        shares.append(1.0 - loss[0] / loss[1])
    assert model.score(X, y) == pytest.approx(np.mean(shares), rel=1e-12)
