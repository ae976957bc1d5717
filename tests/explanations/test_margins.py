"""Margins against closed forms, a peer, brute-force derivatives, and refits."""

import numpy as np
import pytest
import scipy.sparse as sp
import statsmodels.api as sm
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import empirisk as er

TREATED = np.repeat([0.0, 1.0], 100)[:, None]
CURED = np.repeat([0, 1, 0, 1], [80, 20, 50, 50])


def binary(rng, n=300):
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 2, n), rng.normal(size=n)])
    return X, (rng.uniform(size=n) < 1.0 / (1.0 + np.exp(0.3 - 0.5 * X[:, 0] - X[:, 1]))).astype(int)


def unpenalised(**more):
    return er.LogisticRegression(alpha=0, tol=1e-13, **more)


def test_risk_difference_and_risk_ratio_of_a_table():
    model = unpenalised().fit(TREATED, CURED)
    found = er.margins(model, TREATED, contrast="x0")
    se = np.sqrt(0.2 * 0.8 / 100 + 0.5 * 0.5 / 100)
    assert (found.value[0], found.se[0]) == pytest.approx((0.3, se), rel=1e-6)
    ratio = er.margins(model, TREATED, contrast="x0", compare="ratio")
    of_log = np.sqrt(0.8 / 20 + 0.5 / 50)
    half = np.exp(stats.norm.ppf(0.975) * of_log)
    assert ratio.value[0] == pytest.approx(2.5, rel=1e-6)
    assert (ratio.low[0], ratio.high[0]) == pytest.approx((2.5 / half, 2.5 * half), rel=1e-6)
    assert ratio.se[0] == pytest.approx(2.5 * of_log, rel=1e-6)
    shares = er.margins(model, TREATED, by="x0")
    assert shares.value == pytest.approx([0.2, 0.5], rel=1e-6)
    assert shares.se == pytest.approx([0.04, 0.05], rel=1e-6)


@pytest.mark.parametrize("place", ["overall", "mean"])
def test_effects_of_a_logistic_regression_are_those_of_a_peer(rng, place):
    X, y = binary(rng)
    found = er.margins(unpenalised().fit(X, y), X, effects=[0, 2], at=None if place == "overall" else place)
    peer = sm.Logit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12).get_margeff(at=place)
    np.testing.assert_allclose(found.value, peer.margeff[[0, 2]], rtol=1e-7)
    np.testing.assert_allclose(found.se, peer.margeff_se[[0, 2]], rtol=1e-6)


def test_effects_of_flags_and_of_several_classes_are_those_of_a_peer(rng):
    X, y = binary(rng)
    flag = er.margins(unpenalised().fit(X, y), X, effects="x1")
    peer = sm.Logit(y, sm.add_constant(X)).fit(disp=0, tol=1e-12).get_margeff(dummy=True)
    assert (flag.value[0], flag.se[0]) == pytest.approx((peer.margeff[1], peer.margeff_se[1]), rel=1e-6)
    three = rng.integers(0, 3, len(X))
    found = er.margins(unpenalised().fit(X, three), X, effects=[0, 2])
    peer = sm.MNLogit(three, sm.add_constant(X)).fit(disp=0, tol=1e-13).get_margeff()
    np.testing.assert_allclose(found.value.reshape(2, 3), peer.margeff[[0, 2]], rtol=1e-5)
    np.testing.assert_allclose(found.se.reshape(2, 3), peer.margeff_se[[0, 2]], rtol=1e-5)
    assert found.where["output"] == ["0", "1", "2"] * 2


def test_effects_of_least_squares_are_coefficients_with_their_robust_errors(rng):
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=80) * (1.0 + X[:, 0] ** 2)
    groups = np.repeat(np.arange(20), 4)
    model = er.LinearRegression().fit(X, y)
    for how in ({}, {"covariance": "HC3"}, {"covariance": "CR1", "groups": groups}):
        found, table = er.margins(model, X, effects="all", **how), model.summary(**how)
        np.testing.assert_allclose(found.value, table.coef[1:], rtol=1e-9)
        np.testing.assert_allclose(found.se, table.se[1:], rtol=1e-9)
        np.testing.assert_allclose(found.p, table.p[1:], rtol=1e-6)
    third = er.margins(model, X, contrast={"x1": [2.0, 5.0]})
    assert (third.value[0], third.se[0]) == pytest.approx((3 * model.coef_[1], 3 * model.summary().se[2]))


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
def test_standard_errors_are_those_of_a_brute_force_gradient(rng, link):
    X, y = binary(rng)
    model = er.GeneralizedLinearModel("binomial", link=link, tol=1e-13).fit(X, y)
    table = model.summary()
    mean = {
        "logit": lambda z: 1 / (1 + np.exp(-z)),
        "probit": stats.norm.cdf,
        "cloglog": lambda z: -np.expm1(-np.exp(z)),
    }[link]

    def effect(b, h=1e-4):
        move = np.array([h, 0.0, 0.0])
        up, down = X + move, X - move
        return np.mean(mean(up @ b[1:] + b[0]) - mean(down @ b[1:] + b[0])) / (2 * h)

    steps = 1e-4 * np.eye(4)
    gradient = np.array([(effect(table.coef + e) - effect(table.coef - e)) / 2e-4 for e in steps])
    found = er.margins(model, X, effects="x0")
    assert found.value[0] == pytest.approx(effect(table.coef), rel=1e-7)
    assert found.se[0] == pytest.approx(np.sqrt(gradient @ table.covariance @ gradient), rel=1e-5)


def test_exposures_multiply_averages_and_weights_are_repetitions(rng):
    X, years = rng.normal(size=(100, 2)), rng.uniform(0.5, 5.0, 100)
    y = rng.poisson(years * np.exp(0.3 * X[:, 0])).astype(float)
    model = er.PoissonRegressor(alpha=0, tol=1e-13).fit(X, y, exposure=years)
    one, three = er.margins(model, X), er.margins(model, X, exposure=np.full(100, 3.0))
    assert (three.value[0], three.se[0]) == pytest.approx((3 * one.value[0], 3 * one.se[0]))
    # The score equation of the intercept: fitted counts sum to those that were seen.
    assert er.margins(model, X, exposure=years).value[0] == pytest.approx(y.mean(), rel=1e-9)
    weight = rng.integers(0, 3, 100)
    long = er.margins(model, np.repeat(X, weight, axis=0), effects="all", training=(X, y, None, None, years))
    short = er.margins(model, X, effects="all", sample_weight=weight)
    np.testing.assert_allclose(short.value, long.value, rtol=1e-9)
    np.testing.assert_allclose(short.se, long.se, rtol=1e-9)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_words_in_a_frame_are_compared_through_a_pipeline(rng, library):
    frames = pytest.importorskip(library)
    words = np.array(["north", "south", "west"])[rng.integers(0, 3, 150)]
    y = (words == "south") * 2.0 + rng.normal(size=150)
    X = frames.DataFrame({"region": words})
    plain = np.column_stack([words == "south", words == "west"]).astype(float)
    coder = OneHotEncoder(drop="first", sparse_output=False)
    model = make_pipeline(coder, er.LinearRegression()).fit(X, y)
    found = er.margins(model, X, effects="region")
    table = er.LinearRegression().fit(plain, y).summary()
    np.testing.assert_allclose(found.value, table.coef[1:], rtol=1e-9)
    np.testing.assert_allclose(found.se, table.se[1:], rtol=1e-9)
    assert found.where["change"] == ["south - north", "west - north"]
    means = er.margins(model, X, by="region")
    np.testing.assert_allclose(means.value, [y[words == w].mean() for w in ("north", "south", "west")])
    assert len(er.margins(model, X, contrast="region", pairs=True).value) == 3


def test_layouts_agree(rng):
    pd = pytest.importorskip("pandas")
    X, y = binary(rng, 100)
    want = er.margins(unpenalised().fit(X, y), X, effects="all", at={"x1": [0.0, 1.0]})
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    for other in (sp.csr_matrix(X), sp.csc_matrix(X), X.astype(np.float32).astype(float), frame):
        found = er.margins(unpenalised().fit(other, y), other, effects="all", at={"x1": [0.0, 1.0]})
        np.testing.assert_allclose(found.value, want.value, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(found.se, want.se, rtol=1e-6, atol=1e-9)


@pytest.mark.full  # 400 refits
def test_refits_of_another_library_have_the_standard_error_of_theory(rng):
    X = rng.normal(size=(200, 1))
    y = 2.0 * X[:, 0] + rng.normal(size=200)
    found = er.margins(LinearRegression().fit(X, y), X, effects="x0", training=(X, y), n_boot=400)
    table = er.LinearRegression().fit(X, y).summary(covariance="HC0")
    assert found.value[0] == pytest.approx(table.coef[1])
    # A standard deviation of 400 draws is known to 1 / sqrt(800); four such errors.
    assert found.se[0] == pytest.approx(table.se[1], rel=4 / np.sqrt(800))
    assert found.method == "bootstrap of refits"


def test_trees_have_effects_over_a_step_by_refits(rng):
    X, y = binary(rng, 150)
    tree = er.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    found = er.margins(tree, X, effects="x0", step=2.0, training=(X, y), n_boot=20)
    moves = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    up, down = (tree.predict_proba(X + move)[:, 1].mean() for move in moves)
    assert found.value[0] == pytest.approx((up - down) / 2.0)
    again = er.margins(tree, X, effects="x0", step=2.0, training=(X, y), n_boot=20)
    assert again.se == pytest.approx(found.se)
    whole = er.margins(tree, X, training=(X, y), n_boot=20, groups=np.arange(150) // 2, method="bootstrap")
    assert "resampled groups" in whole.notes[0]


def test_comparisons_with_a_control_are_wider_than_one_and_narrower_than_by_bonferroni(rng):
    code = np.repeat(np.arange(4), 10)
    X = (code[:, None] == np.arange(1, 4)).astype(float)
    y = rng.normal(size=40)
    model = er.LinearRegression().fit(X, y)
    means = er.margins(model, X, by=code)
    assert means.value == pytest.approx([y[code == k].mean() for k in range(4)])
    found = er.margins(model, X, contrast=["x0", "x1", "x2"], adjust="simultaneous")
    critical = (found.high - found.value) / found.se
    single = stats.t.ppf(0.975, 36)
    assert (critical > single).all()
    assert (critical < stats.t.isf(0.025 / 3, 36)).all()


def test_what_cannot_be_computed_is_refused_with_the_reason(rng):
    X, y = binary(rng, 60)
    model = unpenalised().fit(X, y)
    asked = [
        ({"effects": "age"}, "effects names 'age', which X does not have"),
        ({"contrast": "x0"}, "give the values that are compared"),
        ({"contrast": {"x0": [1.0]}}, "needs two or more"),
        ({"effects": "x0", "contrast": "x1"}, "give effects or contrast"),
        ({"compare": "ratio"}, "is about contrasts"),
        ({"at": "median"}, "at must be"),
        ({"by": [[1.0]]}, "by names"),
        ({"sample_weight": -np.ones(60)}, "sample_weight must be"),
        ({"method": "jackknife"}, "method must be"),
        ({"adjust": "tukey"}, "adjust must be"),
        ({"training": (X,)}, "training must hold X and y"),
    ]
    for options, words in asked:
        with pytest.raises(ValueError, match=words):
            er.margins(model, X, **options)
    with pytest.raises(ValueError, match=r"L2 penalty.*pass training"):
        er.margins(er.LogisticRegression(alpha=1.0).fit(X, y), X)
    with pytest.raises(ValueError, match=r"no covariance matrix.*pass training"):
        er.margins(er.DecisionTreeClassifier().fit(X, y), X)
    with pytest.raises(ValueError, match="labels without probabilities"):
        er.margins(er.LinearSVC().fit(X, y), X, training=(X, y), n_boot=20)
    double = np.column_stack([X, X[:, 0]])
    with pytest.raises(ValueError, match="collinear"):
        er.margins(er.LinearRegression().fit(double, y * 1.0), double)
    with pytest.raises(ValueError, match="X has no rows"):
        er.margins(model, X[:0])


def test_the_table_prints_turns_into_frames_and_is_drawn(rng):
    pytest.importorskip("matplotlib")
    X, y = binary(rng, 80)
    found = er.margins(unpenalised().fit(X, y), X, effects="all", by="x1")
    assert list(found.to_frame().columns) == ["column", "change", "x1", "value", "low", "high", "se", "p"]
    assert "average effects over 80 rows" in repr(found)
    assert "\\toprule" in found.to_latex()
    assert found.to_markdown().startswith("**6 average effects")
    assert len(found.plot().axes.texts) == 12


@pytest.mark.slow  # 2,000 fits
def test_intervals_of_effects_cover(rng):
    """Average effect of a logistic regression, the rows fixed: 95 % intervals hold it 95 % of the time."""
    X = rng.normal(size=(150, 2))
    p = 1.0 / (1.0 + np.exp(-X @ [1.0, 0.5]))
    true = np.mean(p * (1 - p))
    runs, hits = 2000, 0
    for _ in range(runs):
        y = (rng.uniform(size=150) < p).astype(int)
        found = er.margins(unpenalised(fit_intercept=False).fit(X, y), X, effects="x0")
        hits += found.low[0] <= true <= found.high[0]
    # 4 standard errors of the share, and 1.5 % for what many rows means.
    assert abs(hits / runs - 0.95) < 4 * np.sqrt(0.95 * 0.05 / runs) + 0.015


@pytest.mark.slow  # 12,000 refits
def test_intervals_of_refits_cover(rng):
    runs, hits = 200, 0
    for seed in range(runs):
        X = rng.normal(size=(100, 2))
        y = X[:, 0] + rng.normal(size=100)
        model = LinearRegression().fit(X, y)
        found = er.margins(model, X, effects="x0", training=(X, y), n_boot=60, random_state=seed)
        hits += found.low[0] <= 1.0 <= found.high[0]
    assert abs(hits / runs - 0.95) < 4 * np.sqrt(0.95 * 0.05 / runs) + 0.015


@pytest.mark.slow  # 3,000 tables of four contrasts
@pytest.mark.parametrize("adjust", ["simultaneous", "holm", "bonferroni"])
def test_intervals_hold_together(rng, adjust):
    """Four equal means and a control: at most 5 % of the tables have a false interval or p-value."""
    code = np.repeat(np.arange(5), 8)
    X = (code[:, None] == np.arange(1, 5)).astype(float)
    runs, wrong, found_any = 1000, 0, 0
    for _ in range(runs):
        model = er.LinearRegression().fit(X, rng.normal(size=40))
        found = er.margins(model, X, contrast=["x0", "x1", "x2", "x3"], adjust=adjust)
        wrong += bool(((found.low > 0.0) | (found.high < 0.0)).any())
        found_any += bool((found.p < 0.05).any())
    error = 4 * np.sqrt(0.05 * 0.95 / runs)
    assert max(wrong, found_any) / runs < 0.05 + error
    if adjust == "simultaneous":
        assert wrong / runs > 0.05 - error
