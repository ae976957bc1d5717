"""Sums of written laws of whole numbers, against series in closed form, and measures beyond floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

from empirisk.distributions import ExponentialFamily, fit_mle
from empirisk.typing import Array, Interval

HALF = Interval(0.0, math.inf, high_closed=False)


def over_factorials(x: Array) -> Array:
    """The base measure of Poisson's law, which is 0 in floats from 178 on."""
    return np.exp(-gammaln(x + 1.0))


def log_over_factorials(x: Array) -> Array:
    """The logarithm of the base measure of the law of Poisson."""
    return np.asarray(-gammaln(x + 1.0))


@pytest.mark.parametrize("eta", [-1.0, -0.0015, -0.001, -3e-4])
def test_geometric_series_run_until_nothing_is_left(eta: float) -> None:
    law = ExponentialFamily(eta=(eta,), lattice=True)
    assert law.log_partition(law.natural) == pytest.approx(-math.log(-math.expm1(eta)), rel=1e-13)
    q = math.exp(eta)
    np.testing.assert_allclose(law.moments(), [q / (1.0 - q), q / (1.0 - q) ** 2], rtol=1e-10)


def test_a_fit_reaches_means_of_thousands() -> None:
    fit = fit_mle(ExponentialFamily(eta=(-1.0,), lattice=True), np.arange(2001.0))
    assert fit.distribution.eta[0] == pytest.approx(math.log(1000.0 / 1001.0), rel=1e-10)


def test_powers_are_summed_where_they_fall_fast_enough_and_else_said_to_be_unfinished() -> None:
    law = ExponentialFamily(None, np.log1p, eta=(-4.0,), lattice=True)
    assert law.log_partition(law.natural) == pytest.approx(math.log(math.pi**4 / 90.0), rel=1e-13)
    for eta, words in ((-2.0, "about [0-9]e-07 of it"), (-1.0, "more than the sum itself")):
        with pytest.raises(ValueError, match=rf"^A is not known .* is not at its end: {words} may be left"):
            ExponentialFamily(None, np.log1p, eta=(eta,), lattice=True)


@pytest.mark.parametrize("eta", [0.3, 1.0, -1e-7])
def test_sums_without_an_end_are_said_to_be_so(eta: float) -> None:
    with pytest.raises(ValueError, match=r"^A is not known at eta = .*(largest at the end|not at its end)"):
        ExponentialFamily(eta=(eta,), lattice=True)


@pytest.mark.full  # sums over a million counts at each step of a search
def test_a_search_says_what_stopped_it() -> None:
    with pytest.raises(ValueError, match=r"A is not known beyond, where the .* 1,048,576"):
        fit_mle(ExponentialFamily(eta=(-1.0,), lattice=True), [1e6, 3e6])
    with pytest.raises(ValueError, match=r"A is not known beyond, where h is .* give log_h"):
        fit_mle(ExponentialFamily(over_factorials, eta=(0.0,), lattice=True), [390.0, 410.0])


@pytest.mark.parametrize("mean", [3.0, 400.0, 1e4])
def test_the_logarithm_of_a_measure_carries_poissons_law(mean: float) -> None:
    law = ExponentialFamily(log_h=log_over_factorials, eta=(math.log(mean),), lattice=True)
    assert law.log_partition(law.natural) == pytest.approx(mean, rel=1e-13)
    np.testing.assert_allclose(law.moments(), [mean, mean], rtol=1e-10)
    fit = fit_mle(law.at(np.array([0.0])), [mean - 1.0, mean + 1.0])
    assert fit.distribution.eta[0] == pytest.approx(math.log(mean), rel=1e-11)


def test_a_gaussian_measure_far_out_is_given_by_its_logarithm() -> None:
    law = ExponentialFamily(log_h=lambda x: -0.5 * x * x, eta=(50.0,), within=Interval())
    wanted = 1250.0 + 0.5 * math.log(2.0 * math.pi)
    assert law.log_partition(law.natural) == pytest.approx(wanted, rel=1e-13)


LEAVES: list[tuple[str, dict[str, Any]]] = [
    ("counts", {"h": over_factorials, "eta": (math.log(1e4),), "lattice": True}),
    (
        "given",
        {
            "h": over_factorials,
            "eta": (math.log(1e4),),
            "lattice": True,
            "A": lambda eta: math.exp(eta[0]),
        },
    ),
    ("density", {"h": lambda x: np.exp(-0.5 * x * x), "eta": (50.0,), "within": Interval()}),
    ("above", {"h": lambda x: np.exp(x * x), "phi": lambda x: -x * x, "eta": (2.0,), "within": HALF}),
]


@pytest.mark.parametrize("known", [row for _, row in LEAVES], ids=[name for name, _ in LEAVES])
def test_a_measure_that_leaves_floats_is_named(known: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"h is .* at x = .*, where the law has mass, .*; give log_h"):
        ExponentialFamily(**known)


def test_one_measure_is_given_once() -> None:
    with pytest.raises(ValueError, match=r"^h and log_h are the same measure: give one of them"):
        ExponentialFamily(over_factorials, log_h=log_over_factorials)
    with pytest.raises(TypeError, match=r"^log_h must be a function or None, got 'a'$"):
        ExponentialFamily(log_h="a")  # type: ignore[arg-type]


def test_ends_that_are_left_out_have_no_chance() -> None:
    law = ExponentialFamily(
        eta=(0.0,), lattice=True, within=Interval(0.0, 3.0, low_closed=False, high_closed=False)
    )
    assert law.log_partition(law.natural) == pytest.approx(math.log(2.0), rel=1e-14)
    np.testing.assert_allclose(np.exp(law.log_prob([0.0, 1.0, 2.0, 3.0])), [0.0, 0.5, 0.5, 0.0], rtol=1e-14)
    half = ExponentialFamily(eta=(0.0,), lattice=True, within=Interval(0.5, 3.5))
    assert half.log_partition(half.natural) == pytest.approx(math.log(3.0), rel=1e-14)
    with pytest.raises(ValueError, match=r"^within is \[0.2, 0.8\], which holds no whole number"):
        ExponentialFamily(eta=(0.0,), lattice=True, within=Interval(0.2, 0.8))
