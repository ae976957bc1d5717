"""Polynomial bases and fits against rational arithmetic, NIST's certified values and Legendre."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.polynomial import legendre

import empirisk as er
from empirisk.estimators.features import orthogonal_polynomials
from tests.oracles import nist, rational


def exact_fit(x: np.ndarray, y: np.ndarray, degree: int) -> tuple[list[Fraction], np.ndarray]:
    """Least-squares coefficients of 1, x, x^2 ... and the fitted values, in rational arithmetic."""
    rows = [[Fraction(float(v)) ** k for k in range(degree + 1)] for v in x]
    coef, _, _ = rational.least_squares(rows, [Fraction(float(v)) for v in y])
    return coef, np.array([float(sum(a * b for a, b in zip(r, coef, strict=True))) for r in rows])


def powers(model, column: int = 0) -> np.ndarray:
    """Coefficients of 1, x, x^2 ... of a fitted pipeline."""
    return model["basis"].expand(model["model"].coef_, model["model"].intercept_)[column]


def test_filip_to_the_digits_of_its_numbers() -> None:
    """NIST's hardest case: degree 10, condition 1e15 in powers.  Its x are decimals, rounded to float64."""
    case = nist.case("filip")
    x = np.array([float(v) for v in case.columns[0]])
    y = np.array([float(v) for v in case.y])
    model = er.polynomial_regression(degree=10).fit(x[:, None], y)
    found = powers(model)
    assert min(nist.digits(a, b) for a, b in zip(found, case.coef, strict=True)) >= 13.5
    coef, fitted = exact_fit(x, y, 10)
    assert min(nist.digits(a, float(b)) for a, b in zip(found, coef, strict=True)) >= 14.0
    np.testing.assert_allclose(model.predict(x[:, None]), fitted, rtol=1e-14)


@pytest.mark.parametrize(("low", "step"), [(0.0, 1 / 64), (-1.25, 1 / 16), (1990.0, 1.0)])
def test_degree_20_on_even_points(low: float, step: float) -> None:
    x = low + step * np.arange(41)
    t = np.arange(41) / 40.0
    y = np.round(2.0**20 * (np.exp(np.sin(5.0 * t)) + 0.1 * np.cos(60.0 * t))) / 2.0**20  # short fractions
    coef, fitted = exact_fit(x, y, 20)
    model = er.polynomial_regression(degree=20).fit(x[:, None], y)
    np.testing.assert_allclose(model.predict(x[:, None]), fitted, rtol=1e-13)
    between = low + step * np.arange(0.0, 40.125, 0.125)
    right = [float(sum(c * Fraction(float(v)) ** k for k, c in enumerate(coef))) for v in between]
    # Between the last points of the grid a polynomial of degree 20 amplifies rounding about 1000-fold.
    np.testing.assert_allclose(model.predict(between[:, None]), right, rtol=1e-11, atol=1e-11)


def test_powers_lose_what_the_basis_keeps() -> None:
    """Years from 1990 to 2030, degree 20: in powers even the range of the noise is lost."""
    x = np.linspace(1990.0, 2030.0, 41)
    y = np.cos(x - 2010.0)
    _, fitted = exact_fit(x, y, 20)
    powers_of_x = np.vander(x, 21)
    plain = powers_of_x @ np.linalg.lstsq(powers_of_x, y, rcond=None)[0]
    ours = er.polynomial_regression(degree=20).fit(x[:, None], y).predict(x[:, None])
    assert np.abs(plain - fitted).max() > 0.1
    assert np.abs(ours - fitted).max() < 1e-13


POINTS = {
    "even": lambda rng: np.linspace(3.0, 9.0, 300),
    "random": lambda rng: rng.normal(size=300),
    "two clusters": lambda rng: np.concatenate([rng.normal(size=150), 1e4 + rng.normal(size=150)]),
}


@pytest.mark.parametrize(
    ("points", "degree"),
    [
        ("even", 1),
        ("even", 5),
        ("even", 20),
        ("even", 60),
        ("random", 5),
        ("random", 20),
        ("two clusters", 3),
    ],
)
def test_orthonormal_under_the_weights(points: str, degree: int, rng: np.random.Generator) -> None:
    x, weight = POINTS[points](rng), rng.uniform(0.1, 2.0, size=300)
    basis = er.OrthogonalPolynomials(degree).fit(x[:, None], sample_weight=weight)
    Q = np.column_stack([np.ones(300), basis.transform(x[:, None])])
    np.testing.assert_allclose(Q.T @ (Q * (weight / weight.sum())[:, None]), np.eye(degree + 1), atol=1e-8)
    H = basis.recurrence_[0].H
    np.testing.assert_allclose(np.triu(H, 2), 0.0, atol=1e-10)  # three terms, in exact arithmetic
    np.testing.assert_allclose(np.diag(H, 1), np.diag(H, -1)[: degree - 1], atol=1e-10)


def test_a_degree_that_rounding_hides_is_refused_at_the_first_such_degree(rng: np.random.Generator) -> None:
    x = np.exp(rng.normal(size=300))[:, None]
    with pytest.raises(ValueError, match=r"degree \d+ and more cannot be computed .* column 'x0'") as told:
        er.OrthogonalPolynomials(40).fit(x)
    limit = int(str(told.value).split("lower the degree to ")[1].split(",")[0])
    assert 15 <= limit < 40
    Q = er.OrthogonalPolynomials(limit).fit_transform(x)
    np.testing.assert_allclose(Q.T @ Q / 300, np.eye(limit), atol=1e-6)
    # The reason: the last digit of x alone changes the next polynomial by more than a hundred millionth.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orthogonal_polynomials, "MOST_LOST", np.inf)
        basis = er.OrthogonalPolynomials(limit + 4).fit(x)
    moved = basis.transform(np.nextafter(x, np.inf)) - basis.transform(x)
    assert np.sqrt(np.mean(moved**2, axis=0))[-1] > 1e-8


def test_even_points_give_legendre_polynomials() -> None:
    t = (np.arange(20_001) + 0.5) / 20_001 * 2.0 - 1.0
    found = er.OrthogonalPolynomials(6).fit_transform(t[:, None])
    scale = np.sqrt(2.0 * np.arange(1, 7) + 1.0)
    np.testing.assert_allclose(found, legendre.legvander(t, 6)[:, 1:] * scale, atol=1e-6)


def test_a_smooth_basis_measures_the_slope(rng: np.random.Generator) -> None:
    x = np.append(rng.uniform(2.0, 5.0, size=40), [2.0, 5.0])
    basis = er.OrthogonalPolynomials(6, smooth=True).fit(x[:, None])
    coef = np.array([0.3, -1.0, 0.5, 0.2, -0.7, 0.4])
    t, weight = legendre.leggauss(20)
    f = basis.transform(3.5 + 1.5 * t[:, None]) @ coef
    slope = legendre.legval(t, legendre.legder(legendre.legfit(t, f, 6)))
    assert coef @ coef == pytest.approx(0.5 * weight @ ((1.0 - t * t) * slope**2), rel=1e-11)
    high = er.OrthogonalPolynomials(40, smooth=True).fit_transform(x[:, None])
    k = np.arange(1, 41)
    right = legendre.legvander((x - 3.5) / 1.5, 40)[:, 1:] * np.sqrt((2.0 * k + 1.0) / (k * (k + 1.0)))
    np.testing.assert_allclose(high, right, atol=1e-13)


def test_expand_is_the_same_polynomial(rng: np.random.Generator) -> None:
    X = np.column_stack([rng.normal(size=50), rng.integers(0, 2, size=50), rng.uniform(5.0, 6.0, size=50)])
    basis = er.OrthogonalPolynomials([3, 2, 4], smooth=True).fit(X)
    np.testing.assert_array_equal(basis.degree_, [3, 1, 4])  # two different values carry a straight line
    assert list(basis.get_feature_names_out()) == [
        *("x0_p1", "x0_p2", "x0_p3", "x1_p1", "x2_p1", "x2_p2", "x2_p3", "x2_p4")
    ]
    coef = rng.normal(size=8)
    parts = basis.expand(coef, 2.0)
    assert [len(p) for p in parts] == [4, 2, 5]
    total = sum(np.polynomial.polynomial.polyval(X[:, j], p) for j, p in enumerate(parts))
    np.testing.assert_allclose(total, 2.0 + basis.transform(X) @ coef, atol=1e-8)
    with pytest.raises(ValueError, match=r"coef must have shape \(8,\)"):
        basis.expand(coef[:5])


def test_the_penalised_pipeline_needs_no_choice_of_degree(rng: np.random.Generator) -> None:
    """Noisy sine, degree 25 on 60 points: least squares follows the noise, the penalty does not."""
    x = np.sort(rng.uniform(0.0, 1.0, size=60))[:, None]
    truth = lambda v: np.sin(6.0 * v[:, 0])  # noqa: E731
    y = truth(x) + 0.3 * rng.normal(size=60)
    inside = np.linspace(x.min(), x.max(), 300)[:, None]
    errors = {}
    for alpha in (0.0, "cv"):
        model = er.polynomial_regression(degree=25, alpha=alpha).fit(x, y)
        errors[alpha] = np.mean((model.predict(inside) - truth(inside)) ** 2)
    assert errors["cv"] < 0.09  # the variance of the noise
    assert errors["cv"] < errors[0.0]
    assert model["model"].certificate_.within(1e-6)


def test_weights_reach_the_model(rng: np.random.Generator) -> None:
    x, times = rng.normal(size=(30, 1)), rng.integers(1, 4, size=30)
    y = x[:, 0] ** 2 + rng.normal(size=30)
    weighted = er.polynomial_regression(3).fit(x, y, model__sample_weight=times)
    repeated = er.polynomial_regression(3).fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict(x), repeated.predict(x), rtol=1e-10)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="no column has two different values in n_samples = 4"):
        er.OrthogonalPolynomials().fit(np.ones((4, 2)))
    far = np.concatenate([np.arange(10.0), 1e15 + np.arange(10.0)])[:, None]
    with pytest.raises(ValueError, match=r"degree \d+ and more cannot be computed"):
        er.OrthogonalPolynomials(12).fit(far)
    for degree in (0, 2.5, "3", True):
        with pytest.raises(ValueError, match="degree must be an integer >= 1"):
            er.OrthogonalPolynomials(degree).fit(np.array([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="alpha must be"):
        er.polynomial_regression(3, alpha="strong")
    with pytest.raises(ValueError, match="alpha must be"):
        er.polynomial_regression(3, alpha=-1.0)
