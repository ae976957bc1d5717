"""The method of moments: the moments are matched, and errors are those of many samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from empirisk.distributions import (
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    ExponentialFamily,
    Gamma,
    Gaussian,
    Laplace,
    MultivariateGaussian,
    NegativeBinomial,
    StudentT,
    Uniform,
    fit_mle,
    fit_moments,
)

LAWS: list[Any] = [
    Gamma(2.0, 3.0),
    Beta(2.0, 3.0),
    Binomial(5, 0.3),
    Gaussian(1.0, 2.0),
    Laplace(0.5, 2.0),
    Uniform(-1.0, 3.0),
    NegativeBinomial(3.0, 0.5),
    Categorical([0.5, 0.3, 0.2]),
    Dirichlet([2.0, 3.0, 1.0]),
    MultivariateGaussian([0.0, 1.0], [[1.0, 0.3], [0.3, 2.0]]),
]


def theta_of(law: Any) -> Any:
    """The coordinates as an array of a law, in the order of its domains."""
    return np.array([v for v, _ in law.coordinates.values()])


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_moments_are_matched_and_errors_are_those_of_samples(law: Any) -> None:
    structure = {"k": 3} if law.name == "categorical" else {s: getattr(law, s) for s in law.structure}
    n, samples = 200, 100
    rng = np.random.default_rng(3)
    found = [fit_moments(type(law), law.sample(n, rng), **structure) for _ in range(samples)]
    if law.name != "categorical":
        x = law.sample(n, 1)
        mean, variance = fit_moments(type(law), x, **structure).distribution.moments()
        np.testing.assert_allclose(mean, x.mean(axis=0), rtol=1e-9, atol=1e-12)
        if law.name in ("gamma", "beta", "gaussian", "laplace", "uniform", "negative_binomial"):
            assert variance == pytest.approx(x.var(), rel=1e-9)
    theta = np.array([theta_of(fit.distribution) for fit in found])
    ratio = theta.std(axis=0) / np.mean([fit.standard_errors for fit in found], axis=0)
    # The relative error of a standard deviation of 100 numbers is 1 / sqrt(200), more with heavy tails.
    np.testing.assert_allclose(ratio, 1.0, atol=-ndtri(1e-6) * 1.5 / np.sqrt(2.0 * samples))


def test_the_fourth_moment_tells_the_degrees_of_freedom() -> None:
    x = StudentT(9.0, 1.0, 2.0).sample(200_000, 4)
    fit = fit_moments("student_t", x)
    gap = x - x.mean()
    excess = (gap**4).mean() / (gap**2).mean() ** 2 - 3.0
    assert fit.estimates["df"].value == pytest.approx(4.0 + 6.0 / excess, rel=1e-9)
    assert fit.distribution.moments()[1] == pytest.approx(x.var(), rel=1e-9)
    # The fourth moment has a variance above 8 degrees of freedom only, which no rows show.
    for name in ("df", "scale"):
        assert fit.estimates[name].low is None
        assert "above 8 degrees of freedom only" in fit.estimates[name].reason
    assert np.isfinite(fit.standard_errors).tolist() == [False, True, False]


def test_rows_that_the_law_of_their_moments_leaves_out_are_told() -> None:
    fit = fit_moments("uniform", [0.0, 0.0, 0.0, 0.0, 10.0])
    assert fit.log_likelihood == -np.inf
    assert "1 of 5 rows lie outside of the support" in fit.certificate.claim


def test_moments_that_no_member_has_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"excess kurtosis above 0, and here it is -"):
        fit_moments("student_t", np.linspace(-1.0, 1.0, 50))
    with pytest.raises(ValueError, match=r"a variance above its mean"):
        fit_moments("negative_binomial", [2.0, 3.0, 2.0, 3.0])
    for name in ("gamma", "gaussian", "beta", "uniform", "negative_binomial"):
        with pytest.raises(ValueError, match=r"holds one number only|variance above its mean"):
            fit_moments(name, np.full(5, 0.5 if name != "negative_binomial" else 2.0))
    with pytest.raises(ValueError, match=r"^no moments of x tell the .* fit_mle matches$"):
        fit_moments(ExponentialFamily(), [1.0, 2.0])


def test_maximum_likelihood_has_smaller_errors_than_moments() -> None:
    x = Gamma(0.5, 1.0).sample(5000, 2)
    assert fit_mle("gamma", x).standard_errors[0] < 0.8 * fit_moments("gamma", x).standard_errors[0]
