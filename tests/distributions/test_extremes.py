"""Densities, entropies, divergences and distribution functions at extreme parameters, against mpmath.

The right values are the textbook formulas in 150 digits, at the numbers that the floats are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from empirisk.distributions import (
    REGISTRY,
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Laplace,
    Multinomial,
    MultivariateGaussian,
    NegativeBinomial,
    Poisson,
    StudentT,
    Uniform,
)
from empirisk.distributions.lattice import counts_near
from tests.oracles.complete import complete

DIGITS = 150


def binomial(n: Any, k: Any) -> Any:
    """The logarithm of n over k."""
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def student(law: Any, x: Any) -> Any:
    """The logarithm of Student's density at a row."""
    f, m, s = map(mp.mpf, (law.df, law.location, law.scale))
    norm = mp.loggamma((f + 1) / 2) - mp.loggamma(f / 2) - mp.log(mp.pi * f) / 2 - mp.log(s)
    return norm - (f + 1) / 2 * mp.log(1 + ((x - m) / s) ** 2 / f)


def negative_binomial(law: Any, x: Any) -> Any:
    """The logarithm of a chance, with the size that the float of the dispersion gives."""
    a, m = mp.mpf(law.dispersion), mp.mpf(law.mean)
    shared = mp.loggamma(x + 1 / a) - mp.loggamma(x + 1) - mp.loggamma(1 / a)
    return shared + x * mp.log(a * m / (1 + a * m)) - mp.log(1 + a * m) / a


# log p(x) of one row, by its textbook formula.
LOG_PROB: dict[str, Callable[[Any, Any], Any]] = {
    "bernoulli": lambda p, x: mp.log(p.p if x else 1 - mp.mpf(p.p)),
    "beta": lambda p, x: (
        (mp.mpf(p.a) - 1) * mp.log(x)
        + (mp.mpf(p.b) - 1) * mp.log(1 - x)
        + mp.loggamma(mp.mpf(p.a) + p.b)
        - mp.loggamma(p.a)
        - mp.loggamma(p.b)
    ),
    "binomial": lambda p, x: binomial(mp.mpf(p.n), x) + x * mp.log(p.p) + (p.n - x) * mp.log(1 - mp.mpf(p.p)),
    "exponential": lambda p, x: mp.log(p.rate) - p.rate * x,
    "gamma": lambda p, x: (
        p.shape * mp.log(p.rate) + (mp.mpf(p.shape) - 1) * mp.log(x) - p.rate * x - mp.loggamma(p.shape)
    ),
    "gaussian": lambda p, x: (
        -((x - mp.mpf(p.mean)) ** 2) / (2 * mp.mpf(p.variance)) - mp.log(2 * mp.pi * p.variance) / 2
    ),
    "geometric": lambda p, x: (x - 1) * mp.log(1 - mp.mpf(p.p)) + mp.log(p.p),
    "laplace": lambda p, x: -abs(x - mp.mpf(p.location)) / mp.mpf(p.scale) - mp.log(2 * mp.mpf(p.scale)),
    "negative_binomial": negative_binomial,
    "poisson": lambda p, x: x * mp.log(p.rate) - p.rate - mp.loggamma(x + 1),
    "student_t": student,
    "uniform": lambda p, x: -mp.log(mp.mpf(p.high) - p.low),
}
# Members at the ends of what floats can tell.
EXTREMES: list[Any] = [
    *(Bernoulli(p) for p in (1e-300, 1e-12, 1.0 - 1e-12)),
    *(Beta(a, b) for a in (1e-3, 0.5, 30.0, 1e8, 1e14) for b in (1e-3, 1.0, 1e8, 1e14)),
    *(Binomial(n, p) for n in (1, 10**6, 10**20) for p in (1e-12, 0.3, 0.5)),
    *(Exponential(r) for r in (1e-300, 1e-12, 1e12, 1e300)),
    *(Gamma(a, r) for a in (1e-3, 1.0, 1e8, 1e12, 1e14) for r in (1e-12, 1.0, 1e14)),
    *(Gaussian(m, v) for m in (0.0, 1e8) for v in (1e-200, 1.0, 1e200)),
    *(Geometric(p) for p in (1e-20, 1e-9, 0.5, 1.0 - 1e-9)),
    *(Laplace(0.0, b) for b in (1e-200, 1.0, 1e200)),
    *(
        NegativeBinomial(m, a)
        for m in (1e-3, 3.0, 1e5)
        for a in (1e-60, 1e-20, 1e-16, 1e-14, 1e-12, 1e-8, 1e-3, 1.0, 1e3)
    ),
    *(Poisson(r) for r in (1e-300, 1e-3, 30.0, 1e4, 1e10, 1e14)),
    *(StudentT(f, 0.0, s) for f in (0.1, 1.0, 99.0, 101.0, 1e4, 1e8, 1e14, 1e16) for s in (1e-100, 1.0)),
    *(Uniform(low, high) for low, high in ((-1e200, 1e200), (1.0, 1.0 + 1e-12))),
]
# Laws of several numbers have tests of their own below, as does what has no formula or another owner.
OTHERS = {
    "categorical",
    "dirichlet",
    "multinomial",
    "multivariate_gaussian",
    "exponential_family",
    "normal_inverse_gamma",
}
each = pytest.mark.parametrize("law", EXTREMES, ids=lambda law: str(law).replace(" ", ""))


def test_every_law_is_tried_at_its_ends() -> None:
    complete(
        {law.name for law in EXTREMES} | OTHERS, set(REGISTRY), "members", "EXTREMES of test_extremes.py"
    )


def rows_near(law: Any) -> Any:
    """Rows about the middle of a law, those of counts rounded, and its smallest ones."""
    mean, variance = law.moments()
    spread = math.sqrt(variance) if math.isfinite(variance) else getattr(law, "scale", 1.0)
    mean = mean if math.isfinite(mean) else 0.0
    x = mean + spread * np.array([-3.0, -1.0, 0.0, 0.5, 4.0])
    if law.discrete:
        x = np.concatenate([np.floor(x), law.support.low + np.arange(4.0)])
    return np.unique(x[law.support.contains(x) & np.isfinite(x)])


@each
def test_log_prob_is_the_formula_in_many_digits(law: Any) -> None:
    x = rows_near(law)
    got = law.log_prob(x)
    with mp.workdps(DIGITS):
        wanted = np.array([float(LOG_PROB[law.name](law, mp.mpf(float(v)))) for v in x])
    # A row and a parameter are rounded: x stands 1e-16 of itself off the centre, which is z standard
    # deviations of it away, so that log p is off by the product of the two.
    mean, variance = law.moments()
    unit = abs(mean) / math.sqrt(variance) if 0.0 < variance < math.inf and math.isfinite(mean) else 0.0
    np.testing.assert_allclose(got, wanted, rtol=4e-14, atol=2e-13 + 1e-15 * unit)


# Entropies: those with a closed form.
ENTROPY: dict[str, Callable[[Any], Any]] = {
    "beta": lambda p: dirichlet_entropy([p.a, p.b]),
    "gamma": lambda p: (
        mp.mpf(p.shape)
        - mp.log(p.rate)
        + mp.loggamma(p.shape)
        + (1 - mp.mpf(p.shape)) * mp.digamma(mp.mpf(p.shape))
    ),
    "student_t": lambda p: (
        (mp.mpf(p.df) + 1) / 2 * (mp.digamma((mp.mpf(p.df) + 1) / 2) - mp.digamma(mp.mpf(p.df) / 2))
        - student(p, mp.mpf(p.location))
    ),
}


def dirichlet_entropy(a: Any) -> Any:
    """The entropy of a Dirichlet law by its formula."""
    a = [mp.mpf(float(v)) for v in a]
    n = sum(a)
    log_beta = sum(map(mp.loggamma, a)) - mp.loggamma(n)
    return log_beta - sum((v - 1) * (mp.digamma(v) - mp.digamma(n)) for v in a)


def dirichlet_divergence(a: Any, c: Any) -> Any:
    """The divergence of two Dirichlet laws by its formula."""
    a, c = ([mp.mpf(float(v)) for v in w] for w in (a, c))
    n, m = sum(a), sum(c)
    logs = sum(map(mp.loggamma, c)) - mp.loggamma(m) - sum(map(mp.loggamma, a)) + mp.loggamma(n)
    return logs + sum((v - w) * (mp.digamma(v) - mp.digamma(n)) for v, w in zip(a, c, strict=True))


@each
def test_entropies_are_the_formula_in_many_digits(law: Any) -> None:
    if law.name in ENTROPY:
        with mp.workdps(DIGITS):
            wanted = float(ENTROPY[law.name](law))
        assert law.entropy() == pytest.approx(wanted, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("rate", [1e4, 1.1e4, 1e5])
def test_the_series_of_the_entropy_of_counts_is_their_sum(rate: float) -> None:
    law = Poisson(rate)
    x = counts_near(law)
    log = law.log_prob(x)
    assert law.entropy() == pytest.approx(-math.fsum(np.exp(log) * log), rel=1e-12)


def test_a_small_dispersion_is_the_law_of_poisson() -> None:
    x = np.arange(60.0)
    for a in (1e-12, 1e-14, 1e-16, 1e-30, 1e-300):
        law = NegativeBinomial(3.0, a)
        assert np.exp(law.log_prob(x)).sum() == pytest.approx(1.0, abs=1e-12)
        assert law.entropy() == pytest.approx(Poisson(3.0).entropy(), abs=1e-10)
        np.testing.assert_allclose(law.cdf(x), Poisson(3.0).cdf(x), atol=1e-11)
        assert law.kl(NegativeBinomial(3.3, a)) == pytest.approx(Poisson(3.0).kl(Poisson(3.3)), rel=1e-10)


@pytest.mark.parametrize("mean", [1e-3, 3.0, 1e3])
@pytest.mark.parametrize("a", [1e-12, 1e-10, 1e-8, 1e-6, 1e-3, 1.0, 1e3])
def test_the_distribution_function_of_the_negative_binomial_law_is_a_sum(mean: float, a: float) -> None:
    law = NegativeBinomial(mean, a)
    at = np.floor(mean + math.sqrt(law.moments()[1]) * np.array([0.0, 1.0]))
    x = np.arange(at.max() + 1.0)
    reached = np.cumsum(np.exp(law.log_prob(x)))
    np.testing.assert_allclose(law.cdf(at), reached[at.astype(int)], rtol=1e-9)


# Two members that are nearly the same: the divergence is the half of the information times the square.
NEAR: list[tuple[Any, Any, Callable[[], Any]]] = []


def near(law: Any, other: Any, formula: Callable[[Any, Any], Any]) -> None:
    """Add a pair and its divergence."""
    NEAR.append((law, other, lambda: formula(law, other)))


def gamma_divergence(p: Any, q: Any) -> Any:
    """The divergence of two Gamma laws by its formula."""
    a, r, b, s = map(mp.mpf, (p.shape, p.rate, q.shape, q.rate))
    return (a - b) * mp.digamma(a) - mp.loggamma(a) + mp.loggamma(b) + b * mp.log(r / s) + a * (s - r) / r


def chances(p: Any, q: Any) -> Any:
    """The divergence of one trial from another."""
    a, b = mp.mpf(p.p), mp.mpf(q.p)
    return a * mp.log(a / b) + (1 - a) * mp.log((1 - a) / (1 - b))


for scale in (1.0, 1e8, 1e12, 1e14):
    for t in (1e-9, 1e-7, 1e-3, 1.0, 1e3):
        c = scale * (1.0 + t)
        near(Gamma(scale, scale), Gamma(c, c), gamma_divergence)
        near(Gamma(scale, 1.0), Gamma(c, 1.0), gamma_divergence)
        near(Beta(scale, scale), Beta(c, c), lambda p, q: dirichlet_divergence([p.a, p.b], [q.a, q.b]))
        near(Beta(scale, 2.0), Beta(c, 3.0), lambda p, q: dirichlet_divergence([p.a, p.b], [q.a, q.b]))
        near(
            Dirichlet([scale, 2.0 * scale, 3.0]),
            Dirichlet([c, 2.0 * c, 3.0]),
            lambda p, q: dirichlet_divergence(p.concentration, q.concentration),
        )
        near(
            Poisson(scale),
            Poisson(c),
            lambda p, q: p.rate * mp.log(mp.mpf(p.rate) / q.rate) - mp.mpf(p.rate) + q.rate,
        )
        near(
            Exponential(scale),
            Exponential(c),
            lambda p, q: mp.mpf(q.rate) / p.rate - 1 - mp.log(mp.mpf(q.rate) / p.rate),
        )
        near(
            Gaussian(0.0, scale),
            Gaussian(0.0, c),
            lambda p, q: (mp.mpf(p.variance) / q.variance - 1 - mp.log(mp.mpf(p.variance) / q.variance)) / 2,
        )
for p in (1e-12, 0.3, 0.5, 1.0 - 1e-6):
    for t in (1e-9, 1e-7, 1e-3):
        q = p * (1.0 - t)
        near(Bernoulli(p), Bernoulli(q), chances)
        near(Binomial(10**6, p), Binomial(10**6, q), lambda p, q: p.n * chances(p, q))
        near(Geometric(p), Geometric(q), lambda p, q: chances(p, q) / mp.mpf(p.p))


@pytest.mark.parametrize("row", range(len(NEAR)))
def test_divergences_keep_their_digits(row: int) -> None:
    law, other, formula = NEAR[row]
    with mp.workdps(DIGITS):
        wanted = float(formula())
    got = law.kl(other)
    assert got >= 0.0
    # Parameters are rounded to 1e-16 of themselves: so is their step, of which the divergence is a square.
    step = max(abs(a - b) / max(a, b) for a, b in zip(theta_of(law), theta_of(other), strict=True))
    assert got == pytest.approx(wanted, rel=1e-10 + 1e-16 / step, abs=1e-30), (law, other)


def theta_of(law: Any) -> Any:
    """The numbers above 0 that are estimated of a law."""
    return [max(value, 1e-300) for value, _ in law.coordinates.values()]


def test_laws_of_several_numbers_keep_their_digits() -> None:
    a = np.array([1e14, 2e14, 5.0])
    x = np.array([[0.25, 0.75 - 2.0**-47, 2.0**-47]])
    with mp.workdps(DIGITS):
        n = sum(map(mp.mpf, a))
        logs = sum((mp.mpf(v) - 1) * mp.log(mp.mpf(float(w))) for v, w in zip(a, x[0], strict=True))
        wanted = float(mp.loggamma(n) - sum(map(mp.loggamma, map(mp.mpf, a))) + logs)
        entropy = float(dirichlet_entropy(a))
    assert Dirichlet(a).log_prob(x)[0] == pytest.approx(wanted, rel=1e-12)
    assert Dirichlet(a).entropy() == pytest.approx(entropy, rel=1e-13)
    count = np.array([[5e13, 2.5e13, 2.5e13]])
    with mp.workdps(DIGITS):
        wanted = mp.loggamma(mp.mpf(10) ** 14 + 1) - sum(mp.loggamma(mp.mpf(v) + 1) for v in count[0])
        wanted += sum(mp.mpf(v) * mp.log(mp.mpf(q)) for v, q in zip(count[0], (0.5, 0.25, 0.25), strict=True))
    got = Multinomial([0.5, 0.25, 0.25], 10**14).log_prob(count)[0]
    assert got == pytest.approx(float(wanted), rel=1e-12)
    p, q = np.array([0.3, 0.7]), np.array([0.3 + 1e-9, 0.7 - 1e-9])
    assert Categorical(p).kl(Categorical(q)) == pytest.approx(Bernoulli(0.7).kl(Bernoulli(q[1])), rel=1e-6)
    one, two = (MultivariateGaussian([0.0, 0.0], np.diag([v, 1.0])) for v in (1.0, 1.0 + 1e-9))
    assert one.kl(two) == pytest.approx(Gaussian(0.0, 1.0).kl(Gaussian(0.0, 1.0 + 1e-9)), rel=1e-6)


@pytest.mark.parametrize("f", [1.5, 5.0, 99.0, 101.0, 1e4, 1e8, 1e14])
def test_the_information_of_degrees_of_freedom_keeps_its_digits(f: float) -> None:
    with mp.workdps(DIGITS):
        g = mp.mpf(f)
        wanted = (mp.psi(1, g / 2) - mp.psi(1, (g + 1) / 2)) / 4 - (g + 5) / (2 * g * (g + 1) * (g + 3))
    law = StudentT(f, 0.0, 1.0)
    assert law.fisher_information()[0, 0] == pytest.approx(float(wanted), rel=1e-9)
    for z in (0.0, 1.0, 3.0):
        with mp.workdps(DIGITS):
            slope = mp.diff(lambda g, z=z: log_student(g, z), f, h=mp.mpf(10) ** -40)
        assert law.score([z])[0, 0] == pytest.approx(float(slope), rel=1e-9, abs=1e-14 / f**2)


@pytest.mark.parametrize("a", [1e-14, 1e-8, 1e-2, 1.0, 100.0])
def test_the_derivative_in_the_dispersion_keeps_its_digits(a: float) -> None:
    for x in (0, 2, 3, 40):
        with mp.workdps(DIGITS):
            slope = mp.diff(lambda b, x=x: log_negative_binomial(b, x), a, h=mp.mpf(10) ** -50)
        got = NegativeBinomial(3.0, a).score([x])[0, 1]
        assert got == pytest.approx(float(slope), rel=1e-9, abs=1e-14)


def log_negative_binomial(a: Any, x: int) -> Any:
    """The logarithm of a chance of the negative binomial law with mean 3."""
    a = mp.mpf(a)
    shared = mp.loggamma(x + 1 / a) - mp.loggamma(x + 1) - mp.loggamma(1 / a)
    return shared + x * mp.log(3 * a / (1 + 3 * a)) - mp.log(1 + 3 * a) / a


def log_student(f: Any, z: float) -> Any:
    """The logarithm of the standard density of Student's law."""
    f = mp.mpf(f)
    norm = mp.loggamma((f + 1) / 2) - mp.loggamma(f / 2) - mp.log(mp.pi * f) / 2
    return norm - (f + 1) / 2 * mp.log(1 + mp.mpf(z) ** 2 / f)
