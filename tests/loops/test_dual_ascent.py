"""Dual coordinate ascent against a plain NumPy twin: the same rows, the same order, equal up to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk import _loops
from empirisk.losses import REGISTRY
from empirisk.losses.dual_rows import DualRows, dual_rows
from tests.loops.layouts import DTYPES, matrix

NAMES = [
    "hinge",
    "squared_hinge",
    "modified_huber",
    "logistic",
    "epsilon_insensitive",
    "quantile",
    "half_squared",
    "absolute",
]
ROW_FORMS = ["C", "padded rows", "csr32", "csr64"]
MASK = (1 << 64) - 1


def split_mix(seed: int) -> Any:
    """The stream of Steele, Lea and Flood 2014."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def one_row(rows: DualRows, i: int, a: float, q: float) -> float:
    """The dual value of a row: the closed step, or bisection for the logistic loss."""
    if not rows.logistic:
        if q + rows.curvature == 0.0:
            side = rows.center[i] - a
            side -= np.clip(side, -rows.tube, rows.tube)
            return float(rows.high[i] if side > 0 else rows.low[i] if side < 0 else 0.0)
        return float(rows.take(np.array([i])).step(np.array([a]), q)[0])
    c = rows.center[i]
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        slope = np.log(middle) - np.log1p(-middle) + c * a + q * middle
        low, high = (low, middle) if slope > 0.0 else (middle, high)
    return float(c * 0.5 * (low + high))


def stuck(rows: DualRows, t: float, i: int, z: float, margin: float) -> bool:
    if rows.logistic:
        return False
    r = rows.center[i] - z - rows.curvature * t
    if t == 0.0 and rows.tube > 0.0 and abs(r) < rows.tube - margin:
        return True
    return bool(
        (t == rows.low[i] and r + rows.tube < -margin) or (t == rows.high[i] and r - rows.tube > margin)
    )


def twin(
    A: Any,
    rows: DualRows,
    share: Any,
    l2: float,
    pull: float,
    theta: Any,
    w: Any,
    b: float,
    epochs: int,
    seed: int,
) -> tuple[Any, Any, float, int, float]:
    theta, w, order = theta.copy(), w.copy(), list(range(len(A)))
    active, margin, stream = len(A), np.inf, split_mix(seed)
    for _ in range(epochs):
        for k in range(active - 1, 0, -1):
            j = ((next(stream) >> 32) * (k + 1)) >> 32
            order[k], order[j] = order[j], order[k]
        largest, k = 0.0, 0
        while k < active:
            i = order[k]
            z = float(A[i] @ w) + b
            if stuck(rows, theta[i], i, z, margin):
                active -= 1
                order[k], order[active] = order[active], order[k]
                continue
            q = share[i] * (float(A[i] @ A[i]) / l2 + (1.0 / pull if pull else 0.0))
            change = one_row(rows, i, z - q * theta[i], q) - theta[i]
            theta[i] += change
            w += share[i] * change * A[i] / l2
            b += share[i] * change / pull if pull else 0.0
            largest = max(largest, abs(change) * (q + rows.curvature))
            k += 1
        margin = largest
    return theta, w, b, active, margin


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ROW_FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_twin(name: str, form: str, dtype: type, rng: np.random.Generator) -> None:
    X, A = matrix(rng, (40, 19), dtype, form)
    y = rng.choice([-1.0, 1.0], size=40) if REGISTRY[name]().labels else rng.normal(size=40)
    rows, s = dual_rows(REGISTRY[name](), y), rng.random(40)
    share, square = s / s.sum(), (A**2).sum(axis=1)
    for pull in (0.0, 0.03):
        theta, w, b, order = np.zeros(40), np.zeros(19), np.zeros(1), np.arange(40)
        given = (X, rows.center, rows.low, rows.high, rows.tube, rows.curvature, rows.logistic, share, square)
        epochs, active, moved, visits = _loops.dual_ascend(
            *given, 0.05, pull, theta, w, b, order, 40, np.inf, 6, 123
        )
        t2, w2, b2, active2, moved2 = twin(
            A, rows, share, 0.05, pull, np.zeros(40), np.zeros(19), 0.0, 6, 123
        )
        np.testing.assert_allclose(theta, t2, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(w, w2, rtol=1e-9, atol=1e-9)
        assert b[0] == pytest.approx(b2, abs=1e-9)
        assert (epochs, active) == (6, active2)
        assert moved == pytest.approx(moved2, abs=1e-8)
        assert 0 < visits <= 6 * 40
        assert sorted(order) == list(range(40))


def test_shrinking_sets_rows_aside(rng: np.random.Generator) -> None:
    A = rng.normal(size=(400, 3))
    y = np.where(A[:, 0] + 0.1 * rng.normal(size=400) > 0.0, 1.0, -1.0)
    rows = dual_rows(REGISTRY["hinge"](), y)
    theta, w, b, order = np.zeros(400), np.zeros(3), np.zeros(1), np.arange(400)
    _, active, _, visits = _loops.dual_ascend(
        A, rows.center, rows.low, rows.high, 0.0, 0.0, False, np.full(400, 1 / 400), (A**2).sum(axis=1),
        0.01, 0.0, theta, w, b, order, 400, np.inf, 40, 0,
    )  # fmt: skip
    assert active < 200
    assert visits < 40 * 300


def test_refusals(rng: np.random.Generator) -> None:
    A, n = rng.normal(size=(5, 2)), np.zeros(5)
    rest = (n, n, n, 0.0, 0.0, False, n, n)

    def call(X: Any = A, l2: float = 1.0, order: Any = None, active: int = 5) -> Any:
        order = np.arange(5) if order is None else order
        return _loops.dual_ascend(
            X, *rest, l2, 0.0, np.zeros(5), np.zeros(2), np.zeros(1), order, active, 0.0, 1, 0
        )

    with pytest.raises(ValueError, match="contiguous rows"):
        call(np.asfortranarray(A))
    with pytest.raises(ValueError, match="l2 must be > 0"):
        call(l2=0.0)
    with pytest.raises(ValueError, match="order names a row"):
        call(order=np.array([0, 1, 2, 3, 5]))
    with pytest.raises(ValueError, match="active"):
        call(active=6)
