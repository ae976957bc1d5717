"""What every distribution owes: a density that sums to 1, moments, draws, derivatives, maximal fits."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import chi2, kstwobign

from empirisk.data import BlockList
from empirisk.distributions import (
    REGISTRY,
    Bernoulli,
    Beta,
    Binomial,
    Exponential,
    ExponentialMember,
    Gamma,
    Gaussian,
    Geometric,
    Laplace,
    NegativeBinomial,
    Poisson,
    Uniform,
    fit_mle,
)
from empirisk.distributions.rows import read_rows
from empirisk.typing import Array
from tests.oracles.complete import complete

# Members with numbers, and another of the same family to compare with.
SAMPLES: list[tuple[Any, Any]] = [
    (Bernoulli(0.3), Bernoulli(0.6)),
    (Gamma(2.5, 0.7), Gamma(1.2, 2.0)),
    (Gamma(0.4, 3.0), Gamma(0.5, 1.0)),
    (Gaussian(1.5, 0.49), Gaussian(-0.5, 2.0)),
    (Beta(2.5, 0.7), Beta(1.2, 2.0)),
    (Binomial(7, 0.3), Binomial(7, 0.8)),
    (NegativeBinomial(3.0, 0.4), NegativeBinomial(1.5, 1.3)),
    (Exponential(0.7), Exponential(2.0)),
    (Geometric(0.2), Geometric(0.6)),
    (Laplace(0.5, 2.0), Laplace(-1.0, 0.7)),
    (Poisson(3.7), Poisson(2.0)),
    (Uniform(-1.0, 2.5), Uniform(-2.0, 3.0)),
]
each = pytest.mark.parametrize(("law", "other"), SAMPLES, ids=lambda v: repr(v))
exponential = pytest.mark.parametrize(
    "law", [law for law, _ in SAMPLES if isinstance(law, ExponentialMember)], ids=repr
)
CHANCE = 1e-6  # of a false alarm of each random check


def expectation(law: Any, f: Any, kinks: Any = ()) -> float:
    """``E f(x)`` by a sum over the support, or by quadrature."""
    low, high = law.support.low, law.support.high
    if law.discrete:
        mean, variance = law.moments()
        top = int(min(high, mean + 60.0 * math.sqrt(variance) + 200.0))
        x = np.arange(low, top + 1.0)
        return float((np.exp(law.log_prob(x)) * f(x)).sum())
    x, width = nodes(law, kinks)
    with np.errstate(invalid="ignore"):
        density = np.exp(law.log_prob(x))
        terms = np.where(density > 0.0, density * f(x) * width, 0.0)
    return float(terms.sum())


def nodes(law: Any, kinks: Any = ()) -> tuple[Array, Array]:
    """Points of the support and their weights: Gauss and Legendre's panels after a change of variable.

    Finite ends are approached at a geometric pace, so that poles of the density there are no trouble; the
    mean is the border of two panels, for densities with a kink.
    """
    low, high = law.support.low, law.support.high
    mean, variance = law.moments()
    scale = math.sqrt(variance) if math.isfinite(variance) else 1.0
    at, weight = np.polynomial.legendre.leggauss(24)
    cuts = np.unique([*np.arange(-120.0, 120.5, 0.5), *(np.arcsinh((k - mean) / scale) for k in kinks)])
    half = 0.5 * np.diff(cuts)
    t = (cuts[:-1, None] + half[:, None] * (at + 1.0)).ravel()
    dt = (half[:, None] * weight).ravel()
    if math.isfinite(low) and math.isfinite(high):
        return low + (high - low) * expit(t), (high - low) * expit(t) * expit(-t) * dt
    if math.isfinite(low):
        return low + np.exp(t), np.exp(t) * dt
    return mean + scale * np.sinh(t), scale * np.cosh(t) * dt


def inner_parameters(law: Any) -> dict[str, float]:
    """The parameters that are estimated."""
    return {name: law.parameters[name] for name in law.domains}


def test_every_registered_distribution_is_tested() -> None:
    complete({law.name for law, _ in SAMPLES}, set(REGISTRY), "a sample", "SAMPLES of test_distributions.py")


@each
def test_the_density_sums_to_one(law: Any, other: Any) -> None:
    assert expectation(law, np.ones_like) == pytest.approx(1.0, abs=1e-8)


@each
def test_moments_and_entropy_are_those_of_the_density(law: Any, other: Any) -> None:
    mean, variance = law.moments()
    assert expectation(law, lambda x: x) == pytest.approx(mean, rel=1e-7)
    assert expectation(law, lambda x: (x - mean) ** 2) == pytest.approx(variance, rel=1e-6)
    assert expectation(law, lambda x: -law.log_prob(x)) == pytest.approx(law.entropy(), rel=1e-6, abs=1e-8)


@each
def test_the_divergence_is_the_expected_difference_of_logarithms(law: Any, other: Any) -> None:
    kink = [other.moments()[0]] if law.located else []
    wanted = expectation(law, lambda x: law.log_prob(x) - other.log_prob(x), kink)
    assert law.kl(other) == pytest.approx(wanted, rel=1e-6)
    assert law.kl(law) == pytest.approx(0.0, abs=1e-14)


@each
def test_nothing_lies_outside_of_the_support(law: Any, other: Any) -> None:
    outside = [v for v in (law.support.low - 1.0, law.support.high + 1.0) if math.isfinite(v)]
    outside += [0.5 * (law.moments()[0] // 1.0) + 0.25] if law.discrete else []
    assert np.all(law.log_prob(np.array(outside)) == -np.inf)
    for value in outside if law.possible == law.support else []:
        with pytest.raises(ValueError, match=r"^x holds .* in row 1 \(1 such row"):
            law.check(np.array([law.sample(1, 0)[0], value]))


@each
def test_draws_follow_the_distribution_function(law: Any, other: Any) -> None:
    n = 4000
    x = law.sample(n, 3)
    assert x.shape == (n,)
    assert np.array_equal(x, law.sample(n, 3))
    law.check(x)
    if law.discrete:
        values, counts = np.unique(x, return_counts=True)
        chance = np.exp(law.log_prob(values))
        often = n * chance >= 5.0
        rest = n * (1.0 - chance[often].sum())
        left = n - counts[often].sum()
        statistic = ((counts[often] - n * chance[often]) ** 2 / (n * chance[often])).sum()
        statistic += (left - rest) ** 2 / rest if rest > 1.0 else 0.0
        assert statistic <= chi2.isf(CHANCE, max(1, int(often.sum()) - (rest <= 1.0)))
    else:
        u = law.cdf(np.sort(x))
        steps = np.arange(n + 1) / n
        distance = max((steps[1:] - u).max(), (u - steps[:-1]).max())
        assert distance * math.sqrt(n) <= kstwobign.isf(CHANCE)


@each
def test_the_distribution_function_is_the_sum_of_the_density(law: Any, other: Any) -> None:
    mean, variance = law.moments()
    at = math.floor(mean) if law.discrete else mean + 0.3 * math.sqrt(variance)
    if law.discrete:
        wanted = expectation(law, lambda x: (x <= at).astype(float))
    else:
        low = max(law.support.low, mean - 40.0 * math.sqrt(variance))
        points = [c for c in (mean - math.sqrt(variance), mean) if low < c < at]
        wanted = quad(
            lambda t: math.exp(float(law.log_prob(t)[0])), low, at, points=points or None, limit=400
        )[0]
    assert float(law.cdf(at)[0]) == pytest.approx(wanted, rel=1e-6)


@each
def test_scores_are_derivatives(law: Any, other: Any) -> None:
    if not law.regular:
        return
    x = law.sample(6, 1)
    got = law.score(x)
    for j, (name, value) in enumerate(inner_parameters(law).items()):
        h = 1e-5 * max(abs(value), 1.0)
        above, below = (law.with_parameters(**{name: value + s * h}).log_prob(x) for s in (1.0, -1.0))
        np.testing.assert_allclose(got[:, j], (above - below) / (2.0 * h), rtol=1e-5, atol=1e-7)


@each
def test_fisher_information_is_the_covariance_of_the_scores(law: Any, other: Any) -> None:
    if not law.regular:
        return
    k = len(law.domains)
    wanted = [
        [expectation(law, lambda x, i=i, j=j: law.score(x)[:, i] * law.score(x)[:, j]) for j in range(k)]
        for i in range(k)
    ]
    np.testing.assert_allclose(law.fisher_information(), wanted, rtol=1e-5, atol=1e-8)


@exponential
def test_the_log_partition_gives_the_moments_of_the_statistics(law: Any) -> None:
    eta = law.natural
    assert repr(law.from_natural(eta).with_parameters()) != ""
    np.testing.assert_allclose(law.from_natural(eta).natural, eta, rtol=1e-12)
    x = law.sample(5, 2)
    direct = law.log_base(x) + law.statistics(x) @ eta - law.log_partition(eta)
    np.testing.assert_allclose(law.log_prob(x), direct, rtol=1e-10, atol=1e-12)
    k = len(eta)
    mean, covariance = law.mean_statistics(eta), law.covariance_statistics(eta)
    for i in range(k):
        wanted = expectation(law, lambda x, i=i: law.statistics(x)[:, i])
        assert mean[i] == pytest.approx(wanted, rel=1e-7, abs=1e-9)
        for j in range(k):
            wanted = expectation(
                law,
                lambda x, i=i, j=j: (law.statistics(x)[:, i] - mean[i]) * (law.statistics(x)[:, j] - mean[j]),
            )
            assert covariance[i, j] == pytest.approx(wanted, rel=1e-6, abs=1e-8)
    for i in range(k):
        h = 1e-6 * max(1.0, abs(eta[i]))
        step = np.eye(k)[i] * h
        slope = (law.log_partition(eta + step) - law.log_partition(eta - step)) / (2.0 * h)
        assert mean[i] == pytest.approx(slope, rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(law.link(mean), eta, rtol=1e-9, atol=1e-12)


def likelihood(law: Any, x: Array, weight: Array) -> float:
    """The weighted mean of the log-likelihood."""
    present = weight > 0.0
    return float((weight[present] * law.log_prob(x[present])).sum() / weight.sum())


@each
@pytest.mark.parametrize("weighted", [False, True])
def test_the_fit_is_a_maximum_and_weights_repeat_rows(law: Any, other: Any, weighted: bool) -> None:
    x = law.sample(300, 5)
    weight = np.random.default_rng(1).integers(0, 3, 300).astype(float) if weighted else np.ones(300)
    found = other.maximise(read_rows(other, BlockList.cut(x[:, None], np.zeros(300), weight, rows=77)))
    best = found.distribution
    assert found.certificate.value <= 1e-9
    at = likelihood(best, x, weight)
    # A step of every size and sign in every parameter, and a few along both: no likelihood is larger.
    rng = np.random.default_rng(2)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(20):
            nudge = rng.normal(size=len(law.domains))
            moved = {}
            for (name, domain), d in zip(law.domains.items(), nudge, strict=True):
                value = best.parameters[name]
                new = value + size * d * (abs(value) + 0.1)
                moved[name] = new if domain.contains(np.asarray(new)) else value
            assert likelihood(best.with_parameters(**moved), x, weight) <= at + 1e-12
    copies = np.repeat(x, weight.astype(int))
    again = other.maximise(read_rows(other, copies)).distribution
    for name in law.domains:
        assert again.parameters[name] == pytest.approx(best.parameters[name], rel=1e-9)


@each
def test_moments_give_the_law_back(law: Any, other: Any) -> None:
    back = other.matched(*law.moments())
    for name in law.domains:
        assert back.parameters[name] == pytest.approx(law.parameters[name], rel=1e-9)


@each
def test_shifted_laws_are_laws_of_shifted_rows(law: Any, other: Any) -> None:
    if law.located:
        x = law.sample(5, 1)
        np.testing.assert_allclose(law.shifted(2.5).log_prob(x + 2.5), law.log_prob(x), rtol=1e-10)
        # Far from 0 nothing may cancel: the mean is stored there to 2^-33, and so nearly are errors and fits.
        far = 2.0**20
        x = np.round(law.sample(200, 1) * 1024.0) / 1024.0
        for covariance in ("model", "robust"):
            near, there = (fit_mle(type(law), v, covariance=covariance) for v in (x, x + far))
            np.testing.assert_allclose(there.covariance, near.covariance, rtol=1e-6, atol=1e-12)
        assert there.log_likelihood == pytest.approx(near.log_likelihood, rel=1e-6)


@each
def test_laws_are_values(law: Any, other: Any) -> None:
    assert pickle.loads(pickle.dumps(law)) == law != other
    assert hash(law) == hash(law.with_parameters())
    assert law.name in str(REGISTRY)
    for name in law.domains:
        with pytest.raises(
            ValueError, match=rf"^{name} of the .* distribution must be a number in .*, got nan"
        ):
            law.with_parameters(**{name: math.nan})
