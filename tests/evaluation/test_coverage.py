"""Simulated coverage: the 95 % intervals hold the truth in 93 to 97 % of samples, up to Monte-Carlo error."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from bench.coverage import CASES, Case, measure
from bench.coverage.crossed import WEIGHT, linear_sample, ols_risk
from bench.coverage.truths import CALIBRATED, SHIFT, binormal_ap

# Cases that the published table marks as outside the band, with the reason there: their measured coverage
# is still held to what is known about them, so that a change is seen.
KNOWN = {
    "mse_heavy_tails": (91.0, 94.0),  # fourth moment barely finite
    "auc_near_one": (95.0, 99.0),  # Newcombe's answer to a perfect ranking is a safe one
    "paired_log_loss": (91.0, 95.0),  # one model overconfident: skewed differences
    "cross_mse_one_split": (90.0, 95.0),  # the luck of one split is not in the variance
    "compare_mse": (94.0, 99.5),  # repeated differences are conservative
    "compare_ridge": (95.0, 100.0),
    "best_of_coins": (93.0, 100.0),
    # Long tails; the intervals say so.
    "mse_lognormal": (85.0, 91.0),
    "mse_t3": (82.0, 89.0),
    "scored_squared_error__lognormal_noise": (87.0, 94.0),
    "scored_squared_error__much_lognormal_noise": (88.0, 96.0),
    "scored_squared_error__t3_noise": (81.0, 90.0),
    "scored_squared_error__exponential_noise": (91.0, 97.0),
    "search_exponential": (91.0, 97.0),
    "search_lognormal": (88.0, 97.0),
    # The luck of an unstable fit is in the score and in what it is about: cautious.
    "scored_squared_error_of_an_unpruned_tree": (93.0, 100.0),
    "scored_squared_error_of_5_nearest_neighbours": (93.0, 100.0),
    "compare_tree_neighbours": (93.0, 100.0),
    "scored_absolute_error__lognormal_noise": (93.0, 98.5),
    "scored_absolute_error__much_lognormal_noise": (93.0, 99.0),
    "scored_absolute_error__exponential_noise": (93.0, 98.5),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_coverage(case: Case) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = measure(case, scale=0.5, seed=1)
    low, high = KNOWN.get(case.name, (93.0, 97.0))
    assert result.refused < 5.0
    assert low - 2.5 * result.error <= result.coverage <= high + 2.5 * result.error


@pytest.mark.full  # simulated
def test_the_truths_themselves(rng: np.random.Generator) -> None:
    # Quadrature and closed forms against plain simulation.
    t = 1.5 * rng.normal(size=400_000)
    q = 1 / (1 + np.exp(-t))
    assert np.mean(-q * np.log(q) - (1 - q) * np.log(1 - q)) == pytest.approx(CALIBRATED, abs=0.002)
    assert stats.norm.cdf(SHIFT / np.sqrt(2)) == pytest.approx(0.9)
    y = rng.random(200_000) < 0.2
    s = rng.normal(size=y.size) + SHIFT * y
    order = np.argsort(-s)
    precision = np.cumsum(y[order]) / np.arange(1, y.size + 1)
    assert precision[y[order]].mean() == pytest.approx(binormal_ap(0.2, SHIFT), abs=0.006)
    risks = []
    for _ in range(2000):
        m = LinearRegression().fit(*linear_sample(rng, 60))
        risks.append(1 + np.sum((m.coef_ - WEIGHT) ** 2) + m.intercept_**2)
    assert np.mean(risks) == pytest.approx(ols_risk(60), abs=4 * np.std(risks) / np.sqrt(2000))


def test_a_wrong_interval_would_be_seen(rng: np.random.Generator) -> None:
    # The harness itself: the same case with intervals shrunk by a third must fall out of the band.
    honest = CASES["mse"]

    def shrunk(generator: np.random.Generator):  # type: ignore[no-untyped-def]
        e, truth = honest.draw(generator)
        middle = (e.low + e.high) / 2
        return type(e)(e.value, (e.low + middle) / 2, (e.high + middle) / 2, 0.95, e.n, e.method), truth

    assert measure(Case("mse", "", 1000, shrunk)).coverage < 80.0
    assert 91.0 < measure(honest, scale=0.25).coverage < 97.5
