"""The adjusted transitions leave the target as it is, and may be run backwards."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from empirisk import _loops
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Logistic, Poisson
from empirisk.penalties import L2, Zero
from empirisk.problems import LinearProblem
from empirisk.samplers import REGISTRY, LinearTarget
from empirisk.samplers.chains import Chains
from empirisk.samplers.diagnostics import ess_mean
from empirisk.typing import Array

# Blocks are tried in tests/samplers/test_gibbs.py.
ADJUSTED = [name for name, row in REGISTRY.items() if row.exact and not row.by_blocks]
# Steps at which a good part of the proposals is refused, in units of the shape.
STEP = {"random_walk": 2.0, "mala": 1.2, "proximal_langevin": 1.2, "hmc": 1.4, "nuts": 1.2}


def moved(target: LinearTarget, name: str, start: Array, step: float, seed: int = 0) -> tuple[Array, Array]:
    """Return where one transition takes each row of `start`, and its chance of acceptance."""
    k, d = start.shape
    w, grad, u = start.copy(), np.zeros((k, d)), np.zeros(k)
    _loops.ask_places(target.call, w, grad, u)
    search = np.zeros((k, 5))
    search[:, 0] = math.log(step)
    factor = np.ascontiguousarray(np.broadcast_to(target.guess().factor, (k, d, d)))
    move = REGISTRY[name]().move
    most, length = REGISTRY[name]().limits
    state = (target.call, move, w, grad, u, search, np.ones((k, d)), factor)
    draws, told = _loops.run_chains(*state, seed, 0, 1, 1, False, 0.5, most, length)
    return draws, told[:, 0]


def zero(x: Array) -> None:
    """The mean of independent numbers of mean zero is within five of its standard errors of it."""
    assert abs(x.mean()) <= 5.0 * x.std() / math.sqrt(len(x))


@pytest.mark.parametrize("name", ADJUSTED)
def test_a_transition_from_the_target_can_be_turned_round(name: str) -> None:
    # With counts of sum s in n rows and a column of ones, U(w) = n e^w - s w: e^w has a Gamma law of shape s
    # and rate n.
    rows, total = 3, 4
    data = ArrayBlocks(Design(np.ones((rows, 1))), np.array([1.0, 1.0, 2.0]), np.ones(rows))
    target = LinearTarget(LinearProblem(Poisson(), Zero(), data, intercept=False))
    rng = np.random.default_rng(3)
    x = np.log(rng.gamma(total, 1.0 / rows, size=(40_000, 1)))
    z, chance = moved(target, name, x, STEP[name])
    assert 0.2 < chance.mean() < 0.97
    x, z = x[:, 0] - 0.1, z[:, 0] - 0.1
    assert (x != z).mean() > 0.2
    for f in (np.tanh, np.square, lambda v: v):
        zero(f(z) - f(x))  # the law stays
        for g in (np.sign, lambda v: v**3):
            zero(f(x) * g(z) - g(x) * f(z))  # the pair and the turned pair have one law


@pytest.mark.parametrize("name", ADJUSTED)
def test_parameters_and_rows_drawn_in_turn_have_the_prior(name: str) -> None:
    # Geweke, Journal of the American Statistical Association 99, 2004: targets drawn given the parameters,
    # and one transition given the targets, for ever. The parameters then have their prior, N(0, 1 / (n
    # alpha)).
    n, steps, alpha = 5, 3000, 0.25
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 2))
    variance = 1.0 / (n * alpha)
    design, draws = Design(X), np.empty((steps, 2))
    w = math.sqrt(variance) * rng.normal(size=(1, 2))
    sampler: Any = REGISTRY[name]()
    most, length = sampler.limits
    grad, u, search = np.zeros((1, 2)), np.zeros(1), np.zeros((1, 5))
    search[:, 0] = math.log(STEP[name])
    shape = (0.7 * np.ones((1, 2)), None)
    for t in range(steps):
        y = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-X @ w[0])), 1.0, -1.0)
        problem = LinearProblem(Logistic(), L2(alpha), ArrayBlocks(design, y, np.ones(n)), intercept=False)
        call = LinearTarget(problem).call
        _loops.ask_places(call, w, grad, u)
        _loops.run_chains(
            call, sampler.move, w, grad, u, search, *shape, 1, t, 1, 1, False, 0.5, most, length
        )
        draws[t] = w[0]
    for moment, wanted in ((draws, 0.0), (draws**2, variance), (draws[:, :1] * draws[:, 1:], 0.0)):
        for column in moment.T:
            error = column.std() / math.sqrt(ess_mean(column[None]))
            assert abs(column.mean() - wanted) <= 5.0 * error


def test_starts_of_chains_differ() -> None:
    data = ArrayBlocks(Design(np.eye(3)), np.ones(3), np.ones(3))
    target = LinearTarget(LinearProblem(Poisson(), L2(0.5), data))
    assert len(np.unique(Chains(target, REGISTRY["nuts"](), 5, 0).w[:, 0])) == 5
