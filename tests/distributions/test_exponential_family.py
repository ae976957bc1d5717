"""Families that users write down: the same law with A given and computed, and what is no law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from empirisk.distributions import ExponentialFamily, Gamma, fit_mle
from empirisk.typing import Array, Interval


def phi(x: Array) -> Array:
    """The statistics of the Gamma law."""
    return np.column_stack([np.log(x), x])


def h(x: Array) -> Array:
    """The base measure of the Gamma law."""
    return 1.0 / x


def log_partition(eta: Array) -> float:
    """The log-partition of the Gamma law, infinite outside of its domain."""
    if not (eta[0] > 0.0 and eta[1] < 0.0):
        return np.inf
    return float(gammaln(eta[0]) - eta[0] * np.log(-eta[1]))


HALF = Interval(0.0, np.inf, low_closed=False, high_closed=False)


@pytest.mark.parametrize("A", [None, log_partition])
def test_a_gamma_law_that_is_written_down_is_fitted_as_the_other(A: object) -> None:
    x = Gamma(2.5, 3.0).sample(500, 0)
    wanted = fit_mle("gamma", x)
    got = fit_mle(ExponentialFamily(h, phi, A, eta=(1.0, -1.0), within=HALF), x)  # type: ignore[arg-type]
    eta = got.distribution.natural
    np.testing.assert_allclose(eta, wanted.distribution.natural, rtol=1e-8)
    assert got.log_likelihood == pytest.approx(wanted.log_likelihood, rel=1e-9)
    np.testing.assert_allclose(got.standard_errors, wanted.standard_errors, rtol=1e-6)
    np.testing.assert_allclose(got.distribution.cdf(x[:9]), wanted.distribution.cdf(x[:9]), rtol=1e-8)


def test_what_is_no_law_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"^A is not finite at eta = \[1\.0\]"):
        ExponentialFamily(eta=(1.0,))
    with pytest.raises(ValueError, match=r"^A is 7 at eta .* the density would not sum to 1"):
        ExponentialFamily(A=lambda eta: 7.0)
    with pytest.raises(ValueError, match=r"^phi gives 2 statistics and eta has 1 numbers"):
        ExponentialFamily(h, phi, within=HALF)
    with pytest.raises(ValueError, match=r"^within must be an empirisk\.typing\.Interval"):
        ExponentialFamily(within=(0.0, 1.0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^within must have a lower end"):
        ExponentialFamily(within=Interval(), lattice=True)


def test_means_at_the_border_have_no_maximum() -> None:
    with pytest.raises(ValueError, match=r"may lie at the border of what phi can be"):
        fit_mle(ExponentialFamily(eta=(0.0,), within=Interval(0.0, 1.0)), [1.0, 1.0, 1.0])
