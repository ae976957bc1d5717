"""What every law does with NaN, infinite numbers, None and odd sizes, and at parameters of every size."""

from __future__ import annotations

import math
import warnings
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
    Laplace,
    Multinomial,
    MultivariateGaussian,
    NegativeBinomial,
    Poisson,
    StudentT,
    Uniform,
    kl,
)
from tests.conformance.test_distributions import SAMPLES

LAWS = [pair[0] for pair in SAMPLES]
each = pytest.mark.parametrize("law", LAWS, ids=[f"{law.name}{j}" for j, law in enumerate(LAWS)])


def with_first(law: Any, value: float) -> Any:
    """Three draws of a law, a number of the second of which is another one."""
    x = np.array(law.sample(3, 1))
    x[1 if not law.dimension else (1, 0)] = value
    return x


@each
def test_nan_gives_nan_and_an_infinite_row_has_no_density(law: Any) -> None:
    whole = law.log_prob(law.sample(3, 1))
    missing = law.log_prob(with_first(law, math.nan))
    assert np.isnan(missing).tolist() == [False, True, False]
    assert missing[[0, 2]].tolist() == whole[[0, 2]].tolist()
    for value in (math.inf, -math.inf):
        assert law.log_prob(with_first(law, value))[1] == -math.inf
    if not law.dimension:
        assert law.cdf([math.nan, math.inf, -math.inf])[1:].tolist() == [1.0, 0.0]
        assert np.isnan(law.cdf(math.nan)).all()
        u = law.quantile([1.0, math.nan, 2.0, -0.1])
        # The last chance of counts that a written family sums up is its end.
        assert u[0] == law.support.high or law.name == "exponential_family"
        assert np.isnan(u[1:]).all()
    if law.regular:
        for value in (math.nan, math.inf):
            assert np.isnan(law.score(with_first(law, value))).all(axis=1).tolist() == [False, True, False]


@each
def test_there_is_no_derivative_outside_of_the_support(law: Any) -> None:
    if not law.regular:
        return
    for low in {ends.low for ends in law.supports if math.isfinite(ends.low)}:
        x = np.array(law.sample(1, 1))
        x[..., -1] = low - 1.0
        assert np.isnan(law.score(x)).all()


@each
def test_what_is_no_number_and_no_size_is_refused_in_words(law: Any) -> None:
    for odd in (None, "a", [None, 1.0], [1j], ["x", "y"]):
        with pytest.raises(ValueError, match=r"^x must be real numbers, one row each, got "):
            law.log_prob(odd)
    for size in (-1, 2.5, None, "3", True):
        with pytest.raises(ValueError, match=r"^size must be a whole number >= 0 of draws, got "):
            law.sample(size)
    assert len(law.sample(0, 1)) == 0


# Laws at sizes of every order, and at the ends of their domains.
SIZES: list[Any] = [
    *(Exponential(r) for r in (1e-300, 1e-160, 1e160, 1e300)),
    *(Gamma(a, r) for a in (1e-100, 0.5, 1e100) for r in (1e-300, 1e-200, 1e200, 1e300)),
    *(Gaussian(m, v) for m in (0.0, 1e200) for v in (1e-300, 1e-200, 1e200, 1e300)),
    *(Laplace(m, b) for m in (0.0, 1e200) for b in (1e-300, 1e-200, 1e200, 1e300)),
    *(StudentT(f, 0.0, s) for f in (0.01, 3.0, 1e100) for s in (1e-300, 1e-200, 1e200, 1e300)),
    *(Uniform(-v, v) for v in (1e-300, 1e-200, 1e200, 1.7e308)),
    *(Beta(a, b) for a in (1e-100, 1e-5, 1e100) for b in (1e-100, 1e-5, 1e100)),
    *(Poisson(r) for r in (1e-300, 1e15, 1e200)),
    *(Geometric(p) for p in (1e-200, 1e-20, 1.0)),
    *(NegativeBinomial(m, a) for m in (1e-300, 1.0, 1e200) for a in (1e-300, 1.0, 1e200)),
    *(Bernoulli(p) for p in (0.0, 1e-300, 1.0)),
    *(Binomial(n, p) for n in (1, 10**20) for p in (0.0, 1e-300, 1.0)),
    Categorical([1.0, 0.0]),
    Multinomial([1.0, 0.0], 3),
    Dirichlet([1e-5, 1e-5, 1e200]),
    MultivariateGaussian([0.0, 0.0], np.diag([1e-200, 1e200])),
]
# What may be no number: a mean that does not exist, derivatives beyond floats.
NO_NUMBER = {(law.name, "score") for law in SIZES} | {("student_t", "moments")}


@pytest.mark.parametrize("law", SIZES, ids=lambda law: str(law).replace(" ", "").replace("\n", ""))
def test_no_size_of_a_parameter_raises_a_raw_error(law: Any) -> None:
    try:
        x = law.sample(2, 0)
    except ValueError as refusal:
        if "draws beyond the whole numbers of 64 bits" not in str(refusal):
            raise
        x = np.array([1.0, 2.0])
    calls = {
        "log_prob": lambda: law.log_prob(x),
        "moments": law.moments,
        "entropy": law.entropy,
        "fisher_information": law.fisher_information,
        "inverse_information": law.inverse_information,
        "estimate_covariance": lambda: law.estimate_covariance(10.0),
        "score": lambda: law.score(x),
        "exact_intervals": lambda: law.exact_intervals(10.0, 0.95),
        "kl": lambda: law.kl(law),
        "cdf": lambda: law.cdf(x),
        "check": lambda: law.check(np.asarray(x)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, call in calls.items():
            try:
                got = call()
            except ValueError:  # in words: NumPy's own errors of values are of other kinds
                continue
            if (law.name, name) in NO_NUMBER or got is None or isinstance(got, dict):
                continue
            for part in got if isinstance(got, tuple) else (got,):
                assert not np.isnan(part).any(), (name, got)


@pytest.mark.parametrize("row", range(len(LAWS)))
def test_mass_where_another_law_has_none_makes_the_divergence_infinite(row: int) -> None:
    p = LAWS[row]
    for q in LAWS:
        if p.dimension or q.dimension or p.discrete != q.discrete or type(p) is type(q):
            continue
        got = kl(p, q, n_draws=1000)
        # Points of the support of p, far out, too; where floats give them no chance they have some.
        ends = p.support
        x = np.concatenate([p.sample(50, 0), np.array([-1e9, 1e9]), np.arange(50.0)])
        x = (
            x[(x >= ends.low) & (x < ends.high) & (np.floor(x) == x)]
            if p.discrete
            else x[(x > ends.low) & (x < ends.high)]
        )
        open_ended = x[~q.support.contains(x)]
        if len(open_ended) or np.isneginf(q.log_prob(x[p.log_prob(x) > -600.0])).any():
            assert got.value == math.inf, (p, q)
            assert "outside of the support of q" in got.reason or got.method.startswith("sum over")
        elif p.moment_order == math.inf and not (p.discrete and q.name == "exponential_family"):
            assert math.isfinite(got.value) or p.discrete, (p, q)
