"""Traces of several solvers, and bounds of theory that they have to keep."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from empirisk.solvers.gradient_descent import GradientDescent


def problem(alpha=0.05, intercept=False):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4)) * [1.0, 2.0, 0.7, 1.0]
    y = X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=80)
    return er.Ridge(alpha=alpha, fit_intercept=intercept).problem(X, y)


@pytest.mark.parametrize("alpha", [0.05, 1e-12])
def test_gradient_descent_keeps_the_bound_at_every_step(alpha):
    p = problem(alpha)
    c = er.convergence(p, ["least_squares", GradientDescent("1/L")], tol=1e-10)
    (rate,) = c.rates
    steps, _, _, gap = c.gap("gradient_descent")
    assert len(steps) > 10
    bound = np.interp(steps, rate.steps, rate.bound)
    assert np.all(gap <= bound * (1 + 1e-9) + 1e-12)
    # The bound is no trivial one: it falls by orders of magnitude.
    assert rate.bound[-1] < 1e-2 * rate.bound[0]


def test_lower_bound_is_below_every_objective_and_near_the_minimum():
    p = problem()
    c = er.convergence(p, ["least_squares", "fista", "conjugate_gradient"], tol=1e-10)
    assert c.proved
    exact = p.value(
        np.linalg.solve(p.design.X.T @ p.design.X / 80 + 0.05 * np.eye(4), p.design.X.T @ p.data.y / 80)
    )
    assert c.lowest <= exact + 1e-15
    assert exact - c.lowest <= 1e-9
    for name, run in c.runs.items():
        steps, passes, seconds, gap = c.gap(name)
        assert np.all(np.diff(steps) > 0)
        assert np.all(np.diff(passes) >= 0)
        assert np.all(np.diff(seconds) >= 0)
        assert gap[-1] <= 1e-9, run.sentence


def test_prints_frames_and_plots():
    c = er.convergence(problem(intercept=True), ["newton", "gradient_descent", "gradient_descent"])
    assert list(c.runs) == ["newton", "gradient_descent", "gradient_descent'"]
    assert "theory for gradient_descent" in repr(c)
    assert len(c.to_frame()) == 3
    for by in ("steps", "passes", "seconds"):
        assert "minimum" in c.plot(by).get_title(loc="left")
    with pytest.raises(ValueError, match="by must be"):
        c.plot("epochs")
    with pytest.raises(ValueError, match="at least one"):
        er.convergence(problem(), [])
    with pytest.raises(ValueError, match="'coordinate' needs"):
        er.convergence(er.LogisticRegression().problem(np.eye(4), [0, 1, 0, 1]), ["coordinate"])
