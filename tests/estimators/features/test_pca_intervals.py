"""Intervals of explained variances: their formulas, and how often they cover by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import empirisk as er
from empirisk.typing import Array

TRUE = np.array([9.0, 4.0, 1.0])


def coverage(draw: str, method: str, n: int, runs: int, rng: np.random.Generator) -> Array:
    """Return how many intervals of each component cover the true variance."""
    hits = np.zeros(3, dtype=int)
    for _ in range(runs):
        Z = rng.normal(size=(n, 3))
        if draw == "heavy":  # Student's t with 9 degrees of freedom, of variance 1, in each row alike
            Z *= np.sqrt(7.0 / rng.chisquare(9.0, size=(n, 1)))
        X = Z * np.sqrt(TRUE)
        pca = er.PCA(method="covariance").fit(X)
        given = X if method == "fourth_moments" else None
        found = pca.explained_variance_intervals(given, method=method)
        hits += [e.low <= true <= e.high for e, true in zip(found, TRUE, strict=True)]
    return hits


@pytest.mark.parametrize("method", ["normal", "fourth_moments"])
def test_intervals_of_normal_rows_cover(method: str, rng: np.random.Generator) -> None:
    for hits in coverage("normal", method, 300, 200, rng):
        assert binomtest(int(hits), 200, 0.95).pvalue > 1e-3


def test_normal_intervals_fail_for_heavy_tails_where_fourth_moments_do_better(
    rng: np.random.Generator,
) -> None:
    normal = coverage("heavy", "normal", 500, 150, rng)
    fourth = coverage("heavy", "fourth_moments", 500, 150, rng)
    assert normal.max() < 0.92 * 150
    assert fourth.sum() > normal.sum()
    assert fourth.min() > 0.84 * 150


@pytest.mark.slow  # minutes: thousands of fits
@pytest.mark.parametrize(("draw", "method"), [("normal", "normal"), ("heavy", "fourth_moments")])
def test_intervals_cover_in_a_long_simulation(draw: str, method: str, rng: np.random.Generator) -> None:
    hits = coverage(draw, method, 4000, 3000, rng)
    assert (hits / 3000 > 0.925).all()


def test_intervals_are_their_formulas(rng: np.random.Generator) -> None:
    X, weight = rng.normal(size=(90, 3)) * [3.0, 2.0, 1.0], rng.integers(1, 3, 90).astype(float)
    pca = er.PCA().fit(X, sample_weight=weight)
    rows, z = np.repeat(X, weight.astype(int), axis=0), norm.ppf(0.95)
    n = len(rows)
    Z = (rows - rows.mean(axis=0)) @ pca.components_.T
    kurtosis = (Z**4).mean(axis=0) / (Z**2).mean(axis=0) ** 2
    for method, spread in (("normal", np.full(3, 2.0)), ("fourth_moments", kurtosis - 1.0)):
        found = pca.explained_variance_intervals(X, weight, level=0.9, method=method)
        for e, value, s in zip(found, pca.explained_variance_, spread, strict=True):
            assert e.value == pytest.approx(value)
            assert e.low == pytest.approx(value * math.exp(-z * math.sqrt(s / n)))
            assert e.high == pytest.approx(value * math.exp(z * math.sqrt(s / n)))
            assert e.n == n


def test_close_variances_are_named(rng: np.random.Generator) -> None:
    near = er.PCA().fit(rng.normal(size=(100, 3)))
    assert any("neighbouring" in e.reason for e in near.explained_variance_intervals())
    far = er.PCA().fit(rng.normal(size=(100, 2)) * [9.0, 1.0])
    assert all(e.reason == "" for e in far.explained_variance_intervals())


def test_fourth_moments_need_the_rows_of_the_fit(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    pca = er.PCA().fit(X)
    with pytest.raises(ValueError, match="needs X, the rows of the fit"):
        pca.explained_variance_intervals(method="fourth_moments")
    with pytest.raises(ValueError, match="the weights sum to 29 and those of the fit to 30"):
        pca.explained_variance_intervals(X[1:], method="fourth_moments")


def test_the_error_of_new_rows_is_the_distance_from_the_plane(rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(60, 5)) + 3.0, rng.normal(size=(40, 5)) + 3.0
    pca = er.PCA(2).fit(X)
    off = np.square(new - pca.inverse_transform(pca.transform(new))).sum(axis=1)
    error = pca.reconstruction_error(new)
    assert error.value == pytest.approx(off.mean())
    half = 0.5 * (error.high - error.low)
    assert half == pytest.approx(2.0227 * off.std(ddof=1) / math.sqrt(40), rel=1e-4)
    single = pca.reconstruction_error(new[:1])
    assert single.low is None
    assert "no interval" in single.reason


def test_densities_need_variance_across_the_components(rng: np.random.Generator) -> None:
    flat = np.column_stack([rng.normal(size=(20, 2)), np.ones(20)])
    with pytest.raises(ValueError, match="there is no density across them"):
        er.PCA(2).fit(flat).score_samples(flat)
    assert np.isfinite(er.PCA(1).fit(flat).score(flat))


def test_charts_say_what_the_numbers_say(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 4)) * [5.0, 1.0, 1.0, 1.0]
    pca = er.PCA(2).fit(X)
    scree = pca._chart()
    assert scree.scree["values"] == pytest.approx(pca.explained_variance_ratio_.tolist())
    assert scree.title.startswith("No component") or "those of independent columns" in scree.title
    view = pca._chart(X).view
    np.testing.assert_allclose(view["rows"], pca.transform(X))
    assert view["arrows"][0]["name"] in {"x0", "x1", "x2", "x3"}
    with pytest.raises(ValueError, match="needs two components"):
        er.PCA(1).fit(X).plot(X)
    assert er.PCA("broken_stick").fit(X).scree()["name"] == "a broken stick"
