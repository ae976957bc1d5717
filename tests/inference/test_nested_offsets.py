"""Likelihood-ratio and Wald tests of models with exposures, offsets and weights."""

import numpy as np
import pytest
import statsmodels.api as sm

import empirisk as er


def counted(rng):
    """Counts of rows with an exposure, a known part of the score, and weights."""
    X, e = rng.standard_normal((120, 2)), rng.uniform(0.5, 20.0, 120)
    y = rng.poisson(e * np.exp(0.3 * X[:, 0])).astype(float)
    return X, y, e, rng.integers(1, 4, 120).astype(float)


def two_models(X, y, **rows):
    return [er.PoissonRegressor(alpha=0, tol=1e-12).fit(X[:, :k], y, **rows) for k in (1, 2)]


@pytest.mark.parametrize("name", ["exposure", "offset"])
@pytest.mark.parametrize("weighted", [False, True])
def test_ratio_is_twice_the_difference_of_the_log_likelihoods_of_a_peer(rng, name, weighted):
    X, y, e, s = counted(rng)
    rows = {name: e if name == "exposure" else np.log(e), **({"sample_weight": s} if weighted else {})}
    small, large = two_models(X, y, **rows)
    found = er.likelihood_ratio(small, large, X, y, X_small=X[:, :1], **rows)

    def log_likelihood(Z):
        family, known = sm.families.Poisson(), {"freq_weights": s} if weighted else {}
        return sm.GLM(y, sm.add_constant(Z), family=family, exposure=e, **known).fit().llf

    want = 2.0 * (log_likelihood(X) - log_likelihood(X[:, :1]))
    assert found.statistic == pytest.approx(want, rel=1e-6)
    assert er.likelihood_ratio(small, large).statistic == pytest.approx(want, rel=1e-6)


def test_wald_takes_names_exposure_and_weights(rng):
    pd = pytest.importorskip("pandas")
    X, y, e, s = counted(rng)
    frame = pd.DataFrame(X, columns=["dose", "age"])
    model = er.PoissonRegressor(alpha=0, tol=1e-12).fit(frame, y, exposure=e, sample_weight=s)
    training = {"X": frame, "y": y, "exposure": e, "sample_weight": s}
    found = model.wald_test({"dose": 1.0, "age": -1.0}, training=training)
    peer = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson(), exposure=e, freq_weights=s).fit()
    want = peer.wald_test(np.array([[0.0, 1.0, -1.0]]), scalar=True, use_f=False)
    assert found.statistic == pytest.approx(float(want.statistic), rel=1e-6)
    assert found.hypothesis == "dose - age = 0"


def test_models_of_different_exposures_are_refused(rng):
    X, y, e, _ = counted(rng)
    small, large = two_models(X, y)[0], two_models(X, y, exposure=e)[1]
    with pytest.raises(ValueError, match="different offsets or exposures"):
        er.likelihood_ratio(small, large)
    # Another unit of time is another intercept: the models are nested.
    scaled = er.PoissonRegressor(alpha=0, tol=1e-12).fit(X[:, :1], y, exposure=12.0 * e)
    same = er.likelihood_ratio(two_models(X, y, exposure=e)[0], large).statistic
    assert er.likelihood_ratio(scaled, large).statistic == pytest.approx(same, rel=1e-6)


def test_rows_that_a_model_does_not_take_are_refused_by_name(rng):
    X, y, e, _ = counted(rng)
    small, large = (er.LinearRegression().fit(X[:, :k], y) for k in (1, 2))
    with pytest.raises(TypeError, match="LinearRegression, is fitted without exposure"):
        er.likelihood_ratio(small, large, X, y, X_small=X[:, :1], exposure=e)
    with pytest.raises(ValueError, match="or none of the rows"):
        er.likelihood_ratio(small, large, sample_weight=e)
