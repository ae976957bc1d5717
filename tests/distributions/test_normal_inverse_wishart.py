"""The conjugate prior of a Gaussian vector: its density, its posterior, its ends and its predictive law."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from empirisk.data import BlockList
from empirisk.distributions import (
    Gaussian,
    MultivariateGaussian,
    NormalInverseGamma,
    NormalInverseWishart,
    fit_map,
    fit_mle,
)

PRIOR = NormalInverseWishart([0.5, -1.0], 2.0, 7.5, [[3.0, 1.0], [1.0, 2.0]])
WIDE = NormalInverseWishart([0.0, 1.0, 2.0], 1.5, 9.0, [[3.0, 1.0, 0.2], [1.0, 2.0, -0.5], [0.2, -0.5, 1.0]])


def upper(C: np.ndarray) -> np.ndarray:
    """The entries on and above the diagonal."""
    return np.asarray(C[..., *np.triu_indices(C.shape[-1])])


@pytest.mark.parametrize("law", [PRIOR, WIDE], ids=["two", "three"])
def test_the_density_is_that_of_its_two_parts(law: NormalInverseWishart) -> None:
    for m, C in zip(*law.sample(5, 1), strict=True):
        wanted = stats.invwishart(law.freedom, law.scale).logpdf(C)
        wanted += stats.multivariate_normal(law.mean, C / law.strength).logpdf(m)
        assert law.log_prob(m, C) == pytest.approx(wanted, rel=1e-10)
    assert law.log_prob(law.mean, -np.eye(law.dimension)) == -math.inf


def test_one_column_is_the_normal_inverse_gamma_law() -> None:
    law, known = NormalInverseWishart([0.7], 2.0, 12.0, [[6.0]]), NormalInverseGamma(0.7, 2.0, 6.0, 3.0)
    assert law.log_prob([0.2], [[0.9]]) == pytest.approx(known.log_prob([[0.2, 0.9]])[0], rel=1e-12)
    np.testing.assert_allclose(law.mode(), known.mode(), rtol=1e-14)
    np.testing.assert_allclose(law.moments()[1], known.moments()[1], rtol=1e-12)
    np.testing.assert_allclose(law.credible(0.9), known.credible(0.9), rtol=1e-10)
    x = np.random.default_rng(2).normal(size=30) * 2.0 + 1.0
    one, two = fit_map(MultivariateGaussian, x[:, None], law), fit_map(Gaussian, x, known)
    np.testing.assert_allclose(
        [e.value for e in one.estimates.values()], [e.value for e in two.estimates.values()], rtol=1e-10
    )


@pytest.mark.parametrize("law", [PRIOR, WIDE], ids=["two", "three"])
def test_draws_have_the_moments_and_the_ends(law: NormalInverseWishart) -> None:
    means, covariances = law.sample(100_000, 3)
    rows = np.column_stack([means, upper(covariances)])
    mean, spread = law.moments()
    sd = np.sqrt(np.diag(spread))
    assert np.all(np.abs(rows.mean(axis=0) - mean) < 5.0 * sd / math.sqrt(1e5))
    # Fourth moments are infinite or nearly so: covariances within a tenth.
    found = np.cov(rows.T) / np.outer(sd, sd)
    np.testing.assert_allclose(found, spread / np.outer(sd, sd), atol=0.12)
    ends = law.credible(0.9)
    below, above = (rows < ends[:, 0]).mean(axis=0), (rows > ends[:, 1]).mean(axis=0)
    np.testing.assert_allclose([below, above], 0.05, atol=5.0 * math.sqrt(0.05 * 0.95 / 1e5))


def test_the_posterior_is_prior_times_likelihood() -> None:
    rng = np.random.default_rng(0)
    x = 1e5 + rng.normal(size=(12, 2)) @ [[1.0, 0.4], [0.0, 0.7]]
    weight = np.array([1.0, 2.0, 0.0] * 4)
    prior = NormalInverseWishart([1e5, 1e5], 2.0, 7.5, [[3.0, 1.0], [1.0, 2.0]])
    fit = fit_map("multivariate_gaussian", x, prior, sample_weight=weight)
    gaps = []
    for m, C in zip(*prior.sample(6, 1), strict=True):
        C = 0.5 * (C + C.T)
        like = weight @ MultivariateGaussian(m, C).log_prob(x)
        gaps.append(fit.posterior.log_prob(m, C) - prior.log_prob(m, C) - like)
    np.testing.assert_allclose(gaps, gaps[0], rtol=1e-7)
    best = np.array([e.value for e in fit.estimates.values()])

    def at(theta: np.ndarray) -> float:
        law = fit.distribution.at(theta)
        return float(fit.posterior.log_prob(law.mean, law.covariance))

    for j in range(5):
        step = 1e-3 * np.eye(5)[j]
        assert max(at(best + step), at(best - step)) < at(best)
    blocks = fit_map("multivariate_gaussian", BlockList.cut(x, np.zeros(12), weight, rows=5), prior)
    np.testing.assert_allclose([e.value for e in blocks.estimates.values()], best, rtol=1e-12)


def test_fewer_rows_than_columns_have_a_posterior() -> None:
    x = np.random.default_rng(1).normal(size=(2, 4))
    with pytest.raises(ValueError, match="not positive definite"):
        fit_mle("multivariate_gaussian", x)
    fit = fit_map("multivariate_gaussian", x, NormalInverseWishart(np.zeros(4)))
    assert np.linalg.eigvalsh(fit.distribution.covariance)[0] > 0.0


def test_the_predictive_law_is_the_mean_of_the_law_over_draws() -> None:
    m, C = PRIOR.sample(20_000, 5)
    x = np.array([1.0, 0.5])
    gap, inverse = x - m, np.linalg.inv(C)
    far = np.einsum("si,sij,sj->s", gap, inverse, gap)
    density = np.exp(-0.5 * far) / (2.0 * math.pi * np.sqrt(np.linalg.det(C)))
    wanted = math.exp(float(PRIOR.predictive().logpdf(x)))
    assert abs(density.mean() - wanted) < 5.0 * density.std() / math.sqrt(20_000)


def test_what_is_no_prior_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="freedom of the normal_inverse_wishart distribution must be"):
        NormalInverseWishart([0.0, 0.0], 1.0, 1.0)
    with pytest.raises(
        ValueError, match="scale of the normal_inverse_wishart distribution must be a symmetric"
    ):
        NormalInverseWishart([0.0, 0.0], 1.0, 5.0, [[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="prior is about 2 numbers and the rows of x have 3"):
        fit_map("multivariate_gaussian", np.eye(3), PRIOR)
    with pytest.raises(ValueError, match=r"must be er\.distributions\.NormalInverseWishart"):
        fit_map("multivariate_gaussian", np.eye(3), NormalInverseGamma())
