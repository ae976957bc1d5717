"""Losses that are negative log-likelihoods: total probability, mean, densities of SciPy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as st
from scipy.integrate import quad
from scipy.special import wright_bessel

from empirisk import losses
from tests.conformance.loss_samples import ALL, SAMPLES, loss_of

SCORE = 0.7
LIKELIHOODS = [name for name in ALL if SAMPLES[name].law]


def density(loss, y, z, dispersion):
    """From the two parts of the contract."""
    y, z = np.atleast_1d(np.asarray(y, dtype=float)), np.broadcast_to(z, np.shape(np.atleast_1d(y)))
    return np.exp(-loss.value(y, z) / dispersion - loss.log_normalizer(y, dispersion))


def moments(name):
    """Total probability and mean of the targets at the score, by sums or quadrature."""
    loss, s = loss_of(name), SAMPLES[name]
    at = lambda y: density(loss, y, SCORE, s.dispersion)  # noqa: E731
    if s.law == "counts":
        y = np.arange(4000.0)
        return at(y).sum(), y @ at(y)
    if s.law == "labels":
        y = np.array([-1.0, 1.0])
        return at(y).sum(), at(y)[1]
    if s.law == "shares":  # of one trial: 0 or 1
        return at(np.array([0.0, 1.0])).sum(), at(1.0)[0]
    low, high = (-400.0, 400.0) if s.law == "line" else (1e-12, 200.0)
    knots = (
        [SCORE + v for v in (-1.35, -0.25, -0.1, 0.0, 0.1, 0.25, 1.35)] if s.law == "line" else [0.5, 3, 10]
    )
    options = {"points": knots, "limit": 400, "epsabs": 1e-11}
    total = quad(lambda y: at(y)[0], low, high, **options)[0]
    mean = quad(lambda y: y * at(y)[0], low, high, **options)[0]
    return total + (at(0.0)[0] if s.law == "mixed" else 0.0), mean


@pytest.mark.parametrize("name", [n for n in LIKELIHOODS if SAMPLES[n].law != "codes"])
def test_probabilities_sum_to_one_and_the_mean_is_the_inverse_link(name):
    total, mean = moments(name)
    assert total == pytest.approx(1.0, abs=1e-8)
    if not name.startswith("quantile(") and SAMPLES[name].law != "line":
        assert mean == pytest.approx(float(loss_of(name).mean(np.array([SCORE]))[0]), rel=1e-7)
    elif name != "quantile(0.9)":  # symmetric about the score
        assert mean == pytest.approx(SCORE, rel=1e-7)


def test_quantile_is_the_quantile_of_its_law():
    loss = losses.Quantile(0.9)
    below = quad(
        lambda y: density(loss, y, SCORE, 0.7)[0], -400.0, SCORE, points=[-20.0, -2.0], epsabs=1e-12
    )[0]
    assert below == pytest.approx(0.9, abs=1e-9)


def test_softmax_codes():
    loss, z = losses.Softmax(), np.array([[0.3, -1.0, 2.0]])
    p = [np.exp(-loss.value(np.array([c]), z) - loss.log_normalizer(np.array([c]), 1.0))[0] for c in range(3)]
    assert sum(p) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(loss.mean(z)[0], p, rtol=1e-14)


MU = np.exp(np.array([-1.0, 0.0, 0.4, 3.0]))
COUNTS, POSITIVE = np.array([0.0, 1.0, 7.0, 20.0]), np.array([0.01, 0.9, 4.0, 31.0])
LABELS = np.array([1.0, -1.0, 1.0, -1.0])
RATE = 1.0 - np.exp(-MU)
PEERS = {
    "poisson": (losses.Poisson(), COUNTS, 1.0, st.poisson.logpmf(COUNTS, MU)),
    "gamma": (losses.Gamma(), POSITIVE, 0.6, st.gamma.logpdf(POSITIVE, 1 / 0.6, scale=MU * 0.6)),
    "inverse_gaussian": (
        losses.InverseGaussian(), POSITIVE, 0.5, st.invgauss.logpdf(POSITIVE, MU * 0.5, scale=1 / 0.5)
    ),
    "negative_binomial": (
        losses.NegativeBinomial(0.3), COUNTS, 1.0, st.nbinom.logpmf(COUNTS, 1 / 0.3, 1 / (1 + 0.3 * MU))
    ),
    "absolute": (losses.Absolute(), POSITIVE, 0.7, st.laplace.logpdf(POSITIVE, np.log(MU), 0.7)),
    "half_squared": (losses.HalfSquared(), POSITIVE, 0.49, st.norm.logpdf(POSITIVE, np.log(MU), 0.7)),
    "probit": (losses.Probit(), LABELS, 1.0, st.norm.logcdf(LABELS * np.log(MU))),
    "cloglog": (losses.CLogLog(), LABELS, 1.0, np.where(LABELS > 0, np.log(RATE), -MU)),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(PEERS))
def test_densities_of_scipy(name):
    loss, y, dispersion, right = PEERS[name]
    ours = -loss.value(y, np.log(MU)) / dispersion - loss.log_normalizer(y, dispersion)
    np.testing.assert_allclose(ours, right, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("power", "dispersion"), [(1.5, 0.8), (1.2, 1.3), (1.8, 0.4)])
def test_tweedie_series_is_wrights_function(power, dispersion):
    # Dunn and Smyth's series in closed form: W(x) with the index (2 - p)/(p - 1).
    loss, a, b = losses.Tweedie(power), 2.0 - power, power - 1.0
    x = POSITIVE ** (a / b) * b ** (-a / b) / (dispersion ** (1.0 + a / b) * a)
    right = np.log(wright_bessel(a / b, 0.0, x)) - np.log(POSITIVE)
    np.testing.assert_allclose(-loss.log_normalizer(POSITIVE, dispersion), right, rtol=1e-9)
    assert loss.log_normalizer(np.zeros(1), dispersion)[0] == 0.0


def test_deviances_of_statsmodels():
    families = pytest.importorskip("statsmodels.api").families
    for loss, y, family in (
        (losses.Poisson(), COUNTS, families.Poisson()),
        (losses.Gamma(), POSITIVE, families.Gamma()),
        (losses.InverseGaussian(), POSITIVE, families.InverseGaussian()),
        (losses.NegativeBinomial(0.3), COUNTS, families.NegativeBinomial(alpha=0.3)),
        (losses.Tweedie(1.4), COUNTS, families.Tweedie(var_power=1.4)),
    ):
        # Half a deviance is the loss above its least value, -l*(0).
        half = loss.value(y, np.log(MU)) + loss.conjugate(y, np.zeros(4))
        np.testing.assert_allclose(2.0 * half.sum(), family.deviance(y, MU), rtol=1e-10)


@pytest.mark.parametrize("name", [n for n in ALL if not SAMPLES[n].law])
def test_losses_that_are_no_likelihood_say_so(name):
    with pytest.raises(TypeError, match="is not a negative log-likelihood"):
        loss_of(name).log_normalizer(np.ones(2), 1.0)


@pytest.mark.parametrize("name", ["poisson", "negative_binomial", "logistic", "probit", "cloglog"])
def test_dispersion_of_one_only(name):
    with pytest.raises(ValueError, match="dispersion must be 1"):
        loss_of(name).log_normalizer(np.ones(2), 2.0)


@pytest.mark.parametrize(("name", "at"), [("squared_hinge", 0.4), ("exponential", 0.4)])
def test_scores_that_minimise_the_risk_give_the_probability(name, at):
    """Zhang's links: the best constant for labels with a share `at` of +1."""
    y, s = np.array([1.0, -1.0]), np.array([at, 1.0 - at])
    loss = loss_of(name)
    assert float(loss.mean(np.atleast_1d(loss.best_constant(y, s)))[0]) == pytest.approx(at, rel=1e-12)


@pytest.mark.parametrize("name", ["hinge", "perceptron", "zero_one"])
def test_scores_without_a_link_say_so(name):
    with pytest.raises(TypeError, match="no inverse link"):
        loss_of(name).mean(np.zeros(2))
