"""Standard errors of quantile fits: bandwidths of statsmodels, formulas by hand, densities that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.quantile_regression import QuantReg, bofinger, hall_sheather

import empirisk as er
from empirisk.inference.quantile_errors import bandwidth_of


def rows(rng: np.random.Generator, n: int, *, grows: bool = False):
    X = rng.normal(size=(n, 2))
    return X, 1.0 + X @ [1.0, 0.5] + (1.0 + grows * np.abs(X[:, 0])) * rng.normal(size=n)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.8])
def test_bandwidths(q) -> None:
    assert bandwidth_of(500, q) == pytest.approx(hall_sheather(500, q), rel=1e-12)
    t = stats.norm.ppf(q)
    hand = (4.5 * stats.norm.pdf(t) ** 4 / (2.0 * t**2 + 1.0) ** 2 / 500.0) ** 0.2
    assert bandwidth_of(500, q, "bofinger") == pytest.approx(
        min(hand, hand / 2.0 if hand >= q else hand), rel=1e-12
    )
    assert bandwidth_of(500, 0.5, "bofinger") == pytest.approx(bofinger(500, 0.5), rel=1e-12)
    assert 0.0 < bandwidth_of(12, 0.05) < 0.05


@pytest.mark.parametrize("q", [0.25, 0.5])
def test_the_kernel_is_the_formula(q, rng) -> None:
    X, y = rows(rng, 300, grows=True)
    model = er.QuantileRegressor(q).fit(X, y)
    found = model.summary(covariance="kernel")
    A, r = np.column_stack([np.ones(300), X]), y - model.predict(X)
    h = hall_sheather(300, q)
    quarters = np.quantile(r, [0.25, 0.75], method="inverted_cdf")
    c = min(r.std(), (quarters[1] - quarters[0]) / 1.34) * (stats.norm.ppf(q + h) - stats.norm.ppf(q - h))
    H = np.linalg.inv((A.T * stats.norm.pdf(r / c) / c) @ A)
    np.testing.assert_allclose(found.covariance, q * (1.0 - q) * H @ A.T @ A @ H, rtol=1e-9)
    half = stats.t.ppf(0.975, 297) * found.se
    np.testing.assert_allclose(found.high - found.coef, half, rtol=1e-12)


def test_a_sandwich_with_one_density_is_that_of_statsmodels(rng) -> None:
    """With one column that is -1 or 1 half of the rows each and a density that both share."""
    y = rng.standard_t(1.5, size=400)
    X = np.repeat([-1.0, 1.0], 200)[:, None]
    y = np.sort(y)[np.r_[0:400:2, 1:400:2]] + X[:, 0]
    ours = er.QuantileRegressor(0.5).fit(X, y).summary(covariance="kernel")
    theirs = QuantReg(y, np.column_stack([np.ones(400), X])).fit(0.5, vcov="iid", kernel="gau")
    np.testing.assert_allclose(ours.coef, theirs.params, atol=0.05)
    np.testing.assert_allclose(ours.se, theirs.bse, rtol=0.05)


@pytest.mark.parametrize("covariance", ["classical", "kernel"])
@pytest.mark.parametrize("bandwidth", ["hall_sheather", "bofinger"])
@pytest.mark.parametrize("q", [0.3, 0.5])
def test_many_rows_give_the_limit(q, bandwidth, covariance, rng) -> None:
    """Noise of the normal law: differences of its quantiles, or its density after the kernel widened it."""
    X, y = rows(rng, 5_000)
    found = er.QuantileRegressor(q).fit(X, y).summary(covariance=covariance, bandwidth=bandwidth)
    h = bandwidth_of(5_000, q, bandwidth)
    low, t, high = stats.norm.ppf([q - h, q, q + h])
    wide = {
        "classical": (high - low) / (2.0 * h),
        "kernel": 1.0 / stats.norm.pdf(t, scale=np.hypot(1.0, high - low)),
    }
    A = np.column_stack([np.ones(len(X)), X])
    limit = wide[covariance] * np.sqrt(q * (1.0 - q) * np.diag(np.linalg.inv(A.T @ A)))
    # The spread of a density from some 2 h n rows is 3 % here, and the limit is within 3 of these.
    np.testing.assert_allclose(found.se, limit, rtol=0.09)
    assert found["sparsity"] == pytest.approx(wide[covariance], rel=0.09)


def test_the_bootstrap_is_near_the_limit_and_repeats(rng) -> None:
    X, y = rows(rng, 200)
    model = er.QuantileRegressor(0.5).fit(X, y)
    drawn = model.summary(covariance="bootstrap", n_resamples=60, random_state=1)
    A = np.column_stack([np.ones(len(X)), X])
    limit = 0.5 / stats.norm.pdf(0.0) * np.sqrt(np.diag(np.linalg.inv(A.T @ A)))
    # The spread of 60 refits has a relative error of 1 / sqrt(120), three of which are 0.27, and 200 rows are
    # not the limit.
    np.testing.assert_allclose(drawn.se, limit, rtol=0.4)
    few = [model.summary(covariance="bootstrap", n_resamples=5, random_state=k).se for k in (1, 1, 2)]
    np.testing.assert_array_equal(few[0], few[1])
    assert not np.array_equal(few[0], few[2])


@pytest.mark.parametrize("covariance", ["classical", "kernel"])
def test_weights_are_repetitions(covariance, rng) -> None:
    X, y = rows(rng, 80)
    s = rng.integers(0, 3, size=80)
    model = er.QuantileRegressor(0.4).fit(X, y, s.astype(float))
    repeated = er.QuantileRegressor(0.4).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    np.testing.assert_allclose(
        model.summary(covariance=covariance).se, repeated.summary(covariance=covariance).se, rtol=1e-8
    )


def test_absolute_deviations_are_the_median(rng) -> None:
    X, y = rows(rng, 200)
    ours = er.LeastAbsoluteDeviations().fit(X, y).summary()
    np.testing.assert_allclose(ours.se, er.QuantileRegressor(0.5).fit(X, y).summary().se, rtol=1e-8)


def test_several_levels_are_one_table(rng) -> None:
    X, y = rows(rng, 400)
    table = er.QuantileRegressor([0.25, 0.75]).fit(X, y).summary()
    assert table.groups == ("q = 0.25",) * 3 + ("q = 0.75",) * 3
    alone = er.QuantileRegressor(0.75).fit(X, y).summary()
    np.testing.assert_allclose(table.se[3:], alone.se, rtol=1e-6)
    assert table["sparsity [0.75]"] == pytest.approx(alone["sparsity"], rel=1e-6)
    assert "joint" in " ".join(table.notes)


def test_what_has_no_errors_says_why(rng) -> None:
    X, y = rows(rng, 60)
    table = er.QuantileRegressor(alpha=0.1).fit(X, y).summary()
    assert not table.valid
    assert "penalty" in table.notes[0]
    twin = np.column_stack([X, X[:, 0]])
    table = er.QuantileRegressor().fit(twin, y).summary(covariance="kernel")
    assert np.isnan(table.se[[1, 3]]).all()
    assert np.isfinite(table.se[[0, 2]]).all()
    assert "not determined" in " ".join(table.notes)
    few = er.QuantileRegressor().fit(X[:3], y[:3]).summary()
    assert not few.valid
    assert "degrees of freedom" in few.notes[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"covariance": "HC3"}, "covariance of quantiles must be one of classical, kernel, bootstrap"),
        ({"bandwidth": "silverman"}, "bandwidth must be one of hall_sheather, bofinger"),
        ({"groups": np.arange(60)}, "independent rows"),
        ({"weights": "sampling"}, "independent rows"),
        ({"n_resamples": 1}, "n_resamples"),
        ({"level": 1.0}, "level"),
    ],
)
def test_odd_requests_are_refused(settings, message, rng) -> None:
    with pytest.raises(ValueError, match=message):
        er.QuantileRegressor().fit(*rows(rng, 60)).summary(**settings)
