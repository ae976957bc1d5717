"""Analysis of variance against one-way formulas and a peer."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

import empirisk as er


def columns(rng, n=90):
    X = rng.normal(size=(n, 4))
    return X, X @ [1.0, 0.4, 0.0, 0.2] + rng.normal(size=n)


def test_one_factor_has_the_statistic_of_the_one_way_analysis(rng):
    code = np.repeat(np.arange(3), 15)
    y = rng.normal(size=45) + 0.5 * code
    X = (code[:, None] == [1, 2]).astype(float)
    found = er.anova(er.LinearRegression().fit(X, y), terms={"group": ["x0", "x1"]})
    want = stats.f_oneway(*(y[code == k] for k in range(3)))
    assert (found.tests[0].statistic, found.p[0]) == pytest.approx((want.statistic, want.pvalue))
    assert (found.tests[0].df, found.tests[0].df_denominator) == (2, 42.0)


def test_nested_models_have_the_table_of_a_peer(rng):
    X, y = columns(rng)
    sizes = (1, 2, 4)
    found = er.anova(*(er.LinearRegression().fit(X[:, :k], y) for k in sizes)).to_frame()
    peer = sm.stats.anova_lm(*(sm.OLS(y, sm.add_constant(X[:, :k])).fit() for k in sizes))
    np.testing.assert_allclose(found["residual_df"], peer["df_resid"])
    np.testing.assert_allclose(found["deviance"], peer["ssr"], rtol=1e-9)
    np.testing.assert_allclose(found["F"][1:], peer["F"][1:], rtol=1e-7)
    # The law of the denominator is that of the variance in it, the largest model's; the peer takes the
    # degrees of freedom of each row, which agree in the last one alone.
    want = stats.f.sf(peer["F"][1:], peer["df_diff"][1:], peer["df_resid"].iloc[-1])
    np.testing.assert_allclose(found["p"][1:], want, rtol=1e-7)
    assert found["p"].iloc[-1] == pytest.approx(peer["Pr(>F)"].iloc[-1], rel=1e-7)
    assert np.isnan(found["p"][0])


def test_counts_with_an_exposure_are_tested_by_chi_squared(rng):
    X, years = rng.normal(size=(120, 3)), rng.uniform(0.5, 3.0, 120)
    y = rng.poisson(years * np.exp(0.3 * X[:, 0])).astype(float)
    models = [er.PoissonRegressor(alpha=0, tol=1e-12).fit(X[:, :k], y, exposure=years) for k in (1, 2, 3)]
    found = er.anova(*models, names=["one", "two", "three"])
    for k in (1, 2):
        alone = er.likelihood_ratio(models[k - 1], models[k])
        assert (found.tests[k].statistic, found.p[k]) == pytest.approx((alone.statistic, alone.p))
    assert "chi2" in found.to_frame()
    assert "2 tests of nested models" in repr(found)
    assert "\\toprule" in found.to_latex()


def test_terms_take_robust_covariances_and_adjusted_p_values(rng):
    X, y = columns(rng)
    model = er.LinearRegression().fit(X, y)
    terms = {"first": "x0", "rest": ["x1", "x2", "x3"]}
    found = er.anova(model, terms=terms, covariance="HC3")
    want = model.wald_test(["x1", "x2", "x3"], covariance="HC3")
    assert (found.tests[1].statistic, found.p[1]) == (want.statistic, want.p)
    plain = er.anova(model, terms={f"t{j}": f"x{j}" for j in range(4)})
    stepped = er.anova(model, terms={f"t{j}": f"x{j}" for j in range(4)}, adjust="holm")
    order = np.argsort(plain.p)
    by_hand = np.maximum.accumulate(np.array(plain.p)[order] * [4, 3, 2, 1])
    np.testing.assert_allclose(np.array(stepped.p)[order], np.minimum(by_hand, 1.0), rtol=1e-9)


def test_what_is_not_nested_is_refused(rng):
    X, y = columns(rng)
    one, two = er.LinearRegression().fit(X[:, :1], y), er.LinearRegression().fit(X[:, :2], y)
    for models, options, words in (
        ((two, one), {}, "not nested"),
        ((one, one), {}, "no more free coefficients"),
        ((one,), {}, "two nested models or more"),
        ((one, two), {"covariance": "HC3"}, "are for terms="),
        ((one, two), {"names": ["a"]}, "names must have 2 entries"),
        ((one, two), {"adjust": "simultaneous"}, "adjust must be None"),
        ((one,), {"terms": {"a": ["age"]}}, "no term 'age'"),
        ((one, two), {"terms": {"a": ["x0"]}}, "give one model"),
        ((er.LinearRegression().fit(X[:50, :1], y[:50]), two), {}, "different rows"),
        ((er.Ridge(alpha=1.0).fit(X, y),), {"terms": {"a": ["x0"]}}, "no analysis of variance"),
    ):
        with pytest.raises(ValueError, match=words):
            er.anova(*models, **options)
    with pytest.raises(TypeError, match="DecisionTreeRegressor"):
        er.anova(er.DecisionTreeRegressor(), one)
