"""Laplace's approximation: curvatures by differences, integrals by quadrature, refusals in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, gammaln

import empirisk as er
from empirisk.results import Kind
from empirisk.typing import Array


def rows(family: str, rng: np.random.Generator, n: int = 60, p: int = 3) -> tuple[Array, Array]:
    """Rows of unlike units, and shares of 0 and 1 or counts."""
    X = rng.normal(size=(n, p)) * np.linspace(0.5, 2.0, p) + np.linspace(-1.0, 3.0, p)
    z = (X - X.mean(axis=0)) @ np.linspace(0.8, -0.4, p)
    return X, (rng.random(n) < expit(z)) * 1.0 if family == "binomial" else 1.0 * rng.poisson(np.exp(z))


def log_joint(family: str, X: Array, y: Array, w: Array, b: float, precision: float) -> float:
    """The logarithm of likelihood times prior, the density of b being 1."""
    z = X @ w + b
    if family == "binomial":
        like = float((y * z - np.logaddexp(0.0, z)).sum())
    else:
        like = float((y * z - np.exp(z) - gammaln(y + 1.0)).sum())
    p = len(w)
    return like - 0.5 * precision * float(w @ w) + 0.5 * p * math.log(precision / (2.0 * math.pi))


FAMILIES = pytest.mark.parametrize("family", ["binomial", "poisson"])


@FAMILIES
def test_covariance_is_the_inverse_of_the_differences_of_the_joint_density(
    family: str, rng: np.random.Generator
) -> None:
    X, y = rows(family, rng)
    model = er.BayesianGLM(family, prior_precision=0.7, tol=1e-12).fit(X, y)
    at, h = np.append(model.coef_, model.intercept_), 1e-4

    def f(t: Array) -> float:
        return log_joint(family, X, y, t[:-1], float(t[-1]), 0.7)

    E = h * np.eye(4)
    slope = np.array([f(at + e) - f(at - e) for e in E]) / (2.0 * h)
    assert np.abs(slope).max() < 1e-4
    bent = np.array([[f(at + a + c) - f(at + a - c) - f(at - a + c) + f(at - a - c) for a in E] for c in E])
    np.testing.assert_allclose(np.linalg.inv(-bent / (4.0 * h * h)), model.covariance_, rtol=1e-4, atol=1e-6)
    _, log_det = np.linalg.slogdet(model.covariance_)
    wanted = f(at) + 2.0 * math.log(2.0 * math.pi) + 0.5 * log_det
    assert model.log_evidence_ == pytest.approx(wanted, rel=1e-9)


@FAMILIES
def test_evidence_and_means_near_integrals_and_nearer_with_more_rows(family: str) -> None:
    """In one dimension by quadrature: the errors fall with the rows, as the theory says of their order."""
    errors = []
    for n in (20, 320):
        X, y = rows(family, np.random.default_rng(3), n, 1)
        model = er.BayesianGLM(family, prior_precision=1.0, fit_intercept=False).fit(X, y)
        sd = math.sqrt(float(model.covariance_[0, 0]))
        w = model.coef_[0] + sd * np.linspace(-9.0, 9.0, 721)
        log = np.array([log_joint(family, X, y, np.array([v]), 0.0, 1.0) for v in w])
        mass = np.exp(log - log.max()) * sd * (18.0 / 720)
        evidence = math.log(mass.sum()) + log.max()
        exact = float((mass * np.asarray(expit(w) if family == "binomial" else np.exp(w))).sum() / mass.sum())
        told = float(model.predict([[1.0]])[0])
        errors.append((abs(model.log_evidence_ - evidence), abs(told / exact - 1.0)))
    assert errors[0][0] < 0.05
    assert errors[0][1] < 0.05
    assert errors[1][0] < 0.5 * errors[0][0] + 1e-4
    assert errors[1][1] < 0.5 * errors[0][1] + 1e-4


@FAMILIES
def test_predictions_are_means_over_the_normal_law(family: str, rng: np.random.Generator) -> None:
    X, y = rows(family, rng)
    model = er.BayesianGLM(family, prior_precision=0.5).fit(X, y)
    mean, low, high = model.predict(X[:5], return_interval=True, level=0.8)
    draws = model.sample_posterior(20_000, random_state=1)
    z = draws.coef @ X[:5].T + draws.intercept[:, None]
    drawn = expit(z) if family == "binomial" else np.exp(z)
    slack = 5.0 * drawn.std(axis=0) / math.sqrt(20_000)
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < slack)
    share = ((drawn > low) & (drawn < high)).mean(axis=0)
    assert np.all(np.abs(share - 0.8) < 5.0 * math.sqrt(0.16 / 20_000))
    ends = model.credible_interval(0.8)
    inside = (draws.intercept > ends.low[-1]) & (draws.intercept < ends.high[-1])
    assert abs(inside.mean() - 0.8) < 5.0 * math.sqrt(0.16 / 20_000)
    np.testing.assert_array_equal(model.predict(X), model.predict(X, return_interval=True)[0])


def test_intervals_of_counts_hold_draws_of_counts(rng: np.random.Generator) -> None:
    X, y = rows("poisson", rng)
    model = er.BayesianGLM("poisson").fit(X, y)
    band = model.prediction_interval(X[:4], 0.8)
    low, high = band.low, band.high
    np.testing.assert_allclose(band.value, model.predict(X[:4]))
    draws = model.sample_posterior(20_000, random_state=1)
    counts = rng.poisson(np.exp(draws.coef @ X[:4].T + draws.intercept[:, None]))
    share = ((counts >= low) & (counts <= high)).mean(axis=0)
    assert np.all(share > 0.8 - 5.0 * math.sqrt(0.16 / 20_000))
    twice = model.predict(X[:4], exposure=np.full(4, 2.0))
    np.testing.assert_allclose(twice, 2.0 * model.predict(X[:4]), rtol=1e-12)


@FAMILIES
def test_flat_prior_has_the_standard_errors_of_maximum_likelihood(
    family: str, rng: np.random.Generator
) -> None:
    X, y = rows(family, rng)
    model = er.BayesianGLM(family, prior_precision=0.0, tol=1e-12).fit(X, y)
    table = er.GeneralizedLinearModel(family, tol=1e-12).fit(X, y).summary(X, y)
    se = np.sqrt(np.diagonal(model.covariance_))
    np.testing.assert_allclose(se[[3, 0, 1, 2]], table.se, rtol=1e-6)
    assert model.log_evidence_ is None
    assert model.effective_parameters_ == pytest.approx(3.0)
    half = stats.norm.ppf(0.95) * se
    ends = model.credible_interval(0.9)
    np.testing.assert_allclose(ends.high - ends.low, 2.0 * half, rtol=1e-9)


def test_labels_frames_and_the_certificate(rng: np.random.Generator) -> None:
    X, y = rows("binomial", rng)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = er.BayesianGLM().fit(frame, np.where(y > 0.0, "yes", "no"))
    assert list(model.classes_) == ["no", "yes"]
    np.testing.assert_allclose(model.predict(frame), er.BayesianGLM().fit(X, y).predict(X), rtol=1e-9)
    assert model.certificate_.kind is Kind.DUALITY_GAP
    assert model.certificate_.within(model.tol)
    changed = er.BayesianGLM().fit(X, y)
    changed.covariance_ = 1.01 * changed.covariance_
    assert er.verify(changed, X, y).kind is Kind.NONE


SPLIT = np.array([[-2.0, 0.0], [-1.0, 1.0], [1.0, 0.0], [2.0, 1.0]])


@pytest.mark.parametrize(
    ("change", "X", "y", "words"),
    [
        ({"prior_precision": 0.0}, SPLIT, [0.0, 0.0, 1.0, 1.0], "give prior_precision > 0"),
        ({"prior_precision": -1.0}, SPLIT, [0.0, 1.0, 0.0, 1.0], "prior_precision must be a finite number"),
        (
            {"family": "gamma"},
            SPLIT,
            [0.0, 1.0, 0.0, 1.0],
            "family must be 'binomial' or 'poisson', got 'gamma'",
        ),
        ({"family": "poisson"}, SPLIT, [0.0, -1.0, 0.0, 1.0], "row 1"),
        (
            {"prior_precision": 0.0, "family": "poisson"},
            np.column_stack([SPLIT[:, 0], 2.0 * SPLIT[:, 0]]),
            [1.0, 2.0, 1.0, 3.0],
            "columns 0, 1 of X are collinear",
        ),
    ],
)
def test_what_has_no_approximation_is_refused_in_words(change: Any, X: Any, y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.BayesianGLM(**change).fit(X, y)


def test_labels_have_no_interval_of_their_own(rng: np.random.Generator) -> None:
    X, y = rows("binomial", rng)
    with pytest.raises(ValueError, match="there is no interval of labels or shares"):
        er.BayesianGLM().fit(X, y).prediction_interval(X)


def test_labels_have_chances_and_answers(rng: np.random.Generator) -> None:
    X, y = rows("binomial", rng)
    named = np.where(y > 0.0, "yes", "no")
    model, plain = er.BayesianGLM().fit(X, named), er.BayesianGLM().fit(X, y)
    chance = model.predict_proba(X)
    np.testing.assert_allclose(chance[:, 1], plain.predict(X), rtol=1e-12)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_array_equal(model.predict_label(X), model.classes_[chance.argmax(axis=1)])
    np.testing.assert_array_equal(plain.predict_label(X), (plain.predict(X) > 0.5) * 1)
    z = X[:5] @ model.coef_ + model.intercept_
    assert np.all(np.abs(chance[:5, 1] - 0.5) < np.abs(expit(z) - 0.5))  # doubt draws towards 1/2
    assert not hasattr(er.BayesianGLM("poisson"), "predict_proba")


@FAMILIES
def test_draws_from_the_posterior_itself_are_one_line(family: str, rng: np.random.Generator) -> None:
    """Two coefficients: means of the draws against a sum over a grid of the same posterior."""
    X, y = rows(family, rng, n=25, p=2)
    model = er.BayesianGLM(family, prior_precision=0.7, fit_intercept=False).fit(X, y)
    found = er.sample(model, draws=400, chains=4, random_state=1)
    sd = np.sqrt(np.diag(model.covariance_)[:2])
    grid = np.stack(np.meshgrid(*[np.linspace(-8.0, 8.0, 161)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    W = model.coef_ + grid * sd
    Z = X @ W.T
    like = (y[:, None] * Z - (np.logaddexp(0.0, Z) if family == "binomial" else np.exp(Z))).sum(axis=0)
    weight = like - 0.35 * (W**2).sum(axis=1)
    weight = np.exp(weight - weight.max())
    mean = weight @ W / weight.sum()
    spread = np.sqrt(weight @ (W - mean) ** 2 / weight.sum())
    drawn = np.asarray(found.draws).reshape(-1, found.draws.shape[-1])[:, :2]
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 0.25 * spread)
    np.testing.assert_allclose(drawn.std(axis=0), spread, rtol=0.2)


@pytest.mark.slow  # 1,000 fits for each family
@FAMILIES
def test_credible_intervals_hold_their_level_over_draws_of_the_prior(
    family: str, rng: np.random.Generator
) -> None:
    inside = np.zeros(2)
    for _ in range(1_000):
        w = rng.normal(size=2) / np.sqrt(4.0)
        X = rng.normal(size=(80, 2))
        z = X @ w
        y = (rng.random(80) < expit(z)) * 1.0 if family == "binomial" else 1.0 * rng.poisson(np.exp(z))
        ends = (
            er.BayesianGLM(family, prior_precision=4.0, fit_intercept=False).fit(X, y).credible_interval(0.9)
        )
        inside += (ends.low <= w) & (w <= ends.high)
    # Four standard errors of 1,000 trials, and a hundredth for the normal law in the place of the posterior.
    assert np.all(np.abs(inside / 1_000 - 0.9) < 4.0 * math.sqrt(0.09 / 1_000) + 0.01)
