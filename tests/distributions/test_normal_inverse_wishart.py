"""The conjugate prior of a Gaussian vector: its density, its posterior, its ends and its predictive law."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from empirisk.data import BlockList
from empirisk.distributions import (
    Gaussian,
    MultivariateGaussian,
    NormalInverseGamma,
    NormalInverseWishart,
    fit_map,
    fit_mle,
    kl,
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


OTHER = NormalInverseWishart([0.0, -0.5], 1.0, 5.0, [[2.0, -0.5], [-0.5, 1.0]])
FEW = NormalInverseWishart([1.0, 0.0, 2.0], 0.7, 6.0, [[1.0, 0.3, 0.0], [0.3, 2.0, 0.1], [0.0, 0.1, 0.5]])


@pytest.mark.full  # densities of 1500 draws, one at a time
@pytest.mark.parametrize(
    ("p", "q"), [(PRIOR, OTHER), (OTHER, PRIOR), (WIDE, FEW)], ids=["to", "from", "three"]
)
def test_the_divergence_is_the_mean_over_draws(p: NormalInverseWishart, q: NormalInverseWishart) -> None:
    found = kl(p, q)
    assert found.low == found.high == found.value
    gaps = [p.log_prob(m, C) - q.log_prob(m, C) for m, C in zip(*p.sample(1500, 1), strict=True)]
    assert abs(np.mean(gaps) - found.value) < 5.0 * np.std(gaps) / math.sqrt(len(gaps))


def test_the_divergence_of_one_column_is_that_of_the_normal_inverse_gamma_law() -> None:
    one, two = NormalInverseWishart([0.7], 2.0, 12.0, [[6.0]]), NormalInverseWishart([0.1], 0.5, 9.0, [[8.0]])
    known = kl(NormalInverseGamma(0.7, 2.0, 6.0, 3.0), NormalInverseGamma(0.1, 0.5, 4.5, 4.0))
    assert kl(one, two).value == pytest.approx(known.value, rel=1e-11)


def test_neighbours_keep_the_digits_of_their_divergence() -> None:
    assert abs(kl(PRIOR, PRIOR).value) < 1e-25
    # One half of the squared step in units of its deviation, of which n k P^-1 is the information.
    moved = NormalInverseWishart([0.5 + 1e-9, -1.0], 2.0, 7.5, [[3.0, 1.0], [1.0, 2.0]])
    assert kl(PRIOR, moved).value == pytest.approx(0.5 * 2.0 * 7.5 * 0.4 * 1e-18, rel=1e-6)


def test_other_laws_have_no_divergence_from_it() -> None:
    for other in (NormalInverseWishart([0.0]), MultivariateGaussian([0.0, 0.0]), Gaussian()):
        for p, q in ((PRIOR, other), (other, PRIOR)):
            with pytest.raises(
                ValueError, match=r"are a mean and a matrix, and no rows: compare it with such a law"
            ):
                kl(p, q)


@pytest.mark.parametrize("freedom", [1.01, 1.001])
def test_draws_beyond_floats_are_refused_in_words(freedom: float) -> None:
    with pytest.raises(
        ValueError, match=rf"^with freedom = {freedom} some draws .* it hardly exceeds d - 1 = 1"
    ):
        NormalInverseWishart([0.0, 0.0], 1.0, freedom).sample(2000, 0)


def test_what_is_no_mean_or_no_covariance_is_refused_or_has_no_density() -> None:
    law = NormalInverseWishart([0.0, 0.0])
    unit = np.eye(2)
    for m, C in (([0.0, math.nan], unit), ([0.0, math.inf], [[math.nan, 0.0], [0.0, 1.0]])):
        assert math.isnan(law.log_prob(m, C))
    for m, C in (
        ([0.0, math.inf], unit),
        ([0.0, 0.0], [[math.inf, 0.0], [0.0, 1.0]]),
        ([1.0, 0.0], 1e-320 * unit),
    ):
        assert law.log_prob(m, C) == -math.inf
    for m, C, name in (
        ([0, 0, 0], np.eye(3), "mean"),
        ([0], unit, "mean"),
        ("a", unit, "mean"),
        ([0, 1j], unit, "mean"),
        ([0, 0], np.eye(3), "covariance"),
        ([0, 0], [[1.0, 0.0], [0.0]], "covariance"),
    ):
        with pytest.raises(ValueError, match=rf"^{name} must be real numbers of shape \(2,"):
            law.log_prob(m, C)
    with pytest.raises(
        ValueError, match=r"^covariance must be symmetric: it holds 0.5 in row 0, column 1 and -0.5"
    ):
        law.log_prob([0, 0], [[1, 0.5], [-0.5, 1]])
    assert law.log_prob([0, 0], [[1, 0.5], [0.5 + 1e-15, 1]]) == pytest.approx(
        law.log_prob([0, 0], [[1, 0.5], [0.5, 1]]), rel=1e-12
    )
    for scale in ("a", [[1.0, 0.0], [0.0]], unit * 1j, [[1.0, math.nan], [math.nan, 1.0]]):
        with pytest.raises(
            ValueError, match="scale of the normal_inverse_wishart distribution must be a symmetric"
        ):
            NormalInverseWishart([0.0, 0.0], 1.0, 5.0, scale)


ENDS = [(0.0, 7.5, 0.95), (0.9, 7.5, 0.95), (-0.999, 7.5, 0.9), (0.5, 1.2, 0.999), (0.3, 200.0, 1.0 - 1e-10)]


@pytest.mark.parametrize(("r", "freedom", "level"), ENDS)
def test_the_ends_of_a_covariance_are_those_of_quadrature(r: float, freedom: float, level: float) -> None:
    """The integral is here over the slope B, whose law is Student's, by SciPy's adaptive rule."""
    law = NormalInverseWishart([0.0, 0.0], 1.0, freedom, [[1.0, 2.0 * r], [2.0 * r, 4.0]])
    v = freedom - 1.0
    slope, width = 2.0 * r, math.sqrt((4.0 - 4.0 * r * r) / (v + 1.0))
    for c, sign in zip(law.credible(level)[3], (1.0, -1.0), strict=True):
        c, at = sign * c, sign * slope

        def chance(t: float, c: float = c, at: float = at) -> float:
            """The density of B at a point, times the chance that C_ii is so large that C_ii B <= c."""
            b = at + width * t
            if c < 0.0:
                inner = stats.chi2.cdf(b / c, v) if b < 0.0 else 0.0
            else:
                inner = stats.chi2.sf(b / c, v) if b > 0.0 else 1.0
            return float(stats.t.pdf(t, v + 1.0) * inner)

        zero = -at / width
        cuts = sorted({-np.inf, zero, np.inf, *(zero + s * 10.0**k for s in (-1, 1) for k in range(-3, 4))})
        whole = sum(
            integrate.quad(chance, low, high, epsabs=0.0, epsrel=1e-9, limit=200)[0]
            for low, high in itertools.pairwise(cuts)
        )
        assert whole == pytest.approx(0.5 * (1.0 - level), rel=1e-6)
