"""ER218: the score test against simulated laws, its numbers against known ones, where it does not apply."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import PoissonRegressor, Ridge

import empirisk as er
from empirisk.diagnosis import REGISTRY, Outcome, context
from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.overdispersion import dispersion_test, overdispersion


def draw(rng: np.random.Generator, n: int, shape: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Counts around ``exp(1 + x/2)``; with `shape`, negative binomial of variance ``m + m^2/shape``."""
    X = rng.normal(size=(n, 2))
    m = np.exp(1.0 + 0.5 * X[:, 0])
    return X, rng.poisson(m if shape is None else m * rng.gamma(shape, 1.0 / shape, size=n)).astype(float)


@pytest.mark.full  # simulated
def test_p_values_are_uniform_under_poisson_with_known_means(rng: np.random.Generator) -> None:
    p = []
    for _ in range(300):
        m = rng.uniform(0.2, 4.0, size=50)
        p.append(dispersion_test(rng.poisson(m).astype(float), m, 0, rng).p)
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_large_samples_use_the_normal_law(rng: np.random.Generator) -> None:
    p = []
    for _ in range(200):
        m = rng.uniform(0.5, 4.0, size=6000)
        p.append(dispersion_test(rng.poisson(m).astype(float), m, 0, rng).p)
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_the_sizes_are_those_of_the_law(rng: np.random.Generator) -> None:
    m = np.full(40_000, 3.0)
    y = rng.poisson(m * rng.gamma(2.0, 0.5, size=m.size)).astype(float)  # variance 3 + 9/2
    found = dispersion_test(y, m, 0, rng)
    assert found.negative_binomial == pytest.approx(0.5, abs=0.05)
    assert found.ratio.value == pytest.approx(2.5, abs=0.1)
    wide = found.ratio.high - found.ratio.low  # four standard errors
    assert 0.0 < wide < 0.2
    assert abs(found.ratio.value - 2.5) < wide
    assert found.p < 1e-10


def test_it_fires_on_over_dispersed_counts_and_says_what_to_do(rng: np.random.Generator) -> None:
    X, y = draw(rng, 400, shape=1.0)
    answer = overdispersion(context(PoissonRegressor(alpha=1e-3), X, y, random_state=0))
    assert answer.outcome is Outcome.FIRES
    for part in ("over-dispersion", "standard errors", "predicted means stand"):
        assert part in answer.sentence
    assert "quasi-Poisson" in answer.advice
    assert "negative binomial" in answer.advice
    found = er.diagnose(PoissonRegressor(alpha=1e-3), X, y, random_state=0)
    assert "ER218" in {f.code for f in found.findings}
    assert "ER214" not in {f.code for f in found.findings}, "large counts are no outliers of normal errors"


def test_it_is_clear_on_poisson_counts(rng: np.random.Generator) -> None:
    X, y = draw(rng, 3000)
    answer = overdispersion(context(PoissonRegressor(alpha=1e-4), X, y, random_state=0))
    assert answer.outcome is Outcome.CLEAR
    X, y = draw(rng, 40)
    answer = overdispersion(context(PoissonRegressor(alpha=1e-2), X, y, random_state=0))
    assert answer.outcome in (Outcome.CANNOT_TELL, Outcome.CLEAR)


def test_where_it_does_not_apply(rng: np.random.Generator) -> None:
    X, y = draw(rng, 100)
    poisson = PoissonRegressor(alpha=1e-2)
    cases = [
        (context(Ridge(), X, y, random_state=0), "not a Poisson regression"),
        (context(poisson, X[:20], y[:20], random_state=0), "fewer than 30"),
        (context(poisson, X, y + 0.5, random_state=0), "not whole"),
        (context(poisson, X, y, groups=np.repeat(np.arange(20), 5), random_state=0), "depend on each other"),
    ]
    for ctx, why in cases:
        with pytest.raises(NotRun, match=why):
            overdispersion(ctx)
    assert REGISTRY["ER218"] is overdispersion
