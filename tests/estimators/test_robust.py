"""Huber regression: the scales from their definitions, scikit-learn's objective, and what outliers can do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from sklearn.linear_model import HuberRegressor as Peer

import empirisk as er


def table(rng: np.random.Generator, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, 3)) * [1.0, 20.0, 0.1] + [0.0, 5.0, 1.0]
    return X, X @ [1.0, 0.1, 10.0] - 2.0 + 3.0 * rng.standard_t(2, size=n)


def huber(r: np.ndarray, d: float) -> np.ndarray:
    return np.where(np.abs(r) <= d, r**2 / 2, d * np.abs(r) - d**2 / 2)


def joint(w: np.ndarray, s: float, X: np.ndarray, y: np.ndarray, delta: float, alpha: float) -> float:
    r = y - X @ w[:-1] - w[-1]
    return float(np.mean(huber(r, delta * s) / s + s / 2) + alpha * (w[:-1] @ w[:-1]) / 2)


@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_scikit_learn_minimises_the_same(alpha: float, rng: np.random.Generator) -> None:
    X, y = table(rng)
    X = X / X.std(axis=0)
    ours = er.HuberRegressor(scale="joint", alpha=alpha).fit(X, y)
    peer = Peer(alpha=alpha * len(y), tol=1e-9, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-4, atol=1e-4)
    assert ours.scale_ == pytest.approx(peer.scale_, rel=1e-4)
    np.testing.assert_array_equal(ours.outliers_, peer.outliers_)
    w, v = np.append(ours.coef_, ours.intercept_), np.append(peer.coef_, peer.intercept_)
    assert joint(w, ours.scale_, X, y, 1.35, alpha) <= joint(v, peer.scale_, X, y, 1.35, alpha) + 1e-14
    assert ours.alpha_ == pytest.approx(alpha * ours.scale_)


@pytest.mark.parametrize("noise", ["symmetric", "skewed"])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_joint_optimum_is_stationary(noise: str, alpha: float, rng: np.random.Generator) -> None:
    """Convex in (w, s): no small move of either lowers it, and the scale solves its own equation."""
    X, y = table(rng)
    if noise == "skewed":
        y = y + rng.exponential(20.0, size=len(y))
    model = er.HuberRegressor(1.5, scale="joint", alpha=alpha, tol=1e-10).fit(X, y)
    w, s = np.append(model.coef_, model.intercept_), model.scale_
    least = joint(w, s, X, y, 1.5, alpha)
    for _ in range(200):
        step = 1e-3 * rng.normal(size=5)
        assert joint(w + step[:4], s * np.exp(step[4]), X, y, 1.5, alpha) >= least - 1e-14
    r = y - model.predict(X)
    root = brentq(lambda t: np.mean(np.minimum((r / t) ** 2, 1.5**2)) - 1.0, 1e-3, 1e3, xtol=1e-14)
    assert s == pytest.approx(root, rel=1e-8)
    assert model.scale_residual_ <= 1e-8


def test_default_scale_from_its_definition(rng: np.random.Generator) -> None:
    X, y = table(rng, n=151)
    r = np.sort(np.abs(y - er.LeastAbsoluteDeviations().fit(X, y).predict(X)))
    assert (r < 1e-10).sum() == 4  # as many rows on the plane as parameters
    model = er.HuberRegressor().fit(X, y)
    assert model.scale_ == pytest.approx(1.482602218505602 * r[4 + (147 - 1) // 2], rel=1e-10)
    np.testing.assert_array_equal(model.outliers_, np.abs(y - model.predict(X)) > 1.35 * model.scale_)


def test_scale_estimates_normal_noise(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20_000, 2))
    y = X.sum(axis=1) + 3.0 * rng.normal(size=20_000)
    assert er.HuberRegressor().fit(X, y).scale_ == pytest.approx(3.0, rel=0.04)
    # The root of E min((z/s)^2, 1.35^2) = 1 for a standard normal z is 0.68126.
    assert er.HuberRegressor(scale="joint").fit(X, y).scale_ == pytest.approx(3.0 * 0.68126, rel=0.04)


@pytest.mark.parametrize("scale", ["mad", "joint"])
def test_equivariance(scale: Any, rng: np.random.Generator) -> None:
    X, y = table(rng)
    plain = er.HuberRegressor(scale=scale).fit(X, y)
    moved = er.HuberRegressor(scale=scale).fit(X, 1e5 * y + X @ [1.0, 2.0, 3.0] + 7.0)
    np.testing.assert_allclose(moved.coef_, 1e5 * plain.coef_ + [1.0, 2.0, 3.0], rtol=1e-6)
    assert moved.scale_ == pytest.approx(1e5 * plain.scale_, rel=1e-6)


def test_a_third_of_wild_targets_move_little(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    clean = X @ [1.0, -1.0] + 0.1 * rng.normal(size=300)
    y = clean.copy()
    y[:100] += 1e6
    model = er.HuberRegressor().fit(X, y)
    assert np.abs(model.coef_ - [1.0, -1.0]).max() < 0.2
    assert model.outliers_[:100].all()
    assert np.abs(er.LinearRegression().fit(X, y).coef_ - [1.0, -1.0]).max() > 100.0


def test_least_squares_and_absolute_deviations_are_the_ends(rng: np.random.Generator) -> None:
    X, y = table(rng)
    wide = er.HuberRegressor(scale=1e6).fit(X, y)
    np.testing.assert_allclose(wide.coef_, er.LinearRegression().fit(X, y).coef_, rtol=1e-9)
    narrow = er.HuberRegressor(scale=1e-5).fit(X, y)
    np.testing.assert_allclose(narrow.coef_, er.LeastAbsoluteDeviations().fit(X, y).coef_, rtol=1e-3)


def test_rows_on_a_plane(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 3))
    y = X @ [1.0, 2.0, 3.0] + 4.0
    for scale in ("mad", "joint", 2.0):
        model = er.HuberRegressor(scale=scale).fit(X, y)
        np.testing.assert_allclose(model.coef_, [1.0, 2.0, 3.0], rtol=1e-9)
        assert not model.outliers_.any()
    y[:5] += [10.0, -20.0, 30.0, 5.0, -1.0]  # nine tenths on it: the joint scale falls to 0
    model = er.HuberRegressor(scale="joint").fit(X, y)
    assert model.scale_ == 0.0
    np.testing.assert_allclose(model.coef_, [1.0, 2.0, 3.0], rtol=1e-9)
    assert model.outliers_.tolist() == [True] * 5 + [False] * 45
    assert er.verify(model, X, y).within(1e-8)


def test_refusals() -> None:
    X, y = np.arange(6.0)[:, None], np.array([0.0, 1.0, 0.0, 2.0, 1.0, 9.0])
    with pytest.raises(ValueError, match=r"delta must be > 1 with scale=.joint"):
        er.HuberRegressor(1.0, scale="joint").fit(X, y)
    with pytest.raises(ValueError, match=r"alpha=.cv. needs scale=.mad"):
        er.HuberRegressor(scale="joint", alpha="cv").fit(X, y)
    with pytest.raises(ValueError, match=r"scale must be .mad., .joint. or a number > 0, got 'sd'"):
        er.HuberRegressor(scale="sd").fit(X, y)
