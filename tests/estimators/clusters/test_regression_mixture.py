"""Mixtures of regressions: likelihoods and optima by SciPy, simulated lines, collapses that are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

import empirisk as er
from empirisk.estimators.linear.base import CertificateWarning


def two_lines(rng: np.random.Generator, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Rows near 1 + 2 x (two thirds) and near -x, with deviations 0.3 and 0.6."""
    x = rng.uniform(-3.0, 3.0, (n, 1))
    second = np.arange(n) % 3 == 0
    y = np.where(second, -x[:, 0], 1.0 + 2.0 * x[:, 0])
    return x, y + np.where(second, 0.6, 0.3) * rng.normal(size=n)


def np_reg(rng: np.random.Generator, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """The design of flexmix's NPreg: 5 x and 15 + 10 x - x^2 with deviation 3, x uniform on (0, 10)."""
    x = rng.uniform(0.0, 10.0, n)
    y = np.where(np.arange(n) < n // 2, 5.0 * x, 15.0 + 10.0 * x - x**2) + 3.0 * rng.normal(size=n)
    return np.column_stack([x, x**2]), y


def log_likelihood(v: np.ndarray, X: np.ndarray, y: np.ndarray, k: int) -> float:
    """The logarithm of the density by SciPy, at parameters laid out as weights, lines, log deviations."""
    q = X.shape[1] + 1
    logs = np.concatenate([[0.0], v[: k - 1]])
    lines, s = v[k - 1 : k - 1 + k * q].reshape(k, q), np.exp(v[-k:])
    pi = np.exp(logs - np.logaddexp.reduce(logs))
    mean = lines[:, 0] + X @ lines[:, 1:].T
    return float(np.logaddexp.reduce(np.log(pi) + norm.logpdf(y[:, None], mean, s), axis=1).sum())


def packed(model: Any) -> np.ndarray:
    """Return the parameters of a model in that layout."""
    lines = np.column_stack([model.intercept_, model.coef_])
    weights = np.log(model.weights_[1:] / model.weights_[0])
    return np.concatenate([weights, lines.ravel(), np.log(model.sigma_)])


@pytest.mark.parametrize("design", [two_lines, np_reg])
def test_the_likelihood_is_that_of_scipy_and_no_search_finds_more(
    design: Any, rng: np.random.Generator
) -> None:
    X, y = design(rng)
    model = er.RegressionMixture(2, tol=1e-8, max_iter=20_000).fit(X, y)
    at = packed(model)
    assert log_likelihood(at, X, y, 2) == pytest.approx(model.log_likelihood_, rel=1e-11)
    # A search of another kind, from that point and from the lines that made the rows.
    truth = {
        two_lines: [np.log(0.5), -0.0, -1.0, 1.0, 2.0, np.log(0.6), np.log(0.3)],
        np_reg: [0.0, 0.0, 5.0, 0.0, 15.0, 10.0, -1.0, np.log(3.0), np.log(3.0)],
    }[design]
    for start in (at, np.array(truth)):
        found = minimize(lambda v: -log_likelihood(v, X, y, 2), start, method="BFGS", options={"gtol": 1e-6})
        assert -found.fun <= model.log_likelihood_ + 1e-6
    assert -found.fun == pytest.approx(model.log_likelihood_, abs=1e-5)
    slope = [
        (log_likelihood(at + d, X, y, 2) - log_likelihood(at - d, X, y, 2)) / 2e-5
        for d in 1e-5 * np.eye(len(at))
    ]
    assert np.abs(slope).max() < 1e-3


def test_two_lines_are_recovered(rng: np.random.Generator) -> None:
    """Parameters within four standard errors, as least squares of each line's own rows would have."""
    x, y = two_lines(rng, 3000)
    model = er.RegressionMixture([1, 2, 3]).fit(x, y)
    assert model.n_components_ == 2
    first = int(np.argmin(model.coef_[:, 0]))  # the line -x
    np.testing.assert_allclose(model.coef_[[first, 1 - first], 0], [-1.0, 2.0], atol=0.06)
    np.testing.assert_allclose(model.intercept_[[first, 1 - first]], [0.0, 1.0], atol=0.1)
    np.testing.assert_allclose(model.sigma_[[first, 1 - first]], [0.6, 0.3], rtol=0.1)
    np.testing.assert_allclose(model.weights_[[first, 1 - first]], [1 / 3, 2 / 3], atol=0.04)
    assert model.selection_.sentence.startswith("BIC takes 2 components")


def test_the_structure_of_np_reg_is_found(rng: np.random.Generator) -> None:
    X, y = np_reg(rng, 1000)
    model = er.RegressionMixture([1, 2, 3]).fit(X, y)
    assert model.n_components_ == 2
    curve = int(np.argmin(model.coef_[:, 1]))
    np.testing.assert_allclose(model.coef_[curve], [10.0, -1.0], atol=1.0)
    np.testing.assert_allclose(model.coef_[1 - curve], [5.0, 0.0], atol=1.0)
    np.testing.assert_allclose(model.sigma_, 3.0, rtol=0.15)
    # Half of the rows have a curve of their own where the two are apart.
    told = model.labels_ == curve
    assert np.mean(told[500:]) > 0.75 > 0.25 > np.mean(told[:500])


def test_one_component_is_least_squares(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    s = rng.integers(0, 3, 40).astype(float)
    model = er.RegressionMixture(1).fit(X, y, sample_weight=s)
    Z, root = np.column_stack([np.ones(40), X]), np.sqrt(s)
    line, *_ = np.linalg.lstsq(root[:, None] * Z, root * y, rcond=None)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), line, rtol=1e-10)
    assert model.sigma_[0] == pytest.approx(np.sqrt(s @ (y - Z @ line) ** 2 / s.sum()), rel=1e-10)
    assert model.log_likelihood_ == pytest.approx(
        s @ norm.logpdf(y, Z @ line, model.sigma_[0]), rel=1e-12
    )  # fmt: skip


def test_predictions_are_means_of_the_lines(rng: np.random.Generator) -> None:
    X, y = two_lines(rng)
    model = er.RegressionMixture(2).fit(X, y)
    lines = model.intercept_ + X @ model.coef_.T
    np.testing.assert_allclose(model.predict_lines(X), lines, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict(X), lines @ model.weights_, rtol=1e-9, atol=1e-9)
    each = model.weights_ * norm.pdf(y[:, None], lines, model.sigma_)
    chance = each / each.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X, y), chance, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(model.predict(X, y), (chance * lines).sum(axis=1), rtol=1e-7)
    np.testing.assert_allclose(model.log_density(X, y), np.log(each.sum(axis=1)), rtol=1e-8)
    np.testing.assert_array_equal(model.labels_, model.predict_proba(X, y).argmax(axis=1))
    np.testing.assert_allclose(model.predict_proba(X)[3], model.weights_)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_a_line_that_fits_its_rows_exactly_is_named(offset: float, rng: np.random.Generator) -> None:
    """All rows of one group lie on a line: a start that finds it has no maximum, and the error says so."""
    x = rng.uniform(-3.0, 3.0, (120, 1)) + offset
    y = np.where(np.arange(120) < 60, 5.0 - 3.0 * (x[:, 0] - offset), rng.normal(size=120))
    start = np.array([[5.0 + 3.0 * offset, -3.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match=r"component 0 fits its \d+ rows exactly.*fewer components") as told:
        er.RegressionMixture(2, init=start).fit(x, y)
    assert "ridge" not in str(told.value)
    model = er.RegressionMixture([1, 2], init="random").fit(x, y)
    lost = model.starts_.degenerate
    assert model.n_components_ == 1 or lost
    with pytest.raises(ValueError, match=r"component 0 fits its 20 rows exactly"):
        er.RegressionMixture(1).fit(x[:20], y[:20])


def test_what_has_no_fit_is_refused_in_words(rng: np.random.Generator) -> None:
    X, y = two_lines(rng, 40)
    both = np.column_stack([X, 2.0 * X + 1.0])
    for rows, targets, kwargs, words in (
        (both, y, {}, "do not determine a line"),
        (np.column_stack([X, np.ones(40)]), y, {}, "column 1 of X is the same in all rows"),
        (X, np.ones(40), {}, "y is the same in all rows"),
        (1e200 * X, y, {}, "column 0 of X holds numbers of size .* overflow"),
        (X, y, {"n_components": 41}, "n_components = 41, but X has n_samples = 40 rows"),
        (X, y, {"init": "lines"}, 'init must be "random", or an array of lines'),
        (X, y, {"init": [[0.0, 1.0]]}, r"init must have shape .* = \(2, 2\), the constant first"),
        (X, y, {"init": [[0.0, 1.0], [0.0, np.nan]]}, "init holds NaN or infinity"),
        (X, y, {"n_init": 0}, "n_init must be an integer >= 1"),
    ):
        with pytest.raises(ValueError, match=words):
            er.RegressionMixture(**{"n_components": 2, **kwargs}).fit(rows, targets)
    with pytest.raises(ValueError, match="column must be a number below 1"):
        er.RegressionMixture(1).fit(X, y).plot(X, y, column=1)
    with pytest.warns(CertificateWarning, match="EM took max_iter = 1 steps"):
        er.RegressionMixture(2, max_iter=1, n_init=1).fit(X, y)


def test_given_lines_are_one_start(rng: np.random.Generator) -> None:
    X, y = two_lines(rng)
    model = er.RegressionMixture(2, init=[[0.0, -1.0], [1.0, 2.0]], n_init=7).fit(X + 1e4, y)
    other = er.RegressionMixture(2).fit(X, y)
    assert len(model.starts_.values) == 1
    assert model.log_likelihood_ == pytest.approx(other.log_likelihood_, rel=1e-7)
