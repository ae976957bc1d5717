"""Tweedie models of every power: named laws, statsmodels, optima in many digits, targets, refusals."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from sklearn.metrics import mean_tweedie_deviance

import empirisk as er
from empirisk.estimators.linear.families import FAMILIES
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.results import Kind

sm: Any = pytest.importorskip("statsmodels.api")
pytestmark = pytest.mark.filterwarnings("ignore:The .* link function does not respect:Warning")
NAMED = {0.0: "gaussian", 1.0: "poisson", 2.0: "gamma", 3.0: "inverse_gaussian"}
STABLE = (2.5, 4.0, -1.0, -0.3)


def drawn(power: float, rng: np.random.Generator, n: int = 250) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a mean of exp(0.5 + 0.4 x0 - 0.3 x1), with the noise of the power where it is negative."""
    X = rng.uniform(-1.0, 1.0, size=(n, 2))
    mean = np.exp(0.5 + X @ [0.4, -0.3])
    y = rng.wald(mean, 4.0) if power > 1.0 else mean + 0.3 * rng.normal(size=n) * mean ** (power / 2.0)
    return X, np.maximum(np.round(y, 12), 0.05)


@pytest.mark.parametrize("power", STABLE)
def test_fits_and_standard_errors_agree_with_statsmodels(power: float, rng: np.random.Generator) -> None:
    X, y = drawn(power, rng)
    weight = rng.integers(1, 4, size=len(y)).astype(float)
    model = er.TweedieRegressor(power, alpha=0.0, tol=1e-11).fit(X, y, sample_weight=weight)
    family = sm.families.Tweedie(sm.families.links.Log(), var_power=power)
    peer = sm.GLM(y, sm.add_constant(X), family, freq_weights=weight).fit(tol=1e-14, maxiter=300)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), peer.params, rtol=1e-6, atol=1e-8)
    assert model.deviance_ == pytest.approx(peer.deviance, rel=1e-9)
    assert model.null_deviance_ == pytest.approx(peer.null_deviance, rel=1e-8)
    assert model.dispersion_ == pytest.approx(peer.pearson_chi2 / peer.df_resid, rel=1e-7)
    summary = model.summary()
    np.testing.assert_allclose(summary.se, peer.bse, rtol=2e-6)
    assert not {"log_likelihood", "aic", "bic"} & {fact.name for fact in summary.facts}
    bands = model.interval(X[:5])
    np.testing.assert_allclose(bands.se, peer.get_prediction(sm.add_constant(X)[:5]).se_mean, rtol=2e-6)
    assert model.score(X, y, weight) == pytest.approx(1.0 - peer.deviance / peer.null_deviance, rel=1e-8)
    assert "stationary point and no minimum" in model.certificate_.claim


@pytest.mark.parametrize("power", NAMED)
@pytest.mark.parametrize("link", FAMILIES["tweedie"])
def test_named_powers_are_the_named_families(power: float, link: str, rng: np.random.Generator) -> None:
    if link not in FAMILIES[NAMED[power]]:
        pytest.skip("the named family has no such link")
    X, y = drawn(2.0, rng, 80)
    one = er.GeneralizedLinearModel("tweedie", link, power=power).fit(X, y)
    two = er.GeneralizedLinearModel(NAMED[power], link).fit(X, y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert one.deviance_ == two.deviance_
    np.testing.assert_array_equal(one.summary().se, two.summary().se)


@pytest.mark.parametrize("power", [2.5, -1.0])
def test_the_penalised_optimum_has_many_digits(power: float) -> None:
    x, y, alpha = [-1.0, 0.0, 0.5, 2.0], [0.7, 1.5, 1.1, 4.0], 0.05
    with mp.workdps(40):
        a = 2 - mp.mpf(power)

        def slopes(w: Any, b: Any) -> list[Any]:
            z = [w * mp.mpf(v) + b for v in x]
            rows = [mp.exp(a * t) - mp.mpf(v) * mp.exp((a - 1) * t) for t, v in zip(z, y, strict=True)]
            return [
                sum(r * mp.mpf(v) for r, v in zip(rows, x, strict=True)) / 4 + mp.mpf(alpha) * w,
                sum(rows),
            ]

        right = [float(v) for v in mp.findroot(slopes, (0.4, 0.4))]
    model = er.TweedieRegressor(power, alpha=alpha, tol=1e-12).fit(np.array(x)[:, None], y)
    np.testing.assert_allclose([model.coef_[0], model.intercept_], right, rtol=1e-9)


@pytest.mark.parametrize(("power", "link"), [(2.5, "inverse"), (3.0, "inverse"), (1.5, "sqrt")])
def test_powers_under_convex_links_have_a_gap(power: float, link: str, rng: np.random.Generator) -> None:
    X, y = drawn(power, rng)
    model = er.GeneralizedLinearModel("tweedie", link, power=power, alpha=0.02).fit(X, y)
    assert model.certificate_.kind is Kind.DUALITY_GAP
    assert model.certificate_.within(1e-8)


def test_negative_targets_belong_to_powers_below_1(rng: np.random.Generator) -> None:
    X, y = drawn(-1.0, rng)
    y[:9] = [-0.5, 0.0, -0.1, 0.0, -1.0, -0.2, -0.3, 0.0, -0.4]
    for power in (0.0, -0.3, -2.0):
        model = er.TweedieRegressor(power, alpha=0.0).fit(X, y)
        right = len(y) * mean_tweedie_deviance(y, model.predict(X), power=power)
        assert model.deviance_ == pytest.approx(right, rel=1e-9)
    for power, low in ((1.0, "[0"), (1.5, "[0"), (2.0, "(0"), (2.5, "(0"), (3.0, "(0")):
        with pytest.raises(
            ValueError, match=f"y holds -0.5 in row 0; the loss .* needs targets in .{low[1]}"
        ):
            er.TweedieRegressor(power).fit(X, y)
        tags = er.TweedieRegressor(power).__sklearn_tags__()
        assert tags.target_tags.positive_only
    assert not er.TweedieRegressor(-1.0).__sklearn_tags__().target_tags.positive_only
    assert not er.GeneralizedLinearModel("tweedie", power=-1.0).__sklearn_tags__().target_tags.positive_only
    with pytest.raises(
        ValueError, match=r"y holds 0 in row 1; the loss 'tweedie_stable' needs targets in \(0"
    ):
        er.TweedieRegressor(2.5).fit(X, np.where(y < 0.0, 0.2, y))


def test_means_that_fall_to_0_are_said() -> None:
    X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [5.0, 1.0]])
    with pytest.raises(
        SeparationError, match="x1 can tell 2 rows of target <= 0 from all rows with a positive"
    ):
        er.TweedieRegressor(-1.0, alpha=0.0).fit(X, [3.0, 1.0, 2.0, 0.0, -0.1])
    for alpha in (0.0, 0.1):
        with pytest.raises(ValueError, match=r"y has the mean -0\.4, which has no score"):
            er.TweedieRegressor(-1.0, alpha=alpha).fit(X, [1.0, -1.0, 0.0, -1.0, -1.0])


@pytest.mark.parametrize("power", [2.5, -1.0])
def test_the_rest_of_the_library_takes_them(power: float, rng: np.random.Generator) -> None:
    X, y = drawn(power, rng, 120)
    model = er.TweedieRegressor(power, alpha=0.0).fit(X, y)
    assert er.verify(model, X, y).within(1e-6)
    assert np.isfinite(model.influence(X, y).cook).all()
    assert model.wald_test("x0").p < 1e-3
    reduced = er.TweedieRegressor(power, alpha=0.0).fit(X[:, :1], y)
    assert 0.0 <= er.likelihood_ratio(reduced, model).p <= 1.0
    assert er.evaluate(model, X, y, metrics=["mse"])["mse"].value > 0.0
    assert er.margins(model, X).to_frame()["value"].notna().all()
    with pytest.raises(ValueError, match="no prediction interval"):
        model.interval(X, kind="prediction")
