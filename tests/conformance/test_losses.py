"""Every loss of the registry keeps its contract; a row without test data (loss_samples.py) fails."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from sklearn.base import clone

from empirisk.losses.base import Loss, check_targets
from empirisk.typing import Capability
from tests.conformance.loss_samples import ALL, SAMPLES, Sample, loss_of
from tests.conformance.parameters import Holder

DIGITS = 400  # decimals: exp(-800) is 1e-348


SCORES = (-800.0, -40.0, -3.0, -1e-9, 0.0, 1e-300, 0.5, 2.0, 37.0, 800.0)

LARGEST = float(np.finfo(float).max)

each = pytest.mark.parametrize("name", ALL)
DIFFERENTIABLE = [name for name in ALL if Capability.GRAD in loss_of(name).offers]
HAS_SLOPE = [name for name in ALL if loss_of(name).offers]
CONVEX = [name for name in ALL if loss_of(name).convex]
sloped = pytest.mark.parametrize("name", HAS_SLOPE)
convex = pytest.mark.parametrize("name", CONVEX)
both = pytest.mark.parametrize("name", [n for n in HAS_SLOPE if n in CONVEX])


def sample(name: str) -> Sample:
    loss_of(name)
    return SAMPLES[name]


def cases(name: str, rng: np.random.Generator, n: int = 60) -> tuple[Loss, np.ndarray, np.ndarray]:
    """A loss with n random targets and moderate scores."""
    s = sample(name)
    y = rng.choice(np.asarray(s.targets), size=n)
    z = 3.0 * rng.standard_normal((n, s.k) if s.k else n)
    return loss_of(name), y, z


def extremes(name: str) -> tuple[np.ndarray, np.ndarray]:
    """All targets against scores as far out as 800."""
    s = sample(name)
    rows = [(v, -v / 3, 0.25) for v in SCORES] + [(1e-9, v, v) for v in SCORES] if s.k else list(SCORES)
    y = np.repeat(np.asarray(s.targets), len(rows))
    return y, np.array(rows * len(s.targets))


def exact(name: str, y: float, z: Any) -> Any:
    with mpmath.workdps(DIGITS):
        z = [mpmath.mpf(float(v)) for v in z] if np.ndim(z) else mpmath.mpf(float(z))
        return sample(name).formula(mpmath.mpf(float(y)), z)


def partial(name: str, y: float, z: Any, j: int, order: int) -> Any:
    """Derivative of the mpmath formula in score j (the score itself for scalar losses)."""
    with mpmath.workdps(DIGITS):
        point = [mpmath.mpf(float(v)) for v in np.atleast_1d(z)]

        def along(t: Any) -> Any:
            moved = [*point[:j], t, *point[j + 1 :]] if np.ndim(z) else t
            return sample(name).formula(mpmath.mpf(float(y)), moved)

        return mpmath.diff(along, point[j], order)


def conditioning(name: str, y: float, z: Any) -> Any:
    """What half a unit in the last place of the parts of a formula can do to its value.

    Parts that cancel are as large as ``y z``, ``z`` and the value; the exponent of a power of e is rounded.
    """
    if name.startswith("tweedie") and not sample(name).cancels:
        return 4e-16 * abs(float(z) * partial(name, y, z, 0, 1))
    if not sample(name).cancels:
        return 0
    parts = float(abs(y * z) + abs(z) + abs(y))
    return 4e-16 * (parts if near_kink(name, y, z) else parts + abs(float(z) * partial(name, y, z, 0, 1)))


def near_float32_kink(name: str, y: float, z: float) -> bool:
    return any(abs(z - kink) < 1e-5 * (1.0 + abs(kink)) for kink in sample(name).kinks(y))


def near_kink(name: str, y: float, z: Any) -> bool:
    return any(abs(z - kink) < 1e-6 for kink in sample(name).kinks(y))


# -- values -----------------------------------------------------------------------------------------


@each
def test_protocol_and_domain(name):
    loss = loss_of(name)
    assert isinstance(loss, Loss)
    assert loss.name == name.split("(")[0]
    assert loss.convex == (loss.name not in ("inverse_gaussian", "tweedie_stable", "zero_one"))
    assert loss.vector == bool(sample(name).k)
    assert loss.y_domain.contains(np.asarray(sample(name).targets, dtype=float)).all()


@each
def test_values_to_the_last_digits_far_into_the_tails(name):
    y, z = extremes(name)
    with np.errstate(all="raise", under="ignore"):
        value = loss_of(name).value(y, z)
    for v, yy, zz in zip(value, y, z, strict=True):
        right = exact(name, yy, zz)
        if right > LARGEST:  # what has no float is +inf
            assert v == math.inf, (yy, zz, v)
            continue
        room = 4e-15 * abs(right) + 1e-300 + conditioning(name, yy, zz)
        assert abs(mpmath.mpf(float(v)) - right) <= room, (yy, zz, v, mpmath.nstr(right, 17))


# Derivatives in many digits take long: every fourth place in the quick suite, every place in the other.
@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.full)])
@sloped
def test_gradient_and_hessian_are_the_derivatives(name, every):
    y, z = extremes(name)
    with np.errstate(all="raise", under="ignore"):
        grad, hess = loss_of(name).grad(y, z), loss_of(name).hess(y, z)
    assert grad.shape == hess.shape == z.shape
    k = max(sample(name).k, 1)
    # exp(-800) in probabilities: a difference of a probability and 1 keeps eps.
    absolute = 4e-16 if sample(name).k else 0.0
    for order, values, rel in ((1, grad, 1e-12), (2, hess, 1e-11)):
        for i, j in list(np.ndindex(len(y), k))[::every]:
            if not sample(name).k and near_kink(name, y[i], z[i]):
                continue
            v, right = float(values.reshape(len(y), k)[i, j]), partial(name, y[i], z[i], j, order)
            if abs(right) > LARGEST:
                assert v == math.inf * int(mpmath.sign(right))
                continue
            room = rel * abs(right) + absolute + 1e-40
            if sample(name).cancels or name.startswith("tweedie"):
                room += 4e-16 * (1 + abs(y[i]))  # mean and target cancel near the fit
            assert abs(mpmath.mpf(v) - right) <= room, (y[i], z[i], v, mpmath.nstr(right, 17))


@convex
def test_convex_along_random_chords(name, rng):
    loss, y, a = cases(name, rng)
    b = 4.0 * rng.standard_normal(a.shape)
    chord = 0.5 * (loss.value(y, a) + loss.value(y, b))
    assert np.all(loss.value(y, 0.5 * (a + b)) <= chord + 1e-12 * (1.0 + np.abs(chord)))


def test_losses_that_say_they_are_not_convex_are_not():
    """A chord that the function leaves upwards, for each of them."""
    for name in set(ALL) - set(CONVEX):
        z = np.linspace(-4.0, 4.0, 81)
        value = loss_of(name).value(np.ones(81), z)
        second = value[2:] - 2.0 * value[1:-1] + value[:-2]
        assert second.min() < -1e-6


# -- constants --------------------------------------------------------------------------------------


@sloped
def test_declared_constants_bound_and_are_approached(name, rng):
    loss, y, _ = cases(name, rng, 4000)
    k = sample(name).k
    z = rng.standard_normal((4000, k) if k else 4000) * np.exp(
        rng.uniform(-3.0, 3.0, size=(4000, *[1] * bool(k)))
    )
    grad = loss.grad(y, z)
    size = np.linalg.norm(grad, axis=1) if k else np.abs(grad)
    assert size.max() <= loss.lipschitz * (1 + 1e-12)
    if math.isfinite(loss.lipschitz):
        assert size.max() >= 0.98 * loss.lipschitz
    low, high = loss.curvature
    if loss.name == "softmax":
        # Two large equal scores give the softmax its largest curvature.
        z[0] = [0.0, 0.0, -800.0]
        q = loss.mean(z)
        H = np.einsum("ij,jk->ijk", q, np.eye(k)) - q[:, :, None] * q[:, None, :]
        np.testing.assert_allclose(loss.hess(y, z), np.einsum("ijj->ij", H), atol=1e-15)
        curvature = np.linalg.eigvalsh(H).ravel()
    else:
        z[0] = 0.0
        curvature = loss.hess(y, z).ravel()
    assert curvature.min() >= low - 1e-15
    assert curvature.max() <= high * (1 + 1e-12)
    if math.isfinite(high):
        assert curvature.max() >= 0.999 * high
    elif name in DIFFERENTIABLE:
        assert curvature.max() > 50.0  # of the largest targets here
    if math.isfinite(low):
        assert curvature.min() <= low + 1e-3


# -- conjugate --------------------------------------------------------------------------------------


@both
def test_fenchel_young_equality_at_the_gradient(name, rng):
    loss, y, z = cases(name, rng)
    u = loss.grad(y, z)
    product = (u * z).sum(axis=1) if z.ndim == 2 else u * z
    value = loss.value(y, z)
    # Where the parts cancel, rounding is relative to them: (u + y) log(u + y) next to y z.
    room = 1e-11 + 2e-15 * (np.abs(value) + np.abs(y * (z.max(axis=1) if z.ndim == 2 else z)))
    assert (np.abs(value + loss.conjugate(y, u) - product) <= room + 1e-10 * np.abs(product)).all()


@pytest.mark.parametrize("name", ["inverse_gaussian", "tweedie_stable", "tweedie_stable(-1)"])
def test_fenchel_young_inequality_of_losses_that_are_not_convex(name, rng):
    loss, y, z = cases(name, rng)
    for u in (-2.0, -0.1, 0.0):
        assert (loss.conjugate(y, np.full_like(z, u)) >= u * z - loss.value(y, z) - 1e-12).all()


@both
def test_conjugate_is_the_supremum_by_brute_force(name, rng):
    loss, y, z = cases(name, rng, 12)
    k = sample(name).k
    for yy, u in zip(y, loss.grad(y, z), strict=True):
        target = np.array([yy])

        def lower(t: Any, target: np.ndarray = target, u: Any = u) -> float:
            t = np.atleast_1d(t)
            return float(loss.value(target, t[None] if k else t)[0] - np.dot(np.atleast_1d(u), t))

        if k:
            best = minimize(
                lower, np.zeros(k), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13}
            ).fun
        else:
            # The other end of a flat conjugate may be anywhere: look near the target and far out.
            with np.errstate(over="ignore"):
                best = min(
                    minimize_scalar(lower, bounds=box, method="bounded", options={"xatol": 1e-9}).fun
                    for box in ((-600.0, 600.0), (-40.0, 40.0), (-8.0, 8.0))
                )
        found = float(loss.conjugate(target, np.atleast_2d(u) if k else np.atleast_1d(u))[0])
        assert found == pytest.approx(-best, abs=1e-6, rel=1e-9)
        assert found >= -best - 1e-9 - 1e-12 * abs(best)


@each
def test_conjugate_is_infinite_outside_its_domain(name):
    loss = loss_of(name)
    for y, u in sample(name).outside:
        value = loss.conjugate(np.array([y]), np.atleast_2d(u) if sample(name).k else np.array([u]))
        assert value[0] == math.inf
    assert sample(name).outside or loss.lipschitz == math.inf


@both
def test_conjugate_at_the_ends_of_its_domain(name):
    """The gradient far out is an end of the domain up to rounding: the conjugate is finite there."""
    y, z = extremes(name)
    u = loss_of(name).grad(y, z)
    small = np.abs(u) < 1e150 if u.ndim == 1 else np.ones(len(u), dtype=bool)  # or u^2 has no float
    assert np.isfinite(loss_of(name).conjugate(y[small], u[small])).all()


@both
def test_balance_zeroes_the_sums_inside_the_domain(name, rng):
    for trial in range(20):
        loss, y, z = cases(name, rng, 40)
        s = rng.integers(0, 3, size=40) * rng.random(40)
        z = z + (trial % 3 - 1) * (2.0 if z.ndim == 1 else np.array([2.0, 0.0, -1.0]))
        theta = -loss.grad(y, z)
        before = theta.copy()
        balanced = loss.balance(y, theta, s)
        np.testing.assert_array_equal(theta, before)
        rounding = 1e-13 * (s @ np.abs(theta)).max() + 1e-13
        assert np.abs(s @ balanced).max() <= rounding
        assert np.isfinite(loss.conjugate(y, -balanced)).all()
        # A balanced point is left alone.
        np.testing.assert_allclose(loss.balance(y, balanced, s), balanced, rtol=1e-12, atol=1e-12)


@both
def test_balance_with_one_class_or_no_weight(name):
    loss, s = loss_of(name), np.ones(4)
    y = np.full(4, sample(name).targets[0])
    z = np.zeros((4, sample(name).k)) if sample(name).k else np.array([0.0, 1.0, -1.0, 2.0])
    theta = -loss.grad(y, z)
    balanced = loss.balance(y, theta, s)
    assert np.abs(s @ balanced).max() <= 1e-14 * np.abs(theta).sum() + 1e-15
    assert np.isfinite(loss.conjugate(y, -balanced)).all()
    assert np.isfinite(loss.balance(y, theta, np.zeros(4))).all()


# -- statistics -------------------------------------------------------------------------------------


@each
def test_best_constant_minimises(name, rng):
    loss, y, z = cases(name, rng, 50)
    s = rng.random(50)
    best = loss.best_constant(y, s)
    assert best.shape == z.shape[1:]
    if name in DIFFERENTIABLE:
        slope = s @ loss.grad(y, np.broadcast_to(best, z.shape).copy())
        assert np.abs(slope).max() <= 1e-12 * (s @ np.abs(y) + s.sum())
        return
    value = [float(s @ loss.value(y, np.full(50, c))) for c in (float(best), *np.linspace(-4.0, 501.0, 2021))]
    assert value[0] <= min(value) + 1e-9 * (1.0 + abs(value[0]))


# -- targets ----------------------------------------------------------------------------------------


@each
def test_targets_outside_the_domain_are_refused_by_row(name):
    loss, good = loss_of(name), float(sample(name).targets[1])
    check_targets(loss, np.full(5, good))
    wrong = [math.nan, *([0.5, 0.0, 2.0] if loss.labels else [loss.y_domain.low - 1.0, math.inf])]
    if not (loss.labels or loss.y_domain.low_closed):
        wrong.append(loss.y_domain.low)
    for bad in wrong:
        if bad == -math.inf:
            continue
        y = np.full(5, good)
        y[3] = bad
        if loss.y_domain.high == bad and loss.y_domain.high_closed:
            continue
        with pytest.raises(ValueError, match=f"in row 3; the loss '{loss.name}' needs .*1 such row in all"):
            check_targets(loss, y)


def test_the_zero_one_loss_has_no_gradient():
    loss = loss_of("zero_one")
    for part in (loss.grad, loss.hess):
        with pytest.raises(TypeError, match="not convex and has no gradient"):
            part(np.ones(1), np.ones(1))


# -- objects and arrays -----------------------------------------------------------------------------


@each
def test_objects_compare_copy_pickle_and_clone(name):
    loss = loss_of(name)
    for twin in (
        loss_of(name),
        copy.deepcopy(loss),
        pickle.loads(pickle.dumps(loss)),
        clone(Holder(loss)).value,
    ):
        assert twin == loss
        assert hash(twin) == hash(loss)
    assert "object at" not in repr(loss)


@each
def test_float32_read_only_and_strided_arrays(name, rng):
    loss, y, z = cases(name, rng)
    y = y if sample(name).k else y.astype(np.float64)
    for method in ("value", "grad", "hess") if loss.offers else ("value",):
        right = getattr(loss, method)(y, z)
        frozen_y, frozen_z = y.copy(), z.copy()
        frozen_y.flags.writeable = frozen_z.flags.writeable = False
        np.testing.assert_array_equal(getattr(loss, method)(frozen_y, frozen_z), right)
        wide = np.repeat(z, 2, axis=0)[::2]
        np.testing.assert_allclose(getattr(loss, method)(y, wide), right, rtol=1e-14, atol=1e-300)
        single_y = y if sample(name).k else y.astype(np.float32)
        single = getattr(loss, method)(single_y, z.astype(np.float32))
        assert single.dtype == np.float32
        # Terms as large as the target, and the score in an exponent, are rounded to seven digits.
        size = 1.0 if sample(name).k else 1.0 + 0.5 * np.abs(y) * np.maximum(np.abs(z), 1.0)
        if method != "value" and not sample(name).k:
            size = np.where([near_float32_kink(name, *v) for v in zip(y, z, strict=True)], np.inf, size)
        room = 2e-5 * np.abs(right).T + 1e-6 * size
        assert (room >= np.abs(single - right).T).all()
    u = loss.grad(y, z) if name in CONVEX and loss.offers else np.zeros_like(z)
    u.flags.writeable = False
    assert np.isfinite(loss.conjugate(y, u)).all()
    assert (
        loss.conjugate(y if sample(name).k else y.astype(np.float32), u.astype(np.float32)).dtype
        == np.float32
    )
