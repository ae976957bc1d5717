"""er.kl between families: sums, draws, and what has no divergence."""

from __future__ import annotations

import math

import numpy as np
import pytest

from empirisk.distributions import (
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Gamma,
    Gaussian,
    Geometric,
    Laplace,
    Multinomial,
    MultivariateGaussian,
    Poisson,
    Uniform,
    kl,
)


def test_between_families_of_densities_the_interval_holds_the_integral() -> None:
    # By hand: E log p of a Gaussian is -log(2 pi e)/2, E |x| is sqrt(2/pi).
    wanted = -0.5 * math.log(2.0 * math.pi * math.e) + math.sqrt(2.0 / math.pi) + math.log(2.0)
    got = kl(Gaussian(), Laplace(), level=1.0 - 1e-6)
    assert got.low is not None
    assert got.high is not None
    assert got.low <= wanted <= got.high
    assert got.high - got.low < 0.02
    # A Gaussian in two dimensions against the same law by its other name.
    assert kl(Uniform(0.2, 0.8), Beta(1.0, 1.0)).value == pytest.approx(-math.log(0.6), rel=1e-12)


def test_between_laws_of_counts_it_is_a_sum() -> None:
    got = kl(Binomial(5, 0.4), Poisson(2.0))
    p = [math.comb(5, k) * 0.4**k * 0.6 ** (5 - k) for k in range(6)]
    q = [math.exp(-2.0) * 2.0**k / math.factorial(k) for k in range(6)]
    assert got.value == pytest.approx(sum(a * math.log(a / b) for a, b in zip(p, q, strict=True)), rel=1e-12)
    assert got.low == got.high == got.value
    assert kl(Poisson(2.0), Binomial(5, 0.4)).value == math.inf
    assert kl(Binomial(5, 0.4), Binomial(6, 0.4)).value > 0.0
    assert kl(Categorical([0.5, 0.5]), Categorical([0.25, 0.5, 0.25])).value == pytest.approx(
        0.5 * math.log(2)
    )
    assert kl(Geometric(0.5), Poisson(3.0)).value > 0.0


def test_what_lies_outside_of_the_support_is_infinite_and_says_so() -> None:
    got = kl(Gaussian(), Gamma(2.0, 1.0), n_draws=2000)
    assert got.value == math.inf
    assert "outside of the support of q" in got.reason


def test_laws_that_cannot_be_compared_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"^p is a law of rows of 1 numbers and q of 2"):
        kl(Gaussian(), MultivariateGaussian([0.0, 0.0]))
    with pytest.raises(ValueError, match=r"gives chances to single numbers and the other a density"):
        kl(Poisson(1.0), Gaussian())
    with pytest.raises(TypeError, match=r"^q must be a law of er\.distributions, got float"):
        kl(Gaussian(), 3.0)
    with pytest.raises(ValueError, match=r"^n_draws must be a whole number >= 1000"):
        kl(Gaussian(), Laplace(), n_draws=10)
    got = kl(Dirichlet([2.0, 2.0]), Dirichlet([2.0, 2.0]))
    assert got.value == pytest.approx(0.0, abs=1e-12)
    assert np.isfinite(kl(MultivariateGaussian([0.0]), MultivariateGaussian([3.0])).value)


def test_infinite_ones_within_a_family_name_what_never_comes() -> None:
    got = kl(Categorical([0.5, 0.25, 0.25]), Categorical([0.5, 0.5, 0.0]))
    assert (got.value, got.low, got.high) == (math.inf, None, None)
    assert got.reason == "q has the chance 0 of 2, which lies outside of the support of q or of floats"
    assert "p has mass in [0, 2], and the support of q is [0, 1]" in kl(Uniform(0.0, 2.0), Uniform()).reason
    many = kl(Multinomial([0.5, 0.3, 0.2], 6), Multinomial([0.5, 0.5, 0.0], 6))
    assert many.reason.startswith("q has the chance 0 of [0. 0. 6.]")
    assert kl(Gaussian(0.0, 1e-300), Gaussian(1e10, 1e-300)).reason == (
        "the divergence is beyond what floats hold (1e308)"
    )
