"""What is no level, no chance or no size, and rows beyond floats: words for every law of the registry."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from empirisk.distributions import (
    REGISTRY,
    Bernoulli,
    Binomial,
    Categorical,
    Geometric,
    Multinomial,
    NormalInverseWishart,
    Uniform,
    fit_mle,
    fit_moments,
    kl,
)
from tests.conformance.test_distributions import SAMPLES

WISHART = NormalInverseWishart([0.5, -1.0], 2.0, 7.5, [[3.0, 1.0], [1.0, 2.0]])
LAWS: dict[str, Any] = {f"{law.name}{i}": law for i, (law, _) in enumerate(SAMPLES)}
ONE = {name: law for name, law in LAWS.items() if not law.dimension}
LEVELS = [0.0, 1.0, 2.0, -1.0, math.nan, math.inf, "a", None, 0.5j, [0.9]]


@pytest.mark.parametrize("name", [*LAWS, "normal_inverse_wishart"])
def test_what_is_no_level_is_refused_by_every_law(name: str) -> None:
    law = LAWS.get(name, WISHART)
    for level in LEVELS:
        with pytest.raises(ValueError, match=r"^level must lie strictly between 0 and 1, got "):
            law.credible(level)


@pytest.mark.parametrize("name", sorted(ONE))
def test_middles_hold_their_share_of_the_law(name: str) -> None:
    law = ONE[name]
    for level in (0.5, 0.999):
        (low, high), share = law.credible(level)[0], 1e-7
        below = law.cdf([low - 1.0 if law.discrete else low])[0]
        assert below <= 0.5 * (1.0 - level) + share
        assert law.cdf([high])[0] >= 0.5 * (1.0 + level) - share


@pytest.mark.parametrize("name", sorted(ONE))
def test_what_is_no_chance_is_refused_or_nan(name: str) -> None:
    for odd in ("a", None, 0.5j, [0.1, "b"], [0.1, [0.2]], np.array([0.5 + 1j])):
        with pytest.raises(ValueError, match=r"^u must be real numbers, chances from 0 to 1, got "):
            ONE[name].quantile(odd)
    assert np.isnan(ONE[name].quantile([-0.1, 1.1, math.nan])).all()


@pytest.mark.parametrize("name", [*LAWS, "normal_inverse_wishart"])
def test_what_is_no_size_is_refused_by_every_law(name: str) -> None:
    for size in (-1, 1.5, "a", None, True):
        with pytest.raises(ValueError, match=r"^size must be a whole number >= 0 of draws, got "):
            LAWS.get(name, WISHART).sample(size, 0)


WIDE: dict[str, list[float]] = {
    "least": [1e-310],
    "tiny": [1e-310, 3e-310],
    "small": [1e-200, 3e-200, 2e-200],
    "large": [1e200, 3e200, 2e200],
    "largest": [1.0e308, 1.5e308, 1.2e308],
    "spread": [1e-300, 1.0, 1e300],
}


SEVERAL = {law.name for law, _ in SAMPLES if law.dimension}
FITTED = [name for name, row in REGISTRY.items() if row.by_name and not row.structure and name not in SEVERAL]


@pytest.mark.parametrize("fit", [fit_mle, fit_moments], ids=["likelihood", "moments"])
@pytest.mark.parametrize("rows", sorted(WIDE))
@pytest.mark.parametrize("name", sorted(FITTED))
def test_rows_at_the_ends_of_floats_are_fitted_or_refused_in_words(name: str, rows: str, fit: Any) -> None:
    """Neither a warning of NumPy nor a parameter that nobody gave reaches the user."""
    words = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = fit(name, WIDE[rows])
            assert np.isfinite([v for v, _ in found.distribution.coordinates.values()]).all()
        except ValueError as error:
            words = str(error)
    assert not words or len(words) > 40
    assert not any(raw in words for raw in ("got inf", "got nan", "got np.", "math domain", "got 0.0"))


def test_one_tiny_row_is_refused_by_its_unit() -> None:
    with pytest.raises(
        ValueError, match=r"^the exponential distribution of these rows .*: change the unit of x$"
    ):
        fit_mle("exponential", [1e-310])


BORDERS: list[Any] = [
    Categorical([0.5, 0.25, 0.25]),
    Categorical([0.5, 0.5, 0.0]),
    Bernoulli(0.5),
    Bernoulli(0.0),
    Bernoulli(1.0),
    Binomial(4, 0.5),
    Binomial(4, 0.0),
    Binomial(4, 1.0),
    Geometric(1.0),
    Multinomial([0.5, 0.3, 0.2], 6),
    Multinomial([0.5, 0.5, 0.0], 6),
    Uniform(0.0, 2.0),
    Uniform(0.0, 1.0),
]


@pytest.mark.parametrize("at", range(len(SAMPLES) + len(BORDERS)))
def test_every_infinite_divergence_says_why(at: int) -> None:
    pool = [law for law, _ in SAMPLES] + BORDERS
    p, seen = pool[at], 0
    for q in pool:
        if (p.dimension, p.discrete, p.simplex) != (q.dimension, q.discrete, q.simplex):
            continue
        found = kl(p, q, n_draws=1000)
        seen += 1
        if math.isinf(found.value):
            assert found.low is None
            assert found.high is None
            assert len(found.reason) > 30
            assert "beyond what floats hold" not in found.reason
    assert seen
