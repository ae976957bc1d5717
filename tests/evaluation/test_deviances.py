"""Deviances as metrics: scikit-learn's values, the laws they come from, refusals, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mean_tweedie_deviance

import empirisk as er
from empirisk.losses import Gamma, Poisson, Tweedie
from empirisk.selection import evaluate_predictions

POWERS = {"poisson_deviance": 1.0, "tweedie_deviance": 1.5, "gamma_deviance": 2.0}


@pytest.mark.parametrize("name", POWERS)
def test_values_are_scikit_learns_and_twice_the_loss(name: str, rng: np.random.Generator) -> None:
    mean = np.exp(rng.normal(size=300))
    y = rng.gamma(2.0, mean / 2.0) if name == "gamma_deviance" else rng.poisson(mean).astype(float)
    found = evaluate_predictions(y, pred=mean, metrics=name)[name]
    assert found.value == pytest.approx(mean_tweedie_deviance(y, mean, power=POWERS[name]), rel=1e-12)
    loss = {"poisson_deviance": Poisson(), "tweedie_deviance": Tweedie(1.5), "gamma_deviance": Gamma()}[name]
    kept = y > 0.0  # the best score of a zero is minus infinity
    ours = evaluate_predictions(y[kept], pred=mean[kept], metrics=name)[name].value
    excess = loss.value(y[kept], np.log(mean[kept])) - loss.value(y[kept], np.log(y[kept]))
    assert ours == pytest.approx(2.0 * excess.mean(), rel=1e-10)


def test_what_has_no_deviance_says_why() -> None:
    refused = evaluate_predictions([1.0, -1.0, 2.0], pred=[1.0, 1.0, 1.0], metrics="poisson_deviance")
    assert "targets >= 0, and 1 rows hold others (the first is row 1)" in refused["poisson_deviance"].reason
    refused = evaluate_predictions([1.0, 0.0, 2.0], pred=[1.0, 1.0, 1.0], metrics="gamma_deviance")
    assert "targets > 0" in refused["gamma_deviance"].reason
    refused = evaluate_predictions([1.0, 0.0, 2.0], pred=[1.0, 1.0, 0.0], metrics="poisson_deviance")
    assert "positive predictions, and 1 of 3" in refused["poisson_deviance"].reason


def test_only_on_request(rng: np.random.Generator) -> None:
    y = rng.poisson(3.0, size=50).astype(float)
    assert not set(POWERS) & set(evaluate_predictions(y, pred=np.full(50, 3.0)))


def test_the_interval_covers(rng: np.random.Generator) -> None:
    """Poisson counts of mean 2, predicted as 2.5: the expected deviance is a sum over the law."""
    k = np.arange(60.0)
    law = np.exp(k * np.log(2.0) - 2.0 - np.cumsum(np.log(np.maximum(k, 1.0))))
    truth = mean_tweedie_deviance(k, np.full(60, 2.5), power=1, sample_weight=law)
    hits = 0
    for _ in range(400):
        y = rng.poisson(2.0, size=120).astype(float)
        e = evaluate_predictions(y, pred=np.full(120, 2.5), metrics="poisson_deviance")["poisson_deviance"]
        hits += e.low <= truth <= e.high
    assert hits / 400 >= 0.95 - 3.0 * np.sqrt(0.95 * 0.05 / 400)


def test_models_are_compared_by_it(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    y = rng.gamma(50.0, (10.0 + X[:, 0]) / 50.0)
    flat, good = er.Ridge(alpha=1e3), er.Ridge(alpha=0.5)
    found = er.compare(flat, good, X, y, metric="gamma_deviance", random_state=0)
    assert found.difference.low > 0.0
