"""What every distribution owes: a density that sums to 1, moments, draws, derivatives, maximal fits."""

from __future__ import annotations

import math
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, gammaln, ndtri
from scipy.stats import chi2, kstwobign

from empirisk.data import BlockList
from empirisk.distributions import (
    REGISTRY,
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Exponential,
    ExponentialFamily,
    ExponentialMember,
    Gamma,
    Gaussian,
    Geometric,
    Laplace,
    Multinomial,
    MultivariateGaussian,
    NegativeBinomial,
    NormalInverseGamma,
    Poisson,
    StudentT,
    Uniform,
    fit_mle,
)
from empirisk.distributions.rows import read_rows
from empirisk.typing import Array, Interval
from tests.oracles.complete import complete


def two_powers(x: Array) -> Array:
    """The square and the fourth power: a law with two humps."""
    return np.column_stack([x**2, x**4])


def over_factorials(x: Array) -> Array:
    """One over x!, squared: the law of Conway and Maxwell with exponent 2."""
    return np.exp(-2.0 * gammaln(x + 1.0))


HUMPS = ExponentialFamily(None, two_powers, eta=(1.0, -0.3), within=Interval())
CONWAY = ExponentialFamily(over_factorials, eta=(2.0,), within=Interval(0.0, np.inf), lattice=True)
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
    (Categorical([0.5, 0.3, 0.2]), Categorical([0.2, 0.2, 0.6])),
    (Multinomial([0.5, 0.3, 0.2], 6), Multinomial([0.2, 0.2, 0.6], 6)),
    (Dirichlet([2.5, 0.7, 1.4]), Dirichlet([1.0, 2.0, 3.0])),
    (
        MultivariateGaussian([1.0, -0.5], [[1.5, 0.6], [0.6, 0.8]]),
        MultivariateGaussian([0.0, 0.5], [[1.0, -0.3], [-0.3, 2.0]]),
    ),
    (NormalInverseGamma(0.7, 2.0, 6.0, 3.0), NormalInverseGamma(-0.2, 1.0, 5.0, 4.0)),
    (HUMPS, HUMPS.at(np.array([0.5, -0.5]))),
    (CONWAY, CONWAY.at(np.array([1.0]))),
    (StudentT(5.5, 0.5, 2.0), StudentT(12.0, -1.0, 1.2)),
]
NAMES = [f"{law.name}{row}" for row, (law, _) in enumerate(SAMPLES)]
each = pytest.mark.parametrize(("law", "other"), SAMPLES, ids=NAMES)
MEMBERS = [(law, name) for (law, _), name in zip(SAMPLES, NAMES, strict=True)]
MEMBERS = [(law, name) for law, name in MEMBERS if isinstance(law, ExponentialMember)]
exponential = pytest.mark.parametrize("law", [law for law, _ in MEMBERS], ids=[name for _, name in MEMBERS])
CHANCE = 1e-6  # of a false alarm of each random check


def expectation(law: Any, f: Any, kinks: Any = ()) -> Any:
    """``E f(x)`` by a sum over the support, or by quadrature; f may give several numbers for a row."""
    if law.dimension:
        x, width = points(law)
        density = np.exp(law.log_prob(x)) * width
        there = density > 0.0  # shares that round to 1 have none
        return np.tensordot(density[there], f(x[there]), axes=1)
    low, high = law.support.low, law.support.high
    if law.discrete:
        mean, variance = law.moments()
        top = int(min(high, mean + 60.0 * math.sqrt(variance) + 200.0))
        x = np.arange(low, top + 1.0)
        x = x[law.log_prob(x) > -700.0]
        return np.tensordot(np.exp(law.log_prob(x)), f(x), axes=1)
    x, width = nodes(law, kinks)
    with np.errstate(invalid="ignore"):
        density = np.exp(law.log_prob(x)) * width
    there = density > 0.0
    return np.tensordot(density[there], f(x[there]), axes=1)


def points(law: Any) -> tuple[Array, Array]:
    """Points of the support of a law of several numbers, and their weights: all counts, or a grid.

    Grids are of Gauss and Legendre's panels in variables in which the density is smooth.
    """
    if law.discrete:
        grid = np.array(list(product(range(law.n + 1), repeat=law.dimension)), dtype=float)
        grid = grid[grid.sum(axis=1) == law.n]
        return grid, np.ones(len(grid))
    if isinstance(law, Dirichlet):
        s, t, w = panel_grid((-40.0, 30.0, 35), (-40.0, 30.0, 35))
        first, second = expit(s), expit(t)
        x = np.column_stack([first, expit(-s) * second, expit(-s) * expit(-t)])
        return x, w * first * expit(-s) ** 2 * second * expit(-t)
    if isinstance(law, NormalInverseGamma):
        s, z, w = panel_grid((-5.0, 9.0, 30), (-12.0, 12.0, 24))
        v = np.exp(s)
        return np.column_stack([law.mean + np.sqrt(v / law.strength) * z, v]), w * v * np.sqrt(
            v / law.strength
        )
    a, b, w = panel_grid((-12.0, 12.0, 24), (-12.0, 12.0, 24))
    root = np.linalg.cholesky(law.covariance)
    return law.mean + np.column_stack([a, b]) @ root.T, w * np.linalg.det(root)


def panel_grid(*axes: tuple[float, float, int]) -> tuple[Array, ...]:
    """The coordinates of a grid of Gauss and Legendre's panels, one column an axis, and the weights."""
    at, weight = np.polynomial.legendre.leggauss(8)
    nodes_of, weights_of = [], []
    for low, high, panels in axes:
        half = 0.5 * (high - low) / panels
        starts = low + 2.0 * half * np.arange(panels)
        nodes_of.append((starts[:, None] + half * (at + 1.0)).ravel())
        weights_of.append(np.tile(half * weight, panels))
    grid = np.meshgrid(*nodes_of, indexing="ij")
    return (*(g.ravel() for g in grid), np.multiply.outer(*weights_of).ravel())


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


def theta_of(law: Any) -> Array:
    """The numbers that are estimated of a law, in the order of its domains."""
    return np.array([value for value, _ in law.coordinates.values()])


def close(got: Any, wanted: Any, rel: float) -> None:
    """Compare to a share of the largest of the numbers."""
    np.testing.assert_allclose(got, wanted, rtol=rel, atol=rel * np.abs(wanted).max() + 1e-15)


def test_every_registered_distribution_is_tested() -> None:
    complete({law.name for law, _ in SAMPLES}, set(REGISTRY), "a sample", "SAMPLES of test_distributions.py")


@each
def test_the_density_sums_to_one(law: Any, other: Any) -> None:
    assert expectation(law, np.ones_like) == pytest.approx(1.0, abs=1e-8)


@each
def test_moments_and_entropy_are_those_of_the_density(law: Any, other: Any) -> None:
    mean, variance = law.moments()
    close(expectation(law, lambda x: x), mean, 1e-7)
    if law.dimension:
        close(expectation(law, lambda x: (x - mean)[:, :, None] * (x - mean)[:, None, :]), variance, 1e-6)
    else:
        close(expectation(law, lambda x: (x - mean) ** 2), variance, 1e-6)
    assert expectation(law, lambda x: -law.log_prob(x)) == pytest.approx(law.entropy(), rel=1e-6, abs=1e-8)


@each
def test_the_divergence_is_the_expected_difference_of_logarithms(law: Any, other: Any) -> None:
    kink = [other.moments()[0]] if law.located and not law.dimension else []
    wanted = float(expectation(law, lambda x: law.log_prob(x) - other.log_prob(x), kink))
    assert law.kl(other) == pytest.approx(wanted, rel=1e-6)
    assert law.kl(law) == pytest.approx(0.0, abs=1e-14)


@each
def test_nothing_lies_outside_of_the_support(law: Any, other: Any) -> None:
    if law.dimension:
        x = law.sample(2, 0)
        for row in outside_rows(law):
            assert law.log_prob(row)[0] == -np.inf
            with pytest.raises(ValueError, match=r"^x .* in row 1 \(1 such row"):
                law.check(np.array([x[0], row]))
        return
    outside = [v for v in (law.support.low - 1.0, law.support.high + 1.0) if math.isfinite(v)]
    outside += [0.5 * (law.moments()[0] // 1.0) + 0.25] if law.discrete else []
    assert np.all(law.log_prob(np.array(outside)) == -np.inf)
    for value in outside if law.possible == law.support else []:
        with pytest.raises(ValueError, match=r"^x holds .* in row 1 \(1 such row"):
            law.check(np.array([law.sample(1, 0)[0], value]))


def outside_rows(law: Any) -> list[Array]:
    """Rows that a law of several numbers never draws: one number below the support, or a wrong sum."""
    if isinstance(law, MultivariateGaussian):
        return []
    if isinstance(law, NormalInverseGamma):
        return [np.array([0.0, 0.0]), np.array([0.0, -1.0])]
    first = law.sample(1, 0)[0]
    return [first - law.support.high * np.array([1.0, -1.0, 0.0]), first * np.array([0.5, 0.5, 0.5])]


@each
def test_draws_follow_the_distribution_function(law: Any, other: Any) -> None:
    n = 4000
    x = law.sample(n, 3)
    assert x.shape == ((n, law.dimension) if law.dimension else (n,))
    assert np.array_equal(x, law.sample(n, 3))
    law.check(x)
    if law.dimension:
        # Means and mean squares, with the chance of a false alarm by the central limit theorem.
        for f in (lambda x: x, np.square):
            mean = expectation(law, f)
            spread = np.sqrt(expectation(law, lambda x, f=f, m=mean: (f(x) - m) ** 2) / n)
            assert (np.abs(f(x).mean(axis=0) - mean) <= -ndtri(CHANCE) * spread).all()
        return
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
    if law.dimension:
        return
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
    theta = theta_of(law)
    for j, direction in enumerate(law.tangent.T):
        h = 1e-5 * max(abs(theta[j]), 1.0)
        above, below = (law.at(theta + sign * h * direction).log_prob(x) for sign in (1.0, -1.0))
        np.testing.assert_allclose(got @ direction, (above - below) / (2.0 * h), rtol=1e-5, atol=1e-7)


@each
def test_fisher_information_is_the_covariance_of_the_scores(law: Any, other: Any) -> None:
    if not law.regular:
        return
    wanted = expectation(law, lambda x: law.score(x)[:, :, None] * law.score(x)[:, None, :])
    information = law.fisher_information()
    np.testing.assert_allclose(information, wanted, rtol=1e-5, atol=1e-8)
    # On the directions in which the parameters move, the inverse is one.
    np.testing.assert_allclose(
        law.inverse_information() @ information @ law.tangent, law.tangent, rtol=1e-7, atol=1e-9
    )


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
    np.testing.assert_allclose(mean, expectation(law, law.statistics), rtol=1e-7, atol=1e-9)
    outer = expectation(
        law, lambda x: (law.statistics(x) - mean)[:, :, None] * (law.statistics(x) - mean)[:, None, :]
    )
    np.testing.assert_allclose(covariance, outer, rtol=1e-6, atol=1e-8)
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


def admissible(law: Any, theta: Array) -> bool:
    """Whether a covariance among the numbers is one."""
    try:
        law.at(theta)
    except ValueError:
        return False
    return True


@each
@pytest.mark.parametrize("weighted", [False, True])
def test_the_fit_is_a_maximum_and_weights_repeat_rows(law: Any, other: Any, weighted: bool) -> None:
    x = law.sample(300, 5)
    weight = np.random.default_rng(1).integers(0, 3, 300).astype(float) if weighted else np.ones(300)
    found = other.maximise(
        read_rows(other, BlockList.cut(x.reshape(300, -1), np.zeros(300), weight, rows=77))
    )
    best = found.distribution
    assert found.certificate.value <= 1e-9
    theta = theta_of(best)
    domains = [domain for _, domain in best.coordinates.values()]
    at = likelihood(best, x, weight)
    # A step of every size and sign in every parameter, and a few along both: no likelihood is larger.
    rng = np.random.default_rng(2)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(20):
            nudge = size * (best.tangent @ (rng.normal(size=len(theta)) * (np.abs(theta) + 0.1)))
            inside = all(d.contains(np.asarray(v)) for d, v in zip(domains, theta + nudge, strict=True))
            if inside and admissible(best, theta + nudge):
                assert likelihood(best.at(theta + nudge), x, weight) <= at + 1e-12
    copies = np.repeat(x, weight.astype(int), axis=0)
    again = other.maximise(read_rows(other, copies)).distribution
    close(theta_of(again), theta, 1e-9)


@each
def test_moments_give_the_law_back(law: Any, other: Any) -> None:
    if law.orders != (2,) or isinstance(law, Categorical):
        return  # the fourth moment is needed, or phi, or the rows are codes: tests/distributions
    close(theta_of(other.matched(*law.moments())), theta_of(law), 1e-9)


@each
def test_shifted_laws_are_laws_of_shifted_rows(law: Any, other: Any) -> None:
    if law.located:
        x = law.sample(5, 1)
        assert law.shifted(2.5).coordinates.keys() == law.coordinates.keys()
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
    assert np.array_equal(theta_of(law.at(theta_of(law))), theta_of(law))
    for name in set(law.parameters) - set(law.structure):
        bad = np.full_like(np.asarray(law.parameters[name]), math.nan)[()]
        with pytest.raises(ValueError, match=rf"^{name} of the .* distribution must be "):
            law.with_parameters(**{name: bad})


@each
def test_scipy_has_the_same_law(law: Any, other: Any) -> None:
    x = law.sample(20, 4)
    if isinstance(law, Categorical | NormalInverseGamma | ExponentialFamily):
        return  # SciPy has none of them as a frozen law
    frozen = law.frozen()
    log = frozen.logpmf if law.discrete else frozen.logpdf
    np.testing.assert_allclose(log(x.T if isinstance(law, Dirichlet) else x), law.log_prob(x), rtol=1e-9)
    close(frozen.entropy(), law.entropy(), 1e-6)
    if not law.dimension:
        np.testing.assert_allclose(frozen.cdf(x), law.cdf(x), rtol=1e-9)


@each
def test_quantiles_are_where_the_distribution_function_gets_there(law: Any, other: Any) -> None:
    if law.dimension:
        return
    u = np.array([0.001, 0.2, 0.5, 0.77, 0.999])
    x = law.quantile(u)
    if law.discrete:
        assert (law.cdf(x) >= u - 1e-12).all()
        assert (law.cdf(x - 1.0) < u).all()
    else:
        np.testing.assert_allclose(law.cdf(x), u, rtol=1e-8)
