"""The fused passes against the Python losses, and their elementary functions against mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from empirisk import _loops
from empirisk.losses import (
    REGISTRY,
    Bernoulli,
    Exponential,
    Gamma,
    HalfSquared,
    Huber,
    InverseGaussian,
    Logistic,
    ModifiedHuber,
    NegativeBinomial,
    Poisson,
    Softmax,
    SquaredHinge,
    Tweedie,
)
from empirisk.problems.fused import fused_call
from empirisk.typing import Array
from tests.loops.layouts import DTYPES, FORMS, SHAPES, check_product, for_thread_counts, matrix, same_bits

LOSSES: list[Any] = [
    Bernoulli(),
    Exponential(),
    Gamma(),
    HalfSquared(),
    Huber(0.7),
    InverseGaussian(),
    Logistic(),
    ModifiedHuber(),
    NegativeBinomial(0.3),
    Poisson(),
    SquaredHinge(),
    Tweedie(1.2),
    Tweedie(1.9),
]


def targets(rng: np.random.Generator, loss: Any, n: int) -> Array:
    """Random targets of the loss's domain, its closed ends among them."""
    if loss.labels:
        return np.sign(rng.standard_normal(n))
    domain, y = loss.y_domain, rng.standard_normal(n)
    if np.isfinite(domain.high):
        return np.clip(y, domain.low, domain.high)
    return y if np.isneginf(domain.low) else np.maximum(np.round(2.0 * y), 0.0 if domain.low_closed else 0.5)


def terms(loss: Any, y: Array, z: Array) -> Array:
    """Size of what the formulas subtract from each other, where they do."""
    if loss.labels or isinstance(loss, HalfSquared | Huber):
        return np.zeros_like(z)
    mean = np.exp(z)
    if isinstance(loss, InverseGaussian):
        return (1.0 + y / mean) / mean
    growing = 0.0 if isinstance(loss, Bernoulli | NegativeBinomial) else 10.0 * loss.hess(y, z)
    return 4.0 * (1.0 + np.abs(y)) * (1.0 + np.abs(z)) + growing


def test_every_fused_loss_is_tested() -> None:
    assert {type(loss) for loss in LOSSES} == {kind for kind in REGISTRY.values() if kind().fused}


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_linear_pass(
    rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str, loss: Any
) -> None:
    X, A = matrix(rng, shape, dtype, form)
    n, p = shape
    w, b, y = rng.standard_normal(p) / np.sqrt(max(p, 1)), 0.3, targets(rng, loss, n)
    for s, offset in ((None, None), (rng.random(n), rng.standard_normal(n))):
        call = fused_call(loss, y)
        assert call is not None
        name, parameter = call[:2]
        value, grad, grad_b, z, first, second = _loops.linear_pass(
            X, y, s, w, b, name, parameter, offset, want_z=True, want_derivatives=True
        )
        weight = np.ones(n) if s is None else s
        assert z is not None
        assert grad is not None
        assert first is not None
        assert second is not None
        check_product(z, np.hstack([A, np.ones((n, 1))]), np.append(w, b))
        z = z if offset is None else z + offset
        parts = terms(loss, y, z)
        assert abs(value - weight @ loss.value(y, z)) <= 1e-14 * (weight @ (parts + np.abs(loss.value(y, z))))
        assert np.all(np.abs(first - loss.grad(y, z)) <= 1e-14 * (parts + np.abs(loss.grad(y, z))))
        assert np.all(np.abs(second - loss.hess(y, z)) <= 1e-14 * (parts + np.abs(loss.hess(y, z))))
        check_product(grad, A.T, weight * first)
        check_product(np.asarray([grad_b]), np.ones((1, n)), weight * first)
        lean = _loops.linear_pass(X, y, s, w, b, name, parameter, offset, want_grad=False)
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
            z[:, None], y, None, np.ones(1), 0.0, "logistic", want_grad=False, want_derivatives=True
        )
        one_by_one = [
            _loops.linear_pass(z[i : i + 1, None], y[:1], None, np.ones(1), 0.0, "logistic")[0]
            for i in range(z.size)
        ]
        np.testing.assert_allclose(one_by_one, np.logaddexp(0.0, -y * z), rtol=4e-16, atol=5e-324)
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(first, -y / (1.0 + np.exp(y * z)), rtol=1e-15, atol=1e-323)
            np.testing.assert_allclose(second, Logistic().hess(y, z), rtol=1e-15, atol=1e-323)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_rows_of_extreme_scores_one_by_one(loss: Any) -> None:
    # Overflow, underflow and saturation end where the Python class says, without NaN.
    z = np.array([0.0, 1e-320, 1e-16, 0.3, 1.0, 30.0, 300.0, 709.0, 720.0, 745.0, 800.0, 1e6])
    z = np.concatenate([z, -z])
    for target in (-1.0, 1.0) if loss.labels else (0.0, 0.25, 1.0, 40.0):
        if not loss.y_domain.contains(np.array([target]))[0]:
            continue
        y = np.full(z.size, target)
        call = fused_call(loss, y)
        assert call is not None
        name, parameter = call[:2]
        found = [
            _loops.linear_pass(row, y[:1], None, np.ones(1), 0.0, name, parameter, want_derivatives=True)
            for row in z[:, None, None]
        ]
        with np.errstate(over="ignore"):
            right = loss.value(y, z), loss.grad(y, z), loss.hess(y, z)
        for got, want in zip(
            zip(*[(f[0], *np.ravel(f[4:])) for f in found], strict=True), right, strict=True
        ):
            room = 0.0 if loss.labels else 1e-15 * (1.0 + np.abs(y) + np.abs(y * z))
            big = np.finfo(float).max
            near = (
                np.abs(np.clip(got, -big, big) - np.clip(want, -big, big))
                <= 4e-15 * np.minimum(np.abs(want), big) + room + 1e-307
            )
            assert near.all(), (target, z[~near], np.asarray(got)[~near], want[~near])


def test_rows_of_weight_zero_are_absent() -> None:
    X, s = np.array([[1.0], [1e6], [2.0]]), np.array([1.0, 0.0, 2.0])
    y = np.array([1.0, 3.0, 0.0])
    _, grad, _, z, *_ = found = _loops.linear_pass(X, y, s, np.ones(1), 0.0, "poisson", want_z=True)
    kept = _loops.linear_pass(X[::2], y[::2], s[::2], np.ones(1), 0.0, "poisson")
    assert (found[0], found[2]) == (kept[0], kept[2])
    np.testing.assert_array_equal(grad, kept[1])
    np.testing.assert_array_equal(z, [1.0, 0.0, 2.0])


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
        for_thread_counts(
            lambda: _loops.linear_pass(X, y, s, w, 0.1, "logistic", 0.0, None, True, True, True)
        )
    )
    assert same_bits(for_thread_counts(lambda: _loops.softmax_pass(X, codes, s, W, None, True, True, True)))


def test_wrong_arguments_are_named(rng: np.random.Generator) -> None:
    X, y, w = np.ones((4, 2)), np.ones(4), np.ones(2)
    with pytest.raises(ValueError, match=r"loss must be one of 'half_squared', .*, not 'hinge'"):
        _loops.linear_pass(X, y, None, w, 0.0, "hinge")
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
