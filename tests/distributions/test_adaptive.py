"""Written families far from the centre of their nodes: peaks, kinks, jumps and waves, against algebra."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy.special import iv

from empirisk.distributions import ExponentialFamily, fit_mle
from empirisk.typing import Array, Interval

LINE, HALF = Interval(), Interval(0.0, math.inf, False, False)


def squares(x: Array) -> Array:
    """The statistics of the Gaussian law."""
    return np.column_stack([x, x * x])


def logs(x: Array) -> Array:
    """The statistics of the Gamma law, with the rate as it is."""
    return np.column_stack([np.log(x), -x])


def one_over(x: Array) -> Array:
    """The base measure of the Gamma law."""
    return 1.0 / x


def gaussian_partition(eta: Array) -> float:
    """The log-partition of the Gaussian law, without the constant."""
    return float(-(eta[0] ** 2) / (4.0 * eta[1]) + 0.5 * math.log(-math.pi / eta[1]))


@pytest.mark.parametrize("m", [0.0, 20.0, 50.0, 100.0, 1000.0, -300.0])
def test_a_gaussian_law_is_integrated_wherever_it_lies(m: float) -> None:
    law = ExponentialFamily(None, squares, eta=(m, -0.5), within=LINE)
    assert law.log_partition(law.natural) == pytest.approx(gaussian_partition(law.natural), rel=1e-13)
    mean, variance = law.moments()
    assert mean == pytest.approx(m, rel=1e-10, abs=1e-12)
    # The logarithms of the terms are of the size m^2 and rounded.
    assert variance == pytest.approx(1.0, abs=1e-12 + 1e-15 * m * m)
    assert law.cdf([m])[0] == pytest.approx(0.5, abs=1e-9)
    assert law.quantile(0.5) == pytest.approx(m, abs=1e-6)
    given = ExponentialFamily(None, squares, gaussian_partition, eta=(m, -0.5), within=LINE)
    assert given.log_prob([m])[0] == pytest.approx(-0.5 * math.log(2.0 * math.pi), abs=1e-9)


@pytest.mark.parametrize("shape", [0.3, 10.0, 1e4, 1e6])
def test_a_gamma_law_is_integrated_at_every_shape(shape: float) -> None:
    law = ExponentialFamily(one_over, logs, eta=(shape, 1.0), within=HALF)
    np.testing.assert_allclose(law.moments(), [shape, shape], rtol=1e-8)


def test_narrow_peaks_far_apart_are_found() -> None:
    def two(x: Array) -> Array:
        return np.logaddexp(-50.0 * (x - 30.0) ** 2, -50.0 * (x + 30.0) ** 2)

    law = ExponentialFamily(None, two, eta=(1.0,), within=LINE)
    np.testing.assert_allclose(law.moments(), [0.0, 900.01], rtol=1e-12, atol=1e-12)
    wanted = math.log(2.0 * math.sqrt(math.pi / 50.0))
    assert law.log_partition(law.natural) == pytest.approx(wanted, abs=1e-13)


@pytest.mark.parametrize("at", [5.0, 5.0001, 4.0, 0.3])
def test_kinks_and_jumps_are_found(at: float) -> None:
    # exp(-|x - c| + x / 2) has the integrals 2 e^(c/2) and 2/3 e^(c/2) on both sides of c.
    kink = ExponentialFamily(lambda x: np.exp(-np.abs(x - at)), eta=(0.5,), within=LINE)
    assert kink.log_partition(kink.natural) == pytest.approx(0.5 * at + math.log(8.0 / 3.0), abs=1e-12)
    jump = ExponentialFamily(lambda x: 1.0 * (x > at), eta=(-1.0,), within=LINE)
    assert jump.log_partition(jump.natural) == pytest.approx(-at, abs=1e-11)


def test_waves_are_resolved_also_where_they_have_no_weight() -> None:
    circle = Interval(-math.pi, math.pi)
    law = ExponentialFamily(None, lambda x: np.cos(200.0 * x), eta=(1e-9,), within=circle)
    assert law.covariance_statistics(law.natural)[0, 0] == pytest.approx(0.5, rel=1e-9)
    law = law.at(np.array([2.0]))
    assert law.log_partition(law.natural) == pytest.approx(math.log(2.0 * math.pi * iv(0, 2.0)), rel=1e-12)


@pytest.mark.parametrize("start", [(50.0, -0.5), (0.0, -0.5)])
def test_a_fit_finds_rows_far_from_the_centre(start: tuple[float, float]) -> None:
    x = np.random.default_rng(0).normal(50.0, 1.0, 400)
    fit = fit_mle(ExponentialFamily(None, squares, eta=start, within=LINE), x)
    wanted = [x.mean() / x.var(), -0.5 / x.var()]
    np.testing.assert_allclose(fit.distribution.natural, wanted, rtol=1e-7)
    assert fit.certificate.value < 1e-9


def test_what_was_given_beside_phi_is_held_against_the_integrals() -> None:
    for name, value in (("gradient", lambda eta: np.ones(2)), ("hessian", lambda eta: np.eye(2))):
        with pytest.raises(ValueError, match=rf"^{name} is .* of phi is .* correct it, or leave it out$"):
            ExponentialFamily(None, squares, eta=(0.0, -0.5), within=LINE, **{name: value})
    for name in ("h", "phi", "A", "gradient", "hessian"):
        with pytest.raises(TypeError, match=rf"^{name} must be a function or None, got 'a'$"):
            ExponentialFamily(**{name: "a"})


def test_statistics_that_are_combinations_are_refused() -> None:
    for phi, words in (
        (lambda x: np.column_stack([x, 2.0 * x]), "columns of phi are combinations of others"),
        (lambda x: np.column_stack([x, np.ones_like(x)]), "column 1 of phi is constant"),
    ):
        with pytest.raises(ValueError, match=rf"^{words} under the law"):
            fit_mle(ExponentialFamily(None, phi, eta=(-1.0, -0.5)), [1.0, 2.0, 3.0])


def test_numbers_beyond_rounding_are_refused() -> None:
    with pytest.raises(ValueError, match=r"is known to .* of itself only"):
        ExponentialFamily(None, squares, eta=(1e6, -0.5), within=LINE)


def test_grids_are_not_stored() -> None:
    law = ExponentialFamily(None, squares, eta=(0.0, -0.5), within=LINE)
    assert len(pickle.dumps(law)) < 2000
