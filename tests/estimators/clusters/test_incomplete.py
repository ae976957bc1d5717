"""Gaussian mixtures of rows with missing cells: closed forms of one part, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as st

import empirisk as er


def test_a_monotone_pattern_has_its_closed_form(rng: np.random.Generator) -> None:
    """Where only the second column has gaps, its regression on the first gives the maximum."""
    X = rng.normal(size=(200, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]]) + np.array([3.0, -2.0])
    gaps = X.copy()
    gaps[120:, 1] = np.nan
    model = er.GaussianMixture(1, covariance="incomplete", tol=1e-8).fit(gaps)
    first, s11 = X[:, 0].mean(), X[:, 0].var()
    known = X[:120]
    c = np.cov(known.T, bias=True)
    slope = c[0, 1] / c[0, 0]
    second = known[:, 1].mean() + slope * (first - known[:, 0].mean())
    s22 = c[1, 1] - slope**2 * c[0, 0] + slope**2 * s11
    np.testing.assert_allclose(model.means_[0], [first, second], atol=1e-6)
    np.testing.assert_allclose(model.covariances_[0], [[s11, slope * s11], [slope * s11, s22]], atol=1e-6)
    value = st.multivariate_normal.logpdf(known, model.means_[0], model.covariances_[0]).sum()
    value += st.norm.logpdf(X[120:, 0], first, np.sqrt(s11)).sum()
    assert model.log_likelihood_ == pytest.approx(value, rel=1e-10)


def test_without_gaps_it_is_the_full_family(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(60, 2)), 6.0 + rng.normal(size=(60, 2))])
    one, other = (er.GaussianMixture(2, covariance=c, tol=1e-7).fit(X) for c in ("incomplete", "full"))
    np.testing.assert_allclose(one.means_, other.means_, atol=1e-7)
    np.testing.assert_allclose(one.score_samples(X), other.score_samples(X), atol=1e-6)
    assert er.verify(one, X, None).within(1e-5)


def test_expected_cells_are_filled_in(rng: np.random.Generator) -> None:
    from empirisk.data import ArrayBlocks, Design

    X = rng.normal(size=(400, 2)) @ np.array([[1.0, 0.9], [0.0, 0.1]])
    gaps = X.copy()
    gaps[:50, 1] = np.nan
    model = er.GaussianMixture(1, covariance="incomplete").fit(gaps)
    family = er.mixtures.Incomplete()
    block = next(iter(ArrayBlocks(Design(gaps), np.zeros(400), np.ones(400))))
    filled = family.completed(model._parts, np.zeros(1), block)
    np.testing.assert_array_equal(filled[50:], X[50:])
    assert np.abs(filled[:50, 1] - X[:50, 1]).max() < 0.5


def test_columns_without_cells_and_infinities_are_refused(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="column 1 of X has no cell that is there"):
        er.GaussianMixture(1, covariance="incomplete").fit(np.where([[False, True]], np.nan, X))
    with pytest.raises(ValueError, match="infinity"):
        er.GaussianMixture(1, covariance="incomplete").fit(np.where(X > 1.0, np.inf, X))
    with pytest.raises(ValueError, match="NaN"):
        er.GaussianMixture(1).fit(np.where(X > 1.0, np.nan, X))
