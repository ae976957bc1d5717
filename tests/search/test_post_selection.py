"""Debiased lasso and split samples: coverage and error rates by simulation, formulas by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LassoCV

import empirisk as er
from empirisk.search.post_selection.debiased_lasso import holm
from empirisk.search.post_selection.scaled_lasso import scaled_lasso
from empirisk.search.post_selection.split_sample import aggregate


def sparse(rng, n, p, s=3, size=1.0, rho=0.5):
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + math.sqrt(1.0 - rho**2) * X[:, j]
    beta = np.zeros(p)
    beta[:s] = size
    return X, X @ beta + rng.standard_normal(n), beta


@pytest.mark.parametrize(
    ("samples", "n", "p"), [(60, 60, 80), pytest.param(400, 100, 200, marks=pytest.mark.slow)]
)
def test_debiased_intervals_cover(samples, n, p):
    hits, columns = np.zeros(4), [0, 1, 10, p - 1]
    for seed in range(samples):
        X, y, beta = sparse(np.random.default_rng(seed), n, p, rho=0.3)
        found = er.debiased_lasso(X, y, columns=columns)
        hits += (found.low <= beta[columns]) & (beta[columns] <= found.high)
    # The theory is asymptotic: coverage below 90 % would be refuted, the measured values stand in the docs.
    for hit in hits:
        assert stats.binomtest(int(hit), samples, 0.9, alternative="less").pvalue > 1e-3
    assert stats.binomtest(int(hits.sum()), 4 * samples, 0.95).pvalue > 1e-4


def test_the_bias_of_the_lasso_is_taken_out():
    errors = []
    for seed in range(30):
        X, y, _ = sparse(np.random.default_rng(seed), 80, 100, size=0.8, rho=0.0)
        found = er.debiased_lasso(X, y, columns=[0, 1])
        errors.append([found.lasso - 0.8, found.coef - 0.8])
    lasso, debiased = np.mean(errors, axis=0)
    assert np.all(lasso < -0.15)
    assert np.all(np.abs(debiased) < 0.4 * np.abs(lasso))


def test_with_few_columns_it_is_least_squares_nearly(rng):
    X, y, _ = sparse(rng, 400, 4, s=2)
    found, table = er.debiased_lasso(X, y), er.LinearRegression().fit(X, y).summary(X, y)
    np.testing.assert_allclose(found.coef, table.coef[1:], atol=0.35 * float(table.se.max()))
    np.testing.assert_allclose(found.se, table.se[1:], rtol=0.25)
    scaled = er.debiased_lasso(X * 1000.0, y * 7.0)
    np.testing.assert_allclose(scaled.coef, found.coef * 7.0 / 1000.0, rtol=1e-3, atol=1e-8)


def test_the_scaled_lasso_solves_its_two_equations(rng):
    X = rng.standard_normal((60, 90))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X[:, 0] + rng.standard_normal(60)
    y -= y.mean()
    found = scaled_lasso(X, y, 0.2)
    assert found.sigma == pytest.approx(math.sqrt(float(((y - X @ found.coef) ** 2).mean())), rel=1e-12)
    slope = X.T @ (y - X @ found.coef) / 60
    assert np.abs(slope).max() <= 0.2 * found.sigma * (1.0 + 1e-3)
    active = found.coef != 0.0
    np.testing.assert_allclose(slope[active], 0.2 * found.sigma * np.sign(found.coef[active]), rtol=1e-3)


@pytest.mark.full  # simulated
def test_robust_standard_errors_see_unequal_noise(rng):
    hits = np.zeros(2)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((120, 40))
        y = X[:, 0] + (0.3 + 1.5 * np.abs(X[:, 0])) * rng.standard_normal(120)
        for k, kind in enumerate(("classical", "robust")):
            found = er.debiased_lasso(X, y, columns=[0], covariance=kind)
            hits[k] += found.low[0] <= 1.0 <= found.high[0]
    assert stats.binomtest(int(hits[1]), 60, 0.9, alternative="less").pvalue > 1e-2
    assert hits[0] < hits[1]


def test_debiased_frame_and_bad_input(rng):
    pd = pytest.importorskip("pandas")
    X, y, _ = sparse(rng, 50, 6)
    X[:, 4] = 2.0
    frame = pd.DataFrame(X, columns=list("abcdef"))
    found = er.debiased_lasso(frame, y, columns=["a", "e"])
    assert found.terms == ("a", "e")
    assert np.isnan(found.coef[1])  # a constant column
    assert math.isnan(found.p_holm[1])
    assert "Debiased lasso, 50 rows" in repr(found)
    assert list(found.to_frame()["term"]) == ["a", "e"]
    for options, words in (
        ({"columns": ["z"]}, "columns names 'z'"),
        ({"columns": [9]}, "columns holds 9"),
        ({"columns": []}, "columns is empty"),
        ({"level": 2.0}, "level must lie"),
        ({"covariance": "HC3"}, "covariance must be one of"),
        ({"strength": 2.0}, "strength must lie in"),
    ):
        with pytest.raises(ValueError, match=words):
            er.debiased_lasso(frame, y, **options)
    with pytest.raises(ValueError, match="y is constant"):
        er.debiased_lasso(X, np.ones(50))
    with pytest.raises(ValueError, match="minimum of 8"):
        er.debiased_lasso(X[:5], y[:5])
    with pytest.raises(ValueError, match="NaN"):
        er.debiased_lasso(np.where(X[0, 0] == X, np.nan, X), y)
    with pytest.raises(ValueError, match="y holds the text 'no' in row 0"):
        er.debiased_lasso(X, np.where(np.arange(50) > 9, "yes", "no"))
    with pytest.raises(ValueError, match="X holds the text 'u' in column 'b', row 0"):
        er.debiased_lasso(frame.assign(b="u"), y)


def test_holm_by_hand():
    np.testing.assert_allclose(holm(np.array([0.5, 0.01, 0.02])), [0.5, 0.03, 0.04])
    out = holm(np.array([0.01, math.nan, 0.04]))
    np.testing.assert_allclose(out, [0.02, math.nan, 0.04])


# -- split samples ----------------------------------------------------------------------------------


def test_aggregation_is_the_formula(rng):
    p = rng.random((20, 3)) ** 2
    wanted = []
    for column in p.T:
        grid = np.linspace(0.05, 1.0, 4001)
        # The quantile jumps at multiples of 1/20, where the minimum lies.
        q = [
            np.quantile(column, g - 1e-12, method="inverted_cdf") / g
            for g in [*grid, *(np.arange(1, 21) / 20)]
        ]
        wanted.append(min(1.0, (1.0 - math.log(0.05)) * min(q)))
    np.testing.assert_allclose(aggregate(p), wanted, rtol=1e-6)
    np.testing.assert_allclose(aggregate(p[:1]), p[0])


def test_one_split_is_least_squares_on_the_other_half(rng):
    X, y, _ = sparse(rng, 80, 10)
    found = er.split_sample_inference(er.Lasso(alpha=0.2), X, y, n_splits=1, random_state=4)
    order = np.random.default_rng(4).permutation(80)
    choose, test = np.sort(order[:40]), np.sort(order[40:])
    chosen = np.flatnonzero(er.Lasso(alpha=0.2).fit(X[choose], y[choose]).coef_)
    Xb, yb = X[test][:, chosen], y[test]
    table = er.LinearRegression().fit(Xb, yb).summary(Xb, yb)
    assert found.terms == tuple(f"x{j}" for j in chosen)
    np.testing.assert_allclose(found.coef, table.coef[1:], rtol=1e-6)
    np.testing.assert_allclose(found.low, table.low[1:], rtol=1e-6)
    np.testing.assert_allclose(found.high, table.high[1:], rtol=1e-6)
    np.testing.assert_allclose(found.p, np.minimum(1.0, table.p[1:] * len(chosen)), rtol=1e-6)


@pytest.mark.parametrize(("samples", "splits"), [(20, 3), pytest.param(500, 25, marks=pytest.mark.slow)])
def test_false_findings_are_rare_and_true_ones_found(samples, splits):
    false, found, hits, asked = 0, 0, 0, 0
    for seed in range(samples):
        X, y, beta = sparse(np.random.default_rng(seed), 100, 30, s=2, rho=0.0)
        result = er.split_sample_inference(er.Lasso(alpha=0.2), X, y, n_splits=splits, random_state=seed)
        index = np.array([int(t[1:]) for t in result.terms])
        false += bool(np.any((result.p < 0.05) & (beta[index] == 0.0)))
        found += int(np.sum((result.p < 0.05) & (beta[index] != 0.0)))
        inside = (result.low <= beta[index]) & (beta[index] <= result.high)
        hits, asked = hits + int(inside[index < 2].sum()), asked + int(np.sum(index < 2))
    assert stats.binomtest(false, samples, 0.05, alternative="greater").pvalue > 1e-3
    assert found >= 1.9 * samples
    assert hits >= 0.93 * asked


def test_classes_and_counts_are_tested_by_their_own_models(rng):
    X = rng.standard_normal((300, 8))
    label = np.where(rng.random(300) < 1 / (1 + np.exp(-2.0 * X[:, 2])), "yes", "no")
    model = er.LogisticRegression(alpha=0.05, l1_ratio=1.0)
    found = er.split_sample_inference(model, X, label, n_splits=5, random_state=0)
    assert found.terms[int(found.p.argmin())] == "x2"
    assert found.p.min() < 1e-4
    count = rng.poisson(np.exp(0.5 * X[:, 1])).astype(float)
    model = er.PoissonRegressor(alpha=0.05, l1_ratio=1.0)
    found = er.split_sample_inference(model, X, count, n_splits=5, random_state=0)
    assert found.terms[int(found.p.argmin())] == "x1"


def test_bad_input_of_split_samples(rng):
    X, y, _ = sparse(rng, 40, 5)
    lasso = er.Lasso(alpha=0.1)
    for options, words in (
        ({"n_splits": 0}, "n_splits must be at least 1"),
        ({"fraction": 1.0}, "fraction must lie"),
        ({"level": 0.0}, "level must lie"),
    ):
        with pytest.raises(ValueError, match=words):
            er.split_sample_inference(lasso, X, y, **options)
    with pytest.raises(ValueError, match="too few to split"):
        er.split_sample_inference(lasso, X[:4], y[:4])
    with pytest.raises(ValueError, match="chooses no columns"):
        er.split_sample_inference(er.Ridge(), X, y)
    for est in (LassoCV(), er.Lasso):
        with pytest.raises(TypeError, match=r"est must be a linear model of empirisk, .* got"):
            er.split_sample_inference(est, X, y)
    wide = rng.standard_normal((20, 60))
    with pytest.raises(ValueError, match="larger alpha"):
        er.split_sample_inference(er.Lasso(alpha=1e-3), wide, y[:20], fraction=0.7, random_state=0)
    nothing = er.split_sample_inference(er.Lasso(alpha=100.0), X, y, random_state=0)
    assert nothing.terms == ()
    assert "0" in repr(nothing) or nothing.title
