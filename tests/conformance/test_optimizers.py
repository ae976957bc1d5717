"""Every update rule of the registry keeps its contract, with no test data of its own."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

from empirisk.optimizers import REGISTRY, SCHEDULES, Constant, Schedule, UpdateRule, apply

each = pytest.mark.parametrize(
    "rule", [pytest.param(t(Constant(0.1)), id=k) for k, t in sorted(REGISTRY.items())]
)


@each
def test_keeps_the_contract(rule: Any) -> None:
    assert isinstance(rule, UpdateRule)
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert hash(copy.deepcopy(rule)) == hash(rule)
    with pytest.raises(dataclasses.FrozenInstanceError):
        rule.schedule = Constant(1.0)


def steps(rule: Any, w: Any, grads: list[Any], state: Any = None) -> tuple[Any, list[Any]]:
    """States and points along given gradients."""
    state, points = rule.init(w) if state is None else state, [w]
    for g in grads:
        state, step = rule.update(state, g, points[-1])
        points.append(apply(points[-1], step))
    return state, points


@each
def test_is_pure_deterministic_and_resumable(rule: Any, rng: np.random.Generator) -> None:
    w, grads = rng.standard_normal(4), list(rng.standard_normal((6, 4)))
    for a in (w, *grads):
        a.flags.writeable = False
    _, whole = steps(rule, w, grads)
    half, first = steps(rule, w, grads[:3])
    kept = copy.deepcopy(half)
    _, second = steps(rule, first[-1], grads[3:], pickle.loads(pickle.dumps(half)))
    np.testing.assert_array_equal(whole[-1], second[-1])
    _, again = steps(rule, first[-1], grads[3:], half)  # the state given first is as it was
    np.testing.assert_array_equal(again[-1], second[-1])
    assert repr(kept) == repr(half)
    assert not np.array_equal(whole[1], w)  # it moves


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@each
def test_shapes_and_number_formats_stay(rule: Any, dtype: Any, rng: np.random.Generator) -> None:
    shapes = [(3, 2), (2,), ()]
    w = tuple(np.asarray(rng.standard_normal(s), dtype=dtype) for s in shapes)
    grads = [tuple(np.asarray(rng.standard_normal(s), dtype=dtype) for s in shapes) for _ in range(3)]
    _, points = steps(rule, w, grads)
    assert all([a.shape for a in p] == shapes and {a.dtype for a in p} == {np.dtype(dtype)} for p in points)
    # The first array of a tuple moves as it does alone.
    _, alone = steps(rule, w[0], [g[0] for g in grads])
    np.testing.assert_array_equal(alone[-1], points[-1][0])


@pytest.mark.parametrize("name", sorted(SCHEDULES))
def test_schedules_are_positive_and_do_not_rise(name: str) -> None:
    lacking = [m for m in ("of_run", "needs_horizon", "sizes") if not hasattr(SCHEDULES[name], m)]
    assert not lacking, f"add {lacking} to {SCHEDULES[name].__name__}: see Schedule of optimizers/base.py"
    made = SCHEDULES[name].of_run(0.5, 50, 0.5)
    assert isinstance(made, Schedule)
    assert made.name == name
    sizes = [made.at(t) for t in range(1, 50)]
    assert min(sizes) > 0.0
    assert (np.diff(sizes) <= 0.0).all()
    with pytest.raises(ValueError, match="must be a finite number > 0"):
        SCHEDULES[name](*((0.0, 5) if name == "cosine" else (0.0,)))
