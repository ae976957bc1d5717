"""What the grid proves by itself, against many random points of its box."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import empirisk as er
from empirisk.losses import HalfSquared, Huber
from empirisk.penalties import L1, L2, Zero
from empirisk.solvers.grid_search import GridSearch, objectives


def problem(rng, loss, penalty, intercept=True):
    X = rng.normal(size=(40, 2)) * [1.0, 5.0] + [2.0, 0.0]
    y = X @ [1.0, -0.5] + rng.normal(size=40)
    return replace(er.Ridge(alpha=1.0, fit_intercept=intercept).problem(X, y), loss=loss, penalty=penalty)


@pytest.mark.parametrize("penalty", [Zero(), L2(0.1), L1(0.1)], ids=lambda p: p.name)
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_the_claim_of_the_grid_is_true(penalty, steps, rng):
    p = problem(rng, Huber(1.0), penalty)
    solver = GridSearch(points=5)
    before = solver.init(p)
    for _ in range(steps - 1):
        before = solver.step(p, before)
    after = solver.step(p, before)
    (claimed,) = re.findall(r"at most (\S+) above", after.note)
    centre = before.standard.to_u(before.w)
    inside = centre + before.half * rng.uniform(-1.0, 1.0, size=(20_000, 3))
    values = objectives(p, np.array([before.standard.to_w(u) for u in inside]).T)
    gap = p.value(after.w) - values.min()
    assert gap <= float(claimed) * 1.05  # two digits are printed
    # The slope and the diagonal, by hand: corners of a cell in the variables of the problem.
    corners = [before.standard.to_w(before.half / 4.0 * np.array(c)) for c in np.ndindex(2, 2, 2)]
    assert float(claimed) >= 0.4 * p.constants.rho.value * max(map(np.linalg.norm, corners))
    assert float(claimed) <= 20.0 * p.constants.rho.value * max(map(np.linalg.norm, corners))


def test_squares_have_no_slope_and_the_certificate_is_the_answer(rng):
    p = problem(rng, HalfSquared(), L2(0.1), intercept=False)
    found = er.solve(p, "grid_search", tol=1e-10)
    assert found.note == ""
    assert found.status.ok
    with pytest.raises(ValueError, match="at most three weights"):
        er.solve(er.Ridge().problem(np.eye(4), np.arange(4.0)), "grid_search")
    with pytest.raises(ValueError, match="odd number"):
        GridSearch(points=4)
