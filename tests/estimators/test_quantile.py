"""Quantile regression: published coefficients, every vertex by brute force, and what theory says of ranks."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from sklearn.linear_model import QuantileRegressor as Peer

import empirisk as er
from empirisk.losses import Absolute, EpsilonInsensitive, Hinge, Quantile
from empirisk.penalties import L1, L2, ElasticNetPenalty, Zero
from empirisk.results import Status
from empirisk.solvers import InteriorPoint, solve
from tests.oracles.kinks import exact_optimum
from tests.oracles.optimum import Case


def pinball(q: float, X: Any, y: np.ndarray, coef: np.ndarray, b: Any, s: Any = None) -> float:
    r = y - np.asarray(X) @ coef - b
    return float(np.average(np.maximum(q * r, (q - 1.0) * r), weights=s))


# Coefficients that the vignette of R's quantreg prints for Engel's data (Koenker & Hallock 2001).
ENGEL = {
    0.05: (124.88004, 0.34336),
    0.25: (95.48354, 0.47410),
    0.5: (81.48225, 0.56018),
    0.75: (62.39659, 0.64401),
    0.95: (64.10396, 0.70907),
}


@pytest.mark.parametrize("q", sorted(ENGEL))
def test_engel(q: float) -> None:
    data = sm.datasets.engel.load_pandas().data
    model = er.QuantileRegressor(q).fit(data[["income"]], data["foodexp"])
    assert (model.intercept_, model.coef_[0]) == pytest.approx(ENGEL[q], abs=6e-6)


@pytest.mark.parametrize("q", [0.1, 0.37, 0.5, 0.9])
@pytest.mark.parametrize("intercept", [True, False])
def test_no_vertex_is_better(q: float, intercept: bool, rng: np.random.Generator) -> None:
    """An optimum passes through as many rows as there are parameters: all such planes are tried."""
    X, s = rng.normal(size=(14, 2)), rng.integers(1, 4, size=14).astype(float)
    y = X @ [1.0, -1.0] + rng.standard_t(2, size=14)
    A = np.column_stack([X, np.ones(14)]) if intercept else X
    best = np.inf
    for rows in itertools.combinations(range(14), A.shape[1]):
        w = np.linalg.solve(A[list(rows)], y[list(rows)])
        best = min(best, pinball(q, A, y, w, 0.0, s))
    model = er.QuantileRegressor(q, fit_intercept=intercept).fit(X, y, sample_weight=s)
    assert pinball(q, X, y, model.coef_, model.intercept_, s) == pytest.approx(best, rel=1e-13)
    on = np.abs(y - model.predict(X)) < 1e-12
    assert on.sum() == A.shape[1]


@pytest.mark.parametrize("penalty", [(0.0, 0.0), (0.05, 0.0), (0.0, 0.05), (0.03, 0.03)], ids=str)
def test_exact_optimum_in_fractions(penalty: tuple[float, float], rng: np.random.Generator) -> None:
    for _ in range(5):
        X = rng.normal(size=(15, 3))
        y, s = X.sum(axis=1) + rng.normal(size=15), rng.random(15)
        q = float(rng.uniform(0.1, 0.9))
        w, _ = exact_optimum(Case("quantile", X, y, s, *penalty, True, level=q))
        alpha = sum(penalty)
        model = er.QuantileRegressor(q, alpha=alpha, l1_ratio=penalty[0] / alpha if alpha else 1.0, tol=1e-12)
        model.fit(X, y, sample_weight=s)
        np.testing.assert_allclose(
            [*model.coef_, model.intercept_], [float(v) for v in w], rtol=1e-10, atol=1e-12
        )


def test_ranks_of_koenker_and_bassett(rng: np.random.Generator) -> None:
    """With an intercept: rows below <= n q <= rows below or on the line."""
    X, y = rng.normal(size=(501, 4)), rng.standard_cauchy(size=501)
    for q in (0.01, 0.2, 0.5, 0.8, 0.99):
        r = y - er.QuantileRegressor(q).fit(X, y).predict(X)
        on = np.abs(r) < 1e-10 * np.abs(y).max()
        below = int(((r < 0.0) & ~on).sum())
        assert below <= 501 * q <= below + on.sum()


def test_equivariance(rng: np.random.Generator) -> None:
    """In the units of y, under adding a linear function, and under y -> -y with q -> 1 - q."""
    X, y = rng.normal(size=(101, 3)), rng.exponential(size=101)
    plain = er.QuantileRegressor(0.3).fit(X, y)
    scaled = er.QuantileRegressor(0.3).fit(X, 1e6 * y + X @ [1.0, 2.0, 3.0])
    np.testing.assert_allclose(scaled.coef_, 1e6 * plain.coef_ + [1.0, 2.0, 3.0], rtol=1e-9)
    mirrored = er.QuantileRegressor(0.7).fit(X, -y)
    np.testing.assert_allclose(mirrored.coef_, -plain.coef_, rtol=1e-9)


def test_median_is_half_of_the_absolute_loss(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(80, 3)), rng.standard_t(2, size=80)
    for alpha in (0.0, 0.1):
        a = er.LeastAbsoluteDeviations(alpha).fit(X, y)
        b = er.QuantileRegressor(0.5, alpha=alpha / 2).fit(X, y)
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9, atol=1e-12)


# -- degenerate rows ----------------------------------------------------------------------------


def _degenerate(rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    X = rng.normal(size=(40, 3))
    return {
        "integer targets": (
            rng.integers(0, 3, size=(60, 2)).astype(float),
            rng.integers(0, 3, size=60) * 1.0,
        ),
        "every row four times": (np.repeat(X[:20], 4, axis=0), np.repeat(rng.normal(size=20), 4)),
        "one x, many y": (np.ones((50, 1)), rng.normal(size=50)),
        "even number, no slope": (np.zeros((10, 2)), np.arange(10.0)),
        "rank deficient": (np.column_stack([X, X[:, 0] + X[:, 1]]), rng.normal(size=40)),
        "more columns than rows": (rng.normal(size=(8, 20)), rng.normal(size=8)),
        "perfect fit": (X, X @ [1.0, 2.0, 3.0] + 4.0),
        "nearly perfect fit": (X, np.r_[X[:37] @ [1.0, 2.0, 3.0], 50.0, -60.0, 70.0]),
        "constant target": (X, np.full(40, -7.5)),
        "one row": (X[:1], np.array([3.0])),
        "huge targets": (X, 1e140 * rng.normal(size=40)),
    }


@pytest.mark.parametrize("name", sorted(_degenerate(np.random.default_rng(0))))
def test_degenerate_rows(name: str, rng: np.random.Generator) -> None:
    X, y = _degenerate(rng)[name]
    for q in (0.5, 0.2):
        model = er.QuantileRegressor(q).fit(X, y)
        assert model.solution_.status.ok, model.solution_.sentence
        reference = er.QuantileRegressor(q, solver="linear_program").fit(X, y)
        ours, theirs = (pinball(q, X, y, m.coef_, m.intercept_) for m in (model, reference))
        # HiGHS works to 1e-10 of the slopes.
        assert ours <= theirs * (1.0 + 1e-9) + 1e-9 * np.abs(y).max()
        assert er.verify(model, X, y).within(1e-6)


# -- many rows ----------------------------------------------------------------------------------


def _large(rng: np.random.Generator) -> dict[str, tuple[Any, Any, np.ndarray, np.ndarray]]:
    n = 24_000
    X = rng.normal(size=(n, 4))
    y = X.sum(axis=1) + rng.standard_t(3, size=n)
    noisy = X.sum(axis=1) + np.exp(2.0 * X[:, 0]) * rng.normal(size=n)  # far from equal noise
    far = X * np.exp(1.5 * rng.normal(size=(n, 1)))  # rows of high leverage
    return {
        "quantile": (Quantile(0.9), Zero(), X, y),
        "unequal noise": (Quantile(0.3), Zero(), X, noisy),
        "leverage": (Absolute(), L1(0.05), far, y),
        "elastic net": (Quantile(0.5), ElasticNetPenalty(0.1, 0.5), X, y),
        "two kinks a row": (EpsilonInsensitive(0.5), L2(0.01), X, y),
        "hinge": (Hinge(), L1(0.01), X, np.sign(y)),
        "ties": (Absolute(), Zero(), np.round(X), np.round(y)),
    }


@pytest.mark.parametrize("name", sorted(_large(np.random.default_rng(0))))
def test_far_rows_change_the_way_and_not_the_answer(name: str, rng: np.random.Generator) -> None:
    loss, penalty, X, y = _large(rng)[name]
    data = er.data.ArrayBlocks(er.data.Design(X), y, rng.integers(0, 3, size=len(y)).astype(float))
    problem = er.problems.LinearProblem(loss, penalty, data)
    short, long = (solve(problem, InteriorPoint(far_rows=flag), tol=1e-11) for flag in (True, False))
    assert short.status is Status.CERTIFIED
    assert long.status is Status.CERTIFIED
    assert problem.value(short.w) == pytest.approx(problem.value(long.w), rel=1e-10)
    if name not in ("ties", "hinge"):  # whose optimum need not be unique
        np.testing.assert_allclose(short.w, long.w, rtol=1e-6, atol=1e-8)
        assert short.n_steps == 1 or name == "leverage"


# -- peers, forms, forgetting -------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 0.02])
def test_peers_at_their_tolerance(alpha: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 4)) * [1.0, 10.0, 0.1, 1.0]
    y = X @ [1.0, 0.1, 5.0, 0.0] + rng.standard_t(3, size=300)
    ours = er.QuantileRegressor(0.7, alpha=alpha).fit(X, y)
    peer = Peer(quantile=0.7, alpha=alpha).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-5, atol=1e-7)
    if alpha == 0.0:
        rows = sm.QuantReg(y, sm.add_constant(X)).fit(q=0.7, p_tol=1e-10, max_iter=5000)
        np.testing.assert_allclose([ours.intercept_, *ours.coef_], rows.params, rtol=1e-4, atol=1e-5)


def test_a_pickled_model_is_verified_by_multipliers_found_again(rng: np.random.Generator) -> None:
    X = rng.normal(size=(70, 3))
    y = X.sum(axis=1) + rng.normal(size=70)
    for alpha in (0.0, 0.05):
        model = er.QuantileRegressor(0.25, alpha=alpha).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        assert again.solution_.dual is None
        assert er.verify(again, X, y).within(1e-10)
        assert er.verify(again, sp.csr_array(X), y).within(1e-10)
        order = rng.permutation(70)
        assert er.verify(model, X[order], y[order]).within(1e-10)
        again.coef_ = again.coef_ * (1.0 + 1e-3)
        assert not er.verify(again, X, y).within(1e-6)


@pytest.mark.parametrize("q", [0.0, 1.0, 1.5, float("nan"), "half", None])
def test_level_outside_is_named(q: Any) -> None:
    with pytest.raises(ValueError, match=r"q must .*strictly between 0 and 1"):
        er.QuantileRegressor(q).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("unit", [1e-12, 1e9, 1e12])
def test_the_linear_programme_knows_no_unit_of_the_target(unit: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=60)
    once = er.LeastAbsoluteDeviations(solver="linear_program").fit(X, y)
    again = er.LeastAbsoluteDeviations(solver="linear_program").fit(X, y * unit)
    assert again.coef_ / unit == pytest.approx(once.coef_, rel=1e-9)
