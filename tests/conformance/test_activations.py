"""Every activation: its formula in many digits, its slope, and the gradient of networks that use it."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared
from empirisk.problems import Layers, NetworkProblem
from empirisk.problems.activations import REGISTRY, Identity

FORMULAS: dict[str, Any] = {
    "gelu": lambda a: a * mp.ncdf(a),
    "identity": lambda a: a,
    "leaky_relu": lambda a: a if a > 0 else a / 100,
    "relu": lambda a: max(a, mp.mpf(0)),
    "sigmoid": lambda a: 1 / (1 + mp.exp(-a)),
    "softplus": lambda a: mp.log1p(mp.exp(a)),
    "step": lambda a: mp.mpf(a > 0),
    "tanh": mp.tanh,
}
PLACES = (-30.0, -3.0, -0.7, -1e-3, 1e-3, 0.4, 2.0, 25.0)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_value_and_slope_in_many_digits(name: str) -> None:
    assert name in FORMULAS, f"add the formula of {name!r} to FORMULAS in {__file__}"
    f, a = REGISTRY[name](), np.array(PLACES)
    with mp.workdps(40):
        value = [float(FORMULAS[name](mp.mpf(x))) for x in PLACES]
        slope = [float(mp.diff(FORMULAS[name], mp.mpf(x))) for x in PLACES]
    # Next to 1 by absolute rounding; the exponent a^2 / 2 of the Gaussian one turns it into a relative error.
    for found, wanted in ((f.value(a), value), (f.slope(a), slope)):
        np.testing.assert_allclose(found, wanted, rtol=2e-13, atol=1e-15)
    for dtype in (np.float32, np.float64):
        assert f.value(a.astype(dtype)).dtype == f.slope(a.astype(dtype)).dtype == dtype


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_what_an_activation_says_of_itself(name: str) -> None:
    f, a = REGISTRY[name](), np.linspace(-40.0, 40.0, 801)
    slopes = f.slope(a)
    below = slopes[a < 0.0]
    assert f.dies == bool((below == 0.0).all())
    assert f.differentiable == bool(slopes.any())
    assert f.rectifies == (bool((f.value(a)[a < -30.0] > -0.5).all()) and f.value(a).max() > 30.0)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_gradients_pass_through_or_are_refused_by_name(name: str, rng: np.random.Generator) -> None:
    data = ArrayBlocks(Design(rng.normal(size=(9, 3))), rng.normal(size=9), rng.uniform(0.5, 2.0, 9))
    f = REGISTRY[name]()
    problem = NetworkProblem(Layers((3, 4, 2, 1), (f, f, Identity())), HalfSquared(), data, alpha=0.1)
    if not f.differentiable:
        with pytest.raises(TypeError, match=f"activation '{name}'"):
            problem.evaluate(problem.start())
        assert problem.scores(problem.start(), data.design.X).shape == (9, 1)
        return
    assert max(problem.gradient_check(seed=3).values()) < 1e-8
