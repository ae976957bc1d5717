"""Gradients that are not those of their potential are refused before chains run, and right ones never."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from empirisk.samplers import FunctionTarget, sample
from empirisk.samplers.registry import REGISTRY
from empirisk.samplers.slopes import refuse_other_gradient
from empirisk.typing import Array

A = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])
WRONG: dict[str, Callable[[Array], Array]] = {
    "sign": lambda g: -g,
    "zero": lambda g: 0.0 * g,
    "twice": lambda g: 2.0 * g,
    "one sign": lambda g: g * [1.0, -1.0, 1.0],
    "one left out": lambda g: g * [1.0, 0.0, 1.0],
}
# U and gradient, each hard for differences in another way.
RIGHT: dict[str, Callable[[Array], tuple[float, Array]]] = {
    "gaussian": lambda w: (0.5 * float(w @ A @ w), A @ w),
    "laplace": lambda w: (float(np.abs(w).sum()), np.sign(w)),
    "tiny": lambda w: (5e15 * float(w @ w), 1e16 * w),
    "flat": lambda w: (5e-17 * float(w @ w), 1e-16 * w),
    "far up": lambda w: (1e20 + float(w @ w), 2.0 * w),
    "quartic": lambda w: (float((w**4).sum()), 4.0 * w**3),
    "half space": lambda w: (
        (float(w.sum() - np.log(w).sum()), 1.0 - 1.0 / w) if (w > 0.0).all() else (np.inf, w)
    ),
    "wavy": lambda w: (float((w**2 + np.cos(50.0 * w)).sum()), 2.0 * w - 50.0 * np.sin(50.0 * w)),
    "cauchy": lambda w: (float(np.log1p(w**2).sum()), 2.0 * w / (1.0 + w**2)),
}


@pytest.mark.parametrize("name", list(RIGHT))
def test_right_gradients_pass_everywhere(name: str) -> None:
    rng = np.random.default_rng(0)
    for scale in (1e-6, 1.0, 100.0):
        for w in [*(scale * np.abs(rng.normal(size=(20, 3)))), np.full(3, scale)]:
            refuse_other_gradient(RIGHT[name], [w])
    refuse_other_gradient(lambda w: (0.5 * float(w @ A @ w), A @ w), [np.zeros(3)])


@pytest.mark.parametrize("wrong", list(WRONG))
@pytest.mark.parametrize("name", ["gaussian", "quartic", "cauchy", "half space"])
def test_wrong_gradients_are_refused(name: str, wrong: str) -> None:
    def call(w: Array) -> tuple[float, Array]:
        u, g = RIGHT[name](w)
        return u, np.asarray(WRONG[wrong](g))

    places = np.array([0.3, 2.0, 0.9]) + np.abs(np.random.default_rng(1).normal(size=(4, 3)))
    with pytest.raises(ValueError, match="the gradient is not that of the potential: along a random line"):
        refuse_other_gradient(call, places)


@pytest.mark.parametrize("method", [name for name in REGISTRY if name not in ("gibbs", "sgld")])
def test_samplers_that_follow_gradients_look_at_them_once(method: str) -> None:
    calls = []

    def call(w: Array) -> tuple[float, Array]:
        calls.append(w)
        return 0.5 * float(w @ A @ w), -A @ w

    target = FunctionTarget(call, np.ones(3))
    if method == "random_walk":
        sample(target, method=method, draws=10, warm_up=10)
        return
    with pytest.raises(ValueError, match="the gradient is not that of the potential"):
        sample(target, method=method, draws=10, warm_up=10)
    assert len(calls) < 50
