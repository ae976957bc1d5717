"""Frequencies by repetition; sampling weights and precisions against statsmodels and algebra."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

import empirisk as er
from tests.conformance.estimators import FIXED, data_for

HC = ("HC0", "HC1", "HC2", "HC3")


@pytest.fixture
def drawn(rng):
    X = rng.normal(size=(120, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=120) * (1.0 + np.abs(X[:, 0]))
    weight = rng.uniform(0.2, 3.0, 120)
    weight[::20] = 0.0
    return X, y, weight, er.LinearRegression().fit(X, y, weight)


def effective(A):
    """Effective rows of each coefficient, with n x n matrices."""
    a = np.linalg.pinv(A)  # what each residual adds to each coefficient
    h = np.diag(A @ a)
    v = a**2 / (1.0 - h)
    return v.sum(axis=1) ** 2 / (v**2).sum(axis=1)


@pytest.mark.parametrize("kind", HC)
def test_robust_errors_are_those_of_weighted_least_squares(drawn, kind):
    X, y, weight, model = drawn
    live = weight > 0.0  # a peer counts rows of weight 0 as rows
    peer = sm.WLS(y[live], sm.add_constant(X[live]), weights=weight[live]).fit()
    for scale in (1e-6, 1.0, 1000.0):
        again = er.LinearRegression().fit(X, y, scale * weight)
        table = again.summary(X, y, scale * weight, covariance=kind)
        np.testing.assert_allclose(table.se, getattr(peer, f"{kind}_se"), rtol=1e-9)
        assert table["n"] == live.sum()
        assert any("sampling weights" in note for note in table.notes)
    use = peer.get_robustcov_results(kind, use_t=True)
    test = model.wald_test(["x0", "x1"], covariance=kind)
    found = use.f_test(np.eye(3)[1:])
    assert test.statistic == pytest.approx(float(found.fvalue), rel=1e-9)
    band = model.interval(X[:4], covariance=kind)
    mean = use.get_prediction(sm.add_constant(X)[:4])
    np.testing.assert_allclose(band.se, mean.se_mean, rtol=1e-9)
    table = model.summary(covariance=kind)
    df = np.full(3, live.sum() - 3.0)
    if kind in ("HC2", "HC3"):
        A, root = sm.add_constant(X[live]), np.sqrt(weight[live])
        df = effective(root[:, None] * A)
    np.testing.assert_allclose(table.p, 2.0 * stats.t.sf(np.abs(table.statistic), df), rtol=1e-8)
    assert test.df_denominator == pytest.approx(df[1:].min(), rel=1e-9)
    half = stats.t.ppf(0.975, df.min()) * band.se
    np.testing.assert_allclose(band.high - band.value, half, rtol=1e-8)


@pytest.mark.parametrize("family", ["poisson", "gamma", "logit", "softmax"])
def test_robust_errors_of_other_families_are_the_sandwich_of_weighted_scores(family, rng):
    """``A^-1 (sum s_i^2 u_i u_i') A^-1``, u the scores and A the weighted information, by numbers alone."""
    X = rng.normal(size=(150, 2))
    A = np.column_stack([np.ones(150), X])
    weight = rng.uniform(0.1, 5.0, 150)
    mean = np.exp(0.3 + X @ [0.4, -0.2])
    if family in ("poisson", "gamma"):
        y = rng.poisson(mean).astype(float) if family == "poisson" else rng.gamma(2.0, mean / 2.0) + 1e-3
        make = lambda: er.GeneralizedLinearModel(family, tol=1e-13)  # noqa: E731
    else:
        y = rng.integers(0, 2 if family == "logit" else 3, 150)
        make = lambda: er.LogisticRegression(alpha=0.0, tol=1e-13)  # noqa: E731
    model = make().fit(X, y, weight)
    table = model.summary(X, y, weight, covariance="HC0")
    coef = np.reshape(table.coef, (-1, 3))
    z = A @ coef.T
    if family == "poisson":
        score, info = A * (y[:, None] - np.exp(z)), (weight[:, None] * A * np.exp(z)).T @ A
    elif family == "gamma":
        score, info = A * (y[:, None] / np.exp(z) - 1.0), (weight[:, None] * A).T @ A
    else:
        full = np.exp(np.column_stack([np.zeros(150), z]))
        q = (full / full.sum(axis=1, keepdims=True))[:, 1:]
        hit = (y[:, None] == np.arange(1, q.shape[1] + 1)).astype(float)
        score = np.einsum("ik,ij->ikj", hit - q, A).reshape(150, -1)
        kernels = [np.kron(np.diag(p) - np.outer(p, p), np.outer(a, a)) for p, a in zip(q, A, strict=True)]
        info = np.einsum("i,ijk->jk", weight, np.array(kernels))
    bread = np.linalg.inv(info)
    meat = (weight[:, None] * score).T @ (weight[:, None] * score)
    np.testing.assert_allclose(table.se, np.sqrt(np.diag(bread @ meat @ bread)), rtol=1e-6)
    scaled = make().fit(X, y, 250.0 * weight).summary(X, y, 250.0 * weight, covariance="HC1")
    np.testing.assert_allclose(scaled.se, model.summary(covariance="HC1").se, rtol=1e-6)
    assert scaled["n"] == 150
    with pytest.raises(KeyError):
        table["aic"]  # the likelihood of a weighted sample is an estimate


@pytest.mark.parametrize("kind", ["CR0", "CR1", "CR2"])
def test_clustered_errors_are_free_of_the_scale_of_the_weights(drawn, rng, kind):
    X, y, weight, model = drawn
    groups = np.repeat(np.arange(12), 10)
    table = model.summary(X, y, weight, covariance=kind, groups=groups)
    other = er.LinearRegression().fit(X, y, 77.0 * weight)
    again = other.summary(X, y, 77.0 * weight, covariance=kind, groups=groups)
    np.testing.assert_allclose(again.se, table.se, rtol=1e-10)
    np.testing.assert_allclose(again.p, table.p, rtol=1e-8)
    if kind == "CR1":
        live = weight > 0.0
        peer = sm.WLS(y[live], sm.add_constant(X[live]), weights=weight[live])
        bse = peer.fit(cov_type="cluster", cov_kwds={"groups": groups[live]}).bse
        np.testing.assert_allclose(table.se, bse, rtol=1e-9)


def test_precisions_are_weighted_least_squares(drawn):
    X, y, weight, _ = drawn
    live = weight > 0.0
    peer = sm.WLS(y[live], sm.add_constant(X[live]), weights=weight[live]).fit()
    for scale in (1e-3, 1.0, 40.0):
        model = er.LinearRegression().fit(X, y, scale * weight)
        table = model.summary(X, y, scale * weight, weights="precision")
        np.testing.assert_allclose(table.se, peer.bse, rtol=1e-9)
        assert table["log_likelihood"] == pytest.approx(peer.llf, rel=1e-9)
        assert table["F"] == pytest.approx(peer.fvalue, rel=1e-9)
        assert table["r2"] == pytest.approx(peer.rsquared, rel=1e-9)
        assert any("precisions" in note for note in table.notes)
        found = model.influence(weights="precision")
        root = np.sqrt(weight[live])
        infl = sm.OLS(root * y[live], root[:, None] * sm.add_constant(X[live])).fit().get_influence()
        np.testing.assert_allclose(found.leverage[live], infl.hat_matrix_diag, rtol=1e-9)
        np.testing.assert_allclose(found.studentised[live], infl.resid_studentized_external, rtol=1e-8)


def test_leaving_out_a_row_with_its_weight_is_the_refit(drawn):
    X, y, weight, model = drawn
    found = model.influence(weights="sampling")
    for i in (1, 2, 57):
        less = weight.copy()
        less[i] = 0.0
        refit = er.LinearRegression().fit(X, y, less)
        assert found.left_out[i] == pytest.approx(y[i] - refit.predict(X[i : i + 1])[0], rel=1e-9)


def test_frequencies_are_repetition_where_asked_for(rng):
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    times = rng.integers(1, 4, size=40)
    groups = rng.integers(0, 8, size=40)
    again = np.repeat(X, times, axis=0), np.repeat(y, times)
    for kind in (*HC, "CR0", "CR1", "CR2"):
        by = (groups, np.repeat(groups, times)) if kind.startswith("CR") else (None, None)
        table = (
            er.LinearRegression().fit(X, y, times).summary(covariance=kind, groups=by[0], weights="frequency")
        )
        repeated = er.LinearRegression().fit(*again).summary(covariance=kind, groups=by[1])
        np.testing.assert_allclose(table.se, repeated.se, rtol=1e-9)
        np.testing.assert_allclose(table.p, repeated.p, rtol=1e-8)


@pytest.mark.parametrize("use", [u for u in FIXED if u.kind.startswith(("Linear", "Logistic"))][:1], ids=str)
def test_unknown_meanings_are_refused(use, rng):
    d = data_for(use.make(), rng)
    model = use.make().fit(d.X, d.y)
    with pytest.raises(ValueError, match="weights must be one of"):
        model.summary(weights="importance")
    with pytest.raises(ValueError, match="needs a robust covariance"):
        model.summary(weights="sampling")
    for ask in (lambda: model.wald_test("x0", weights="x"), lambda: model.influence(weights="x")):
        with pytest.raises(ValueError, match="weights must be one of"):
            ask()
