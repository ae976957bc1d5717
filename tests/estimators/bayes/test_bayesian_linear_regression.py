"""Bayesian linear regression: quadrature, exact coverage under the prior, peers, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import BayesianRidge

import empirisk as er
from empirisk.estimators.bayes.precision_evidence import PrecisionEvidence
from empirisk.typing import Array

X4 = np.array([[-1.0], [0.5], [2.0], [3.5]])
Y4 = np.array([0.5, 1.0, 2.5, 2.0])


def lines(rng: np.random.Generator, n: int = 40, p: int = 3) -> tuple[Array, Array]:
    """Rows of unlike units, and targets with noise."""
    X = rng.normal(size=(n, p)) * np.linspace(0.5, 4.0, p) + np.linspace(-3.0, 9.0, p)
    return X, X @ np.linspace(1.0, -0.5, p) + 2.0 + rng.normal(size=n)


# -- closed forms against integrals ------------------------------------------------------------------


@pytest.mark.parametrize("prior", [(0.7, 2.0, 1.5), (3.0, 0.0, 0.0)], ids=str)
def test_evidence_and_moments_by_quadrature_in_two_dimensions(prior: tuple[float, float, float]) -> None:
    """Over the coefficient and the logarithm of the noise; the intercept is integrated by hand."""
    precision, shape, scale = prior
    model = er.BayesianLinearRegression(precision, noise_shape=shape, noise_scale=scale).fit(X4, Y4)
    # The rectangle rule on decaying smooth functions: its error falls faster than any power of the step.
    t = np.linspace(-9.0, 9.0, 361)[:, None]
    s2 = np.exp(t)
    w = model.coef_[0] + np.sqrt(s2 / 9.0) * np.linspace(-14.0, 14.0, 281)[None, :]
    left = sum((y - w * x - (Y4.mean() - w * X4.mean())) ** 2 for x, y in zip(X4[:, 0], Y4, strict=True))
    log = -0.5 * 3 * np.log(2 * np.pi * s2) - left / (2 * s2) - 0.5 * np.log(4.0)
    log += 0.5 * np.log(precision / (2 * np.pi * s2)) - precision * w**2 / (2 * s2)
    log += -shape * np.log(s2) - scale / s2  # with ds2 = s2 dt
    if shape > 0.0:
        log += shape * math.log(scale) - math.lgamma(shape)
    mass = np.exp(log) * np.sqrt(s2 / 9.0) * (28.0 / 280) * (18.0 / 360)
    total = float(mass.sum())
    assert model.log_evidence_ == pytest.approx(math.log(total), abs=1e-4 if shape == 0.0 else 1e-8)
    at = mass / total
    assert model.coef_[0] == pytest.approx(float((at * w).sum()), rel=1e-6)
    assert 1.0 / model.noise_ == pytest.approx(float((at / s2).sum()), rel=1e-4 if shape == 0.0 else 1e-8)
    # The factor by which the intercept was integrated, by the same rule at one coefficient and noise.
    b = np.linspace(-20.0, 20.0, 4001)
    at_zero = np.exp(-((Y4[:, None] - 0.3 * X4 - b) ** 2).sum(axis=0) / 1.6).sum() * 0.01
    middle = Y4.mean() - 0.3 * X4.mean()
    peak = np.exp(-((Y4 - 0.3 * X4[:, 0] - middle) ** 2).sum() / 1.6)
    assert at_zero == pytest.approx(peak * math.sqrt(2.0 * math.pi * 0.8 / 4.0), rel=1e-12)


def test_evidence_is_the_density_of_a_student_t(rng: np.random.Generator) -> None:
    X, y = lines(rng, 12)
    shape, scale, precision = 2.5, 1.7, 0.8
    model = er.BayesianLinearRegression(
        precision, noise_shape=shape, noise_scale=scale, fit_intercept=False
    ).fit(X, y)
    K = scale / shape * (np.eye(12) + X @ X.T / precision)
    law = stats.multivariate_t(np.zeros(12), K, df=2.0 * shape)
    assert model.log_evidence_ == pytest.approx(float(law.logpdf(y)), rel=1e-12)


def test_predictive_law_is_the_ratio_of_evidences(rng: np.random.Generator) -> None:
    X, y = lines(rng, 9)
    prior: dict[str, Any] = {"noise_shape": 1.5, "noise_scale": 0.7}
    model = er.BayesianLinearRegression(0.4, **prior).fit(X, y)
    new = np.array([[1.0, -2.0, 5.0]])
    mean, low, high = model.predict(new, return_interval=True, level=0.5)
    assert mean[0] == pytest.approx(0.5 * (low[0] + high[0]))
    freedom = 2.0 * model.noise_shape_
    scale = (high[0] - mean[0]) / stats.t.ppf(0.75, freedom)
    for at in (-3.0, 0.0, 4.0):
        more = er.BayesianLinearRegression(0.4, **prior).fit(np.vstack([X, new]), np.append(y, at))
        told = stats.t.logpdf(at, freedom, mean[0], scale)
        assert more.log_evidence_ - model.log_evidence_ == pytest.approx(told, rel=1e-9)
    std = model.predict(new, return_std=True)[1]
    assert std[0] == pytest.approx(stats.t.std(freedom, mean[0], scale))


def test_flat_prior_is_least_squares_with_its_confidence_intervals(rng: np.random.Generator) -> None:
    X, y = lines(rng)
    model, ols = er.BayesianLinearRegression(0.0).fit(X, y), er.LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, ols.coef_, rtol=1e-10)
    design = np.column_stack([X, np.ones(len(y))])
    left = y - design @ np.append(ols.coef_, ols.intercept_)
    s2 = float(left @ left) / (len(y) - 4)
    se = np.sqrt(s2 * np.diagonal(np.linalg.inv(design.T @ design)))
    half = stats.t.ppf(0.95, len(y) - 4) * se
    ends = model.credible_interval(0.9)
    np.testing.assert_allclose(ends.high - ends.low, 2.0 * half, rtol=1e-9)
    assert model.noise_ == pytest.approx(s2)
    assert model.log_evidence_ is None
    assert model.effective_parameters_ == pytest.approx(3.0)


def test_mean_is_ridge_and_partial_fits_are_updates_of_the_prior(rng: np.random.Generator) -> None:
    X, y = lines(rng)
    model = er.BayesianLinearRegression(3.0).fit(X, y)
    ridge = er.Ridge(alpha=3.0 / len(y), tol=1e-14).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-7)
    assert model.intercept_ == pytest.approx(ridge.intercept_, rel=1e-7)


# -- the evidence ---------------------------------------------------------------------------------------


def test_learned_precision_and_noise_are_those_of_mackay_and_scikit_learn(rng: np.random.Generator) -> None:
    X, y = lines(rng)
    peer = BayesianRidge(
        alpha_1=0.0, alpha_2=0.0, lambda_1=0.0, lambda_2=0.0, fit_intercept=False, tol=1e-13, max_iter=10**5
    ).fit(X, y)
    model = er.BayesianLinearRegression(fit_intercept=False).fit(X, y)
    assert model.prior_precision_ == pytest.approx(peer.lambda_ / peer.alpha_, rel=1e-5)
    assert model.noise_ == pytest.approx(1.0 / peer.alpha_, rel=1e-6)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-6)
    np.testing.assert_allclose(
        model.covariance_[:3, :3] * (model.noise_shape_ - 1.0) / model.noise_shape_, peer.sigma_, rtol=1e-5
    )
    # MacKay's fixed point, in both hyperparameters.
    gamma = model.effective_parameters_
    left = y - X @ model.coef_
    assert gamma == pytest.approx(model.prior_precision_ * float(model.coef_ @ model.coef_) / model.noise_)
    assert model.noise_ == pytest.approx(float(left @ left) / (len(y) - gamma))


def test_slope_is_the_difference_of_log_evidences(rng: np.random.Generator) -> None:
    X, y = lines(rng)
    for precision in (1e-3, 0.5, 40.0):
        h = 1e-4
        up, here, down = (
            er.BayesianLinearRegression(precision * math.exp(k * h)).fit(X, y) for k in (1, 0, -1)
        )
        difference = (up.log_evidence_ - down.log_evidence_) / (2.0 * h)
        assert here._posterior.slope == pytest.approx(difference, rel=1e-6, abs=1e-7)
    learned = er.BayesianLinearRegression().fit(X, y)
    grid = [er.BayesianLinearRegression(v).fit(X, y).log_evidence_ for v in np.geomspace(1e-4, 1e4, 17)]
    assert learned.log_evidence_ > max(grid)


def test_of_two_maxima_the_higher_is_taken() -> None:
    curve = PrecisionEvidence(np.array([1.0, 140.0]), np.array([150.0, 0.8]), 0.13, 12.0, 0.0)
    at, maxima, null = curve.search()
    values = np.linspace(-30.0, 30.0, 6001)
    assert maxima == 2
    assert not null
    assert curve(at) >= max(curve(t) for t in values) - 1e-12


def test_rows_without_an_effect_leave_coefficients_of_nothing(rng: np.random.Generator) -> None:
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] * 5)
    y = np.tile([1.0, -1.0, -1.0, 1.0], 5)  # orthogonal to both columns
    model = er.BayesianLinearRegression().fit(X, y)
    assert np.abs(model.coef_).max() < 1e-7
    assert "still rises" in model.certificate_.claim
    assert model.solution_.status.ok


# -- coverage -------------------------------------------------------------------------------------------


def within(hits: int, n: int, level: float) -> bool:
    """Whether a count of hits is one of 99.9 % of those of a binomial law."""
    low, high = stats.binom.interval(0.999, n, level)
    return bool(low <= hits <= high)


@pytest.mark.slow  # thousands of fits
@pytest.mark.parametrize("intercept", [True, False])
def test_coverage_is_exact_under_the_prior(intercept: bool, rng: np.random.Generator) -> None:
    """Coefficients and noise from the prior, any intercept: intervals cover as they say, of 9 rows."""
    n, p, runs, level, precision = 9, 3, 1500, 0.8, 0.6
    X = rng.normal(size=(n + 1, p)) * np.array([1.0, 3.0, 0.2]) + 4.0
    model = er.BayesianLinearRegression(precision, noise_shape=3.0, noise_scale=2.0, fit_intercept=intercept)
    hits = np.zeros(p + 2)
    for _ in range(runs):
        s2 = 2.0 / rng.gamma(3.0)
        w = np.sqrt(s2 / precision) * rng.normal(size=p)
        y = X @ w + 7.5 * intercept + np.sqrt(s2) * rng.normal(size=n + 1)
        model.fit(X[:-1], y[:-1])
        _, low, high = model.predict(X[-1:], return_interval=True, level=level)
        ends = model.credible_interval(level)
        mean = model.mean_interval(X[-1:], level)
        hits[0] += low[0] < y[-1] < high[0]
        hits[1] += mean.low[0] < float(X[-1] @ w) + 7.5 * intercept < mean.high[0]
        hits[2:] += (ends.low[:p] < w) & (w < ends.high[:p])
    assert all(within(int(h), runs, level) for h in hits), hits / runs


# -- refusals --------------------------------------------------------------------------------------------


def frame(**columns: Any) -> Any:
    return pd.DataFrame(columns)


A = np.array([1.0, 2.0, 4.0, 3.0, 7.0, 5.0])
B = np.array([0.0, 1.0, 0.0, 2.0, 1.0, 3.0])
Y = np.array([1.0, 0.0, 2.0, 1.5, 4.0, 2.0])
TWINS = frame(age=A, height=B, both=A + 2.0 * B)


@pytest.mark.parametrize(
    ("change", "X", "y", "words"),
    [
        ({"prior_precision": 0.0}, TWINS, Y, r"columns 'age', 'height', 'both' of X are collinear"),
        ({"prior_precision": 0.0}, frame(age=A, one=np.ones(6)), Y, r"column 'one' of X is constant"),
        ({"prior_precision": 0.0}, np.vander(A, 6), Y, r"6 coefficients under a flat prior .* above 7"),
        ({"prior_precision": 1e-14}, TWINS, Y, r"prior_precision=1e-14 leaves no posterior"),
        ({"prior_precision": 1.0}, TWINS, np.ones(6), r"y is the same in all rows.* noise_shape and"),
        ({"prior_precision": 0.0}, frame(age=A), 3.0 * A, r"the columns explain y but for rounding"),
        ({}, frame(age=A), 3.0 * A, r"the evidence has no maximum: it grows as the noise falls"),
        ({}, np.ones((6, 2)), Y, r"no column of X varies"),
        ({"prior_precision": 1.0}, A[:1, None], Y[:1], r"total weight above 1, got n_samples = 1"),
        ({}, A[:1, None], Y[:1], r"total weight above 1, got n_samples = 1"),
        ({"prior_precision": -1.0}, TWINS, Y, r"prior_precision must be a finite number >= 0"),
        ({"prior_precision": "map"}, TWINS, Y, r'a number >= 0 or "evidence", got \'map\''),
        ({"noise_shape": 1.0}, TWINS, Y, r"noise_shape and noise_scale must both be 0 or both be > 0"),
        ({"tol": 0.0}, TWINS, Y, r"tol must be"),
        ({"fit_intercept": 1}, TWINS, Y, r"fit_intercept must be True or False"),
        ({"prior_precision": 1.0}, frame(big=1e200 * A), Y, r"column 'big' of X holds .* squares overflow"),
        ({}, frame(big=1e200 * A), Y, r"squares overflow"),
    ],
)
def test_what_has_no_posterior_is_refused_in_words(change: Any, X: Any, y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.BayesianLinearRegression(**change).fit(X, y)


def test_proper_priors_take_what_flat_ones_refuse() -> None:
    prior: dict[str, Any] = {"noise_shape": 2.0, "noise_scale": 1.0}
    for X, y in ((TWINS, np.ones(6)), (np.vander(A, 9), Y), (A[:1, None], Y[:1])):
        model = er.BayesianLinearRegression(1.0, **prior).fit(X, y)
        assert er.verify(model, X, y).within(1e-9)
        assert np.isfinite(model.log_evidence_)


def test_questions_before_a_fit_and_out_of_range(rng: np.random.Generator) -> None:
    X, y = lines(rng)
    model = er.BayesianLinearRegression(1.0)
    with pytest.raises(Exception, match="not fitted"):
        model.sample_posterior()
    model.fit(X, y)
    with pytest.raises(ValueError, match="level must lie"):
        model.predict(X, level=0.0)
    with pytest.raises(ValueError, match="n must be an integer >= 1"):
        model.sample_posterior(0)
    with pytest.raises(TypeError, match="rows must be row blocks"):
        model.fit_blocks(X)
    two = er.BayesianLinearRegression(1.0).fit(X[:3], y[:3])
    assert two.covariance_ is None
    assert np.isinf(two.predict(X, return_std=True)[1]).all()


def test_blocks_of_what_is_no_number_are_refused_by_the_column() -> None:
    X, blocks = np.column_stack([A, B]), er.data.BlockList.cut
    for precision in (1.0, "evidence"):
        model = er.BayesianLinearRegression(precision)
        with pytest.raises(ValueError, match="column 1 of X holds NaN"):
            model.fit_blocks(blocks(np.column_stack([A, np.where(B > 2.5, np.nan, B)]), Y))
        with pytest.raises(ValueError, match="y holds NaN"):
            model.fit_blocks(blocks(X, np.where(Y > 3.0, np.nan, Y)))
        with pytest.raises(ValueError, match="one target a row"):
            model.fit_blocks(blocks(X, np.column_stack([Y, Y])))
        assert not hasattr(model, "coef_")
