"""Standard errors beside a mean are on its own scale: the delta method, against differences and a peer."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

import empirisk as er
from empirisk.inference.law import Law
from empirisk.losses import REGISTRY, Bernoulli

LAWS = [name for name, kind in REGISTRY.items() if kind().title and not kind().vector]


@pytest.mark.parametrize("name", LAWS)
def test_the_slope_of_the_mean_is_its_derivative(name: str) -> None:
    loss = REGISTRY[name]() if name != "bernoulli" else Bernoulli(REGISTRY["probit"]())
    z = np.linspace(-3.0, 3.0, 25)
    h = 1e-5
    wanted = (np.asarray(loss.mean(z + h)) - np.asarray(loss.mean(z - h))) / (2.0 * h)
    np.testing.assert_allclose(Law(loss).mean_slope(z), wanted, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("family", ["poisson", "gamma", "binomial", "gaussian"])
def test_standard_errors_of_means_are_those_of_statsmodels(family: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 2))
    mean = np.exp(0.5 * X[:, 0])
    y = {
        "poisson": lambda: rng.poisson(mean).astype(float),
        "gamma": lambda: rng.gamma(2.0, mean),
        "binomial": lambda: (rng.uniform(size=150) < mean / (1.0 + mean)).astype(float),
        "gaussian": lambda: mean + rng.normal(size=150),
    }[family]()
    laws = {
        "poisson": sm.families.Poisson(),
        "gamma": sm.families.Gamma(sm.families.links.Log()),
        "binomial": sm.families.Binomial(),
        "gaussian": sm.families.Gaussian(),
    }
    model = er.GeneralizedLinearModel(family, tol=1e-13).fit(X, y)
    peer = sm.GLM(y, sm.add_constant(X), family=laws[family]).fit(tol=1e-14)
    wanted = peer.get_prediction(sm.add_constant(X)[:6]).se_mean
    np.testing.assert_allclose(model.interval(X[:6]).to_frame()["se"], wanted, rtol=1e-6)
