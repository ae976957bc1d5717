"""What every sampler owes: exact means and covariances, draws that follow from seed, chain and step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import empirisk as er
from empirisk import _loops
from empirisk.data import ArrayBlocks, Design
from empirisk.data.threads import at_most
from empirisk.losses import HalfSquared
from empirisk.penalties import L2
from empirisk.problems import LinearProblem
from empirisk.samplers import (
    HMC,
    MALA,
    NUTS,
    REGISTRY,
    SGLD,
    ULA,
    FunctionTarget,
    Gibbs,
    ProximalLangevin,
    RandomWalk,
    gaussian_blocks,
    sample,
)
from empirisk.samplers.diagnostics import ess_mean
from empirisk.typing import Array
from tests.oracles.complete import complete

# A sampler, and how many draws of each of four chains resolve means and covariances of three parameters.
SAMPLES: dict[str, tuple[Any, int]] = {
    "gibbs": (Gibbs(), 1500),
    "hmc": (HMC(), 1500),
    "mala": (MALA(), 3000),
    "nuts": (NUTS(), 1500),
    "proximal_langevin": (ProximalLangevin(), 3000),
    "random_walk": (RandomWalk(), 6000),
    "sgld": (SGLD(0.01), 20000),
    "ula": (ULA(0.05), 20000),
}
exact = pytest.mark.parametrize("name", [name for name, row in REGISTRY.items() if row.exact])
# Blocks are drawn by the target itself, which a potential cannot do.
of_potentials = pytest.mark.parametrize(
    "name", [name for name, row in REGISTRY.items() if row.exact and not row.by_blocks]
)
every = pytest.mark.parametrize("name", list(REGISTRY))

MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[2.0, 0.9, -0.3], [0.9, 1.0, 0.2], [-0.3, 0.2, 0.5]])
PRECISION = np.linalg.inv(COVARIANCE)


def gaussian(w: Array) -> tuple[float, Array]:
    """The potential of N(MEAN, COVARIANCE) and its gradient at w."""
    slope = PRECISION @ (w - MEAN)
    return 0.5 * float((w - MEAN) @ slope), slope


NORMAL = FunctionTarget(gaussian, np.zeros(3))
IN_BLOCKS = gaussian_blocks(MEAN, COVARIANCE)


def sample_of(name: str) -> tuple[Any, int]:
    """Return a sampler and a number of draws; skeletons have no row of their own."""
    return SAMPLES.get(name) or (REGISTRY[name](), 8000)


def within_error(draws: Array, mean: Array, covariance: Array, deviations: float = 5.0) -> None:
    """Means and covariances are as near as so many Monte-Carlo standard errors say."""
    for j, m in enumerate(mean):
        x = draws[:, :, j]
        assert abs(x.mean() - m) <= deviations * math.sqrt(covariance[j, j] / ess_mean(x)), f"mean of {j}"
        for k in range(j + 1):
            product = (draws[:, :, j] - m) * (draws[:, :, k] - mean[k])
            error = product.std() / math.sqrt(ess_mean(product))
            assert abs(product.mean() - covariance[j, k]) <= deviations * error, f"covariance of {j}, {k}"


def test_every_registered_sampler_is_tested() -> None:
    complete(set(SAMPLES), set(REGISTRY), "a sample", "SAMPLES of tests/conformance/test_samplers.py")


@exact
def test_mean_and_covariance_of_a_gaussian(name: str) -> None:
    sampler, n = sample_of(name)
    target = IN_BLOCKS if sampler.by_blocks else NORMAL
    found = sample(target, method=sampler, draws=n, thin=1, random_state=4)
    within_error(found.draws, MEAN, COVARIANCE)
    assert found.divergences == 0
    assert found.r_hat.max() < 1.02


@of_potentials
def test_the_posterior_of_a_linear_model_is_the_gaussian_of_algebra(name: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2)) * [1.0, 3.0] + [0.5, -1.0]
    y = X @ [1.0, -0.5] + 0.3 + rng.normal(size=40)
    weight = rng.integers(1, 3, 40).astype(float)
    noise, alpha = 0.7, 0.2
    total = weight.sum()
    problem = LinearProblem(HalfSquared(), L2(alpha), ArrayBlocks(Design(X), y, weight))
    design = np.column_stack([X, np.ones(40)])
    precision = (design.T * weight) @ design / noise + total * alpha / noise * np.diag([1.0, 1.0, 0.0])
    covariance = np.linalg.inv(precision)
    mean = covariance @ (design.T @ (weight * y)) / noise
    sampler, n = sample_of(name)
    found = sample(problem, method=sampler, draws=n, thin=1, dispersion=noise, random_state=2)
    within_error(found.draws, mean, covariance)
    assert found.names == ["x0", "x1", "intercept"]


@of_potentials
def test_a_skew_law_of_one_parameter(name: str) -> None:
    # w = log x for x of a Gamma law of shape 3 and rate 1: U(w) = e^w - 3 w, E x = 3, E log x = psi(3).
    target = FunctionTarget(lambda w: (float(np.exp(w[0]) - 3.0 * w[0]), np.exp(w) - 3.0), np.zeros(1))
    sampler, n = sample_of(name)
    x = np.exp(sample(target, method=sampler, draws=n, thin=1, random_state=7).draws[:, :, 0])
    for moment, wanted in ((x, 3.0), (np.log(x), 0.92278433509846714), (x**2, 12.0)):
        error = moment.std() / math.sqrt(ess_mean(moment))
        assert abs(moment.mean() - wanted) <= 5.0 * error


def test_the_bias_of_unadjusted_steps_halves_with_the_step() -> None:
    # For N(0, 1) the chain w' = (1 - h) w + sqrt(2 h) z settles to the variance 1 / (1 - h / 2).
    data = ArrayBlocks(Design(np.ones((1, 1))), np.zeros(1), np.ones(1))
    normal = LinearProblem(HalfSquared(), L2(0.0), data, intercept=False)
    for step in (0.8, 0.4):
        found = sample(
            normal, method=ULA(step), draws=25_000, warm_up=200, thin=1, dispersion=1.0, random_state=3
        )
        square = found.draws[:, :, 0] ** 2
        error = square.std() / math.sqrt(ess_mean(square))
        assert abs(square.mean() - 1.0 / (1.0 - 0.5 * step)) <= 5.0 * error
        assert abs(square.mean() - 1.0) > 20.0 * error
    assert "bias" in found.certificate.claim


@every
def test_draws_are_functions_of_seed_chain_and_step(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    model: Any = er.LogisticRegression(alpha=0.01).fit(X, X[:, 0] + rng.normal(size=300) > 0.0)
    sampler, _ = sample_of(name)
    model = IN_BLOCKS if sampler.by_blocks else model
    each: dict[str, Any] = {"method": sampler, "draws": 40, "warm_up": 30, "thin": 1}
    four = sample(model, **each, random_state=5)
    two = sample(model, **each, random_state=5, chains=2)
    np.testing.assert_array_equal(four.draws[:2], two.draws)
    thin = sample(model, method=sampler, draws=20, warm_up=30, random_state=5, thin=2)
    np.testing.assert_array_equal(four.draws[:, 1::2], thin.draws)
    other = sample(model, **each, random_state=6)
    assert not np.array_equal(four.draws, other.draws)
    with at_most(1):
        one = sample(model, **each, random_state=5)
    np.testing.assert_array_equal(four.draws, one.draws)


def test_the_stream_is_philox() -> None:
    # The known answer of Random123 for counter 0 and key 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
    def uniform(high: int, low: int) -> float:
        return float(((high << 21) ^ (low >> 11)) + 0.5) * 2.0**-53

    a, b = uniform(0x6627E8D5, 0xE169C58D), uniform(0xBC57AC4C, 0x9B00DBD8)
    radius = math.sqrt(-2.0 * math.log(a))
    wanted = [radius * math.cos(2.0 * math.pi * b), radius * math.sin(2.0 * math.pi * b)]
    np.testing.assert_allclose(_loops.stream_normals(0, 0, 0, 2), wanted, rtol=1e-14)


def test_normals_of_the_stream_are_normal() -> None:
    z = np.concatenate([_loops.stream_normals(9, c, t, 500) for c in range(4) for t in range(10)])
    u = np.sort(norm.cdf(z))
    n = len(u)
    distance = max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max())
    assert distance * math.sqrt(n) < 2.7  # Kolmogorov's law is beyond with a chance of 1e-6
    assert len(np.unique(z)) == n


# -- refusals -----------------------------------------------------------------------------------


def test_separable_classes_without_a_prior_have_no_posterior() -> None:
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    problem = er.LogisticRegression(alpha=0.1).fit(X, [0, 0, 1, 1]).problem(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"is improper.*no minimum.*give the model a penalty"):
        sample(problem.with_strength(0.0))


def test_a_dispersion_must_be_given_where_there_is_one() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match="give dispersion="):
        sample(er.Ridge(alpha=0.1).fit(X, X[:, 0]))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "gibs"}, "method must be one of"),
        ({"chains": 0}, "chains must be a whole number from 1"),
        ({"draws": 2.5}, "draws must be a whole number from 4"),
        ({"thin": 0}, "thin must be a whole number from 1"),
        ({"warm_up": -1}, "warm_up must be a whole number from 0"),
        ({"temperature": 0.0}, "temperature must be a finite number > 0"),
        ({"random_state": "x"}, "random_state must be an integer"),
    ],
)
def test_parameters_out_of_range_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        sample(NORMAL, **options)


def test_what_has_no_density_is_refused() -> None:
    with pytest.raises(TypeError, match="a list cannot be sampled"):
        sample([1, 2])
    nowhere = FunctionTarget(lambda w: (math.inf, w), np.zeros(2))
    with pytest.raises(ValueError, match="no mass at its start"):
        sample(nowhere)
    broken = FunctionTarget(lambda w: (0.0, np.array([math.nan, 0.0])), np.zeros(2))
    with pytest.raises(ValueError, match="gradient of the potential holds NaN"):
        sample(broken)
    short = FunctionTarget(lambda w: (0.0, np.zeros(3)), np.zeros(2))
    with pytest.raises(ValueError, match=r"has shape \(3,\), and there are 2 parameters"):
        sample(short)


def test_an_interrupted_run_returns_its_draws() -> None:
    calls = 0

    def stops(w: Array) -> tuple[float, Array]:
        nonlocal calls
        calls += 1
        if calls > 4000:
            raise KeyboardInterrupt
        return 0.5 * float(w @ w), w

    found = sample(FunctionTarget(stops, np.zeros(2)), method="mala", draws=5000, warm_up=50)
    assert found.interrupted
    assert 4 <= found.draws.shape[1] < 5000
    assert "interrupted" in found.certificate.claim
