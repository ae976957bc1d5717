"""The fused passes against the Python losses, and their elementary functions against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from empirisk import _loops
from empirisk.losses import HalfSquared, Logistic, Softmax
from empirisk.losses.base import ScalarLoss
from empirisk.typing import Array
from tests.loops.layouts import DTYPES, FORMS, SHAPES, check_product, for_thread_counts, matrix, same_bits

LOSSES: list[ScalarLoss] = [HalfSquared(), Logistic()]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_linear_pass(
    rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str, loss: ScalarLoss
) -> None:
    X, A = matrix(rng, shape, dtype, form)
    n, p = shape
    w, b, y = rng.standard_normal(p), 0.3, np.sign(rng.standard_normal(n))
    for s in (None, rng.random(n)):
        value, grad, grad_b, z, first, second = _loops.linear_pass(
            X, y, s, w, b, loss.name, want_z=True, want_derivatives=True
        )
        weight = np.ones(n) if s is None else s
        assert z is not None
        assert grad is not None
        check_product(z, np.hstack([A, np.ones((n, 1))]), np.append(w, b))
        assert value == pytest.approx(weight @ loss.value(y, z), rel=1e-14, abs=1e-300)
        np.testing.assert_allclose(first, loss.grad(y, z), rtol=1e-14)
        np.testing.assert_allclose(second, loss.hess(y, z), rtol=1e-14)
        check_product(grad, A.T, weight * loss.grad(y, z))
        check_product(np.asarray([grad_b]), np.ones((1, n)), weight * loss.grad(y, z))
        lean = _loops.linear_pass(X, y, s, w, b, loss.name, want_grad=False)
        assert lean == (value, None, grad_b, None, None, None)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_softmax_pass(rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str) -> None:
    X, A = matrix(rng, shape, dtype, form)
    n, p = shape
    loss = Softmax()
    for k, s in ((1, None), (2, rng.random(n)), (3, None), (10, rng.random(n))):
        W, b, y = rng.standard_normal((p, k)), rng.standard_normal(k), rng.integers(0, k, n)
        value, grad, grad_b, Z, P = _loops.softmax_pass(X, y, s, W, b, want_z=True, want_probabilities=True)
        weight = np.ones(n) if s is None else s
        assert Z is not None
        assert grad is not None
        check_product(Z, np.hstack([A, np.ones((n, 1))]), np.vstack([W, b]))
        if n == 0:
            assert (value, grad.any(), grad_b.any()) == (0.0, False, False)
            continue
        R = weight[:, None] * loss.grad(y, Z)
        assert value == pytest.approx(weight @ loss.value(y, Z), rel=1e-13, abs=1e-14 * weight.sum() * k)
        np.testing.assert_allclose(P, loss.mean(Z), rtol=1e-13)
        size = np.abs(A.T) @ np.repeat(
            weight[:, None], k, axis=1
        )  # residuals: differences of numbers up to one
        assert np.all(np.abs(grad - A.T @ R) <= 1e-14 * size)
        assert np.all(np.abs(grad_b - R.sum(axis=0)) <= 1e-14 * weight.sum())
        lean = _loops.softmax_pass(X, y, s, W, b, want_grad=False)
        assert lean[0] == value
        assert np.array_equal(lean[2], grad_b)
        assert lean[1] is lean[3] is lean[4] is None


def test_losses_of_extreme_scores() -> None:
    z = np.array([0.0, 1e-320, 1e-300, 1e-16, 1.0, 30.0, 40.0, 700.0, 745.0, 800.0, 1e300, np.inf])
    z = np.concatenate([z, -z])
    for sign in (1.0, -1.0):
        y = np.full(z.size, sign)
        _, _, _, _, first, second = _loops.linear_pass(
            z[:, None], y, None, np.ones(1), 0.0, "logistic", False, False, True
        )
        one_by_one = [
            _loops.linear_pass(z[i : i + 1, None], y[:1], None, np.ones(1), 0.0, "logistic", False)[0]
            for i in range(z.size)
        ]
        np.testing.assert_allclose(one_by_one, np.logaddexp(0.0, -y * z), rtol=4e-16, atol=5e-324)
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(first, -y / (1.0 + np.exp(y * z)), rtol=1e-15, atol=1e-323)
            np.testing.assert_allclose(second, Logistic().hess(y, z), rtol=1e-15, atol=1e-323)


def test_softmax_keeps_small_losses() -> None:
    # Class 0 is almost certain: the loss is log(1 + 2 exp(-gap)), far below the rounding of one.
    for gap in (10.0, 40.0, 100.0, 700.0):
        Z = np.array([[gap, 0.0, 0.0]])
        value = _loops.softmax_pass(np.ones((1, 1)), np.array([0]), None, Z, None)[0]
        assert value == pytest.approx(2.0 * np.exp(-gap), rel=1e-4 if gap == 10.0 else 1e-14)
    tie = _loops.softmax_pass(np.ones((1, 1)), np.array([2]), None, np.full((1, 4), 1e300), None)[0]
    assert tie == pytest.approx(np.log(4.0), rel=1e-15)


def test_nan_stays_nan() -> None:
    X = np.ones((20, 3))
    X[7, 1] = np.nan
    value, grad, *_ = _loops.linear_pass(X, np.ones(20), None, np.ones(3), 0.0, "logistic")
    assert np.isnan(value)
    assert np.isnan(grad).all()
    value, grad, *_ = _loops.softmax_pass(X, np.zeros(20, int), None, np.ones((3, 2)), None)
    assert np.isnan(value)
    assert np.isnan(grad).all()


@pytest.mark.parametrize("form", FORMS)
def test_same_bits_for_any_number_of_threads(rng: np.random.Generator, form: str) -> None:
    X, _ = matrix(rng, (4000, 90), np.float64, form)
    w, y, s = rng.standard_normal(90), np.sign(rng.standard_normal(4000)), rng.random(4000)
    W, codes = rng.standard_normal((90, 5)), rng.integers(0, 5, 4000)
    assert same_bits(
        for_thread_counts(lambda: _loops.linear_pass(X, y, s, w, 0.1, "logistic", True, True, True))
    )
    assert same_bits(for_thread_counts(lambda: _loops.softmax_pass(X, codes, s, W, None, True, True, True)))


def test_wrong_arguments_are_named(rng: np.random.Generator) -> None:
    X, y, w = np.ones((4, 2)), np.ones(4), np.ones(2)
    with pytest.raises(ValueError, match="loss must be 'half_squared' or 'logistic', not 'hinge'"):
        _loops.linear_pass(X, y, None, w, 0.0, "hinge")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"y has shape \(3,\), expected \(4,\)"):
        _loops.linear_pass(X, y[:3], None, w, 0.0, "logistic")
    with pytest.raises(ValueError, match=r"s has shape \(5,\), expected \(4,\)"):
        _loops.linear_pass(X, y, np.ones(5), w, 0.0, "logistic")
    W = np.ones((2, 3))
    with pytest.raises(ValueError, match=r"y\[2\] = 3 is not a class index below 3"):
        _loops.softmax_pass(X, np.array([0, 1, 3, 2]), None, W, None)
    with pytest.raises(ValueError, match=r"y\[0\] = -1 is not a class index"):
        _loops.softmax_pass(X, np.array([-1, 1, 1, 2], np.int8), None, W, None)
    with pytest.raises(ValueError, match="y must hold integers"):
        _loops.softmax_pass(X, np.ones(4), None, W, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="W must have at least one column"):
        _loops.softmax_pass(X, np.zeros(4, int), None, W[:, :0], None)
    with pytest.raises(ValueError, match=r"b has shape \(2,\), expected \(3,\)"):
        _loops.softmax_pass(X, np.zeros(4, int), None, W, np.ones(2))


def ulps(got: Array, x: Array, exact: object) -> Array:
    """Distance from the exact value in units in the last place of the nearest double."""
    with mpmath.workdps(50):
        truth = [exact(mpmath.mpf(float(v))) for v in x]  # type: ignore[operator]
        return np.array(
            [
                float(abs(mpmath.mpf(float(g)) - t) / np.spacing(float(t)))
                for g, t in zip(got, truth, strict=True)
            ]
        )


def test_exp_within_one_and_a_quarter_ulp(rng: np.random.Generator) -> None:
    edges = np.log(2.0) * (np.arange(-1070, 1020, 7) + 0.5)  # where the reduced argument is largest
    x = np.concatenate(
        [
            rng.uniform(-745.0, 709.7, 4000),
            rng.normal(0.0, 1.0, 2000),
            edges,
            10.0 ** np.arange(-320.0, 0.0, 9.0),
        ]
    )
    assert ulps(_loops.exp(x), x, mpmath.exp).max() <= 1.25
    special = np.array([-np.inf, -800.0, -746.0, 0.0, -0.0, 709.78, 709.79, 800.0, np.inf, np.nan, 5e-324])
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(_loops.exp(special), np.exp(special), rtol=2.3e-16)


def test_log1p_within_one_and_a_half_ulp(rng: np.random.Generator) -> None:
    x = np.concatenate(
        [
            rng.random(4000),
            10.0 ** rng.uniform(-322.0, 300.0, 3000),
            np.arange(1.0, 200.0),
            [np.sqrt(2.0) - 1.0],
        ]
    )
    assert ulps(_loops.log1p(x), x, mpmath.log1p).max() <= 1.5
    np.testing.assert_array_equal(_loops.log1p(np.array([0.0, np.inf, np.nan])), [0.0, np.inf, np.nan])
