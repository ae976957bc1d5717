"""Evidence, leave-one-out likelihood and bounds against brute force, many digits and differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, multivariate_normal

from empirisk.gaussian_processes import (
    Ascent,
    Covariance,
    Evidence,
    Factor,
    InducingBound,
    InducingPosterior,
    LaplaceEvidence,
    LeftOut,
    ascend,
    left_out,
    profile_intervals,
    spread_rows,
    wald_intervals,
)
from empirisk.gaussian_processes.factor import NotDefiniteError
from empirisk.kernels import Gaussian, Linear, Precomputed

KERNEL = 2.0 * Gaussian(gamma=0.7) + 0.5 * Linear()


def made(rng: np.random.Generator, n: int = 14, weighted: bool = True) -> tuple[Covariance, Any]:
    X = rng.normal(size=(n, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=n)
    s = rng.integers(1, 4, size=n).astype(float) if weighted else np.ones(n)
    return Covariance(KERNEL, X, s, 0.2, True), y - y.mean()


def criteria(c: Covariance, y: Any) -> dict[str, Any]:
    plain = Covariance(c.kernel, c.rows, c.weight)
    labels = np.stack([np.where(y > 0.0, 1.0, -1.0), np.where(c.rows[:, 1] > 0.0, 1.0, -1.0)])
    return {
        "evidence": Evidence(c, y),
        "left out": LeftOut(c, y),
        "inducing": InducingBound(c, y, c.rows[:5] + 0.1),
        "laplace": LaplaceEvidence(plain, labels),
    }


@pytest.mark.parametrize("name", ["evidence", "left out", "inducing", "laplace"])
def test_gradients_are_those_of_differences(name: str, rng: np.random.Generator) -> None:
    criterion = criteria(*made(rng))[name]
    theta = criterion.covariance.start + 0.3
    gradient = criterion(theta)[1]
    for j in range(len(theta)):
        e = np.zeros_like(theta)
        e[j] = 1e-5
        slope = (criterion(theta + e)[0] - criterion(theta - e)[0]) / 2e-5
        assert gradient[j] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_evidence_is_the_normal_density_in_fifty_digits(rng: np.random.Generator) -> None:
    c, y = made(rng, n=6, weighted=False)
    with mp.workdps(50):
        A = mp.matrix((KERNEL.block(c.rows) + 0.2 * np.eye(6)).tolist())
        b = mp.matrix(y.tolist())
        square = (b.T * mp.lu_solve(A, b))[0]
        exact = -(square + mp.log(mp.det(A)) + 6 * mp.log(2 * mp.pi)) / 2
    assert Evidence(c, y)(c.start)[0] == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("name", ["evidence", "left out"])
def test_a_weight_is_a_repetition(name: str, rng: np.random.Generator) -> None:
    c, y = made(rng)
    times = c.weight.astype(int)
    again = Covariance(c.kernel, np.repeat(c.rows, times, axis=0), np.ones(times.sum()), 0.2, True)
    value, gradient = criteria(c, y)[name](c.start)
    found, slope = criteria(again, np.repeat(y, times))[name](c.start)
    assert value == pytest.approx(found, rel=1e-12)
    np.testing.assert_allclose(gradient, slope, rtol=1e-9)


def test_left_out_predictions_are_those_of_refits(rng: np.random.Generator) -> None:
    c, y = made(rng)
    times = c.weight.astype(int)
    A = KERNEL.block(c.rows) + np.diag(0.2 / c.weight)
    residual, variance = left_out(np.linalg.solve(A, y), np.diag(np.linalg.inv(A)), c.weight, 0.2)
    total = 0.0
    X, t = np.repeat(c.rows, times, axis=0), np.repeat(y, times)
    first = np.cumsum(times) - times
    for i, at in enumerate(first):
        rest = np.delete(np.arange(len(t)), at)
        B = KERNEL.block(X[rest]) + 0.2 * np.eye(len(rest))
        k = KERNEL.block(c.rows[i : i + 1], X[rest])[0]
        mean, var = k @ np.linalg.solve(B, t[rest]), KERNEL.diagonal(c.rows[i : i + 1])[0]
        var += 0.2 - k @ np.linalg.solve(B, k)
        assert residual[i] == pytest.approx(y[i] - mean, rel=1e-8, abs=1e-10)
        assert variance[i] == pytest.approx(var, rel=1e-8)
        total += times[i] * (-0.5 * np.log(2.0 * np.pi * var) - 0.5 * (y[i] - mean) ** 2 / var)
    assert LeftOut(c, y)(c.start)[0] == pytest.approx(total, rel=1e-10)


def test_the_inducing_bound_is_below_and_its_gap_reaches_the_evidence(rng: np.random.Generator) -> None:
    c, y = made(rng, n=30)
    exact = Evidence(c, y)(c.start)[0]
    losses = []
    for m in (2, 6, 15):
        bound = InducingBound(c, y, c.rows[spread_rows(KERNEL, c.rows, m)])
        value = bound(c.start)[0]
        assert value <= exact <= value + bound.gap(c.start) + 1e-9
        losses.append(exact - value)
    assert losses[0] > losses[1] > losses[2] > 0.0
    every = InducingBound(c, y, c.rows)
    assert every(c.start)[0] == pytest.approx(exact, abs=1e-5)
    assert every.gap(c.start) < 1e-4


def test_the_bound_is_its_definition(rng: np.random.Generator) -> None:
    c, y = made(rng, n=12, weighted=False)
    points = c.rows[:4]
    cross = KERNEL.block(points, c.rows)
    Q = cross.T @ np.linalg.solve(KERNEL.block(points), cross)
    density = multivariate_normal(np.zeros(12), Q + 0.2 * np.eye(12)).logpdf(y)
    lost = float((KERNEL.diagonal(c.rows) - np.diag(Q)).sum()) / 0.4
    assert InducingBound(c, y, points)(c.start)[0] == pytest.approx(density - lost, rel=1e-7)


def test_the_bound_leaves_out_observations_as_refits_do(rng: np.random.Generator) -> None:
    c, y = made(rng)
    points = c.rows[:5] + 0.1
    residual, variance = InducingBound(c, y, points).left_out(c.start)
    for i in range(len(y)):
        fewer = c.weight.copy()
        fewer[i] -= 1.0
        kept = fewer > 0.0
        rest = Covariance(c.kernel, c.rows[kept], fewer[kept], 0.2, True)
        a, prior, seen = InducingBound(rest, y[kept], points).factors(c.start)
        post = InducingPosterior(KERNEL, points, a, prior, seen)
        at = c.rows[i : i + 1]
        mean = float(KERNEL.product(at, points, a)[0])
        assert residual[i] == pytest.approx(y[i] - mean, rel=1e-7, abs=1e-9)
        assert variance[i] == pytest.approx(post.variance(at)[0] + 0.2, rel=1e-7)


def test_spread_rows_do_not_depend_on_the_order(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 2))
    order = rng.permutation(40)
    first = X[spread_rows(Gaussian(gamma=1.0), X, 7)]
    np.testing.assert_array_equal(X[order][spread_rows(Gaussian(gamma=1.0), X[order], 7)], first)
    assert len(spread_rows(Gaussian(gamma=1.0), np.ones((9, 2)), 5)) == 1


def test_jitter_is_added_where_it_must_be_and_said() -> None:
    assert Factor.of(np.eye(3)).jitter == 0.0
    singular = Factor.of(np.ones((4, 4)))
    assert 0.0 < singular.jitter < 1e-10
    with pytest.raises(NotDefiniteError, match="smallest eigenvalue is -1"):
        Factor.of(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_an_evaluation_leaves_a_given_matrix_alone(rng: np.random.Generator) -> None:
    B = rng.normal(size=(9, 9))
    K = B @ B.T
    before, y = K.copy(), rng.normal(size=9)
    for kernel in (Precomputed(), 2.0 * Precomputed()):
        for criterion in (Evidence, LeftOut):
            c = Covariance(kernel, K, np.ones(9), 0.3, True)
            criterion(c, y)(c.start)
            np.testing.assert_array_equal(K, before)


def test_a_singular_matrix_is_factorised_with_jitter_by_the_evidence(rng: np.random.Generator) -> None:
    """With rows that are copies and hardly any noise the first factorisation fails, on a matrix it spoils."""
    c = Covariance(Gaussian(gamma=1.0), np.ones((4, 1)), np.ones(4), 1e-30, False)
    factor = Factor.of(np.ones((4, 4)) + 1e-30 * np.eye(4))
    y = rng.normal(size=4)
    value = -0.5 * y @ factor.solve(y) - factor.half_log_det - 2.0 * np.log(2.0 * np.pi)
    assert Evidence(c, y)(c.start)[0] == pytest.approx(value, rel=1e-9)


def test_solves_and_inverses_are_those_of_the_matrix(rng: np.random.Generator) -> None:
    B = rng.normal(size=(7, 7))
    A = B @ B.T + np.eye(7)
    factor = Factor.of(A)
    np.testing.assert_allclose(factor.inverse(), np.linalg.inv(A), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(factor.solve(B), np.linalg.solve(A, B), rtol=1e-10, atol=1e-12)
    half = factor.half_inverse()
    np.testing.assert_array_equal(half, np.tril(factor.inverse()))
    over = Factor.over(A.copy())
    assert over is not None
    np.testing.assert_allclose(over.lower, factor.lower, rtol=1e-12, atol=1e-14)
    assert Factor.over(-np.eye(3)) is None
    assert Factor.over(np.full((2, 2), np.inf)) is None
    assert factor.half_log_det == pytest.approx(0.5 * np.linalg.slogdet(A)[1], rel=1e-12)


class Quadratic:
    """``-(theta - centre)' H (theta - centre) / 2``: its maximum and curvature are known."""

    title = "quadratic"
    observations = 10.0
    covariance: Any = None
    H = np.array([[4.0, 1.0], [1.0, 2.0]])
    centre = np.array([0.5, -0.3])

    def __call__(self, theta: Any) -> tuple[float, Any]:
        d = theta - self.centre
        return float(-0.5 * d @ self.H @ d), -self.H @ d


def test_the_search_finds_a_maximum_and_tells_bounds() -> None:
    starts = np.array([[0.0, 0.0], [1.0, 1.0]])
    found = ascend(Quadratic(), starts, np.full(2, -2.0), np.full(2, 2.0), tol=1e-8, max_iter=50)
    np.testing.assert_allclose(found.theta, Quadratic.centre, atol=1e-7)
    assert found.spread(10.0).startswith("2 of 2 starts")
    held = ascend(Quadratic(), starts, np.full(2, -2.0), np.array([0.1, 2.0]), tol=1e-8, max_iter=50)
    assert held.theta[0] == 0.1
    assert held.at_bound == (True, False)
    assert np.abs(held.slope).max() < 1e-7
    # With x held at 0.1 the maximum over the other is -0.3 + 0.4 / 2.
    assert held.theta[1] == pytest.approx(-0.1, abs=1e-6)
    rows = wald_intervals(Quadratic(), found, ("a", "b"), np.ones(2), 0.95)
    error = np.sqrt(np.linalg.inv(Quadratic.H)[0, 0])
    assert rows["a"].low == pytest.approx(np.exp(0.5 - 1.959964 * error), rel=1e-5)
    rows = profile_intervals(Quadratic(), found, ("a", "b"), np.array([1.0, 2.0]), 0.95)
    # The profile of a quadratic is one, with the variance of the inverse of the curvature.
    assert rows["a"].low == pytest.approx(np.exp(0.5 - 1.959964 * error), rel=5e-3)
    other = np.sqrt(np.linalg.inv(Quadratic.H)[1, 1])
    assert rows["b"].high == pytest.approx(2.0 * np.exp(-0.3 + 1.959964 * other), rel=5e-3)
    assert "end of its range" in wald_intervals(Quadratic(), held, ("a", "b"), np.ones(2), 0.95)["a"].reason


class Lopsided(Quadratic):
    """``n log x - n x`` for ``x = exp(theta)``: the likelihood of a rate, n = 10, beside a flat side."""

    def __call__(self, theta: Any) -> tuple[float, Any]:
        t = theta[0]
        return float(10.0 * (t - np.exp(t))), np.array([10.0 * (1.0 - np.exp(t))])


def test_profiles_are_likelihood_ratios_of_a_rate() -> None:
    found = ascend(Lopsided(), np.zeros((1, 1)), np.full(1, -5.0), np.full(1, 5.0), tol=1e-9, max_iter=50)
    row = profile_intervals(Lopsided(), found, ("rate",), np.ones(1), 0.95)["rate"]

    def drop(x: float) -> float:
        return float(2.0 * (-10.0 - 10.0 * (np.log(x) - x)) - chi2(1).ppf(0.95))

    assert row.low == pytest.approx(brentq(drop, 1e-3, 1.0), rel=5e-3)
    assert row.high == pytest.approx(brentq(drop, 1.0, 10.0), rel=5e-3)


class OneSided(Quadratic):
    """``-9 max(0, side theta)^2 / 2``: flat towards one side, normal with deviation 1/3 towards the other."""

    def __init__(self, side: float) -> None:
        self.side = side

    def __call__(self, theta: Any) -> tuple[float, Any]:
        t = max(0.0, self.side * theta[0])
        return -4.5 * t * t, np.array([-9.0 * self.side * t])


def test_profiles_without_an_end_say_so() -> None:
    at = Ascent(np.zeros(1), 0.0, np.zeros(1), np.zeros(1, dtype=np.intp), (0.0,), 1)
    rows = [profile_intervals(OneSided(s), at, ("p",), np.ones(1), 0.95)["p"] for s in (1.0, -1.0)]
    assert rows[0].low == 0.0
    assert rows[0].high == pytest.approx(np.exp(1.959964 / 3.0), rel=5e-3)
    assert rows[1].low is None
    assert rows[1].reason == "the data set no upper end"
    lower = profile_intervals(OneSided(1.0), replace(at, value=-9.0), ("p",), np.ones(1), 0.95)["p"]
    assert "met a higher maximum" in lower.reason
