"""The extra dispersion of negative binomial counts: statsmodels, brute force, its intervals, its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import empirisk as er
from empirisk.inference.dispersion_profile import DispersionProfile

sm: Any = pytest.importorskip("statsmodels.api")


def drawn(
    rng: np.random.Generator, n: int = 400, size: float = 2.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, years = rng.normal(size=(n, 2)), rng.uniform(0.5, 2.0, size=n)
    m = np.exp(0.7 + X @ [0.4, -0.3]) * years
    return X, rng.negative_binomial(size, size / (size + m)).astype(float), years


def fitted(X: np.ndarray, y: np.ndarray, **rows: Any) -> er.GeneralizedLinearModel:
    return er.GeneralizedLinearModel("negative_binomial", extra_dispersion="ml", tol=1e-10).fit(X, y, **rows)


def test_the_fit_is_that_of_statsmodels(rng: np.random.Generator) -> None:
    X, y, years = drawn(rng)
    model = fitted(X, y, exposure=years)
    peer = sm.NegativeBinomial(y, sm.add_constant(X), exposure=years)
    right = peer.fit(disp=0, maxiter=500, method="bfgs", gtol=1e-9)
    np.testing.assert_allclose([model.intercept_, *model.coef_], right.params[:-1], rtol=1e-5)
    assert model.extra_dispersion_ == pytest.approx(right.params[-1], rel=1e-5)
    summary = model.summary()
    assert summary["log_likelihood"] == pytest.approx(right.llf, rel=1e-10)
    assert summary["aic"] == pytest.approx(right.aic, rel=1e-9)
    observed = model.dispersion_interval(method="observed")
    se = (np.log(observed.high) - np.log(observed.low)) / 2 / stats.norm.ppf(0.975) * observed.value
    assert se == pytest.approx(right.bse[-1], rel=1e-4)
    assert any("orthogonal" in note for note in summary.notes)


def test_the_profile_is_the_likelihood_of_fits_at_every_dispersion(rng: np.random.Generator) -> None:
    X, y, years = drawn(rng, 200)
    weight = rng.integers(1, 3, size=200).astype(float)
    model = fitted(X, y, sample_weight=weight, exposure=years)
    best = model.extra_dispersion_

    def likelihood(a: float) -> float:
        at = er.GeneralizedLinearModel("negative_binomial", extra_dispersion=a, tol=1e-10)
        m = at.fit(X, y, sample_weight=weight, exposure=years).predict(X, exposure=years)
        return float(weight @ stats.nbinom.logpmf(y, 1.0 / a, 1.0 / (1.0 + a * m)))

    top = likelihood(best)
    assert all(likelihood(best * f) < top for f in (0.8, 0.99, 1.01, 1.3))
    found = model.dispersion_interval(level=0.9)
    for end in (found.low, found.high):
        assert 2.0 * (top - likelihood(end)) == pytest.approx(stats.chi2.ppf(0.9, 1), abs=1e-5)
    profile = DispersionProfile(model.problem(X, y, weight, exposure=years))
    h = 1e-5
    slope = (likelihood(0.9 * best + h) - likelihood(0.9 * best - h)) / (2.0 * h)
    assert profile.slope(0.9 * best) == pytest.approx(slope, rel=1e-5)


def test_the_poisson_law_is_the_end_of_the_range(rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 2))
    y = rng.binomial(6, 0.4, size=150).astype(float)  # scatters less than Poisson counts
    model = fitted(X, y)
    plain = er.PoissonRegressor(alpha=0.0, tol=1e-10).fit(X, y)
    assert model.extra_dispersion_ == 0.0
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-6)
    found = model.dispersion_interval()
    assert found.low == 0.0
    assert found.high > 0.0
    assert "end of the range" in found.reason
    assert model.dispersion_interval(method="observed").low is None
    assert model.poisson_test().p == 1.0


def test_the_slope_at_the_end_is_the_limit(rng: np.random.Generator) -> None:
    X, y, _ = drawn(rng, 100)
    profile = DispersionProfile(er.PoissonRegressor(alpha=0.0).problem(X, y))
    assert profile.slope(1e-7) == pytest.approx(profile.slope(0.0), rel=1e-4)


def test_poisson_test_halves_the_chi_squared(rng: np.random.Generator) -> None:
    X, y, years = drawn(rng, 200, size=8.0)
    model = fitted(X, y, exposure=years)
    plain = er.PoissonRegressor(alpha=0.0, tol=1e-10).fit(X, y, exposure=years)
    ratio = 2.0 * (model.summary()["log_likelihood"] - plain.summary()["log_likelihood"])
    found = model.poisson_test()
    assert found.statistic == pytest.approx(ratio, rel=1e-6)
    assert found.p == pytest.approx(0.5 * stats.chi2.sf(ratio, 1), rel=1e-6)


@pytest.mark.full  # 1000 fits: the law of the statistic under the hypothesis, which is for many rows
def test_poisson_counts_are_refused_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1000, 1))
    m = np.exp(1.0 + 0.3 * X[:, 0])
    p = np.array([fitted(X, rng.poisson(m).astype(float)).poisson_test().p for _ in range(1000)])
    for level in (0.05, 0.2):
        assert abs(np.mean(p <= level) - level) <= 3.5 * np.sqrt(level * (1 - level) / 1000)
    # In few rows the statistic is 0 more often than in half of the cases: the test then refuses too seldom.
    few = X[:120]
    rare = [fitted(few, rng.poisson(m[:120]).astype(float)).poisson_test().p <= 0.05 for _ in range(300)]
    assert np.mean(rare) <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 300)


def test_refusals_name_the_parameter(rng: np.random.Generator) -> None:
    X, y, _ = drawn(rng, 60)
    with pytest.raises(ValueError, match="extra_dispersion='ml' is for the family 'negative_binomial'"):
        er.GeneralizedLinearModel("poisson", extra_dispersion="ml").fit(X, y)
    with pytest.raises(ValueError, match="needs alpha=0, got alpha="):
        er.GeneralizedLinearModel("negative_binomial", extra_dispersion="ml", alpha=0.1).fit(X, y)
    given = er.GeneralizedLinearModel("negative_binomial", extra_dispersion=0.5).fit(X, y)
    with pytest.raises(ValueError, match="was given, not estimated"):
        given.dispersion_interval()
    with pytest.raises(ValueError, match="method must be 'profile' or 'observed'"):
        fitted(X, y).dispersion_interval(method="wald")
