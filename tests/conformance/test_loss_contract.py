"""Any loss of the registry, without test data of its own: derivatives, conjugate and constants agree."""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from empirisk.losses import REGISTRY, Loss
from empirisk.typing import Capability

LOSSES = [make() for make in REGISTRY.values()]
each = pytest.mark.parametrize("loss", LOSSES, ids=list(REGISTRY))


def those(keep: Any) -> Any:
    """The losses of which a claim can be tested."""
    return pytest.mark.parametrize("loss", [x for x in LOSSES if keep(x)], ids=lambda loss: loss.name)


sloped = those(lambda loss: loss.offers)  # all but those for evaluation only
convex = those(lambda loss: loss.convex and loss.offers)
smooth = those(lambda loss: Capability.GRAD in loss.offers)
CLASSES = 3


def targets(loss: Any, rng: np.random.Generator, n: int) -> np.ndarray:
    """Admissible targets: labels, class codes, or numbers of the domain."""
    if loss.vector:
        return rng.integers(0, CLASSES, size=n).astype(float)
    low, high = loss.y_domain.low, loss.y_domain.high
    if (low, high) == (-1.0, 1.0):
        return rng.choice([-1.0, 1.0], size=n)
    low, high = max(low, -3.0), min(high, 3.0)
    return low + (high - low) * rng.random(n)


def points(loss: Any, rng: np.random.Generator, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Targets and scores, moderate and large."""
    z = rng.normal(size=(n, CLASSES) if loss.vector else n) * rng.choice(
        [0.1, 1.0, 5.0], size=(n, 1) if loss.vector else n
    )
    return targets(loss, rng, n), z


@each
def test_keeps_the_contract(loss: Any) -> None:
    assert isinstance(loss, Loss)
    assert dataclasses.is_dataclass(loss)
    assert pickle.loads(pickle.dumps(loss)) == loss
    with pytest.raises(dataclasses.FrozenInstanceError):
        loss.anything = 1
    low, high = loss.curvature
    assert loss.convex == (low >= 0.0)
    assert low <= high


@each
def test_is_pointwise_and_pure(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    for a in (y, z):
        a.flags.writeable = False
    value = loss.value(y, z)
    assert value.shape == y.shape
    for part in (loss.grad(y, z), loss.hess(y, z)) if loss.offers else ():
        assert part.shape == z.shape
    try:
        assert loss.mean(z).shape == z.shape
    except TypeError as refusal:
        assert "has no inverse link" in str(refusal)  # noqa: PT017
    order = rng.permutation(len(y))
    np.testing.assert_array_equal(loss.value(y[order], z[order]), value[order])


@sloped
def test_gradient_by_finite_differences(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    h = 1e-3
    directions = np.eye(CLASSES) if loss.vector else [1.0]
    for c, d in enumerate(directions):
        # Fourth order, error about h^4.
        at = [loss.value(y, z + t * h * np.asarray(d)) for t in (-2, -1, 1, 2)]
        numeric = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)
        exact = loss.grad(y, z)[:, c] if loss.vector else loss.grad(y, z)
        # Rounding of the values, divided by the step; a fifth derivative where the loss is steep.
        scale = np.max(np.abs(at), axis=0) * 1e-12 + 1e-9
        right = np.abs(exact - numeric) <= 1e-7 * np.abs(exact) + scale
        assert right.all() if Capability.GRAD in loss.offers else right.mean() > 0.97  # kinks lie within h


@smooth
def test_hessian_by_finite_differences(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    h = 1e-3
    for c, d in enumerate(np.eye(CLASSES) if loss.vector else [1.0]):
        at = [loss.grad(y, z + t * h * np.asarray(d)) for t in (-2, -1, 1, 2)]
        numeric = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)
        exact = loss.hess(y, z)
        numeric, exact = (numeric[:, c], exact[:, c]) if loss.vector else (numeric, exact)
        smooth = np.abs(numeric - exact) < 1e-6 * (
            1.0 + np.abs(exact)
        )  # a kink of the gradient may lie within h
        assert smooth.mean() > 0.97


@sloped
def test_constants_bound_what_they_say(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng, 5000)
    slope = loss.grad(y, z)
    size = np.linalg.norm(slope, axis=1) if loss.vector else np.abs(slope)
    assert size.max() <= loss.lipschitz * (1 + 1e-12)
    if math.isfinite(loss.lipschitz):
        assert size.max() >= 0.9 * loss.lipschitz, "the constant is much larger than it need be"
    low, high = loss.curvature
    other = z + rng.normal(size=z.shape)
    change = loss.grad(y, other) - slope
    step = other - z
    along = (change * step).sum(axis=1) if loss.vector else change * step
    squared = (step**2).sum(axis=1) if loss.vector else step**2
    rounding = 1e-12 * (1.0 + np.abs(along))
    assert (along >= low * squared - rounding).all()
    assert (along <= high * squared + rounding).all()


@convex
def test_conjugate_is_the_supremum(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    u = loss.grad(y, z)
    product = (u * z).sum(axis=1) if loss.vector else u * z
    # Fenchel and Young: equality at the gradient, inequality everywhere else.
    room = 1e-9 + 1e-12 * np.abs(product)
    np.testing.assert_array_less(
        np.abs(loss.conjugate(y, u) - (product - loss.value(y, z))), room + 1e-9 * np.abs(product)
    )
    other = z + rng.normal(size=z.shape)
    product = (u * other).sum(axis=1) if loss.vector else u * other
    assert (loss.conjugate(y, u) >= product - loss.value(y, other) - room).all()


@pytest.mark.parametrize(
    "loss", [x for x in LOSSES if not x.vector and math.isfinite(x.lipschitz)], ids=lambda loss: loss.name
)
def test_conjugate_is_infinite_outside_its_domain(loss: Any, rng: np.random.Generator) -> None:
    y = targets(loss, rng, 50)
    for sign in (-1.0, 1.0):
        assert np.isinf(loss.conjugate(y, np.full(50, sign * (loss.lipschitz + 0.1)))).all()


@convex
def test_balance_stays_in_the_domain_and_sums_to_zero(loss: Any, rng: np.random.Generator) -> None:
    y, z = points(loss, rng)
    s = rng.integers(0, 3, size=len(y)).astype(float)
    theta = loss.balance(y, -loss.grad(y, z), s)
    np.testing.assert_allclose(s @ theta, 0.0, atol=1e-9 * (1.0 + np.abs(theta).sum()))
    assert np.isfinite(loss.conjugate(y, -theta)).all()


@sloped
def test_best_constant_is_best(loss: Any, rng: np.random.Generator) -> None:
    y = targets(loss, rng, 60)
    s = rng.random(60) + 0.1
    best = loss.best_constant(y, s)
    z = np.broadcast_to(best, (60, CLASSES) if loss.vector else (60,))
    if Capability.GRAD in loss.offers:
        np.testing.assert_allclose(s @ loss.grad(y, z), 0.0, atol=1e-9)
    for move in (-1.0, -1e-3, 1e-3, 1.0):
        assert s @ loss.value(y, z) <= s @ loss.value(y, z + move) + 1e-9


@sloped
def test_far_scores_stay_finite(loss: Any) -> None:
    for size in (700.0, 1e4, 1e8):
        z = np.array([[size, -size, 0.0], [-size, 0.0, size]]) if loss.vector else np.array([size, -size])
        y = np.array([1.0, 1.0])
        with np.errstate(all="raise", under="ignore"):
            parts = loss.value(y, z), loss.grad(y, z), loss.hess(y, z)
        assert not any(np.isnan(part).any() for part in parts)
        # Exponentials have no float there: +inf is their value, and -inf that of none.
        exponential = math.isinf(loss.lipschitz) and math.isinf(loss.curvature[1])
        assert all(np.isfinite(part).all() for part in parts) or exponential
        assert (parts[0] > -math.inf).all()


def test_tails_have_all_their_digits() -> None:
    # Independent values: the definitions in 60 digits.
    with mp.workdps(60):
        for z in (-745.0, -40.0, -1e-9, 0.0, 1e-9, 40.0, 745.0):
            loss = REGISTRY["logistic"]()
            e = mp.exp(-mp.mpf(z))
            one, at = np.array([1.0]), np.array([z])
            assert loss.value(one, at)[0] == pytest.approx(float(mp.log1p(e)), rel=1e-14, abs=5e-324)
            assert loss.grad(one, at)[0] == pytest.approx(float(-e / (1 + e)), rel=1e-14, abs=5e-324)
            assert loss.hess(one, at)[0] == pytest.approx(float(e / (1 + e) ** 2), rel=1e-13, abs=5e-324)
