"""Influence by deleting rows, Wald and likelihood-ratio tests by algebra, bands by simulation; bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from scipy import stats

import empirisk as er
from empirisk.inference.predictive import predictive_quantiles
from empirisk.inference.wald import hypothesis_matrix


@pytest.fixture
def line(rng):
    X = rng.standard_normal((40, 3)) + 2.0
    y = 1.0 + X @ [1.0, -0.5, 0.0] + rng.standard_normal(40)
    return X, y, er.LinearRegression().fit(X, y)


# -- influence --------------------------------------------------------------------------------------


def test_influence_is_what_deleting_a_row_does(line):
    X, y, model = line
    found, table = model.influence(X, y), model.summary(X, y)
    A = np.column_stack([np.ones(40), X])
    fitted = A @ table.coef
    for i in range(40):
        keep = np.arange(40) != i
        b = np.linalg.lstsq(A[keep], y[keep], rcond=None)[0]
        residual = y[keep] - A[keep] @ b
        s2 = residual @ residual / (39 - 4)
        assert found.left_out[i] == pytest.approx(y[i] - A[i] @ b, rel=1e-9)
        moved = fitted - A @ b
        assert found.cook[i] == pytest.approx(moved @ moved / (4 * table["sigma"] ** 2), rel=1e-8)
        se = math.sqrt(s2 * found.leverage[i])
        assert found.dffits[i] == pytest.approx(moved[i] / se, rel=1e-8)
        spread = math.sqrt(s2 * (1.0 - found.leverage[i]))
        assert found.studentised[i] == pytest.approx(found.residual[i] / spread, rel=1e-8)
        scale = np.sqrt(s2 * np.diag(np.linalg.inv(A.T @ A)))
        np.testing.assert_allclose(found.dfbetas[i], (table.coef - b) / scale, rtol=1e-7)
    assert found.press == pytest.approx(float(found.left_out @ found.left_out), rel=1e-12)
    vif = [1.0 / (1.0 - sm.OLS(X[:, j], np.delete(A, j + 1, axis=1)).fit().rsquared) for j in range(3)]
    np.testing.assert_allclose(found.vif, vif, rtol=1e-9)
    np.testing.assert_allclose(table.inflation[1:], vif, rtol=1e-9)


def test_one_step_deletion_is_near_the_refit(rng):
    X = rng.standard_normal((200, 2))
    y = rng.poisson(np.exp(0.5 + X @ [0.4, -0.3])).astype(float)
    model = er.PoissonRegressor(alpha=0.0, tol=1e-12).fit(X, y)
    found, se = model.influence(X, y), model.summary(X, y).se
    whole = np.append(model.intercept_, model.coef_)
    for i in np.argsort(-found.cook)[:5]:
        keep = np.arange(200) != i
        other = er.PoissonRegressor(alpha=0.0, tol=1e-12).fit(X[keep], y[keep])
        moved = (whole - np.append(other.intercept_, other.coef_)) / se
        np.testing.assert_allclose(found.dfbetas[i], moved, atol=0.05, rtol=0.25)
    assert any("approximation" in note for note in found._notes())
    assert math.isnan(found.outlier_p)


def test_rows_that_stand_alone_and_rows_without_weight(rng):
    X = np.column_stack([rng.standard_normal(20), np.zeros(20)])
    X[4, 1] = 1.0
    y = rng.standard_normal(20)
    weight = np.ones(20)
    weight[7] = 0.0
    found = er.LinearRegression().fit(X, y, weight).influence(X, y, weight)
    assert found.leverage[4] == pytest.approx(1.0)
    assert np.isnan(found.studentised[4])
    assert found.leverage[7] == 0.0
    assert found.cook[7] == 0.0
    assert "row 4" in repr(found)
    assert math.isnan(found.press)
    frame = found.to_frame()
    assert list(frame["row"]) == list(range(20))
    assert "dfbetas intercept" in frame.columns
    assert "<table>" in found._repr_html_()


@pytest.mark.full  # simulated
def test_the_outlier_test_keeps_its_level():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((25, 2))
    p = []
    for _ in range(400):
        y = rng.standard_normal(25)
        p.append(er.LinearRegression().fit(X, y).influence(X, y).outlier_p)
    # Bonferroni's correction is nearly exact for the largest of weakly dependent residuals.
    assert stats.binomtest(int(np.sum(np.array(p) < 0.1)), 400, 0.1).pvalue > 1e-3


# -- tests ------------------------------------------------------------------------------------------


def test_wald_is_the_partial_f_and_t_squared(line):
    X, y, model = line
    A = np.column_stack([np.ones(40), X])
    small = np.linalg.lstsq(A[:, :2], y, rcond=None)
    large = np.linalg.lstsq(A, y, rcond=None)
    f = (small[1][0] - large[1][0]) / 2 / (large[1][0] / 36)
    found = model.wald_test(["x1", "x2"], training=(X, y))
    assert found.statistic == pytest.approx(f, rel=1e-9)
    assert found.p == pytest.approx(stats.f.sf(f, 2, 36), rel=1e-8)
    table = model.summary(X, y)
    one = model.wald_test("x1", training=(X, y))
    assert one.statistic == pytest.approx(table.statistic[2] ** 2, rel=1e-10)
    assert one.p == pytest.approx(table.p[2], rel=1e-9)
    few = er.LinearRegression().fit(X[:, :1], y)
    ratio = er.likelihood_ratio(few, model, X, y, X_small=X[:, :1])
    assert ratio.statistic == pytest.approx(f, rel=1e-8)
    assert "F = " in repr(ratio)


@pytest.mark.parametrize("kind", ["classical", "HC1", "HC3", "CR1"])
def test_hypotheses_are_those_of_statsmodels(line, rng, kind):
    X, y, model = line
    groups = rng.integers(0, 10, size=40) if kind == "CR1" else None
    options = {"cov_type": "nonrobust"} if kind == "classical" else {"cov_type": kind, "use_t": True}
    if groups is not None:
        options = {"cov_type": "cluster", "cov_kwds": {"groups": groups}, "use_t": True}
    peer = sm.OLS(y, sm.add_constant(X)).fit(**options)
    R = np.array([[0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, -2.0]])
    wanted = peer.f_test((R, np.array([0.5, 0.25])))
    found = model.wald_test(R, [0.5, 0.25], covariance=kind, groups=groups, training=(X, y))
    assert found.statistic == pytest.approx(float(wanted.fvalue), rel=1e-8)
    if kind == "HC3":  # of fewer degrees of freedom here: only the effective ones
        assert found.df_denominator < 36
        assert found.p == pytest.approx(stats.f.sf(found.statistic, 2, found.df_denominator), rel=1e-9)
    else:
        assert found.p == pytest.approx(float(wanted.pvalue), rel=1e-7)


def test_likelihood_ratio_of_logistic_models(rng):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(rng.standard_normal((150, 3)), columns=list("abc"))
    y = (rng.random(150) < 1 / (1 + np.exp(-X["a"]))).astype(int)
    large = er.LogisticRegression(alpha=0.0, tol=1e-12).fit(X, y)
    some = X[["a"]]
    small = er.LogisticRegression(alpha=0.0, tol=1e-12).fit(some, y)
    found = er.likelihood_ratio(small, large, X, y)
    fits = [sm.Logit(y, sm.add_constant(part)).fit(disp=0, tol=1e-14).llf for part in (some, X)]
    assert found.statistic == pytest.approx(2.0 * (fits[1] - fits[0]), rel=1e-7)
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 2), rel=1e-12)
    assert "b, c" in repr(found)
    assert er.likelihood_ratio(small, large).statistic == pytest.approx(found.statistic)  # still in memory
    with pytest.raises(ValueError, match="nothing to test"):
        er.likelihood_ratio(large, large, X, y)
    other = X[["a"]].rename(columns={"a": "d"}) ** 2
    squares = er.LogisticRegression(alpha=0.0).fit(other, y)
    with pytest.raises(ValueError, match="not nested: 'd'"):
        er.likelihood_ratio(squares, large, X, y, X_small=other)
    with pytest.raises(ValueError, match="different losses"):
        er.likelihood_ratio(er.LinearRegression().fit(some, y), large, X, y)
    few, labels = some[:90], y[:90]
    fewer = er.LogisticRegression(alpha=0.0).fit(few, labels)
    with pytest.raises(ValueError, match="different rows"):
        er.likelihood_ratio(fewer, large)
    with pytest.raises(TypeError, match="small must be a fitted linear model"):
        er.likelihood_ratio("constant", large, X, y)


def test_likelihood_ratio_of_models_in_the_wrong_order_is_refused(rng):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    y = rng.normal(size=30)
    large, small = er.LinearRegression().fit(X, y), er.LinearRegression().fit(X[["a"]], y)
    with pytest.raises(ValueError, match=r"small has the columns \['b'\], which large lacks"):
        er.likelihood_ratio(large, small, X, y)


@pytest.mark.parametrize(
    ("R", "words"),
    [
        ("z", "no term 'z'"),
        ([[1.0, 0.0]], "R has 2 columns"),
        ([[0.0, 0.0, 0.0]], "row of zeros"),
        ([[1.0, 0, 0], [2.0, 0, 0]], "repeat each other"),
        ([[math.nan, 0, 0]], "finite"),
        ([], "R has 0 columns"),
    ],
)
def test_wrong_hypotheses_are_named(line, R, words):
    X, y, model = line
    with pytest.raises(ValueError, match=words):
        model.wald_test(R, training=(X, y))


def test_hypotheses_in_words():
    matrix, words = hypothesis_matrix(("intercept", "a", "b"), [[1.0, -2.0]])
    np.testing.assert_array_equal(matrix, [[0.0, 1.0, -2.0]])
    assert words == ["a - 2 b"]


# -- bands ------------------------------------------------------------------------------------------


def test_bands_are_those_of_statsmodels(line, rng):
    X, y, model = line
    new = rng.standard_normal((6, 3))
    peer = sm.OLS(y, sm.add_constant(X)).fit()
    frame = peer.get_prediction(sm.add_constant(new, has_constant="add")).summary_frame(alpha=0.1)
    mean = model.interval(new, level=0.9, training=(X, y))
    wide = model.interval(sp.csr_array(new), kind="prediction", level=0.9, training=(X, y))
    np.testing.assert_allclose(mean.low, frame["mean_ci_lower"], rtol=1e-8)
    np.testing.assert_allclose(mean.high, frame["mean_ci_upper"], rtol=1e-8)
    np.testing.assert_allclose(wide.low, frame["obs_ci_lower"], rtol=1e-8)
    np.testing.assert_allclose(wide.high, frame["obs_ci_upper"], rtol=1e-8)
    np.testing.assert_allclose(mean.value, model.predict(new), rtol=1e-10)
    assert "90 % confidence" in repr(mean)
    assert len(wide.to_frame()) == 6


def test_predictive_quantiles_of_a_known_mean():
    from empirisk.inference.law import Law
    from empirisk.losses import Gamma, InverseGaussian, NegativeBinomial, Poisson

    z, none = np.log(np.array([0.3, 4.0, 250.0])), np.zeros(3)
    mean = np.exp(z)
    laws = {
        Poisson(): stats.poisson(mean),
        NegativeBinomial(0.5): stats.nbinom(2.0, 1.0 / (1.0 + 0.5 * mean)),
        Gamma(): stats.gamma(1.0 / 0.4, scale=0.4 * mean),
        InverseGaussian(): stats.invgauss(0.4 * mean, scale=1.0 / 0.4),
    }
    for loss, law in laws.items():
        low, high = predictive_quantiles(Law(loss), z, none, 0.4, 0.9)
        np.testing.assert_allclose(low, law.ppf(0.05), rtol=1e-9)
        np.testing.assert_allclose(high, law.ppf(0.95), rtol=1e-9)


def test_the_noise_of_the_score_is_mixed_in():
    # A Poisson count whose log mean is normal, by brute force.
    from empirisk.inference.law import Law
    from empirisk.losses import Poisson

    draws = np.random.default_rng(0).poisson(
        np.exp(1.0 + 0.5 * np.random.default_rng(1).standard_normal(400_000))
    )
    low, high = predictive_quantiles(Law(Poisson()), np.array([1.0]), np.array([0.5]), 1.0, 0.95)
    assert low[0] == np.quantile(draws, 0.025, method="inverted_cdf")
    assert high[0] == np.quantile(draws, 0.975, method="inverted_cdf")


@pytest.mark.parametrize("level", [0.95, 0.9999, 0.999999, 1.0 - 1e-10])
@pytest.mark.parametrize("ratio", [0.1, 0.49, 0.51, 2.0, 20.0])
@pytest.mark.parametrize("mean", [0.3, 5.0, 100.0, 1e4])
def test_intervals_of_counts_hold_every_level(mean: float, ratio: float, level: float) -> None:
    """The chances beyond both ends, as integrals over the log mean by the trapezoidal rule."""
    from empirisk.inference.law import Law
    from empirisk.losses import Poisson

    se, tail = ratio / np.sqrt(mean), 0.5 * (1.0 - level)
    low, high = predictive_quantiles(Law(Poisson()), np.log([mean]), np.array([se]), 1.0, level)
    t = np.linspace(-10.0, 10.0, 20_001)
    share = np.exp(-0.5 * t * t)
    share /= share.sum()
    at = mean * np.exp(se * t)

    def above(y: float) -> float:
        """Return the chance of more than y."""
        return float(share @ stats.poisson.sf(y, at))

    def below(y: float) -> float:
        """Return the chance of at most y."""
        return float(share @ stats.poisson.cdf(y, at))

    # A hundredth of the tail for the rule of 41 nodes, which serves where counts vary more than means.
    assert above(high[0]) <= 1.01 * tail
    assert below(low[0] - 1.0) <= 1.01 * tail
    # No end is further out than 5 % of the tail (parts are cut at 2 % of it) and one count.
    assert above(high[0] - max(1.0, 1e-11 * high[0])) >= 0.95 * tail
    assert low[0] == 0.0 or below(low[0]) >= 0.95 * tail


def test_a_level_that_floats_do_not_tell_from_one_is_refused() -> None:
    from empirisk.inference.law import Law
    from empirisk.losses import Poisson

    with pytest.raises(ValueError, match=r"level=0\.9999999999999 leaves a chance of .* at most 1 - 2e-12"):
        predictive_quantiles(Law(Poisson()), np.zeros(1), np.ones(1), 1.0, 0.9999999999999)


def test_prediction_needs_a_law(line, rng):
    X, y, model = line
    labels = (y > y.mean()).astype(int)
    classes = er.LogisticRegression(alpha=0.0).fit(X, labels)
    band = classes.interval(X, training=(X, labels))
    assert np.all((band.low > 0.0) & (band.high < 1.0) & (band.low < band.high))
    np.testing.assert_allclose(band.value, classes.predict_proba(X)[:, 1], rtol=1e-9)
    with pytest.raises(ValueError, match=r'one of two labels.*kind="confidence"'):
        classes.interval(X, kind="prediction", training=(X, labels))
    with pytest.raises(ValueError, match="noise of a new row is not known"):
        model.interval(X, kind="prediction", covariance="HC3", training=(X, y))
    with pytest.raises(ValueError, match="kind must be one of"):
        model.interval(X, kind="tolerance", training=(X, y))
    twice = np.column_stack([X, X[:, 0] + X[:, 1]])
    collinear = er.LinearRegression().fit(twice, y)
    inside = collinear.interval(twice[:3], training=(twice, y))
    np.testing.assert_allclose(inside.se, model.interval(X[:3], training=(X, y)).se, rtol=1e-7)
    with pytest.raises(ValueError, match="new row 0"):
        collinear.interval([[1.0, 1.0, 1.0, 5.0]], training=(twice, y))


# -- where there is no inference --------------------------------------------------------------------


def test_refusals_name_what_exists_instead(rng):
    X, y = rng.standard_normal((30, 3)), rng.standard_normal(30)
    alternatives = {
        er.Lasso(alpha=0.1): ["er.debiased_lasso", "er.split_sample_inference"],
        er.Ridge(alpha=0.1): ["er.debiased_lasso", "er.bootstrap"],
        er.LogisticRegression(alpha=0.1, l1_ratio=1.0): ["er.split_sample_inference"],
        er.PoissonRegressor(alpha=0.1): ["er.bootstrap"],
    }
    for model, names in alternatives.items():
        target = (y > 0).astype(int) if isinstance(model, er.LogisticRegression) else np.abs(y)
        fitted = model.fit(X, target)
        note = " ".join(fitted.summary(X, target).notes)
        for name in names:
            assert name in note
            assert callable(getattr(er, name.removeprefix("er.")))
        for ask in (
            lambda m=fitted, t=target: m.influence(X, t),
            lambda m=fitted, t=target: m.interval(X, training=(X, t)),
            lambda m=fitted, t=target: m.wald_test("x0", training=(X, t)),
        ):
            with pytest.raises(ValueError, match=names[0]):
                ask()
    wide = rng.standard_normal((5, 8))
    model = er.LinearRegression().fit(wide, y[:5])
    with pytest.raises(ValueError, match=r"er\.debiased_lasso"):
        model.influence(wide, y[:5])


def test_bad_input_is_named(line):
    X, y, model = line
    for level in (0.0, 1.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="level must lie"):
            model.summary(X, y, level=level)
        with pytest.raises(ValueError, match="level must lie"):
            model.interval(X, level=level, training=(X, y))
    with pytest.raises(ValueError, match=r"one entry per row, shape \(40,\)"):
        model.summary(X, y, covariance="cluster", groups=[1, 2])
    groups = np.arange(40.0)
    groups[3] = math.nan
    with pytest.raises(ValueError, match="groups is missing in row 3"):
        model.summary(X, y, covariance="cluster", groups=groups)
    for ask in ("summary", "influence"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(er.LinearRegression(), ask)(X, y)
    with pytest.raises(ValueError, match="not fitted"):
        er.LinearRegression().interval(X)
    perfect = er.LinearRegression().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="perfect"):
        perfect.influence(X, X[:, 0])
    with pytest.raises(ValueError, match="perfect"):
        perfect.wald_test("x0", training=(X, X[:, 0]))
    constant = er.LinearRegression().fit(X, np.ones(40))
    assert any("perfect" in note for note in constant.summary(X, np.ones(40)).notes)
    one = er.LinearRegression().fit(X[:1], y[:1])
    assert not one.summary(X[:1], y[:1]).valid
    weight = np.full(40, 0.5)
    notes = model.fit(X, y, weight).summary(X, y, weight).notes
    assert any("not whole numbers" in note for note in notes)
    with pytest.raises(ValueError, match="several targets"):
        er.LinearRegression().fit(X, X).influence(X, X)
    text = np.array(["a", "b"] * 20, dtype=object)
    assert er.LinearRegression().fit(X, y).summary(X, y, covariance="cluster", groups=text).valid
