"""Fits that have no answer, or no interval, say so: ties, borders, extreme units, and names."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from empirisk.distributions import (
    REGISTRY,
    Categorical,
    Gamma,
    Gaussian,
    Laplace,
    Poisson,
    StudentT,
    fit_mle,
    fit_moments,
    goodness_of_fit,
)
from empirisk.results import Kind
from tests.conformance.test_distributions import SAMPLES


@pytest.mark.parametrize(
    "x", [[1.0, 1.0, 1.0, 2.0], np.r_[np.zeros(12), np.random.default_rng(0).normal(size=20)]]
)
def test_ties_leave_the_likelihood_of_student_without_a_bound(x: Any) -> None:
    with pytest.raises(ValueError, match=r"rows of x are the same number.* grows without bound"):
        fit_mle("student_t", x)


def test_student_is_still_fitted_where_some_rows_are_repeated() -> None:
    x = np.round(StudentT(4.0, 0.0, 1.0).sample(400, 1), 1)
    assert fit_mle("student_t", x).certificate.value < 1e-9


def test_a_closed_form_is_claimed_where_there_is_one() -> None:
    for law, _ in SAMPLES:
        if law.name in ("exponential_family", "student_t", "negative_binomial"):
            continue
        told = {"k": 3} if law.name == "categorical" else {s: getattr(law, s) for s in law.structure}
        claim = fit_mle(type(law), law.sample(50, 0), **told).certificate
        iterated = law.name in ("gamma", "beta", "dirichlet", "normal_inverse_gamma")
        assert (claim.kind is Kind.EXACT) == (not iterated), law.name
    assert fit_mle("gamma", [1.0, 2.0, 3.0]).certificate.kind is Kind.STATIONARITY


def test_an_estimate_at_the_border_has_no_interval_without_width() -> None:
    p = fit_mle("categorical", [0, 1, 1], k=3).estimates["p[2]"]
    # 1 - 0.025^(1/3), by hand: the chance of no row of the class in three.
    assert (p.low, p.high) == (0.0, pytest.approx(1.0 - 0.025 ** (1.0 / 3.0), rel=1e-12))
    for fit in (
        fit_mle("bernoulli", [0, 0, 0], covariance="robust"),
        fit_moments("bernoulli", [0, 0]),
        fit_moments("geometric", [1, 1]),
        fit_moments("categorical", [0, 1, 1], k=3),
    ):
        at = [e for e in fit.estimates.values() if e.value in (0.0, 1.0)]
        assert at
        assert all(e.low is None and "at the border of" in e.reason for e in at)


def test_intervals_of_shares_cover() -> None:
    rng = np.random.default_rng(4)
    law = Categorical([0.1, 0.3, 0.6])
    held = np.zeros(3)
    for _ in range(300):
        estimates = fit_mle("categorical", law.sample(10, rng), k=3).estimates.values()
        held += [e.low <= p <= e.high for e, p in zip(estimates, law.p, strict=True)]
    # Exact intervals: below 91 % of 300 with chance 2e-3 only where the level is 95 % exactly.
    assert (held / 300 >= 0.91).all()


def test_rows_that_are_nearly_equal_keep_their_shape() -> None:
    gap = 1e-7 * np.random.default_rng(0).normal(size=500)
    fit = fit_mle("gamma", 1.0 + gap)
    shape = fit.estimates["shape"]
    # A Gamma law of so large a shape is Gaussian: 1 / a is the variance over the squared mean.
    assert shape.value == pytest.approx(1.0 / gap.var(), rel=1e-6)
    assert shape.low is not None
    assert shape.high is not None
    # The asymptotic relative error of a variance is sqrt(2 / n), here 0.063, times 1.96.
    assert np.log(shape.high / shape.low) == pytest.approx(2.0 * 1.96 * np.sqrt(2.0 / 500.0), rel=1e-3)
    assert fit.log_likelihood == pytest.approx(fit_mle("gaussian", 1.0 + gap).log_likelihood, rel=1e-5)


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_units_that_floats_hardly_hold_give_no_false_interval(unit: float) -> None:
    fit = fit_mle("gamma", unit * np.array([1.0, 2.0, 5.0]))
    assert fit.estimates["shape"].value == pytest.approx(
        fit_mle("gamma", [1.0, 2.0, 5.0]).estimates["shape"].value, rel=1e-9
    )
    assert "change the unit of x" in fit.estimates["rate"].reason
    with pytest.raises(ValueError, match=r"(floats do not hold|beyond what floats hold).* unit"):
        fit_mle("gaussian", unit * np.arange(9.0))
    with pytest.raises(ValueError, match=r"(floats do not hold|beyond what floats hold).* unit"):
        fit_mle("student_t", unit * np.arange(9.0))
    with pytest.raises(ValueError, match=r"(floats do not hold|beyond what floats hold).* unit"):
        goodness_of_fit("gaussian", unit * np.arange(20.0))
    with pytest.raises(ValueError, match=r"(floats do not hold|beyond what floats hold).* unit"):
        fit_moments("laplace", unit * np.arange(9.0))


def test_a_count_among_zeros_is_fitted() -> None:
    fit = fit_mle("negative_binomial", [0, 0, 0, 0, 100000])
    assert fit.estimates["mean"].value == 20000.0
    assert all(e.low is not None and e.low < e.value for e in fit.estimates.values())


def test_weights_that_count_one_row_tell_no_variance() -> None:
    x, weight = np.array([1.0, 2.0, 3.0]), np.ones(3)
    for total in (0.5, 1.0):
        with pytest.raises(ValueError, match=rf"^the rows of x count {total:g} in all"):
            fit_mle("gaussian", x, sample_weight=weight * total / 3.0)


@pytest.mark.parametrize("name", ["poisson", "exponential"])
def test_zeros_alone_are_refused_by_all_fits_alike(name: str) -> None:
    for fit in (fit_mle, fit_moments):
        with pytest.raises(ValueError, match=r"^all (counts|rows) of x are 0, so that the likelihood grows"):
            fit(name, [0.0, 0.0])


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("gausian", "gaussian"),
        ("Gaussian", "gaussian"),
        ("normal", "gaussian"),
        ("Negative Binomial", "negative_binomial"),
    ],
)
def test_names_have_a_nearest_one(wrong: str, meant: str) -> None:
    with pytest.raises(ValueError, match=rf"; did you mean '{meant}'\?$"):
        fit_mle(wrong, [1.0, 2.0])


def test_names_of_parameters_are_refused_in_words() -> None:
    with pytest.raises(TypeError, match=r"a fit of the gaussian law is told no parameter$"):
        fit_mle("gaussian", [1.0, 2.0], k=3)
    with pytest.raises(TypeError, match=r"is told \['n'\] and nothing else$"):
        fit_mle("binomial", [1, 2], m=3)
    with pytest.raises(ValueError, match=r"^k of the categorical distribution must be 2 classes or more"):
        fit_mle("categorical", [0, 0], k=1)
    with pytest.raises(TypeError, match=r"^the exponential_family law is a family of your own: give"):
        fit_mle("exponential_family", [1.0])
    with pytest.raises(TypeError, match=r"^'foo' is no parameter of the gaussian distribution: it has \["):
        Gaussian().with_parameters(foo=1.0)
    with pytest.raises(TypeError, match=r"er\.kl\(p, q\) compares any two$"):
        Gaussian().kl(Laplace())
    with pytest.raises(ValueError, match=r"^mean of the gaussian distribution must be a number in"):
        Gaussian(True, 1.0)


@pytest.mark.parametrize("name", sorted(set(REGISTRY) - {"exponential_family"}))
def test_a_level_that_is_no_chance_is_refused_by_all_laws(name: str) -> None:
    law = next(law for law, _ in SAMPLES if law.name == name)
    for level in (0.0, 1.0, 2, "a"):
        with pytest.raises(ValueError, match=r"^level must lie strictly between 0 and 1"):
            law.exact_intervals(5.0, level)


def test_what_is_no_table_is_refused_by_the_name_of_x() -> None:
    for odd in (None, np.array([1.0 + 1.0j]), np.array(["a"])):
        with pytest.raises(ValueError, match=r"^x must be real numbers, one row each"):
            fit_mle("gaussian", odd)
    with pytest.raises(ValueError, match=r"^x has no rows"):
        fit_mle("gaussian", [])
    with pytest.raises(ValueError, match=r"^x ") as refusal:
        fit_mle("gaussian", [1.0, np.nan, 2.0])
    assert not re.match(r"X\b", str(refusal.value))


def test_numbers_whose_sign_is_known_are_not_printed_as_zero() -> None:
    assert str(fit_mle("gaussian", [0.0, 1.0]).estimates["variance"]).startswith("0.25 [")
    assert str(fit_mle("exponential", 1e300 * Poisson(3.0).sample(9, 0)).estimates["rate"])[:2] != "0."
    assert Gamma(1.0, 3.0).log_prob([0.0])[0] == -np.inf
