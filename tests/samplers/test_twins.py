"""Compiled transitions take the steps of plain NumPy on the same random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from empirisk import _loops
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Logistic
from empirisk.penalties import L1, L2
from empirisk.problems import LinearProblem
from empirisk.samplers import REGISTRY, LinearTarget
from empirisk.typing import Array
from tests.oracles.complete import complete
from tests.oracles.philox import Stream
from tests.oracles.transitions import hamiltonian, langevin, no_u_turn, random_walk

SEED, CHAINS, COUNT = 2**40 + 7, 2, 25
# Lengths at which some proposals are refused.
STEP = {"random_walk": 1.3, "ula": 0.3, "mala": 0.9, "proximal_langevin": 0.5, "hmc": 1.2, "nuts": 0.4}


def twin(name: str, f: Any, w: Array, L: Array, rng: Stream) -> Array:
    """Return the next place, by the formulas in NumPy."""
    h = STEP[name]
    if name == "random_walk":
        return random_walk(f, w, L, h, rng)
    if name == "hmc":
        return hamiltonian(f, w, L, h, math.pi / 2.0, rng)
    if name == "nuts":
        return no_u_turn(f, w, L, h, 10, rng)
    return langevin(f, w, L, h, rng, name != "ula")


def test_every_transition_has_a_twin() -> None:
    complete({*STEP, "sgld", "gibbs"}, set(REGISTRY), "a twin", "STEP of tests/samplers/test_twins.py")


def compiled(name: str, call: Any, start: Array, factor: Array, dense: bool) -> Array:
    """Return the draws (chains, n, d) of the loops."""
    k, d = CHAINS, len(start)
    w, grad, u = np.tile(start, (k, 1)), np.zeros((k, d)), np.zeros(k)
    _loops.ask_places(call, w, grad, u)
    step = np.zeros((k, 5))
    step[:, 0] = math.log(STEP[name])
    sampler = REGISTRY[name]()
    most, length = sampler.limits
    scale = np.tile(np.diag(factor), (k, 1))
    shape = np.tile(factor, (k, 1, 1)) if dense else None
    state = (call, sampler.move, w, grad, u, step, scale, shape)
    draws, _ = _loops.run_chains(*state, SEED, 3, COUNT, 1, False, 0.5, most, length)
    return np.asarray(draws).reshape(k, COUNT, d)


def posterior(penalty: Any) -> tuple[LinearTarget, Any]:
    """Return a target of three columns, and U with its gradient again by plain formulas."""
    rng = np.random.default_rng(5)
    n, alpha = 12, 0.2
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + rng.logistic(size=n) > 0.0, 1.0, -1.0)
    problem = LinearProblem(Logistic(), penalty, ArrayBlocks(Design(X), y, np.ones(n)), intercept=False)
    target = LinearTarget(problem, proximal=True)
    t = target.smoothing

    def f(w: Array) -> tuple[float, Array]:
        z = X @ w
        value, slope = float(np.log1p(np.exp(-y * z)).sum()), -y / (1.0 + np.exp(y * z))
        if penalty.l1:
            kink = n * alpha
            return value + kink * np.abs(w).sum(), X.T @ slope + np.clip(w / t, -kink, kink)
        return value + 0.5 * n * alpha * float(w @ w), X.T @ slope + n * alpha * w

    return target, f


@pytest.mark.parametrize("dense", [True, False], ids=["covariance", "variances"])
@pytest.mark.parametrize("name", list(STEP))
def test_the_loops_take_the_steps_of_plain_numpy(name: str, dense: bool) -> None:
    target, f = posterior(L1(0.2) if name == "proximal_langevin" else L2(0.2))
    factor = np.array([[0.6, 0.0, 0.0], [0.2, 0.5, 0.0], [-0.1, 0.1, 0.7]])
    factor = factor if dense else np.diag(np.diag(factor))
    start = np.array([0.3, -0.2, 0.1])
    draws = compiled(name, target.call, start, factor, dense)
    moves = 0
    for c in range(CHAINS):
        w = start
        for i in range(COUNT):
            before, w = w, twin(name, f, w, factor, Stream(SEED, c, 3 + i))
            moves += int((before != w).any())
            np.testing.assert_allclose(draws[c, i], w, rtol=1e-12, atol=1e-12)
    assert moves > CHAINS * COUNT // 4
    if name in ("random_walk", "mala", "hmc", "proximal_langevin"):
        assert moves < CHAINS * COUNT


@pytest.mark.parametrize("controlled", [True, False], ids=["control_variates", "plain"])
@pytest.mark.parametrize("replace", [True, False])
def test_steps_by_few_rows_are_those_of_plain_numpy(replace: bool, controlled: bool) -> None:
    rng = np.random.default_rng(6)
    n, d, size, alpha = 11, 3, 4, 0.3
    X, weight = rng.normal(size=(n, d)), rng.integers(1, 3, n).astype(float)
    y = np.where(X[:, 0] + rng.logistic(size=n) > 0.0, 1.0, -1.0)
    problem = LinearProblem(Logistic(), L2(alpha), ArrayBlocks(Design(X), y, weight), intercept=False)
    target = LinearTarget(problem)
    factor, start = np.linalg.cholesky(0.2 * np.eye(d) + 0.05), np.array([0.3, -0.2, 0.1])
    sizes = 0.3 / np.arange(1.0, COUNT + 1.0)

    def slopes(w: Array, rows: Any) -> Array:
        z = X[rows] @ w
        return weight[rows] * -y[rows] / (1.0 + np.exp(y[rows] * z))

    mode = target.guess().place
    everything = np.arange(n)
    ridge = weight.sum() * alpha
    at_mode = X.T @ slopes(mode, everything) + ridge * mode
    anchor = target.anchor() if controlled else None
    places = np.tile(start, (CHAINS, 1))
    state = (target.call, anchor, places, np.ones((CHAINS, d)), np.tile(factor, (CHAINS, 1, 1)))
    draws, _ = _loops.run_minibatches(*state, SEED, 3, sizes, 1, size, replace)
    draws = np.asarray(draws).reshape(CHAINS, COUNT, d)
    for c in range(CHAINS):
        w = start
        for i in range(COUNT):
            stream = Stream(SEED, c, 3 + i)
            rows = [stream.below(n) for _ in range(size)] if replace else slice_of(c, 3 + i, n, size)
            grad = n / size * (X[rows].T @ slopes(w, rows)) + ridge * w
            if controlled:
                grad += at_mode - n / size * (X[rows].T @ slopes(mode, rows)) - ridge * mode
            h = sizes[i]
            noise = math.sqrt(2.0 * h) * (factor @ stream.normals(d))
            w = w - h * (factor @ factor.T @ grad) + noise
            np.testing.assert_allclose(draws[c, i], w, rtol=1e-11, atol=1e-11)


def slice_of(chain: int, step: int, n: int, size: int) -> list[int]:
    """Return the rows of a step: a slice of the order of its epoch, shuffled from the last place down."""
    batches = n // size
    order, rng = list(range(n)), Stream(SEED, chain, ~(step // batches + 2**62))
    for i in range(n - 1, 0, -1):
        j = rng.below(i + 1)
        order[i], order[j] = order[j], order[i]
    first = step % batches * size
    return order[first : first + size]
