"""Any separable penalty of the registry, without test data: prox, conjugate and subdifferential agree.

Constraint sets and penalties that do not separate are tested in test_constraint_sets.py.
"""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest

from empirisk.penalties import REGISTRY as EVERY
from empirisk.penalties import ConstraintSet, Penalty

REGISTRY = {k: t for k, t in EVERY.items() if t.separable and not issubclass(t, ConstraintSet)}


def make(name: str, alpha: float = 0.7) -> Any:
    """A penalty of some strength; no penalty has none."""
    return REGISTRY[name]() if name == "zero" else REGISTRY[name](alpha)


def variants() -> list[Any]:
    """Every row of the registry, and with the constraint w >= 0 where it is a choice."""
    out = []
    for name in REGISTRY:
        penalty = make(name)
        out.append(penalty)
        if not penalty.positive and "positive" in {f.name for f in dataclasses.fields(penalty)}:
            out.append(dataclasses.replace(penalty, positive=True))
    return out


def naming(penalty: Any) -> str:
    """Return the name of a penalty in the list of tests."""
    return f"{penalty.name}{'-positive' if penalty.positive else ''}"


each = pytest.mark.parametrize("penalty", variants(), ids=naming)
with_strength = pytest.mark.parametrize("penalty", [p for p in variants() if p.name != "zero"], ids=naming)
with_kink = pytest.mark.parametrize("penalty", [p for p in variants() if p.l1 > 0.0], ids=naming)


@each
def test_keeps_the_contract(penalty: Any) -> None:
    assert isinstance(penalty, Penalty)
    assert pickle.loads(pickle.dumps(penalty)) == penalty
    with pytest.raises(dataclasses.FrozenInstanceError):
        penalty.alpha = 2.0
    assert penalty.convex
    assert penalty.strong_convexity == penalty.l2
    assert penalty.value(np.zeros(3)) == 0.0


@each
def test_value_is_the_stated_sum(penalty: Any, rng: np.random.Generator) -> None:
    w = np.abs(rng.normal(size=5)) * rng.choice([0.0, 1.0], size=5)
    w = w if penalty.positive else w * rng.choice([-1.0, 1.0], size=5)
    expected = penalty.l1 * np.abs(w).sum() + penalty.l2 * (w**2).sum() / 2
    assert penalty.value(w) == pytest.approx(expected, rel=1e-14)
    if penalty.positive:
        assert penalty.value(-np.ones(2)) == math.inf


@pytest.mark.parametrize("step", [0.1, 1.0, 7.0])
@each
def test_prox_minimises(penalty: Any, step: float, rng: np.random.Generator) -> None:
    v = 2.0 * rng.normal(size=6)
    found = penalty.prox(v, step)

    def objective(w: np.ndarray) -> float:
        return float(((w - v) ** 2).sum()) / 2 + step * penalty.value(w)

    best = objective(found)
    assert math.isfinite(best)
    for _ in range(300):
        assert objective(found + rng.normal(size=6) * rng.choice([1e-4, 1e-2, 1.0])) >= best - 1e-14
    # The optimality condition, with the gradient of the quadratic over the step.
    np.testing.assert_allclose(penalty.subdiff_distance(found, (found - v) / step), 0.0, atol=1e-12)


@each
def test_subdifferential_sees_a_wrong_point(penalty: Any) -> None:
    w, grad = np.array([1.0, 0.0]), np.array([-100.0, -100.0])
    assert (penalty.subdiff_distance(w, grad) > 1.0).all()


@each
def test_conjugate_is_the_supremum(penalty: Any, rng: np.random.Generator) -> None:
    for _ in range(20):
        u = rng.normal(size=1)
        grid = np.linspace(-60.0, 60.0, 2401)
        values = np.array([u[0] * t - penalty.value(np.array([t])) for t in grid])
        exact = penalty.conjugate(u)
        if math.isfinite(exact):
            assert values.max() <= exact + 1e-12
            assert exact == pytest.approx(values.max(), abs=1e-3)  # the grid is 0.05 wide
        else:
            assert values.max() > 1.0  # it grows with the grid
            assert np.argmax(values) in (0, len(values) - 1)


@each
def test_feasible_scale_is_the_largest(penalty: Any, rng: np.random.Generator) -> None:
    for size in (1e-3, 1.0, 1e3):
        u = size * rng.normal(size=5)
        scale = penalty.feasible_scale(u)
        assert 0.0 <= scale <= 1.0
        assert math.isfinite(penalty.conjugate(scale * u))
        if scale < 1.0:
            assert penalty.conjugate(scale * (1.0 + 1e-9) * u + np.sign(u) * 1e-12) == math.inf
    assert penalty.feasible_scale(np.zeros(0)) == 1.0


@with_kink
def test_critical_strength_is_where_zero_becomes_optimal(penalty: Any) -> None:
    grad = np.array([0.3, -0.8, 0.1])
    alpha = penalty.critical_strength(grad)
    zero = np.zeros(3)
    assert (penalty.with_strength(alpha * (1 + 1e-12)).subdiff_distance(zero, grad) == 0.0).all()
    assert (penalty.with_strength(alpha * 0.99).subdiff_distance(zero, grad) > 0.0).any()


@pytest.mark.parametrize("penalty", [p for p in variants() if p.l1 == 0.0], ids=naming)
def test_without_a_kink_no_strength_gives_zero(penalty: Any) -> None:
    assert penalty.critical_strength(np.array([0.3, -0.8, 0.1])) == math.inf


@with_strength
def test_with_strength_makes_a_new_object(penalty: Any) -> None:
    before = penalty.alpha
    other = penalty.with_strength(2.0 * before)
    assert penalty.alpha == before
    assert type(other) is type(penalty)
    assert (other.l1, other.l2) == (2.0 * penalty.l1, 2.0 * penalty.l2)
    assert other.positive == penalty.positive


@pytest.mark.parametrize("alpha", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", sorted(set(REGISTRY) - {"zero"}))
def test_bad_strength_is_refused(name: str, alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha must be a finite number >= 0"):
        make(name, alpha)
