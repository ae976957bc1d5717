"""Posteriors of conjugate priors against quadrature on a grid, and classes that never came."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Multinomial,
    NormalInverseGamma,
    Poisson,
    fit_map,
    fit_mle,
    kl,
)

PAIRS: list[tuple[Any, Any]] = [
    (Bernoulli(0.3), Beta(2.0, 3.0)),
    (Binomial(4, 0.3), Beta(2.0, 3.0)),
    (Geometric(0.4), Beta(2.0, 3.0)),
    (Poisson(2.0), Gamma(3.0, 2.0)),
    (Exponential(2.0), Gamma(3.0, 2.0)),
]


@pytest.mark.parametrize(("law", "prior"), PAIRS, ids=lambda v: v.name)
def test_the_posterior_is_prior_times_likelihood(law: Any, prior: Any) -> None:
    x = law.sample(12, 1)
    weight = np.array([1.0, 2.0] * 6)
    structure = {name: getattr(law, name) for name in law.structure}
    fit = fit_map(type(law), x, prior, sample_weight=weight, **structure)
    grid = prior.quantile(np.linspace(0.001, 0.999, 40))
    log = np.array([prior.log_prob(t)[0] + weight @ law.at(np.array([t])).log_prob(x) for t in grid])
    gap = fit.posterior.log_prob(grid) - log
    np.testing.assert_allclose(gap, gap[0], rtol=1e-9)
    value = next(iter(fit.estimates.values()))
    at = [float(fit.posterior.log_prob(value.value + step)[0]) for step in (-1e-4, 0.0, 1e-4)]
    assert at[1] == max(at)
    ends = fit.posterior.cdf(np.array([value.low, value.high]))
    np.testing.assert_allclose(ends, [0.025, 0.975], rtol=1e-8)


def test_the_posterior_of_a_gaussian_is_prior_times_likelihood() -> None:
    x = 1e6 + np.random.default_rng(0).normal(size=20)
    prior = NormalInverseGamma(1e6 + 0.5, 2.0, 3.0, 1.5)
    fit = fit_map("gaussian", x, prior)
    rows = np.column_stack([1e6 + np.linspace(-1.0, 1.0, 9), np.linspace(0.5, 2.0, 9)])
    log = prior.log_prob(rows) + [Gaussian(m, v).log_prob(x).sum() for m, v in rows]
    gap = fit.posterior.log_prob(rows) - log
    np.testing.assert_allclose(gap - gap[0], 0.0, atol=1e-6)
    best = np.array([e.value for e in fit.estimates.values()])
    for step in ([1e-3, 0.0], [-1e-3, 0.0], [0.0, 1e-3], [0.0, -1e-3]):
        assert fit.posterior.log_prob(best + step)[0] < fit.posterior.log_prob(best)[0]
    draws = fit.posterior.sample(200_000, 1)
    for column, estimate in enumerate(fit.estimates.values()):
        inside = (draws[:, column] >= estimate.low) & (draws[:, column] <= estimate.high)
        assert inside.mean() == pytest.approx(0.95, abs=0.0025)  # five standard errors


def test_a_class_that_never_came_has_infinite_risk_without_a_prior() -> None:
    truth = Categorical([0.6, 0.3, 0.1])
    x = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    likeliest = fit_mle("categorical", x, k=3).distribution
    assert kl(truth, likeliest).value == np.inf
    fit = fit_map("categorical", x, Dirichlet([2.0, 2.0, 2.0]), k=3)
    np.testing.assert_allclose(fit.distribution.p, [5.0 / 9.0, 3.0 / 9.0, 1.0 / 9.0], rtol=1e-12)
    assert kl(truth, fit.distribution).value < 0.01
    counts = fit_map("multinomial", [[4, 2, 0]], Dirichlet([2.0, 2.0, 2.0]), n=6)
    np.testing.assert_allclose(counts.distribution.p, fit.distribution.p, rtol=1e-12)
    assert isinstance(counts.distribution, Multinomial)


def test_priors_of_other_families_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^prior of the bernoulli distribution must be er\.distributions"):
        fit_map("bernoulli", [0, 1], Gamma(1.0, 1.0))
    with pytest.raises(ValueError, match=r"^the laplace distribution has no conjugate prior here"):
        fit_map("laplace", [0.0, 1.0], Gamma(1.0, 1.0))
    with pytest.raises(ValueError, match=r"^prior has 2 concentrations and the law 3 classes"):
        fit_map("categorical", [0, 1], Dirichlet([1.0, 1.0]), k=3)
    with pytest.raises(ValueError, match=r"largest where that part is 0: give a prior"):
        fit_map("categorical", [0, 1], Dirichlet([1.0, 1.0, 1.0]), k=3)
