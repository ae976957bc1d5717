"""Rows that decide no law: no noise, no maximum, one class, squares that vanish; each said in words."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.special import gammaln
from scipy.stats import norm, poisson
from sklearn.base import clone

import empirisk as er
from empirisk.inference.law import Law
from empirisk.inference.predictive import predictive_quantiles
from empirisk.losses import Poisson
from empirisk.results import Kind
from empirisk.typing import Array
from tests.conformance.estimators import each
from tests.conformance.posterior_estimators import USES as POSTERIORS

LEARNED = er.BayesianLinearRegression()


def rows(n: int = 30, p: int = 2) -> tuple[Array, Array]:
    """Columns of unit scale, and targets that follow them."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, p))
    return X, X @ np.arange(1.0, p + 1.0) + rng.normal(size=n)


@pytest.mark.parametrize("precision", ["evidence", 1.0, 0.0])
def test_targets_without_noise_are_refused_with_the_reason(precision: Any) -> None:
    X, y = rows()
    est = er.BayesianLinearRegression(precision)
    with pytest.raises(ValueError, match="y is the same in all rows, so that the variance of the noise is 0"):
        clone(est).fit(X, np.ones(30))
    with pytest.raises(ValueError, match="y holds numbers whose squares are rounded to 0; rescale it"):
        clone(est).fit(X, y * 1e-200)
    with pytest.raises(ValueError, match="column 1 of X holds numbers whose squares are rounded to 0"):
        clone(est).fit(X * [1.0, 1e-180], y)


@pytest.mark.parametrize("unit", [1e-100, 1e-60, 1e60, 1e100])
def test_a_unit_of_the_columns_changes_the_learned_precision_by_its_square(unit: float) -> None:
    X, y = rows()
    plain, scaled = LEARNED.fit(X, y), er.BayesianLinearRegression().fit(X * unit, y)
    assert scaled.prior_precision_ / unit / unit == pytest.approx(plain.prior_precision_, rel=1e-6)
    np.testing.assert_allclose(scaled.coef_ * unit, plain.coef_, rtol=1e-6)


def evidence(X: Array, y: Array, precision: float) -> float:
    """The log evidence with a flat intercept and a flat log variance, in plain NumPy, but for a constant."""
    n = len(y)
    P = np.eye(n) - 1.0 / n
    K = P @ (X @ X.T) @ P / precision + np.eye(n)
    inverse = P @ np.linalg.inv(K) @ P
    return float(-0.5 * np.linalg.slogdet(K)[1] - 0.5 * (n - 1) * math.log(y @ inverse @ y) + gammaln(n / 2))


TWO_ROWS = np.array([[0.0, 1.0, 5.0], [2.0, 1.5, 3.0]])


@pytest.mark.parametrize(
    "X", [np.eye(10), hadamard(8)[:, 1:] * 1.0, TWO_ROWS], ids=["eye", "hadamard", "two"]
)
def test_an_evidence_that_is_the_same_everywhere_has_no_maximum(X: Array) -> None:
    y = np.random.default_rng(1).normal(size=len(X))
    told = [evidence(X, y, precision) for precision in (1e-3, 1.0, 1e3)]
    assert np.ptp(told) < 1e-9
    with pytest.raises(ValueError, match="the evidence is the same for every precision"):
        er.BayesianLinearRegression().fit(X, y)


def test_a_stream_keeps_rows_that_have_no_posterior_yet() -> None:
    X, y = rows(40, 3)
    for est in (er.BayesianLinearRegression(), er.BayesianLinearRegression(0.0)):
        stream = clone(est)
        for a in range(0, 40, 2):
            stream.partial_fit(X[a : a + 2], y[a : a + 2])
            if a == 0:
                assert stream.certificate_.kind is Kind.NONE
                with pytest.raises(ValueError, match="partial_fit has not seen enough rows yet: "):
                    stream.predict(X)
                with pytest.raises(ValueError, match="partial_fit has not seen enough rows yet: "):
                    stream.credible_interval()
        np.testing.assert_allclose(stream.coef_, clone(est).fit(X, y).coef_, rtol=1e-6)


@pytest.mark.parametrize("precision", [0.0, 1.0])
@pytest.mark.parametrize("y", [np.zeros(20), np.ones(20)])
def test_one_class_has_no_posterior_beside_a_flat_intercept(y: Array, precision: float) -> None:
    X = rows(20)[0]
    with pytest.raises(
        ValueError, match=r"all targets of positive weight are [01]: the intercept has a flat"
    ):
        er.BayesianGLM(prior_precision=precision).fit(X, y)
    mixed, weight = y.copy(), np.ones(20)
    mixed[0], weight[0] = 1.0 - y[0], 0.0
    with pytest.raises(ValueError, match=r"all targets of positive weight are [01]"):
        er.BayesianGLM(prior_precision=precision).fit(X, mixed, sample_weight=weight)
    if precision:
        assert er.BayesianGLM(fit_intercept=False).fit(X, y).certificate_.within(1e-6)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@pytest.mark.parametrize(("score", "deviation"), [(3.0, 1.57), (4.0, 2.66), (8.0, 1.0), (-1.0, 2.0)])
def test_intervals_of_counts_hold_their_level(score: float, deviation: float, level: float) -> None:
    """The chance between the ends, as an integral over the score with a step far below any other."""
    law = Law(Poisson())
    low, high = predictive_quantiles(law, np.array([score]), np.array([deviation]), 1.0, level)
    z = np.linspace(-7.0, 7.0, 400_001)
    mean = np.exp(score + deviation * z)
    inside = poisson.cdf(high[0], mean) - poisson.cdf(low[0] - 1.0, mean)
    covered = float(np.trapezoid(inside * norm.pdf(z), z))
    assert level - 1e-6 <= covered
    least = poisson.cdf(high[0] - 1.0, mean) - poisson.cdf(low[0], mean)  # one count less at each end
    assert float(np.trapezoid(least * norm.pdf(z), z)) < level + 2e-3


def test_a_count_beyond_floats_is_infinite_without_a_warning() -> None:
    X = rows()[0]
    model = er.BayesianGLM("poisson").fit(X, np.random.default_rng(0).poisson(np.exp(X[:, 0])))
    assert model.predict([[1e3, 0.0]]).tolist() == [math.inf]


@each(POSTERIORS)
@pytest.mark.parametrize("fault", ["constant", "a copy", "fewer rows than columns"])
def test_columns_that_decide_nothing_are_refused_or_answered(est: Any, fault: str) -> None:
    X, y = rows(30, 4)
    y = np.round(np.exp(y / 4.0))
    if fault == "constant":
        X[:, 1] = 3.0
    elif fault == "a copy":
        X[:, 2] = X[:, 1]
    else:
        X, y = X[:3], y[:3]
    model, refusal = clone(est), None
    try:
        model.fit(X, y)
    except ValueError as why:
        refusal = why
    if refusal is not None:
        assert not isinstance(refusal, np.linalg.LinAlgError)
        assert re.search("column|collinear|rows|precision|prior", str(refusal)), refusal
        return
    told = model.predict(X, return_interval=True)
    assert all(np.isfinite(part).all() for part in told)
    assert np.all((told[1] <= told[0]) & (told[0] <= told[2]))


BY_LAWS = [
    er.GaussianNB(),
    er.GaussianNB(0.0),
    er.LinearDiscriminantAnalysis(),
    er.QuadraticDiscriminantAnalysis(),
]


@pytest.mark.parametrize("est", BY_LAWS, ids=repr)
@pytest.mark.parametrize("unit", [1e-145, 1e-155, 1e-170, 1e-250])
def test_squares_that_vanish_are_no_constant_columns(est: Any, unit: float) -> None:
    X, y = rows()
    with pytest.raises(
        ValueError, match="column 0 of X holds numbers whose squares are rounded to 0; rescale it"
    ):
        clone(est).fit(X * unit, y > 0.0)
    small = clone(est).fit(X * 1e-120, y > 0.0)
    np.testing.assert_allclose(
        small.predict_proba(X * 1e-120), clone(est).fit(X, y > 0.0).predict_proba(X), atol=1e-9
    )


@pytest.mark.parametrize("unit", [1e-120, 1e-81, 1e-75, 1e75, 1e100])
@pytest.mark.parametrize("shrinkage", ["ledoit_wolf", "oas"])
@pytest.mark.parametrize("kind", [er.LinearDiscriminantAnalysis, er.QuadraticDiscriminantAnalysis])
def test_the_share_of_shrinkage_has_no_unit(kind: Any, shrinkage: str, unit: float) -> None:
    X, y = rows(40, 6)
    plain, scaled = (kind(shrinkage).fit(X * u, y > 0.0).shrinkage_ for u in (1.0, unit))
    np.testing.assert_allclose(scaled, plain, rtol=1e-9)
    assert np.all((np.asarray(plain) > 0.0) & (np.asarray(plain) < 1.0))


def test_counts_that_are_unlikely_everywhere_are_named_so() -> None:
    est = er.MultinomialNB().fit([[1.0, 2.0], [3.0, 0.0]], [0, 1])
    with pytest.raises(
        ValueError, match="row 0 of X is so unlikely in every class that its chances are rounded"
    ):
        est.predict([[1.7e308, 1.7e308]])
    with pytest.raises(
        ValueError, match="alpha = 0, and column 1 never occurs in class 1: the chance of it would be 0"
    ):
        er.MultinomialNB(0.0).fit([[1.0, 2.0], [3.0, 0.0]], [0, 1])
