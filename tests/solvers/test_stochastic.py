"""Stochastic descent: its outputs as defined, theorems in simulation, rates, honest ends."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk import bounds, optimizers
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import REGISTRY
from empirisk.penalties import L1, L2, Zero
from empirisk.problems import LinearProblem
from empirisk.results import Kind, Status
from empirisk.solvers import SGD, SVRG, solve
from empirisk.solvers.smoothed_dual import smoothed_dual
from empirisk.solvers.stochastic_rows import random_order, stochastic_rows


def make(
    rng: np.random.Generator, loss: str, n: int = 200, p: int = 5, penalty: Any = None, **more: Any
) -> LinearProblem:
    X = rng.normal(size=(n, p))
    z = X @ rng.normal(size=p)
    known = REGISTRY[loss]()
    y = np.where(z + rng.logistic(size=n) > 0.0, 1.0, -1.0) if known.labels else z + rng.normal(size=n)
    penalty = L2(0.05) if penalty is None else penalty
    return LinearProblem(known, penalty, ArrayBlocks(Design(X), y, np.ones(n)), **more)


# -- outputs ----------------------------------------------------------------------------------------


def walk(problem: LinearProblem, solver: SGD, sizes: np.ndarray) -> np.ndarray:
    """Iterates w_0, w_1, ... of plain steps in plain coordinates, one row at a time in order."""
    X, y, l2 = problem.design.X, problem.data.y, problem.penalty.l2
    w, out = problem.null.copy(), []
    for t, size in enumerate(sizes):
        i = t % len(y)
        x = np.append(X[i], 1.0) if problem.intercept else X[i]
        out.append(w)
        w = w - size * float(problem.loss.grad(y[i : i + 1], np.array([x @ w]))[0]) * x
        w[: X.shape[1]] /= 1.0 + size * l2
    return np.array([*out, w])


@pytest.mark.parametrize("schedule", ["constant", "cosine", "inverse_time", "step_decay", "strongly_convex"])
def test_outputs_are_as_defined(schedule: str, rng: np.random.Generator) -> None:
    problem, epochs = make(rng, "logistic", n=50), 3
    T = 50 * epochs
    solver = SGD(schedule, 0.1, n_epochs=epochs, sampling="given", precondition=False)
    rule: Any = {
        "constant": optimizers.Constant(0.1),
        "cosine": optimizers.Cosine(0.1, T),
        "inverse_time": optimizers.InverseTime(0.1),
        "step_decay": optimizers.StepDecay(0.1, 0.5, T // 10),
        "strongly_convex": optimizers.StronglyConvex(0.05),
    }[schedule]
    points = walk(problem, solver, np.array([rule.at(t) for t in range(1, T + 1)]))
    ends = points[50::50]
    values = [problem.value(w) for w in ends]
    wanted = {
        "last": points[-1],
        "average": points[:-1].mean(axis=0),
        "suffix": points[T - T // 2 : -1].mean(axis=0),
        "best": ends[int(np.argmin(values))],
    }
    for output, w in wanted.items():
        found = solve(problem, replace(solver, output=output))
        assert found.status is Status.COMPLETED
        np.testing.assert_allclose(found.w, w, rtol=1e-10, atol=1e-10, err_msg=output)


def test_momentum_is_the_rule_of_optimizers(rng: np.random.Generator) -> None:
    problem = make(rng, "half_squared", n=40, penalty=Zero(), intercept=False)
    X, y, w = problem.design.X, problem.data.y, problem.null
    rule = optimizers.Momentum(optimizers.Constant(0.02), 0.7)
    state = rule.init(w)
    for i in range(40):
        state, step = rule.update(state, X[i] * (X[i] @ w - y[i]), w)
        w = w + step
    solver = SGD("constant", 0.02, "last", 1, momentum=0.7, sampling="given", precondition=False)
    np.testing.assert_allclose(solve(problem, solver).w, w, rtol=1e-11)


def test_a_schedule_object_is_followed(rng: np.random.Generator) -> None:
    problem = make(rng, "logistic", n=60)
    by_name = SGD("cosine", 0.2, n_epochs=2)
    by_object = SGD(optimizers.Cosine(0.2, 120), n_epochs=2)
    np.testing.assert_array_equal(solve(problem, by_name).w, solve(problem, by_object).w)


def test_same_seed_same_bits_other_seed_other_order(rng: np.random.Generator) -> None:
    problem = make(rng, "hinge")
    a, b, c = (solve(problem, SGD(seed=seed, n_epochs=2)).w for seed in (1, 1, 2))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "huber"])
def test_sparse_is_dense_where_every_value_is_stored(loss: str, rng: np.random.Generator) -> None:
    problem = make(rng, loss)
    other = replace(problem, data=replace(problem.data, design=Design(sp.csr_array(problem.design.X))))
    for solver in (SGD(precondition=False, step_size=0.02, n_epochs=2),):
        np.testing.assert_allclose(solve(problem, solver).w, solve(other, solver).w, rtol=1e-9, atol=1e-12)


# -- theorems in simulation -------------------------------------------------------------------------


def test_pegasos_bound_holds_in_the_mean(rng: np.random.Generator) -> None:
    problem = make(rng, "hinge", n=80, penalty=L2(0.1), intercept=False)
    best = problem.value(solve(problem, "sdca", tol=1e-9).w)
    solver = SGD("strongly_convex", output="average", n_epochs=5, sampling="replacement", precondition=False)
    excess = [problem.value(solve(problem, replace(solver, seed=k)).w) - best for k in range(60)]
    promised = bounds.pegasos(n=400, rho=problem.constants.rho.value, alpha=0.1).epsilon
    assert np.mean(excess) + 3.0 * np.std(excess) / math.sqrt(60) <= promised
    assert np.mean(excess) >= 1e-3 * promised  # the comparison could fail


def test_constant_steps_reach_the_noise_floor_and_no_further(rng: np.random.Generator) -> None:
    problem = make(rng, "half_squared", n=100, p=3, penalty=Zero(), intercept=False)
    X, y, c = problem.design.X, problem.data.y, problem.constants
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    noise = float(np.mean((X @ best - y) ** 2 * (X**2).sum(axis=1)))
    step = 0.5 / c.L_max.value
    solver = SGD("constant", step, "last", 5, sampling="replacement", precondition=False)
    ends = [solve(problem, replace(solver, seed=k)).w for k in range(60)]
    far = np.mean([np.sum((w - best) ** 2) for w in ends])
    promised = bounds.sgd_constant_step(
        n=500, smoothness=c.L_max.value, strong_convexity=c.mu.value, distance=float(np.linalg.norm(best)),
        noise=noise, step=step, at_minimiser=True,
    ).epsilon  # fmt: skip
    assert far <= promised
    assert far >= 0.01 * promised  # it does not converge


# -- reduced variance ---------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("penalty", [L2(1e-3), L1(1e-2)], ids=lambda p: p.name)
def test_linear_rate_on_columns_of_any_scale(penalty: Any, sparse: bool, rng: np.random.Generator) -> None:
    problem = make(rng, "logistic", n=4000, p=8, penalty=penalty)
    X = problem.design.X * 10.0 ** np.arange(-3.0, 5.0) + (0.0 if sparse else 5.0)
    X = sp.csc_array(X) if sparse else np.asfortranarray(X)
    problem = replace(problem, data=replace(problem.data, design=Design(X)))
    best = problem.value(solve(problem, tol=1e-13).w)
    solution = solve(problem, SVRG(), tol=1e-9, max_steps=40)
    assert solution.status is Status.CERTIFIED
    excess = [point.objective - best for point in solution.trace if point.objective - best > 1e-13]
    assert excess[-1] <= 1e-2 ** (len(excess) - 1) * max(excess[0], 1e-3) * 1e2  # two digits an epoch


def test_sgd_says_where_a_step_is_too_long(rng: np.random.Generator) -> None:
    problem = make(rng, "half_squared", n=500)
    limit = 2.0 / (stochastic_rows(problem).longest + 0.05)
    solution = solve(problem, SGD("constant", 0.5))
    assert solution.status is Status.DIVERGED
    assert f"step 0.5 exceeds 2/L = {limit:.3g} of the longest row" in solution.sentence
    assert solve(problem, SGD("constant", 0.9 * limit)).status is Status.COMPLETED
    assert solve(problem, SGD()).status is Status.COMPLETED


def test_automatic_steps_recover_from_steep_losses(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 4)) * [1e4, 1.0, 1e-3, 5.0]
    y = rng.poisson(np.exp(3.0 + X[:, 1])).astype(float)
    problem = LinearProblem(REGISTRY["poisson"](), L2(1e-3), ArrayBlocks(Design(X), y, np.ones(300)))
    best = problem.value(solve(problem, tol=1e-9).w)
    solution = solve(problem, SGD(n_epochs=200), check_every=1000)
    assert problem.value(solution.w) - best <= 0.02 * (problem.null_loss - best)


@pytest.mark.parametrize("precondition", [True, False])
def test_no_scaling_needed_with_preconditioning(precondition: bool, rng: np.random.Generator) -> None:
    problem = make(rng, "logistic", n=2000)
    scaled = replace(
        problem, data=replace(problem.data, design=Design(problem.design.X * 10.0 ** np.arange(5) + 3.0))
    )
    best = scaled.value(solve(scaled, tol=1e-12).w)
    gain = scaled.null_loss - best
    excess = (
        scaled.value(solve(scaled, SGD(n_epochs=20, precondition=precondition), check_every=100).w) - best
    )
    assert (excess <= 0.01 * gain) is precondition


# -- certificates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["hinge", "absolute", "quantile", "epsilon_insensitive"])
def test_smoothed_multipliers_are_valid_and_sharper(loss: str, rng: np.random.Generator) -> None:
    problem = make(rng, loss, n=400)
    best = problem.value(solve(problem, "sdca", tol=1e-9).w)
    near = solve(problem, SGD(n_epochs=100), check_every=1000)
    assert near.certificate.kind is Kind.DUALITY_GAP
    assert problem.value(near.w) - best <= near.certificate.value <= problem.certify(near.w).value
    there = solve(problem, "sdca", tol=1e-9).w
    theta = smoothed_dual(problem, there, problem.evaluate(there))
    gap, plain = problem.certify(there, theta=theta).value, problem.certify(there).value
    assert problem.value(there) - best <= gap <= (0.5 if loss == "hinge" else 1.0) * plain
    far = problem.null + 0.3 * rng.normal(size=problem.shape)
    theta = smoothed_dual(problem, far, problem.evaluate(far))
    assert problem.value(far) - best <= problem.certify(far, theta=theta).value + 1e-12


def test_bad_settings_are_refused_in_words(rng: np.random.Generator) -> None:
    for bad, words in (
        ({"step_size": 0.0}, "step_size must be"),
        ({"step_size": -1.0}, "step_size must be"),
        ({"step_size": "fast"}, "step_size must be"),
        ({"output": "first"}, "output must be one of average, last, suffix, best"),
        ({"sampling": "sorted"}, "sampling must be one of"),
        ({"n_epochs": 0}, "n_epochs and batch_size"),
        ({"momentum": 1.0}, "momentum must lie"),
    ):
        with pytest.raises(ValueError, match=words):
            SGD(**bad)  # type: ignore[arg-type]
    problem = make(rng, "hinge", penalty=L1(0.1))
    with pytest.raises(ValueError, match="needs an L2 penalty"):
        solve(problem, SGD("strongly_convex"))
    with pytest.raises(ValueError, match="schedule must be one of constant, cosine"):
        solve(problem, SGD("linear"))
    sparse = replace(problem, data=replace(problem.data, design=Design(sp.csr_array(problem.design.X))))
    with pytest.raises(ValueError, match="use momentum=0 with sparse X"):
        solve(sparse, SGD(momentum=0.5))


def test_rows_without_weight_are_never_met(rng: np.random.Generator) -> None:
    problem = make(rng, "half_squared", n=60)
    X, y = problem.design.X.copy(), problem.data.y.copy()
    s = np.ones(60)
    s[::3], X[::3], y[::3] = 0.0, 1e150, -1e150
    weighted = LinearProblem(problem.loss, L2(0.05), ArrayBlocks(Design(X), y, s))
    kept = LinearProblem(problem.loss, L2(0.05), ArrayBlocks(Design(X[s > 0]), y[s > 0], s[s > 0]))
    np.testing.assert_allclose(solve(weighted, SGD()).w, solve(kept, SGD()).w, rtol=1e-9)


@pytest.mark.parametrize("n", [5, 16, 21])
def test_blocks_of_neighbours_leave_every_place_to_every_row(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("empirisk.solvers.stochastic_rows.CACHE", 0)
    rows = stochastic_rows(make(np.random.default_rng(0), "logistic", n=n))
    draws = np.array([random_order(rows, np.random.default_rng(k)) for k in range(8000)])
    assert np.array_equal(np.sort(draws, axis=1), np.tile(np.arange(n), (8000, 1)))
    shares = np.array([np.bincount(draws[:, t], minlength=n) for t in range(n)]) / 8000
    assert np.abs(shares - 1.0 / n).max() <= 5.0 * math.sqrt(1.0 / n / 8000)
    neighbours = np.mean((np.diff(draws, axis=1) % n) == 1)
    assert neighbours >= 0.5


@pytest.mark.parametrize("output", ["suffix", "average", "last", "best"])
@pytest.mark.parametrize("batch", [1, 7, 8])
@pytest.mark.parametrize("step", [0.01, 1e200])
def test_epochs_at_once_are_the_epochs_one_by_one(
    output: str, batch: int, step: float, rng: np.random.Generator
) -> None:
    problem = make(rng, "half_squared")
    one = SGD(step_size=step, n_epochs=9, output=output, batch_size=batch)
    told = [solve(problem, s, check_every=100) for s in (one, replace(one, at_once=True))]
    np.testing.assert_array_equal(told[0].w, told[1].w)
    assert told[0].n_steps == told[1].n_steps
    assert told[0].n_passes == told[1].n_passes
    assert told[0].sentence == told[1].sentence
