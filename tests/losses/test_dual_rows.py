"""Dual steps in closed form: against the conjugates of the losses, and against search."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from empirisk.losses import REGISTRY, CostSensitive, Hinge
from empirisk.losses.dual_rows import DualRows, dual_rows
from empirisk.typing import Array, Capability

NAMES = [name for name, make in REGISTRY.items() if Capability.DUAL_STEP in make().offers]
CLOSED = [name for name in NAMES if name not in ("logistic", "cost_sensitive")]


def targets(name: str, rng: np.random.Generator) -> Array:
    return rng.choice([-1.0, 1.0], size=30) if REGISTRY[name]().labels else rng.normal(size=30) * 3.0


def conjugate(rows: DualRows, t: Array) -> Array:
    """``l*(-t)`` by the formula of the rows."""
    out = 0.5 * rows.curvature * t**2 - rows.center * t + rows.tube * np.abs(t)
    return np.where((t >= rows.low) & (t <= rows.high), out, np.inf)


def test_which_losses() -> None:
    assert set(CLOSED) == {
        "absolute", "epsilon_insensitive", "half_squared", "hinge", "huber", "modified_huber",
        "perceptron", "quantile",
        "squared_epsilon_insensitive", "squared_hinge",
    }  # fmt: skip


@pytest.mark.parametrize("name", CLOSED)
def test_the_rows_are_the_conjugate(name: str, rng: np.random.Generator) -> None:
    loss, y = REGISTRY[name](), targets(name, rng)
    rows = dual_rows(loss, y)
    for scale in (0.0, 0.3, 0.999, 1.5, 4.0):
        t = scale * rng.choice([-1.0, 1.0], size=30)
        np.testing.assert_allclose(conjugate(rows, t), loss.conjugate(y, -t), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("q", [1e-3, 0.7, 50.0])
@pytest.mark.parametrize("name", CLOSED)
def test_the_step_minimises(name: str, q: float, rng: np.random.Generator) -> None:
    loss, y = REGISTRY[name](), targets(name, rng)
    rows, a = dual_rows(loss, y), rng.normal(size=30) * 2.0
    t = rows.step(a, q)
    for i in range(30):

        def objective(x: float, i: int = i) -> float:
            value = float(loss.conjugate(y[i : i + 1], np.array([-x]))[0])
            return value + a[i] * x + 0.5 * q * x * x if np.isfinite(value) else 1e300

        low, high = max(rows.low[i], -1e5), min(rows.high[i], 1e5)
        searched = minimize_scalar(objective, bounds=(low, high), method="bounded", options={"xatol": 1e-12})
        best = min(searched.fun, objective(0.0), objective(low), objective(high))
        assert objective(t[i]) <= best + 1e-12 * (1.0 + abs(best))


@pytest.mark.parametrize(
    "name", ["half_squared", "huber", "squared_hinge", "modified_huber", "squared_epsilon_insensitive"]
)
def test_without_a_quadratic_the_step_is_the_slope(name: str, rng: np.random.Generator) -> None:
    loss, y = REGISTRY[name](), targets(name, rng)
    z = rng.normal(size=30) * 3.0
    np.testing.assert_allclose(dual_rows(loss, y).step(z, 0.0), -loss.grad(y, z), rtol=1e-14, atol=1e-14)


def test_costs_are_carried_along(rng: np.random.Generator) -> None:
    y = targets("hinge", rng)
    rows = dual_rows(CostSensitive(Hinge(), false_reject=5.0, false_accept=0.5), y)
    np.testing.assert_array_equal(rows.cost, np.where(y > 0.0, 5.0, 0.5))
    some = rows.take(np.array([3, 0]))
    np.testing.assert_array_equal(some.cost, rows.cost[[3, 0]])  # type: ignore[index]
    np.testing.assert_array_equal(some.high, rows.high[[3, 0]])
