"""Generalized linear models: published fits, statsmodels, offsets, shares, scores, and refusals."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor
from sklearn.metrics import d2_log_loss_score
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.results import Status

sm: Any = pytest.importorskip("statsmodels.api")
HERE = Path(__file__).parents[1] / "data" / "glm"
CASES = json.loads((HERE / "cases.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_published_fits(name: str) -> None:
    case = CASES[name]
    frame = pd.read_csv(HERE / case["data"])
    columns = [c for c in case["columns"] if c != "const"]
    target = next(c for c in frame if c not in case["columns"])
    model = er.GeneralizedLinearModel(case["family"], case["link"]).fit(frame[columns], frame[target])
    want = dict(zip(case["columns"], case["coef"], strict=True))
    got = [*model.coef_, model.intercept_]
    # The printed digits: eight or so, absolute for the smallest.
    np.testing.assert_allclose(got, [*(want[c] for c in columns), want["const"]], rtol=2e-6, atol=5e-9)
    if "deviance" in case:
        assert model.deviance_ == pytest.approx(case["deviance"], rel=1e-9)
        assert model.null_deviance_ == pytest.approx(case["null_deviance"], rel=1e-9)
    if "pearson_chi2" in case:
        free = len(frame) - len(case["columns"])
        assert model.dispersion_ * free == pytest.approx(case["pearson_chi2"], rel=1e-7)


def drawn(rng: np.random.Generator, n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Columns of unlike scale, scores with an offset, weights."""
    X = rng.normal(size=(n, 3)) * [1.0, 5.0, 0.1] + [0.0, 20.0, 1.0]
    offset = rng.normal(size=n) * 0.3
    z = X @ [0.4, -0.06, 2.0] - 0.5 + offset
    return X, z, offset, rng.integers(1, 4, size=n).astype(float)


FAMILIES = {
    "gaussian": (lambda r, m: m + r.normal(size=len(m)), sm.families.Gaussian(), {}),
    "poisson": (lambda r, m: r.poisson(m), sm.families.Poisson(), {}),
    "gamma": (lambda r, m: r.gamma(2.0, m / 2.0), sm.families.Gamma(sm.families.links.Log()), {}),
    "inverse_gaussian": (
        lambda r, m: r.wald(m, 4.0), sm.families.InverseGaussian(sm.families.links.Log()), {}
    ),
    "tweedie": (
        lambda r, m: r.poisson(m) * r.gamma(2.0, 0.7, size=len(m)),
        sm.families.Tweedie(sm.families.links.Log(), var_power=1.4),
        {"power": 1.4},
    ),
    "negative_binomial": (
        lambda r, m: r.negative_binomial(2.0, 2.0 / (2.0 + m)),
        sm.families.NegativeBinomial(sm.families.links.Log(), alpha=0.5),
        {"extra_dispersion": 0.5},
    ),
}  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("with_offset", [False, True])
def test_agrees_with_statsmodels(family: str, with_offset: bool, rng: np.random.Generator) -> None:
    X, z, offset, weight = drawn(rng)
    draw, peer, params = FAMILIES[family]
    y = draw(rng, z if family == "gaussian" else np.exp(z))
    more = {"offset": offset} if with_offset else {}
    model = er.GeneralizedLinearModel(family, **params, tol=1e-11).fit(X, y, sample_weight=weight, **more)
    right = sm.GLM(y, sm.add_constant(X), peer, freq_weights=weight, **more).fit(tol=1e-14, maxiter=200)
    got = np.append(model.intercept_, model.coef_)
    np.testing.assert_allclose(got, right.params, rtol=1e-7, atol=1e-9)
    assert model.deviance_ == pytest.approx(right.deviance, rel=1e-9)
    assert model.dispersion_ == pytest.approx(right.pearson_chi2 / (weight.sum() - 4), rel=1e-7)
    if not with_offset:
        assert model.null_deviance_ == pytest.approx(right.null_deviance, rel=1e-7)
    np.testing.assert_allclose(model.predict(X, **more), right.fittedvalues, rtol=1e-6)


LINKS = {
    "logit": sm.families.links.Logit(),
    "probit": sm.families.links.Probit(),
    "cloglog": sm.families.links.CLogLog(),
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("shares", [False, True])
def test_binomial_agrees_with_statsmodels(link: str, shares: bool, rng: np.random.Generator) -> None:
    X, z, offset, trials = drawn(rng)
    trials = 8.0 * trials if shares else trials
    y = rng.binomial(trials.astype(int), expit(z)) / trials if shares else rng.random(300) < expit(z)
    model = er.GeneralizedLinearModel("binomial", link, tol=1e-11)
    model.fit(X, y, sample_weight=trials, offset=offset)
    kind = "var_weights" if shares else "freq_weights"
    peer = sm.GLM(
        y.astype(float),
        sm.add_constant(X),
        sm.families.Binomial(LINKS[link]),
        offset=offset,
        **{kind: trials},
    ).fit(tol=1e-14)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), peer.params, rtol=1e-7, atol=1e-9)
    assert model.deviance_ == pytest.approx(peer.deviance, rel=1e-9)
    assert model.dispersion_ == pytest.approx(peer.pearson_chi2 / peer.df_resid, rel=1e-7)
    assert er.verify(model, X, y, trials, offset=offset).within(1e-10)


@pytest.mark.parametrize("link", LINKS)
def test_shares_are_successes_and_failures(link: str, rng: np.random.Generator) -> None:
    X, z, offset, trials = drawn(rng, 80)
    successes = rng.binomial(trials.astype(int), expit(z))
    one = er.GeneralizedLinearModel("binomial", link, alpha=0.02, tol=1e-13)
    one.fit(X, successes / trials, sample_weight=trials, offset=offset)
    labels = np.repeat(["yes", "no"], 80)
    two = clone(one).fit(
        np.vstack([X, X]),
        labels,
        sample_weight=np.append(successes, trials - successes),
        offset=np.append(offset, offset),
    )
    assert list(two.classes_) == ["no", "yes"]
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-5, atol=1e-6)
    assert not hasattr(two.fit(X, successes / trials, sample_weight=trials), "classes_")


# -- penalised, beside scikit-learn -------------------------------------------------------------------

PEERS = {
    "poisson": (er.PoissonRegressor, PoissonRegressor, {}),
    "gamma": (er.GammaRegressor, GammaRegressor, {}),
    "tweedie": (er.TweedieRegressor, TweedieRegressor, {"power": 1.4}),
    "normal": (er.TweedieRegressor, TweedieRegressor, {"power": 0.0}),
    "inverse_gaussian": (er.TweedieRegressor, TweedieRegressor, {"power": 3.0}),
}


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("intercept", [True, False])
def test_strengths_and_scores_are_those_of_scikit_learn(
    name: str, intercept: bool, rng: np.random.Generator
) -> None:
    X, z, _, weight = drawn(rng)
    X = X / X.std(axis=0) if intercept else (X - X.mean(axis=0)) / X.std(axis=0)
    y = rng.gamma(2.0, np.exp(z) / 2.0) + 0.01
    ours, theirs, params = PEERS[name]
    model = ours(alpha=0.1, fit_intercept=intercept, tol=1e-12, **params).fit(X, y, sample_weight=weight)
    peer = theirs(alpha=0.1, fit_intercept=intercept, tol=1e-10, max_iter=10_000, **params)
    peer.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-4, atol=1e-6)
    assert model.score(X, y, weight) == pytest.approx(peer.score(X, y, weight), rel=1e-5)


def test_binomial_score_is_the_share_of_the_log_loss(rng: np.random.Generator) -> None:
    X, z, _, _ = drawn(rng)
    y = (rng.random(300) < expit(z)).astype(float)
    model = er.GeneralizedLinearModel("binomial").fit(X, y)
    assert model.score(X, y) == pytest.approx(d2_log_loss_score(y, model.predict(X)), rel=1e-10)


def test_score_of_a_constant_target(rng: np.random.Generator) -> None:
    model = er.PoissonRegressor().fit(rng.normal(size=(20, 2)), np.full(20, 3.0))
    assert model.score(np.zeros((4, 2)), np.full(4, 3.0)) in (0.0, 1.0)


@pytest.mark.parametrize("make", [er.PoissonRegressor, er.GammaRegressor, er.TweedieRegressor])
def test_l1_zeros_and_its_kkt_conditions(make: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 20))
    y = rng.poisson(np.exp(0.5 * X[:, 0] + 1.0)) + 0.5
    model = make(alpha=0.1, l1_ratio=1.0, tol=1e-12).fit(X, y)
    grad = X.T @ model._loss().grad(y, model.predict_linear(X)) / 200
    active = model.coef_ != 0.0
    assert 0 < active.sum() < 15
    np.testing.assert_allclose(grad[active], -0.1 * np.sign(model.coef_[active]), atol=1e-6)
    assert np.all(np.abs(grad[~active]) <= 0.1)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_cross_validation_chooses_by_the_deviance(l1_ratio: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 30))
    exposure = rng.uniform(0.5, 5.0, size=150)
    y = rng.poisson(exposure * np.exp(0.6 * X[:, 0]))
    model = er.PoissonRegressor("cv", l1_ratio=l1_ratio, alphas=15).fit(X, y, exposure=exposure)
    losses = model.selection_.loss
    assert model.alpha_ == model.selection_.alphas[np.argmin(losses)]
    assert losses.min() < losses[0]  # the strongest penalty leaves the null model


# -- offsets and exposures ----------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 0.05])
def test_exposure_is_an_offset_of_its_logarithm(alpha: float, rng: np.random.Generator) -> None:
    X, z, offset, weight = drawn(rng)
    exposure = rng.uniform(0.1, 9.0, size=300)
    y = rng.poisson(exposure * np.exp(z))
    model = er.PoissonRegressor(alpha, tol=1e-12)
    one = clone(model).fit(X, y, weight, offset=offset, exposure=exposure)
    two = clone(model).fit(X, y, weight, offset=offset + np.log(exposure))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_allclose(
        one.predict(X, offset, exposure),
        exposure * np.exp(X @ one.coef_ + one.intercept_ + offset),
        rtol=1e-12,
    )
    # The objective is (1/S) sum s l(y, z + o): by its gradient.
    grad = X.T @ (weight * (one.predict(X, offset, exposure) - y)) / weight.sum() + alpha * one.coef_
    np.testing.assert_allclose(grad / np.abs(X).max(axis=0), 0.0, atol=1e-7)
    assert er.verify(one, X, y, weight, offset=offset, exposure=exposure).within(1e-11)


@pytest.mark.parametrize("storage", [np.asfortranarray, sp.csr_array, sp.csc_array])
def test_offsets_in_every_storage(storage: Any, rng: np.random.Generator) -> None:
    X, z, offset, _ = drawn(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    y = rng.gamma(2.0, np.exp(z) / 2.0)
    plain = er.GammaRegressor(alpha=0.1, tol=1e-12).fit(X, y, offset=offset)
    other = er.GammaRegressor(alpha=0.1, tol=1e-12).fit(storage(X), y, offset=offset)
    np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-5, atol=1e-6)


def test_offset_of_a_normal_model_moves_the_target(rng: np.random.Generator) -> None:
    X, z, offset, _ = drawn(rng)
    y = z + rng.normal(size=300)
    one = er.GeneralizedLinearModel().fit(X, y, offset=offset)
    two = er.LinearRegression().fit(X, y - offset)
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-10)
    assert one.score(X, y, offset=offset) == pytest.approx(
        1.0 - one.deviance_ / one.null_deviance_, rel=1e-10
    )


def test_score_with_an_exposure_is_about_rates(rng: np.random.Generator) -> None:
    X, z, _, _ = drawn(rng)
    exposure = rng.uniform(0.1, 9.0, size=300)
    y = rng.poisson(exposure * np.exp(z))
    model = er.PoissonRegressor(0.0).fit(X, y, exposure=exposure)
    right = 1.0 - model.deviance_ / model.null_deviance_
    assert model.score(X, y, exposure=exposure) == pytest.approx(right, rel=1e-9)


def test_a_score_without_the_exposure_of_the_fit_warns(rng: np.random.Generator) -> None:
    X, exposure = rng.normal(size=(50, 2)), rng.uniform(1.0, 5.0, size=50)
    y = rng.poisson(exposure)
    model = er.PoissonRegressor().fit(X, y, exposure=exposure)
    with pytest.raises(ValueError, match="was fitted with an exposure or offset, and none is given"):
        model.score(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.score(X, y, exposure=exposure)
        model.fit(X, y).score(X, y)


def test_exposure_through_pipelines_and_cross_validation(rng: np.random.Generator) -> None:
    from sklearn import config_context

    X, z, _, _ = drawn(rng)
    exposure = rng.uniform(0.1, 9.0, size=300)
    y = rng.poisson(exposure * np.exp(z))
    with config_context(enable_metadata_routing=True):
        model = er.PoissonRegressor().set_fit_request(exposure=True, sample_weight=True, offset=False)
        model = model.set_score_request(exposure=True, sample_weight=True, offset=False)
        model = model.set_predict_request(exposure=True, offset=False)
        pipeline = make_pipeline(StandardScaler(), model)
        pipeline.fit(X, y, exposure=exposure)
        direct = er.PoissonRegressor().fit(StandardScaler().fit_transform(X), y, exposure=exposure)
        np.testing.assert_allclose(pipeline[-1].coef_, direct.coef_, rtol=1e-12)
        np.testing.assert_allclose(
            pipeline.predict(X, exposure=exposure),
            direct.predict(StandardScaler().fit_transform(X), exposure=exposure),
            rtol=1e-12,
        )
        found = cross_validate(pipeline, X, y, cv=3, params={"exposure": exposure})
        assert (found["test_score"] > 0.2).all()


# -- refusals -----------------------------------------------------------------------------------------

X4 = np.array([[0.0], [1.0], [2.0], [3.0]])


@pytest.mark.parametrize(
    ("make", "y", "more", "words"),
    [
        (er.PoissonRegressor, [1, 2, -3, -1], {}, r"y holds -3 in row 2; the loss 'poisson' needs .* \[0"),
        (er.GammaRegressor, [1, 0, 2, 3], {}, r"y holds 0 in row 1; the loss 'gamma' needs targets in \(0"),
        (er.TweedieRegressor, [1, 2, 2, -0.5], {}, "y holds -0.5 in row 3; the loss 'tweedie'"),
        (er.PoissonRegressor, [1, 2, np.nan, 3], {}, "y contains NaN in row 2"),
        (er.PoissonRegressor, [1, 2, 2, 3], {"offset": [0, np.nan, 0, 0]}, "offset must be finite, got nan"),
        (er.PoissonRegressor, [1, 2, 2, 3], {"offset": [0, 1]}, r"offset has shape \(2,\), expected \(4,\)"),
        (er.PoissonRegressor, [1, 2, 2, 3], {"offset": ["a", "b", "c", "d"]}, "offset must hold numbers"),
        (er.PoissonRegressor, [1, 2, 2, 3], {"exposure": [1, 0, 1, 1]}, "exposure .* got 0 in row 1"),
        (er.PoissonRegressor, [1, 2, 2, 3], {"exposure": [1, 2, -1, 1]}, "exposure .* got -1 in row 2"),
        (er.PoissonRegressor, [0, 0, 0, 0], {}, "no finite minimiser: every target is 0"),
        (lambda: er.PoissonRegressor(alpha=0.0), [0, 0, 0, 0], {}, r"or predict 0\)$"),
        (lambda: er.GeneralizedLinearModel("binomial"), [1, 1, 1, 1], {}, r"predict that class\)$"),
        (er.GeneralizedLinearModel, [1, 2, 2, 3], {"exposure": [1, 2, 3, 4]}, "exposure needs a link"),
    ],
)  # fmt: skip
def test_bad_rows_are_named(make: Any, y: Any, more: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make().fit(X4, y, **more)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"family": "bernoulli"}, "family must be one of 'gaussian', 'binomial', .*, got 'bernoulli'"),
        ({"family": "gamma", "link": "logit"}, "link must be 'log', .* 'gamma', got 'logit'; there are"),
        ({"family": "poisson", "link": "inverse"}, "link must be 'log', "),
        ({"family": "tweedie", "power": 0.5}, "power must not lie between 0 and 1, where there is no law"),
        ({"family": "tweedie", "power": np.inf}, "power must be a finite number, got inf"),
        ({"family": "negative_binomial", "extra_dispersion": 0.0}, "extra_dispersion must be"),
        ({"alpha": -1.0}, "alpha must be a finite number >= 0"),
        ({"l1_ratio": 2.0}, "l1_ratio must be"),
    ],
)  # fmt: skip
def test_bad_parameters_are_named(params: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.GeneralizedLinearModel(**params).fit(X4, [0.5, 1.0, 2.0, 2.5])


def test_powers_without_a_loss_are_refused() -> None:
    for power in (0.5, 1e-9, 0.999):
        with pytest.raises(
            ValueError, match="power must not lie between 0 and 1, where there is no law, got"
        ):
            er.TweedieRegressor(power).fit(X4, [1.0, 2.0, 3.0, 4.0])
    for power in (np.nan, "1.5", True, None):
        with pytest.raises(ValueError, match="power must be a finite number, got"):
            er.TweedieRegressor(power).fit(X4, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0.5, 1.2, 0.1, 0.3], r"y holds 1.2 in row 1; the loss 'bernoulli' needs targets in \[0, 1\]"),
        (["a", "b", "c", "a"], "shares in .0, 1. or two labels; y holds 3 labels: 'a', 'b', 'c'"),
        (["a", "a", "a", "a"], "y holds 1 labels"),
    ],
)
def test_bad_binomial_targets(y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.GeneralizedLinearModel("binomial").fit(X4, y)


def test_separation_names_the_columns() -> None:
    frame = pd.DataFrame({"dose": X4[:, 0], "noise": [1.0, -1.0, 1.0, -1.0]})
    for link in LINKS:
        model = er.GeneralizedLinearModel("binomial", link)
        with pytest.raises(SeparationError, match=r"the classes are separable by dose .*; add a penalty"):
            model.fit(frame, [False, False, True, True])
        with pytest.raises(SeparationError, match="the classes are separable"):
            model.fit(frame, [0.0, 0.0, 1.0, 1.0], offset=[0.1, 0.2, 0.3, 0.4])
        assert not hasattr(model, "coef_")
        model.fit(frame, [0.4, 0.2, 1.0, 0.9])


def test_zeros_that_run_off_name_the_columns() -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0, 5.0], "treated": [0.0, 0.0, 0.0, 1.0, 1.0]})
    y = [3, 1, 2, 0, 0]
    for model in (er.PoissonRegressor(0.0), er.GeneralizedLinearModel("negative_binomial")):
        with pytest.raises(SeparationError, match="treated can tell 2 rows of target 0 from all rows"):
            model.fit(frame, y)
    assert er.PoissonRegressor().fit(frame, y).certificate_.within(1e-6)


def test_huge_scores_end_certified_or_in_a_sentence(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 3)) * [1e8, 1e-8, 1.0]
    y = rng.poisson(np.exp(X[:, 2])).astype(float)
    y[0] = 1e9  # means from 0 to a billion
    for model in (er.PoissonRegressor(), er.PoissonRegressor(0.0), er.TweedieRegressor(alpha=0.0)):
        fitted = model.fit(X, y)
        # One mean of a billion: the rounding of scores costs more than a millionth of the null loss.
        assert fitted.certificate_.within(1e-6) or fitted.solution_.status is Status.FLOOR
        assert fitted.certificate_.within(1e-5)
        assert np.isfinite(fitted.predict(X)).all()
    with np.errstate(over="ignore"):
        far = fitted.predict(np.array([[1e300, 0.0, 0.0]]))[0]
        assert far == np.inf or 0.0 < far < 1e-300  # a mean is never exactly 0


def test_one_row_and_no_columns() -> None:
    model = er.PoissonRegressor().fit([[2.0]], [3.0])
    assert model.predict([[5.0]])[0] == pytest.approx(3.0, rel=1e-5)
    assert np.isnan(model.dispersion_)


def test_failed_fit_leaves_what_was_there() -> None:
    model = er.PoissonRegressor().fit(X4, [1.0, 2.0, 3.0, 4.0])
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match="row 1"):
        model.fit(X4, [1.0, -2.0, 3.0, 4.0])
    assert model.__dict__ == before
