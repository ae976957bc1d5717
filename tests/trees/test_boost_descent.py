"""No round raises the training loss: losses, constraints, drawn rows, several scores, rare events, any
weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.data.weight_unit import WeightUnit
from empirisk.losses import (
    Absolute,
    Exponential,
    Gamma,
    HalfSquared,
    Huber,
    Logistic,
    NegativeBinomial,
    Poisson,
    Quantile,
    Softmax,
    Tweedie,
)
from empirisk.trees.bins import Bins
from empirisk.trees.boost import boost
from empirisk.trees.growth import Growth
from empirisk.trees.newton_step import longest_step

WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "fast": {"learning_rate": 1.0},
    "beyond": {"learning_rate": 3.0},
    "drawn": {"subsample": 0.3, "learning_rate": 0.5},
    "monotonic": {"growth": Growth(monotonic=(1, -1, 0), min_rows_leaf=1), "learning_rate": 0.7},
    "interactions": {"growth": Growth(interactions=[[0, 1], [2]], min_rows_leaf=1)},
}
LOSSES = [
    HalfSquared(), Logistic(), Exponential(), Poisson(), Gamma(), Tweedie(1.3), NegativeBinomial(0.5),
    Softmax(), Absolute(), Quantile(0.9), Huber(0.5),
]  # fmt: skip


def rare(loss: Any, rng: np.random.Generator, n: int = 1500) -> tuple[Any, Any]:
    """Targets whose curvature at the constant is small or very uneven."""
    X = rng.standard_normal((n, 3))
    event = rng.random(n) < 0.004 + 0.03 * (X[:, 0] > 1.5)
    if isinstance(loss, Softmax):
        return X, np.where(event, 1.0 + (X[:, 1] > 0), 0.0)
    if loss.labels:
        return X, np.where(event, 1.0, -1.0)
    if loss.y_domain.low == 0.0:
        y = np.exp(3.0 * rng.standard_normal(n))
        return X, y if not loss.y_domain.low_closed else y * event
    return X, X[:, 0] + rng.standard_t(2, n)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_no_round_raises_the_training_loss(loss: Any, way: str, rng: np.random.Generator) -> None:
    if loss.vector and way == "monotonic":
        loss = Logistic()
    X, y = rare(loss, rng)
    w = rng.choice([1e-3, 1.0, 40.0], len(y))
    binned = Bins.fit(X, np.zeros(3, dtype=np.int64)).transform(X)
    for weight in (None, w):
        told = boost(binned, y, weight, loss, rounds=20, **WAYS[way])
        size = np.abs(told.train_loss).max()
        assert (np.diff(told.train_loss) <= 1e-12 * size).all(), told.train_loss
        z = told.scores if loss.vector else told.scores[:, 0]
        assert np.average(loss.value(y, z), weights=weight) == pytest.approx(told.train_loss[-1], rel=1e-9)
        again = told.initial + np.column_stack([trees.predict(X) for trees in told.trees])
        np.testing.assert_allclose(again, told.scores, rtol=1e-9, atol=1e-9)


def test_a_step_within_the_limit_never_raises_a_sum_of_losses(rng: np.random.Generator) -> None:
    for loss in (Logistic(), Poisson(), Gamma(), Tweedie(1.7), NegativeBinomial(2.0)):
        m = loss.concordance
        for rate in (0.1, 0.5, 1.0, 1.9):
            limit = longest_step(m, rate)
            for _ in range(200):
                n, spread = int(rng.integers(1, 30)), rng.choice([0.1, 3.0, 12.0])
                z = spread * rng.standard_normal(n)
                y = rng.choice([-1.0, 1.0], n) if loss.labels else rng.exponential(size=n) + 1e-3
                w = rng.exponential(size=n)
                g, h = w @ loss.grad(y, z), w @ loss.hess(y, z)
                step = np.clip(-rate * g / h, -limit, limit)
                before, after = w @ loss.value(y, z), w @ loss.value(y, z + step)
                assert after <= before + 1e-12 * (w @ np.abs(loss.value(y, z)))


def test_units_of_weights(rng: np.random.Generator) -> None:
    w = rng.integers(0, 7, 50) * 1.0
    for c in (1e-160, 1.0 / 3.0, 1.0, 1e150):
        found = WeightUnit.of(c * w)
        assert found.whole
        np.testing.assert_array_equal(found.multiple, w / np.gcd.reduce(w.astype(int)))
    odd = WeightUnit.of(rng.exponential(size=50))
    assert not odd.whole
    assert odd.multiple is not None
    assert odd.multiple.mean() == pytest.approx(1.0)
    same = WeightUnit.of(np.full(4, 1e-9))
    assert (same.multiple, same.unit) == (None, 1e-9)


def test_a_row_of_a_huge_weight_hides_no_other(rng: np.random.Generator) -> None:
    x = np.repeat([-1.0, 0.0, 1.0], 20)[:, None]
    binned = Bins.fit(x, np.zeros(1, dtype=np.int64)).transform(x)
    for huge in (1e9, 1e13):
        w = np.ones(60)
        w[0] = huge
        squares = boost(binned, x[:, 0], w, HalfSquared(), rounds=150).scores[:, 0]
        np.testing.assert_allclose(squares, x[:, 0], atol=1e-3)
        counts = boost(binned, 2.0 + x[:, 0], w, Poisson(), rounds=300).scores[:, 0]
        np.testing.assert_allclose(np.exp(counts), 2.0 + x[:, 0], rtol=1e-3)
        classes = boost(binned, 1.0 + x[:, 0], w, Softmax(), rounds=60).scores
        np.testing.assert_array_equal(classes.argmax(axis=1), 1.0 + x[:, 0])
