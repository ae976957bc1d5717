"""`verify` of fitted laws over all of them: what is stated is found again, and what was changed is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.distributions import (
    Beta,
    Dirichlet,
    DistributionFit,
    Gamma,
    Laplace,
    NormalInverseGamma,
    NormalInverseWishart,
    fit_map,
    fit_mle,
    fit_moments,
)
from empirisk.results import Kind
from tests.conformance.test_distributions import NAMES, SAMPLES
from tests.distributions.test_rows import family, told

LAWS = pytest.mark.parametrize("law", [law for law, _ in SAMPLES], ids=NAMES)
FITS = pytest.mark.parametrize("fit", [fit_mle, fit_moments], ids=lambda f: f.__name__)
PRIORS: dict[str, Any] = {
    "bernoulli": Beta(2.0, 3.0),
    "binomial": Beta(2.0, 3.0),
    "geometric": Beta(2.0, 3.0),
    "poisson": Gamma(2.0, 1.0),
    "exponential": Gamma(2.0, 1.0),
    "gaussian": NormalInverseGamma(0.0, 1.0, 3.0, 2.0),
    "categorical": Dirichlet([2.0, 2.0, 2.0]),
    "multinomial": Dirichlet([2.0, 2.0, 2.0]),
    "multivariate_gaussian": NormalInverseWishart([0.0, 0.0]),
}


def changed(fit: DistributionFit) -> dict[str, DistributionFit]:
    """The fit with one number changed, by what that is."""
    name, first = next(iter(fit.estimates.items()))
    out = {
        "likelihood": replace(
            fit, log_likelihood=fit.log_likelihood + 1e-3 * (1.0 + abs(fit.log_likelihood))
        ),
        "rows": replace(fit, n=fit.n + 1.0),
        "estimate": replace(
            fit, estimates={**fit.estimates, name: replace(first, value=1.001 * first.value)}
        ),
    }
    if np.isfinite(fit.covariance).all():
        out["covariance"] = replace(fit, covariance=1.01 * fit.covariance)
    for name, band in fit.estimates.items():
        if band.low is not None and band.high is not None:
            moved = replace(band, high=band.high + 0.01 * (band.high - band.low))
            out["interval"] = replace(fit, estimates={**fit.estimates, name: moved})
    return out


def moved(fit: DistributionFit, x: Any, weight: Any = None) -> DistributionFit:
    """The fit as if another law, a standard error away, had been found: all but the maximum fits it."""
    law = fit.distribution
    theta = np.array([v for v, _ in law.coordinates.values()])
    step = np.sqrt(np.nan_to_num(np.abs(np.diag(fit.covariance)), nan=1e-4))
    step = law.tangent @ (0.5 * step) if law.tangent.ndim == 2 else step
    if not step.any() or law.name in ("categorical", "multinomial"):
        step = 0.02 * law.tangent[0]
    other = law.at(theta + np.abs(step) if law.name not in ("categorical", "multinomial") else theta + step)
    found = {
        n: replace(e, value=v)
        for (n, e), (v, _) in zip(fit.estimates.items(), other.coordinates.values(), strict=True)
    }
    there = np.full(len(x), True) if weight is None else weight > 0.0
    terms = other.log_prob(x)[there] * (1.0 if weight is None else weight[there])
    likelihood = float(terms.sum())
    return replace(fit, distribution=other, estimates=found, log_likelihood=likelihood)


@LAWS
@FITS
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_fits_are_found_again_and_changes_are_told(law: Any, fit: Any, weighted: bool) -> None:
    if fit is fit_moments and not law.orders:
        return
    x = law.sample(300, 3)
    weight = np.random.default_rng(0).integers(0, 3, 300).astype(float) if weighted else None
    found = fit(family(law), x, sample_weight=weight, **told(law))
    again = er.verify(found, x, sample_weight=weight)
    assert again.kind is found.certificate.kind, again.claim
    assert again.within(1e-6)
    for what, wrong in {**changed(found), "law": moved(found, x, weight)}.items():
        told_so = er.verify(wrong, x, sample_weight=weight)
        assert told_so.kind is Kind.NONE, what
        assert told_so.claim.startswith("none: not confirmed: "), what
    assert er.verify(found, law.sample(300, 4), sample_weight=weight).kind is Kind.NONE


@LAWS
def test_sandwiches_are_found_again(law: Any) -> None:
    if not law.regular:
        return
    x = law.sample(300, 3)
    found = fit_mle(family(law), x, covariance="robust", **told(law))
    assert er.verify(found, x).within(1e-6)
    for what, wrong in changed(found).items():
        assert er.verify(wrong, x).kind is Kind.NONE, what


@LAWS
def test_posteriors_are_found_again(law: Any) -> None:
    if not law.conjugate:
        return
    x, prior = law.sample(60, 3), PRIORS[law.name]
    found = fit_map(family(law), x, prior, **told(law))
    assert er.verify(found, x, prior=prior).kind is Kind.EXACT
    for what, wrong in {**changed(found), "law": moved(found, x)}.items():
        assert er.verify(wrong, x, prior=prior).kind is Kind.NONE, what
    assert er.verify(found, law.sample(60, 4), prior=prior).kind is Kind.NONE
    with pytest.raises(TypeError, match="needs the prior of the fit"):
        er.verify(found, x)


def test_estimates_at_a_border_are_found_again() -> None:
    for name, x, structure in (
        ("bernoulli", np.zeros(20), {}),
        ("bernoulli", np.ones(20), {}),
        ("binomial", np.full(9, 4.0), {"n": 4}),
        ("categorical", np.array([0.0, 1.0, 0.0]), {"k": 3}),
        ("geometric", np.ones(6), {}),
    ):
        found = fit_mle(name, x, **structure)
        assert er.verify(found, x).within(1e-9), name


def test_a_median_between_rows_is_found_again() -> None:
    for n in (10, 11, 40):
        x = Laplace(1.0, 2.0).sample(n, n)
        assert er.verify(fit_mle("laplace", x), x).within(1e-9)


def test_targets_are_refused() -> None:
    x = Gamma(2.0, 3.0).sample(20, 1)
    with pytest.raises(TypeError, match="a fitted law has no targets"):
        er.verify(fit_mle("gamma", x), x, x)
