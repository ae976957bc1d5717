"""Generalized linear models: statsmodels, algebra with whole matrices, repetition, refusals."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit

import empirisk as er

F = sm.families
FAMILIES = {
    ("poisson", None): F.Poisson(),
    ("negative_binomial", None): F.NegativeBinomial(alpha=0.5),
    ("gamma", None): F.Gamma(F.links.Log()),
    ("inverse_gaussian", None): F.InverseGaussian(F.links.Log()),
    ("tweedie", None): F.Tweedie(F.links.Log(), var_power=1.5),
    ("gaussian", None): F.Gaussian(),
    ("binomial", "logit"): F.Binomial(),
    ("binomial", "probit"): F.Binomial(F.links.Probit()),
    ("binomial", "cloglog"): F.Binomial(F.links.CLogLog()),
}
CANONICAL = ("poisson", "gaussian", "binomial")


def targets(family, mean, rng):
    n = len(mean)
    return {
        "poisson": lambda: rng.poisson(mean),
        "negative_binomial": lambda: rng.poisson(mean * rng.gamma(2.0, 0.5, n)),
        "gamma": lambda: rng.gamma(2.0, mean / 2.0),
        "inverse_gaussian": lambda: rng.wald(mean, 2.0),
        "tweedie": lambda: np.where(rng.random(n) < 0.2, 0.0, rng.gamma(2.0, mean / 2.0)),
        "gaussian": lambda: mean + rng.standard_normal(n),
        "binomial": lambda: rng.random(n) < mean / (1.0 + mean),
    }[family]().astype(float)


def case(key, n=150):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 3)) + np.array([0.0, 1.0, -1.0])
    y = targets(key[0], np.exp(0.3 + X @ [0.4, -0.3, 0.2]), rng)
    model = er.GeneralizedLinearModel(*key, extra_dispersion=0.5, tol=1e-12).fit(X, y)
    return X, y, rng.integers(0, 12, size=n), model


@pytest.fixture(params=list(FAMILIES), ids=lambda key: f"{key[0]}-{key[1]}")
def setting(request):
    X, y, groups, model = case(request.param)
    peer = sm.GLM(y, sm.add_constant(X), family=FAMILIES[request.param])
    return X, y, groups, model, peer, request.param


def test_the_table_is_that_of_statsmodels(setting):
    X, y, _, model, peer, (family, _) = setting
    table, wanted = model.summary(X, y), peer.fit(tol=1e-14, maxiter=200)
    np.testing.assert_allclose(table.coef, wanted.params, rtol=1e-6)
    np.testing.assert_allclose(table.se, wanted.bse, rtol=1e-6)
    facts = {"deviance": wanted.deviance, "null_deviance": wanted.null_deviance, "dispersion": wanted.scale}
    if family != "gaussian":  # a linear model has the facts of one
        for name, value in (facts | {"pearson_chi2": wanted.pearson_chi2}).items():
            assert table[name] == pytest.approx(value, rel=1e-7), name
        assert table["log_likelihood"] == pytest.approx(wanted.llf, rel=1e-8)


def test_leverages_residuals_and_cook_are_those_of_statsmodels(setting):
    X, y, _, model, peer, _ = setting
    found, wanted = model.influence(X, y), peer.fit(tol=1e-14, maxiter=200).get_influence(observed=False)
    np.testing.assert_allclose(found.leverage, wanted.hat_matrix_diag, rtol=1e-6)
    np.testing.assert_allclose(found.cook, wanted.cooks_distance[0], rtol=2e-5, atol=1e-12)
    np.testing.assert_allclose(found.standardised, wanted.resid_studentized, rtol=1e-5, atol=1e-9)
    assert float(found.leverage.sum()) == pytest.approx(4.0)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3", "CR0", "CR1", "cluster"])
def test_sandwiches_by_whole_matrices(setting, kind):
    X, y, groups, model, _, _ = setting
    table = model.summary(X, y, covariance=kind, groups=groups if kind[:2] in ("CR", "cl") else None)
    loss = model.problem(X, y).loss
    A = np.column_stack([np.ones(len(y)), X])
    z, t = A @ table.coef, model.problem(X, y).data.y
    h = 1e-4 * np.maximum(np.abs(z), 1.0)
    slope = -loss.grad(t, z)
    mean = model.predict(X)
    # The information by its definition, the square of the mean's slope over the variance.
    up, down = loss.mean(z + h), loss.mean(z - h)
    steep = (up - down) / (2.0 * h)
    variance = {
        "poisson": mean, "negative_binomial": mean + 0.5 * mean**2, "gamma": mean**2,
        "inverse_gaussian": mean**3, "tweedie": np.abs(mean) ** 1.5, "gaussian": np.ones_like(mean),
        "binomial": mean * (1.0 - mean),
    }[model.family]  # fmt: skip
    f = steep**2 / variance
    bread = np.linalg.inv(A.T @ (f[:, None] * A))
    B, e = np.sqrt(f)[:, None] * A, slope / np.sqrt(f)
    M = np.eye(len(y)) - B @ bread @ B.T
    if kind.startswith("HC"):
        power = {"HC2": 1, "HC3": 2}.get(kind, 0)
        meat = B.T @ ((e**2 / np.diag(M) ** power)[:, None] * B)
        meat *= len(y) / (len(y) - 4) if kind == "HC1" else 1.0
    else:
        meat = np.zeros((4, 4))
        for g in np.unique(groups):
            rows = groups == g
            root = np.eye(rows.sum())
            if kind == "cluster":
                value, vector = np.linalg.eigh(M[np.ix_(rows, rows)])
                root = vector / np.sqrt(value) @ vector.T
            v = B[rows].T @ root @ e[rows]
            meat += np.outer(v, v)
        G = len(np.unique(groups))
        meat *= G / (G - 1) * (len(y) - 1) / (len(y) - 4) if kind == "CR1" else 1.0
    np.testing.assert_allclose(table.covariance, bread @ meat @ bread, rtol=2e-6, atol=1e-10)


@pytest.mark.parametrize("key", [k for k in FAMILIES if k[0] in CANONICAL and k[1] in (None, "logit")])
def test_sandwiches_of_canonical_links_are_those_of_statsmodels(key):
    X, y, groups, model = case(key)
    peer = sm.GLM(y, sm.add_constant(X), family=FAMILIES[key])
    wanted = peer.fit(cov_type="HC0", tol=1e-14)
    np.testing.assert_allclose(model.summary(X, y, covariance="HC0").se, wanted.bse, rtol=1e-6)
    wanted = peer.fit(cov_type="cluster", cov_kwds={"groups": groups}, tol=1e-14)
    table = model.summary(X, y, covariance="CR1", groups=groups)
    np.testing.assert_allclose(table.se, wanted.bse, rtol=1e-6)


def test_offsets_and_exposures_are_in_the_table():
    rng = np.random.default_rng(0)
    X, years = rng.standard_normal((120, 2)), rng.uniform(0.5, 20.0, size=120)
    y = rng.poisson(years * np.exp(X @ [0.3, -0.2] - 1.0)).astype(float)
    model = er.PoissonRegressor(alpha=0.0, tol=1e-12).fit(X, y, exposure=years)
    wanted = sm.GLM(y, sm.add_constant(X), family=F.Poisson(), exposure=years).fit(tol=1e-14)
    table = model.summary(X, y, exposure=years)
    np.testing.assert_allclose(table.se, wanted.bse, rtol=1e-7)
    for name in ("deviance", "null_deviance", "pearson_chi2"):
        assert table[name] == pytest.approx(getattr(wanted, name), rel=1e-8)
    band = model.interval(X[:5], exposure=years[:5], training=(X, y, None, None, years))
    peer = wanted.get_prediction(sm.add_constant(X)[:5], exposure=years[:5]).summary_frame()
    np.testing.assert_allclose(band.low, peer["mean_ci_lower"], rtol=1e-7)
    with pytest.raises(TypeError, match="exposure"):
        er.LinearRegression().fit(X, y).interval(X, exposure=years)


def test_shares_of_trials():
    rng = np.random.default_rng(1)
    X, trials = rng.standard_normal((60, 2)), rng.integers(5, 40, size=60)
    y = rng.binomial(trials, expit(X @ [0.5, -0.4])) / trials
    model = er.GeneralizedLinearModel("binomial", tol=1e-12).fit(X, y, sample_weight=trials)
    peer = sm.GLM(y, sm.add_constant(X), family=F.Binomial(), freq_weights=None, var_weights=trials)
    wanted, table = peer.fit(tol=1e-14), model.summary(X, y, trials)
    np.testing.assert_allclose(table.se, wanted.bse, rtol=1e-7)
    assert table["deviance"] == pytest.approx(wanted.deviance, rel=1e-9)
    assert table["pearson_chi2"] == pytest.approx(wanted.pearson_chi2, rel=1e-9)
    assert table["df"] == 57  # rows, not trials
    robust = peer.fit(cov_type="HC0", tol=1e-14)
    np.testing.assert_allclose(model.summary(X, y, trials, covariance="HC0").se, robust.bse, rtol=1e-6)
    leverage = model.influence(X, y, trials).leverage
    np.testing.assert_allclose(leverage, wanted.get_influence(observed=False).hat_matrix_diag, rtol=1e-6)


def test_weights_are_repetition():
    X, y, _, model = case(("gamma", None), n=60)
    weight = np.random.default_rng(0).integers(0, 4, size=60)
    again = (np.repeat(X, weight, axis=0), np.repeat(y, weight))
    one = model.fit(X, y, weight)
    for kind in ("classical", "HC0", "HC1", "HC3"):
        table = one.summary(X, y, weight, covariance=kind, weights="frequency")
        other = er.GeneralizedLinearModel("gamma", tol=1e-12).fit(*again).summary(*again, covariance=kind)
        np.testing.assert_allclose(table.se, other.se, rtol=1e-6)
        for fact in table.facts:
            assert fact.value == pytest.approx(other[fact.name], rel=1e-6), fact.name


def test_multinomial_sandwiches_by_algebra():
    rng = np.random.default_rng(0)
    X, y, groups = rng.standard_normal((90, 2)), rng.integers(0, 3, size=90), rng.integers(0, 9, size=90)
    model = er.LogisticRegression(alpha=0.0, tol=1e-12).fit(X, y)
    A = np.column_stack([np.ones(90), X])
    q = model.predict_proba(X)
    slope = (q - np.eye(3)[y])[:, 1:]
    U = np.einsum("ik,ij->ikj", slope, A).reshape(90, -1)
    K = np.zeros((6, 6))
    for i in range(90):
        K += np.kron(np.diag(q[i, 1:]) - np.outer(q[i, 1:], q[i, 1:]), np.outer(A[i], A[i]))
    bread = np.linalg.inv(K)
    table = model.summary(X, y, covariance="HC0")
    np.testing.assert_allclose(table.covariance, bread @ (U.T @ U) @ bread, rtol=1e-6)
    sums = np.array([U[groups == g].sum(axis=0) for g in range(9)])
    table = model.summary(X, y, covariance="CR1", groups=groups)
    wanted = bread @ (sums.T @ sums) @ bread * 9 / 8 * 89 / 84
    np.testing.assert_allclose(table.covariance, wanted, rtol=1e-6)
    with pytest.raises(ValueError, match="several classes"):
        model.summary(X, y, covariance="HC3")


def test_counts_that_scatter_too_much_are_pointed_out():
    X, y, _, _ = case(("negative_binomial", None), n=400)
    notes = er.PoissonRegressor(alpha=0.0).fit(X, y).summary(X, y).notes
    assert any("scatter more" in note and "HC0" in note for note in notes)
    X, y, _, model = case(("poisson", None))
    assert not any("scatter more" in note for note in model.summary(X, y).notes)


def test_losses_without_a_likelihood_say_so():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    model = er.HuberRegressor(alpha=0.0).fit(X, y)
    table = model.summary(X, y)
    assert not table.valid
    assert any("not the likelihood" in note and "er.bootstrap" in note for note in table.notes)
    with pytest.raises(ValueError, match="no interval: the loss 'huber'"):
        model.interval(X, training=(X, y))


@pytest.mark.parametrize("name", sorted(er.estimators.REGISTRY))
@pytest.mark.parametrize("classes", [2, 3])
def test_every_linear_estimator_gives_a_table_or_the_reason(name, classes):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = np.abs(X[:, 0] + rng.standard_normal(60)) + 0.1
    for target in (y, np.digitize(y, [0.5, 1.2][: classes - 1])):
        try:
            model = er.estimators.REGISTRY[name]().fit(X, target)
        except ValueError:
            continue  # a classifier on numbers, a regression of two classes on three
        if not hasattr(model, "summary"):
            continue
        table = model.summary(X, target)
        assert table.valid == np.isfinite(table.se).any()
        assert table.valid or table.notes[0].startswith("no standard errors: ")
        assert len(table.terms) == len(table.coef) == len(table.groups)
        assert table.title in repr(table)
        assert table.title in table._repr_html_().replace("&#x27;", "'")
