"""Certified digits: coefficients, standard deviations and residual standard deviation."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from empirisk.estimators import LinearRegression
from tests.oracles import nist, rational

# Correct digits that are asked for of coefficients and standard deviations.  Rounding the decimal powers of
# Filip to float64 leaves 7.6 to an exact solver.
WANTED = {
    "norris": 10.0,
    "pontius": 10.0,
    "noint1": 10.0,
    "longley": 9.0,
    "filip": 7.0,
    "wampler1": 9.0,
    "wampler2": 9.0,
    "wampler3": 9.0,
    "wampler4": 9.0,
    "wampler5": 9.0,
}


def summary(case: nist.Case):
    X, y = case.arrays()
    return LinearRegression(fit_intercept=case.intercept).fit(X, y).summary(X, y)


@pytest.mark.parametrize("name", nist.NAMES)
def test_the_copied_data_reproduce_every_certified_digit(name):
    case = nist.case(name)
    coef, rss, inverse = rational.least_squares(case.rows(), case.y)
    with mpmath.workdps(40):
        sigma = mpmath.sqrt(mpmath.mpf(rss.numerator) / rss.denominator / (len(case.y) - len(coef)))
        assert mpmath.almosteq(sigma, mpmath.mpf(case.sigma), 1e-14)
        for j, value in enumerate(coef):
            assert mpmath.almosteq(
                mpmath.mpf(value.numerator) / value.denominator, mpmath.mpf(case.coef[j]), 1e-14
            )
            v = inverse[j][j]
            assert mpmath.almosteq(
                sigma * mpmath.sqrt(mpmath.mpf(v.numerator) / v.denominator), case.se[j], 1e-14
            )


@pytest.mark.parametrize("name", nist.NAMES)
def test_summary_reaches_the_certified_digits(name):
    case = nist.case(name)
    table = summary(case)
    found = {
        "coef": min(nist.digits(v, c) for v, c in zip(table.coef, case.coef, strict=True)),
        "se": min(nist.digits(v, c) for v, c in zip(table.se, case.se, strict=True)),
        "sigma": nist.digits(table["sigma"], case.sigma),
    }
    assert min(found.values()) >= WANTED[name], found


@pytest.mark.parametrize("name", ["wampler1", "wampler2"])
def test_a_perfect_fit_has_no_noise(name):
    table = summary(nist.case(name))
    assert table["sigma"] <= 1e-9
    assert np.all(table.se <= 1e-9)


@pytest.mark.parametrize("name", ["longley", "filip", "pontius", "wampler5"])
def test_float_data_are_solved_to_their_own_exact_answer(name):
    """Against the exact solution of the rounded data: what the solver alone loses."""
    case = nist.case(name)
    X, y = case.arrays()
    rows = [[Fraction(1), *(Fraction(float(v)) for v in row)] for row in X]
    coef, _, _ = rational.least_squares(rows, [Fraction(float(v)) for v in y])
    table = summary(case)
    assert min(nist.digits(v, float(c)) for v, c in zip(table.coef, coef, strict=True)) >= 9.0
