"""Ratios of odds, means, rates and hazards, against closed forms of two by two tables."""

import numpy as np
import pytest
from scipy import stats

import empirisk as er

TREATED = np.repeat([0.0, 1.0], 100)[:, None]
CURED = np.repeat([0, 1, 0, 1], [80, 20, 50, 50])
Z = stats.norm.ppf(0.975)


def only(found):
    row = found.to_frame().iloc[0]
    return row["ratio"], row["ratio_low"], row["ratio_high"]


def test_odds_ratio_of_a_table_has_the_interval_of_woolf():
    found = er.LogisticRegression(alpha=0, tol=1e-12).fit(TREATED, CURED).summary().ratios()
    half = Z * np.sqrt(1 / 80 + 1 / 20 + 1 / 50 + 1 / 50)
    assert only(found) == pytest.approx((4.0, 4.0 * np.exp(-half), 4.0 * np.exp(half)), rel=1e-6)
    assert found.kind == "odds ratio"
    assert found.terms == ["x0"]


def test_rate_ratio_of_two_counts():
    """Counts 40 in 10 years and 30 in 15 years: the variance of the logarithm is 1/40 + 1/30."""
    X, y, years = np.array([[0.0], [0.0], [1.0], [1.0]]), [15.0, 25.0, 10.0, 20.0], [4.0, 6.0, 5.0, 10.0]
    found = er.PoissonRegressor(alpha=0, tol=1e-12).fit(X, y, exposure=years).summary().ratios()
    half = Z * np.sqrt(1 / 40 + 1 / 30)
    assert found.kind == "rate ratio"
    assert only(found) == pytest.approx((0.5, 0.5 * np.exp(-half), 0.5 * np.exp(half)), rel=1e-6)


def test_units_are_powers_and_swap_the_ends_where_negative():
    table = er.LogisticRegression(alpha=0, tol=1e-12).fit(TREATED, CURED).summary()
    value, low, high = only(table.ratios())
    assert only(table.ratios(units={"x0": -2.0})) == pytest.approx((value**-2, high**-2, low**-2))
    assert only(table.ratios({"x0": 0.5}))[0] == pytest.approx(2.0, rel=1e-6)
    with pytest.raises(ValueError, match="'age', which is no column"):
        table.ratios({"age": 10.0})
    with pytest.raises(ValueError, match="'x0' must be a finite number other than 0"):
        table.ratios({"x0": 0.0})


@pytest.mark.parametrize(
    "table",
    [
        er.LinearRegression().fit(TREATED, CURED.astype(float)).summary(),
        er.GeneralizedLinearModel("binomial", link="probit", alpha=0).fit(TREATED, CURED).summary(),
    ],
    ids=["identity", "probit"],
)
def test_links_without_ratios_are_refused(table):
    with pytest.raises(ValueError, match="there are no ratios"):
        table.ratios()


def test_hazard_ratio_of_the_complementary_log_log_link():
    model = er.GeneralizedLinearModel("binomial", link="cloglog", alpha=0, tol=1e-12)
    found = model.fit(TREATED, CURED).summary().ratios()
    assert found.kind == "hazard ratio"
    assert only(found)[0] == pytest.approx(np.log(0.5) / np.log(0.8), rel=1e-6)


def test_ratios_of_several_classes_are_about_each_against_the_first(rng):
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 3, 200)
    table = er.LogisticRegression(alpha=0).fit(X, y).summary()
    found = table.ratios()
    assert found.groups == ["1", "1", "2", "2"]
    np.testing.assert_allclose(found.value, np.exp(table.coef[[1, 2, 4, 5]]))


def test_a_table_without_intervals_has_ratios_without_intervals():
    found = er.LogisticRegression(alpha=1.0).fit(TREATED, CURED).summary().ratios()
    assert "cannot tell" in repr(found)
    assert "L2 penalty" in repr(found)


def test_tables_and_ratios_are_drawn(rng):
    pytest.importorskip("matplotlib")
    X = rng.normal(size=(60, 3))
    table = er.PoissonRegressor(alpha=0).fit(X, rng.poisson(np.exp(X[:, 0]))).summary()
    for result in (table, table.ratios()):
        drawn = result.plot()
        axes = getattr(drawn, "axes", None)
        axes = axes if hasattr(axes, "get_xscale") else drawn
        assert [t.get_text() for t in axes.texts[::2]] == ["x0", "x1", "x2"]
        assert axes.get_xscale() == ("linear" if result is table else "log")
