"""Every loss of the registry keeps its contract; a row without test data fails."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from sklearn.base import clone

from empirisk.losses import REGISTRY
from empirisk.losses.base import Loss
from tests.conformance.parameters import Holder

DIGITS = 400  # decimals: exp(-800) is 1e-348


@dataclass(frozen=True)
class Sample:
    """Test data of a loss: its formula again in mpmath, and where to try it.

    Parameters
    ----------
    formula : callable(y, z) -> mpf
        The value of one row; z is a list for vector losses.
    targets : tuple
        Targets to try.
    outside : tuple of (y, u)
        Arguments outside the domain of the conjugate.
    density : callable(loss) -> float, optional
        Total probability of exp(-value/dispersion - log_normalizer); 1 for a likelihood.
    k : int
        Scores per row of a vector loss, else 0.
    """

    formula: Callable[[Any, Any], Any]
    targets: tuple[float, ...]
    outside: tuple[tuple[float, Any], ...] = ()
    density: Callable[[Any], float] | None = None
    k: int = 0


def _gauss(loss: Loss) -> float:
    y = np.linspace(-40.0, 40.0, 200_001)
    p = np.exp(-loss.value(y, np.full_like(y, 1.3)) / 2.5 - loss.log_normalizer(y, 2.5))
    return float(p.sum() * (y[1] - y[0]))


def _two_labels(loss: Loss) -> float:
    y, z = np.array([-1.0, 1.0]), np.full(2, 0.7)
    return float(np.exp(-loss.value(y, z) - loss.log_normalizer(y, 1.0)).sum())


def _three_codes(loss: Loss) -> float:
    y, z = np.arange(3), np.tile([0.3, -1.0, 2.0], (3, 1))
    return float(np.exp(-loss.value(y, z) - loss.log_normalizer(y, 1.0)).sum())


SAMPLES: dict[str, Sample] = {
    "half_squared": Sample(lambda y, z: (z - y) ** 2 / 2, (-3.0, 0.0, 1.25, 500.0), density=_gauss),
    "logistic": Sample(
        lambda y, z: mpmath.log(1 + mpmath.exp(-y * z)),
        (-1.0, 1.0),
        outside=((1.0, 0.01), (1.0, -1.01), (-1.0, -0.01), (-1.0, 1.01)),
        density=_two_labels,
    ),
    "softmax": Sample(
        lambda y, z: mpmath.log(sum(mpmath.exp(v) for v in z)) - z[int(y)],
        (0, 1, 2),
        outside=((0, [0.1, 0.0, -0.1]), (0, [-0.5, 0.25, 0.2]), (1, [0.0, 0.0, 0.1])),
        density=_three_codes,
        k=3,
    ),
}

SCORES = (-800.0, -40.0, -3.0, -1e-9, 0.0, 1e-300, 0.5, 2.0, 37.0, 800.0)

each = pytest.mark.parametrize("name", sorted(REGISTRY))


def sample(name: str) -> Sample:
    assert name in SAMPLES, f"loss {name!r} is in the registry but has no test data in SAMPLES"
    return SAMPLES[name]


def cases(name: str, rng: np.random.Generator, n: int = 60) -> tuple[Loss, np.ndarray, np.ndarray]:
    """A loss with n random targets and moderate scores."""
    s = sample(name)
    y = rng.choice(np.asarray(s.targets), size=n)
    z = 3.0 * rng.standard_normal((n, s.k) if s.k else n)
    return REGISTRY[name](), y, z


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


# -- values -----------------------------------------------------------------------------------------


@each
def test_protocol_and_domain(name):
    loss = REGISTRY[name]()
    assert isinstance(loss, Loss)
    assert loss.name == name
    assert loss.convex
    assert loss.vector == bool(sample(name).k)
    assert loss.y_domain.contains(np.asarray(sample(name).targets, dtype=float)).all()


@each
def test_values_to_the_last_digits_far_into_the_tails(name):
    y, z = extremes(name)
    with np.errstate(all="raise", under="ignore"):
        value = REGISTRY[name]().value(y, z)
    for v, yy, zz in zip(value, y, z, strict=True):
        right = exact(name, yy, zz)
        assert abs(mpmath.mpf(float(v)) - right) <= 4e-15 * abs(right) + 1e-300, (yy, zz, v)


@each
def test_gradient_and_hessian_are_the_derivatives(name):
    y, z = extremes(name)
    with np.errstate(all="raise", under="ignore"):
        grad, hess = REGISTRY[name]().grad(y, z), REGISTRY[name]().hess(y, z)
    assert grad.shape == hess.shape == z.shape
    k = max(sample(name).k, 1)
    first = [partial(name, y[i], z[i], j, 1) for i in range(len(y)) for j in range(k)]
    second = [partial(name, y[i], z[i], j, 2) for i in range(len(y)) for j in range(k)]
    # exp(-800) in probabilities: a difference of a probability and 1 keeps eps.
    absolute = 4e-16 if sample(name).k else 0.0
    for values, right, rel in ((grad, first, 1e-12), (hess, second, 1e-11)):
        for v, r in zip(np.ravel(values), right, strict=True):
            assert abs(mpmath.mpf(float(v)) - r) <= rel * abs(r) + absolute + 1e-40, (v, mpmath.nstr(r, 17))


@each
def test_convex_along_random_chords(name, rng):
    loss, y, a = cases(name, rng)
    b = 4.0 * rng.standard_normal(a.shape)
    assert np.all(loss.value(y, 0.5 * (a + b)) <= 0.5 * (loss.value(y, a) + loss.value(y, b)) + 1e-12)


# -- constants --------------------------------------------------------------------------------------


@each
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
    if k:
        # Two large equal scores give the softmax its largest curvature.
        z[0] = [0.0, 0.0, -800.0]
        q = loss.mean(z)
        H = np.einsum("ij,jk->ijk", q, np.eye(k)) - q[:, :, None] * q[:, None, :]
        np.testing.assert_allclose(loss.hess(y, z), np.einsum("ijj->ij", H), atol=1e-15)
        curvature = np.linalg.eigvalsh(H).ravel()
    else:
        z[0] = 0.0
        curvature = loss.hess(y, z)
    assert curvature.min() >= low - 1e-15
    assert curvature.max() <= high * (1 + 1e-12)
    assert curvature.max() >= 0.999 * high
    assert curvature.min() <= low + 1e-3


# -- conjugate --------------------------------------------------------------------------------------


@each
def test_fenchel_young_equality_at_the_gradient(name, rng):
    loss, y, z = cases(name, rng)
    u = loss.grad(y, z)
    product = (u * z).sum(axis=1) if z.ndim == 2 else u * z
    np.testing.assert_allclose(loss.value(y, z) + loss.conjugate(y, u), product, rtol=1e-10, atol=1e-11)


@each
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
            best = minimize_scalar(
                lower, bounds=(-600.0, 600.0), method="bounded", options={"xatol": 1e-9}
            ).fun
        found = float(loss.conjugate(target, np.atleast_2d(u) if k else np.atleast_1d(u))[0])
        assert found == pytest.approx(-best, abs=1e-6)
        assert found >= -best - 1e-9


@each
def test_conjugate_is_infinite_outside_its_domain(name):
    loss = REGISTRY[name]()
    for y, u in sample(name).outside:
        value = loss.conjugate(np.array([y]), np.atleast_2d(u) if sample(name).k else np.array([u]))
        assert value[0] == math.inf
    assert sample(name).outside or loss.lipschitz == math.inf


@each
def test_conjugate_at_the_ends_of_its_domain(name):
    """The gradient far out is an end of the domain up to rounding: the conjugate is finite there."""
    y, z = extremes(name)
    value = REGISTRY[name]().conjugate(y, REGISTRY[name]().grad(y, z))
    assert np.isfinite(value).all()


@each
def test_balance_zeroes_the_sums_inside_the_domain(name, rng):
    for trial in range(20):
        loss, y, z = cases(name, rng, 40)
        s = rng.integers(0, 3, size=40) * rng.random(40)
        z = z + (trial % 3 - 1) * (2.0 if z.ndim == 1 else np.array([2.0, 0.0, -1.0]))
        theta = -loss.grad(y, z)
        before = theta.copy()
        balanced = loss.balance(y, theta, s)
        np.testing.assert_array_equal(theta, before)
        assert np.abs(s @ balanced).max() <= 1e-13 * (s @ np.abs(theta)).max() + 1e-13
        assert np.isfinite(loss.conjugate(y, -balanced)).all()
        # A balanced point is left alone.
        np.testing.assert_allclose(loss.balance(y, balanced, s), balanced, atol=1e-12)


@each
def test_balance_with_one_class_or_no_weight(name):
    loss, s = REGISTRY[name](), np.ones(4)
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
    slope = s @ loss.grad(y, np.broadcast_to(best, z.shape).copy())
    assert np.abs(slope).max() <= 1e-12 * (s @ np.abs(y) + s.sum())


@each
def test_likelihood_integrates_to_one_and_mean_is_its_mean(name):
    loss, density = REGISTRY[name](), sample(name).density
    assert density is not None
    assert density(loss) == pytest.approx(1.0, abs=1e-6)
    z = np.linspace(-5.0, 5.0, 7)
    if name == "logistic":
        np.testing.assert_allclose(loss.mean(z), np.exp(-loss.value(np.ones(7), z)), rtol=1e-14)
    elif sample(name).k:
        scores = np.outer(z, [1.0, -0.5, 0.2])
        for code in range(3):
            p = np.exp(-loss.value(np.full(7, code), scores))
            np.testing.assert_allclose(loss.mean(scores)[:, code], p, rtol=1e-13)
    else:
        np.testing.assert_allclose(loss.grad(loss.mean(z), z), 0.0, atol=1e-15)


# -- objects and arrays -----------------------------------------------------------------------------


@each
def test_objects_compare_copy_pickle_and_clone(name):
    loss = REGISTRY[name]()
    for twin in (
        REGISTRY[name](),
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
    for method in ("value", "grad", "hess"):
        right = getattr(loss, method)(y, z)
        frozen_y, frozen_z = y.copy(), z.copy()
        frozen_y.flags.writeable = frozen_z.flags.writeable = False
        np.testing.assert_array_equal(getattr(loss, method)(frozen_y, frozen_z), right)
        wide = np.repeat(z, 2, axis=0)[::2]
        np.testing.assert_allclose(getattr(loss, method)(y, wide), right, rtol=1e-14, atol=1e-300)
        single_y = y if sample(name).k else y.astype(np.float32)
        single = getattr(loss, method)(single_y, z.astype(np.float32))
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, right, rtol=2e-5, atol=1e-6)
    u = loss.grad(y, z)
    u.flags.writeable = False
    assert np.isfinite(loss.conjugate(y, u)).all()
    assert (
        loss.conjugate(y if sample(name).k else y.astype(np.float32), u.astype(np.float32)).dtype
        == np.float32
    )
