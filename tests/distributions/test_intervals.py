"""Intervals of fitted laws: exact ones against simulation, published numbers, and the borders of domains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binomtest

from empirisk.distributions import (
    Bernoulli,
    Binomial,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Poisson,
    Uniform,
    fit_mle,
)
from empirisk.distributions.rows import read_rows

# The law, the rows of a sample, and whether the interval covers with exactly its level.
EXACT: list[tuple[Any, int, bool]] = [
    (Bernoulli(0.2), 15, False),
    (Binomial(4, 0.3), 6, False),
    (Poisson(2.0), 8, False),
    (Geometric(0.4), 6, False),
    (Exponential(2.0), 5, True),
    (Gaussian(1.0, 4.0), 5, True),
    (Uniform(-1.0, 2.0), 4, True),
]
SAMPLES, LEVEL = 600, 0.9


@pytest.mark.parametrize(("law", "n", "sharp"), EXACT, ids=lambda v: getattr(v, "name", str(v)))
def test_exact_intervals_cover_as_often_as_they_say(law: Any, n: int, sharp: bool) -> None:
    rng = np.random.default_rng(8)
    structure = {name: getattr(law, name) for name in law.structure}
    held = dict.fromkeys(law.coordinates, 0)
    for _ in range(SAMPLES):
        x = law.sample(n, rng)
        member = law.maximise(read_rows(law, x)).distribution
        ends = member.exact_intervals(float(n), LEVEL)
        for name, (truth, _) in law.coordinates.items():
            low, high, _ = ends[name]
            held[name] += low <= truth <= high
    # A false alarm has the chance 1e-6 on each side.
    slack = -ndtri(1e-6) * np.sqrt(LEVEL * (1.0 - LEVEL) / SAMPLES)
    for name, count in held.items():
        assert count / SAMPLES >= LEVEL - slack, name
        if sharp:
            assert count / SAMPLES <= LEVEL + slack, name
    shown = fit_mle(type(law), law.sample(n, rng), level=LEVEL, **structure)
    assert all(e.method.startswith("exact (") for e in shown.estimates.values())


def test_chances_have_the_interval_of_clopper_and_pearson() -> None:
    x = np.array([1.0] * 3 + [0.0] * 17)
    got = fit_mle("bernoulli", x).estimates["p"]
    wanted = binomtest(3, 20).proportion_ci(0.95, method="exact")
    assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), rel=1e-12)


def test_a_share_of_one_has_no_error_but_an_interval() -> None:
    for value in (0.0, 1.0):
        fit = fit_mle("bernoulli", np.full(10, value))
        assert fit.standard_errors[0] == 0.0
        p = fit.estimates["p"]
        assert p.low is not None
        assert p.high is not None
        assert p.high - p.low == pytest.approx(1.0 - 0.025**0.1, rel=1e-9)


def test_normal_intervals_stay_inside_of_the_domain() -> None:
    fit = fit_mle("gamma", Gamma(0.3, 1.0).sample(6, 0), level=0.999)
    for estimate in fit.estimates.values():
        assert estimate.low is not None
        assert estimate.low > 0.0


def test_the_sandwich_repairs_errors_of_a_wrong_law() -> None:
    # Rows of Laplace's law: the variance of a variance is 5 v^2 / n instead of 2 v^2 / n.
    x = np.random.default_rng(0).laplace(size=200_000)
    model, robust = (fit_mle("gaussian", x, covariance=c).standard_errors[1] for c in ("model", "robust"))
    assert robust / model == pytest.approx(np.sqrt(2.5), rel=0.05)


def test_a_moving_support_has_no_sandwich() -> None:
    with pytest.raises(ValueError, match=r"^covariance='robust' needs derivatives .* use 'model'$"):
        fit_mle("uniform", [0.0, 1.0, 0.5], covariance="robust")
