"""Traces of several solvers, and bounds of theory that they have to keep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import empirisk as er
from empirisk.losses import Absolute
from empirisk.penalties import L2Ball
from empirisk.results import Status
from empirisk.solvers.gradient_descent import GradientDescent
from empirisk.solvers.sgd import SGD
from empirisk.solvers.subgradient import Subgradient


def problem(alpha=0.05, intercept=False):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4)) * [1.0, 2.0, 0.7, 1.0]
    y = X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=80)
    return er.Ridge(alpha=alpha, fit_intercept=intercept).problem(X, y)


@pytest.mark.parametrize("size", ["1/L", "backtracking", 0.02])
@pytest.mark.parametrize("alpha", [0.05, 1e-12])
def test_gradient_descent_keeps_the_bound_at_every_step(alpha, size):
    p = problem(alpha)
    c = er.convergence(p, ["least_squares", GradientDescent(size)], tol=1e-10)
    (rate,) = c.rates
    steps, _, _, gap = c.gap("gradient_descent")
    assert len(steps) > 10
    bound = np.interp(steps, rate.steps, rate.bound)
    assert np.all(gap <= bound * (1 + 1e-9) + 1e-12)
    # The bound is no trivial one: it falls as 1/T at least, from a little less than half of D^2 / (2 g).
    assert rate.bound[-1] <= 3.0 * rate.bound[0] / rate.steps[-1]
    assert rate.bound[0] < 100.0 * gap[0]


def test_no_bound_is_claimed_for_steps_beyond_one_over_l():
    p = problem()
    c = er.convergence(p, [GradientDescent(1.5 / p.constants.L.value)], tol=1e-8)
    assert c.runs["gradient_descent"].status.ok
    assert c.rates == ()


def test_pegasos_keeps_its_bound_on_average():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=60) > 0.0
    p = er.LinearSVC(alpha=0.1, fit_intercept=False).problem(X, y)
    gaps = []
    for seed in range(20):
        pegasos = SGD(
            "strongly_convex", output="average", sampling="replacement", precondition=False, seed=seed
        )
        c = er.convergence(p, ["interior_point", pegasos])
        steps, _, _, gap = c.gap("sgd")
        gaps.append(gap)
    (rate,) = c.rates
    bound = np.interp(steps, rate.steps, rate.bound)
    mean = np.mean(gaps, axis=0)
    assert np.isfinite(mean).all()
    assert np.all(mean <= bound)
    rho = np.linalg.norm(X, axis=1).max()
    assert rate.bound[0] == pytest.approx(2.0 * rho**2 * (1.0 + np.log(60.0)) / (0.1 * 60.0))
    # With a free intercept the theorem does not hold, and nothing is drawn.
    free = er.LinearSVC(alpha=0.1).problem(X, y)
    assert er.convergence(free, [pegasos]).rates == ()


def test_subgradients_keep_their_bound_on_a_ball():
    p = replace(problem(), loss=Absolute(), penalty=L2Ball(1.0))
    c = er.convergence(p, [Subgradient(n_steps=400)])
    (rate,) = c.rates
    steps, _, _, gap = c.gap("subgradient")
    assert np.all(gap <= np.interp(steps, rate.steps, rate.bound))
    assert rate.bound[-1] == pytest.approx(p.constants.rho.value / 20.0)  # B rho / sqrt(N) at the end


def test_a_certificate_that_stays_behind_is_no_stall():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6)) * [1, 2, 0.5, 1, 1, 3]
    y = X @ rng.normal(size=6) + rng.logistic(size=400) > 0.0
    c = er.convergence(
        er.LogisticRegression(alpha=0.01).problem(X, y), [GradientDescent("1/L")], tol=1e-8, max_steps=5000
    )
    run = c.runs["gradient_descent"]
    values = [t.certificate for t in run.trace]
    best = np.minimum.accumulate(values)
    assert max(np.diff(np.flatnonzero(np.diff(best)))) > 50  # it did stay behind
    assert run.status is Status.CERTIFIED


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
        assert "minimum" in c.plot(by).axes.get_title(loc="left")
    with pytest.raises(ValueError, match="by must be"):
        c.plot("epochs")
    with pytest.raises(ValueError, match="at least one"):
        er.convergence(problem(), [])
    with pytest.raises(ValueError, match="'coordinate' needs"):
        er.convergence(er.LogisticRegression().problem(np.eye(4), [0, 1, 0, 1]), ["coordinate"])
