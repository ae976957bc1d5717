"""Mixtures of zeros and ones, counts and shares: closed forms, SciPy's densities, domains, recovery."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as st

import empirisk as er


def test_one_component_is_the_mean(rng: np.random.Generator) -> None:
    X = rng.poisson(3.0, (40, 3)).astype(float)
    model = er.Mixture(1, family="poisson").fit(X)
    np.testing.assert_allclose(model.rates_[0], X.mean(axis=0), rtol=1e-14)
    assert model.log_likelihood_ == pytest.approx(st.poisson.logpmf(X, X.mean(axis=0)).sum(), rel=1e-12)


def test_densities_of_scipy(rng: np.random.Generator) -> None:
    lots = rng.multinomial(9, [0.5, 0.3, 0.2], 60).astype(float)
    model = er.Mixture(2, family="multinomial", n_init=2).fit(lots)
    parts = [
        w * st.multinomial.pmf(lots, 9, q / q.sum())
        for w, q in zip(model.weights_, model.shares_, strict=True)
    ]
    np.testing.assert_allclose(np.exp(model.score_samples(lots)), np.sum(parts, axis=0), rtol=1e-10)
    yes = (rng.random((50, 4)) < 0.4).astype(float)
    model = er.Mixture(2, family="bernoulli", n_init=2).fit(yes)
    each = [st.bernoulli.pmf(yes, p).prod(axis=1) for p in model.probabilities_]
    np.testing.assert_allclose(np.exp(model.score_samples(yes)), model.weights_ @ np.array(each), rtol=1e-9)


def test_latent_classes_are_recovered(rng: np.random.Generator) -> None:
    """Two classes of answers to eight questions, whose chances are known."""
    p = np.array([np.full(8, 0.85), np.full(8, 0.2)])
    kind = (rng.random(2000) < 0.4).astype(int)
    X = (rng.random((2000, 8)) < p[kind]).astype(int)
    model = er.Mixture([1, 2, 3], family="bernoulli", n_init=1, tol=1e-2).fit(X)
    assert model.n_components_ == 2
    order = np.argsort(-model.probabilities_.mean(axis=1))
    np.testing.assert_allclose(model.probabilities_[order], p, atol=0.05)
    np.testing.assert_allclose(model.weights_[order], [(kind == 0).mean(), (kind == 1).mean()], atol=0.03)


def test_impossible_cells_are_a_border_and_no_fault() -> None:
    """A column that is always 1 in one part has the chance 1 there, and a finite likelihood."""
    X = np.array([[1, 1], [1, 1], [1, 0], [0, 0], [0, 0], [0, 1]] * 5)
    model = er.Mixture(2, tol=1e-4).fit(X)
    assert np.isfinite(model.log_likelihood_)
    assert np.isfinite(model.score_samples([[0, 0], [1, 1]])).all()


@pytest.mark.parametrize(
    ("family", "X", "words"),
    [
        ("bernoulli", [[0, 1], [0, 2]], "X holds 2 in column 1, row 1: a Bernoulli mixture takes 0 and 1"),
        ("poisson", [[0, 1], [-1, 2]], "X holds -1 in column 0, row 1: a Poisson mixture takes counts"),
        (
            "multinomial",
            [[0.5, 1], [1, 2]],
            "X holds 0.5 in column 0, row 0: a multinomial mixture takes counts",
        ),
    ],
)
def test_cells_outside_the_domain_are_refused(family: str, X: list[list[float]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.Mixture(1, family=family).fit(np.array(X))


def test_gaussian_families_have_means_and_covariances(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(0.0, 1.0, (80, 2)), rng.normal(9.0, 2.0, (80, 2))])
    one, other = er.Mixture(2, family="tied").fit(X), er.GaussianMixture(2, covariance="EEE").fit(X)
    np.testing.assert_array_equal(one.covariances_, other.covariances_)
    with pytest.raises(ValueError, match=r"covariance must be 'diagonal', .*; got 'poisson'"):
        er.GaussianMixture(2, covariance="poisson").fit(X)
    with pytest.raises(ValueError, match=r"; got 'diag'; did you mean 'diagonal'\?"):
        er.GaussianMixture(2, covariance="diag").fit(X)
    with pytest.raises(ValueError, match="covariance must name a family of Gaussians"):
        er.GaussianMixture(2, covariance=er.mixtures.Poisson()).fit(X)
