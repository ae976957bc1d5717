"""The gap from the sums of one pass is never below the true one: far away, under uneven weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.losses import REGISTRY
from empirisk.penalties import L2
from empirisk.problems.linear import LinearProblem
from empirisk.problems.quick_gap import quick_gap
from empirisk.solvers.solve import solve
from empirisk.typing import Capability
from tests.conformance.loss_samples import SAMPLES


def losses() -> dict[str, Any]:
    """Every scalar loss of the registry with a gradient and a conjugate, as its sample makes it."""
    made = {name: sample.loss or REGISTRY[name]() for name, sample in SAMPLES.items() if name in REGISTRY}
    needed = {Capability.GRAD, Capability.CONJUGATE}
    return {name: loss for name, loss in made.items() if needed <= loss.offers and not loss.vector}


@pytest.mark.parametrize("name", losses())
def test_the_gap_of_sums_covers_the_excess(name: str) -> None:
    loss, looked = losses()[name], 0
    for seed in range(25):
        g = np.random.default_rng(seed)
        n = int(g.integers(2, 9))
        X = g.normal(size=(n, 1)) * 10.0 ** g.uniform(-1.0, 1.0)
        y = g.choice(np.array(SAMPLES[name].targets), n)
        data = ArrayBlocks(Design(X), y, 10.0 ** g.uniform(-2.0, 2.0, n))
        problem = LinearProblem(loss, L2(float(10.0 ** g.uniform(-4.0, 0.0))), data)
        w = g.normal(size=2) * 10.0 ** g.uniform(-1.0, 2.0, 2)
        with np.errstate(over="ignore", invalid="ignore"):
            e = problem.evaluate(w)
            found = quick_gap(problem, w, e) if np.isfinite(e.loss) and np.isfinite(e.grad).all() else None
        if found is None:
            continue
        looked += 1
        best = min(problem.value(solve(problem, tol=1e-9).w), problem.value(np.array([0.0, 0.0])))
        here = problem.value(w)
        assert found[0] >= (here - best) - 1e-9 * (1.0 + abs(here)), (seed, found[0], here - best)
    assert looked > 0 or Capability.HESS not in loss.offers
