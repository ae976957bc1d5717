"""Fourier features: orthogonality, recovery of a known function, phases of large numbers."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import empirisk as er


@pytest.mark.parametrize("n", [9, 24, 101])
def test_orthonormal_on_an_even_grid(n: int) -> None:
    K = (n - 1) // 2
    x = 5.0 + 7.0 * np.arange(n)[:, None] / n
    Q = er.FourierFeatures(K, period=7.0, orthonormal=True).fit_transform(x)
    full = np.column_stack([np.ones(n), Q])
    np.testing.assert_allclose(full.T @ full / n, np.eye(2 * K + 1), atol=1e-13)


def test_a_trigonometric_polynomial_is_recovered(rng: np.random.Generator) -> None:
    x = np.sort(rng.uniform(0.0, 24.0, size=200))
    turn = 2.0 * np.pi * x / 24.0
    y = 3.0 + 2.0 * np.sin(turn) - 0.5 * np.cos(2.0 * turn)
    basis = er.FourierFeatures(3, period=24.0)
    model = er.LinearRegression().fit(basis.fit_transform(x[:, None]), y)
    assert model.intercept_ == pytest.approx(3.0, abs=1e-12)
    np.testing.assert_allclose(model.coef_, [2.0, 0.0, 0.0, -0.5, 0.0, 0.0], atol=1e-12)
    assert list(basis.get_feature_names_out(["hour"])) == [
        *("hour_sin1", "hour_cos1", "hour_sin2", "hour_cos2", "hour_sin3", "hour_cos3")
    ]


def test_seconds_since_1970_keep_their_phase() -> None:
    seconds, day = np.array([[1_700_000_000.125], [-86_399.5]]), 86_400.0
    found = er.FourierFeatures(12, period=day).fit_transform(seconds)
    with mpmath.workdps(40):
        for row, (second,) in zip(found, seconds, strict=True):
            angle = [2 * mpmath.pi * k * mpmath.mpf(float(second)) / 86_400 for k in range(1, 13)]
            right = [float(f(a)) for a in angle for f in (mpmath.sin, mpmath.cos)]
            np.testing.assert_allclose(row, right, atol=1e-14)


def test_one_period_for_each_column() -> None:
    X = np.array([[0.25, 30.0], [1.25, 390.0]])
    basis = er.FourierFeatures([1, 2], period=[1.0, 360.0]).fit(X)
    out = basis.transform(X)
    half, root = 0.5, np.sqrt(3.0) / 2.0
    np.testing.assert_allclose(out, np.tile([1.0, 0.0, half, root, root, half], (2, 1)), atol=1e-15)
    np.testing.assert_array_equal(basis.period_, [1.0, 360.0])


def test_the_range_is_a_period() -> None:
    x = np.array([[2.0], [3.0], [6.0]])
    basis = er.FourierFeatures(2).fit(x)
    assert basis.period_[0] == 4.0
    out = basis.transform(x)
    np.testing.assert_allclose(out[0], out[2], atol=1e-14)


@pytest.mark.parametrize("period", [0.0, -1.0, np.nan, np.inf, "day", None, True, [1.0, 0.0]])
def test_periods_that_are_none(period: object) -> None:
    with pytest.raises(ValueError, match="period must be"):
        er.FourierFeatures(period=period).fit(np.array([[1.0, 2.0], [2.0, 3.0]]))


def test_a_constant_column_has_no_range() -> None:
    X = np.array([[1.0, 5.0], [2.0, 5.0]])
    with pytest.raises(ValueError, match=r"column 'x1' has one value only \(5\).*give period="):
        er.FourierFeatures().fit(X)
    er.FourierFeatures(period=24.0).fit(X)


@pytest.mark.parametrize("harmonics", [0, 2.5, "3", True])
def test_numbers_of_harmonics_that_are_none(harmonics: object) -> None:
    with pytest.raises(ValueError, match="n_harmonics must be an integer >= 1"):
        er.FourierFeatures(harmonics).fit(np.array([[1.0], [2.0]]))
