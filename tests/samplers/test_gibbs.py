"""Blocks drawn in turn: conjugate regressions against closed forms, Geweke's test, blocks of a user."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import empirisk as er
from empirisk.samplers import BlockTarget, Gibbs, gaussian_blocks, regression_blocks, sample
from empirisk.samplers.block_chains import BlockChains
from empirisk.samplers.diagnostics import ess_mean
from empirisk.typing import Array
from tests.conformance.test_samplers import COVARIANCE, MEAN, within_error


def near(x: Array, wanted: float, deviations: float = 5.0) -> None:
    """The mean of draws (chains, n) is as near to a number as so many of its Monte-Carlo errors."""
    assert abs(x.mean() - wanted) <= deviations * x.std() / math.sqrt(ess_mean(x))


def rows(n: int = 20) -> tuple[Array, Array]:
    """Columns far from 0, and targets with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(loc=[3.0, -1.0], size=(n, 2))
    return X, X @ [1.0, -0.5] + 5.0 + 0.7 * rng.normal(size=n)


@pytest.mark.parametrize("random_order", [False, True])
@pytest.mark.parametrize("sizes", [[1, 1, 1], [2, 1], [3]])
def test_a_gaussian_by_blocks_has_its_mean_and_covariance(sizes: list[int], random_order: bool) -> None:
    target = gaussian_blocks(MEAN, COVARIANCE, sizes)
    found = sample(target, method=Gibbs(random_order), draws=1000, warm_up=100, random_state=3)
    within_error(found.draws, MEAN, COVARIANCE)


def test_draws_of_two_coordinates_have_the_square_of_their_correlation() -> None:
    r = 0.8
    found = sample(
        gaussian_blocks([0.0, 0.0], [[1.0, r], [r, 1.0]]), method="gibbs", draws=1500, random_state=1
    )
    x = found.draws[:, :, 1]
    near(x[:, 1:] * x[:, :-1], r * r)


def test_a_regression_of_known_prior_precision_is_the_closed_form() -> None:
    X, y = rows()
    target = regression_blocks(X, y, noise=(2.0, 0.5), precision=2.0)
    found = sample(target, method="gibbs", draws=1000, warm_up=100, random_state=1)
    assert found.names == ["x0", "x1", "intercept", "noise"]
    model = er.BayesianLinearRegression(2.0, noise_shape=2.0, noise_scale=0.5).fit(X, y)
    within_error(found.draws[:, :, :3], np.append(model.coef_, model.intercept_), model.covariance_)
    a, b = model.noise_shape_, model.noise_scale_
    noise = found.draws[:, :, 3]
    near(noise, b / (a - 1.0))
    near(noise**2, b * b / ((a - 1.0) * (a - 2.0)))


@pytest.mark.full  # hundreds of fits for one integral
def test_an_unknown_prior_precision_is_a_mixture_by_the_evidence() -> None:
    # p(lambda | y) is proportional to the evidence of lambda times its Gamma prior: one integral.
    X, y = rows()
    c, d = 2.0, 1.5
    found = sample(
        regression_blocks(X, y, noise=(1.0, 1.0), precision=(c, d)),
        method="gibbs",
        draws=2000,
        random_state=2,
    )
    assert found.names == ["x0", "x1", "intercept", "noise", "precision"]
    grid = np.linspace(-7.0, 4.0, 221)  # of log lambda
    moments, log_mass = [], []
    for t in grid:
        lam = math.exp(t)
        model = er.BayesianLinearRegression(lam, noise_shape=1.0, noise_scale=1.0).fit(X, y)
        noise = model.noise_scale_ / (model.noise_shape_ - 1.0)
        moments.append([*model.coef_, model.intercept_, noise, lam])
        log_mass.append(model.log_evidence_ + c * t - d * lam)
    mass = np.exp(np.array(log_mass) - max(log_mass))
    wanted = mass @ np.array(moments) / mass.sum()
    for j in range(5):
        near(found.draws[:, :, j], wanted[j])


@pytest.mark.full  # thousands of targets, each with an eigenvalue decomposition
def test_regressions_and_targets_drawn_in_turn_have_the_prior() -> None:
    # Geweke, Journal of the American Statistical Association 99, 2004; an intercept has a flat prior, which
    # cannot be drawn from.
    rng = np.random.default_rng(3)
    n, steps, a, b, c, d = 6, 4000, 4.0, 3.0, 4.0, 4.0
    X = rng.normal(size=(n, 2))
    noise, lam = b / rng.gamma(a), rng.gamma(c) / d
    w = math.sqrt(noise / lam) * rng.normal(size=2)
    kept = np.empty((steps, 4))
    for t in range(steps):
        y = X @ w + math.sqrt(noise) * rng.normal(size=n)
        target = regression_blocks(X, y, noise=(a, b), precision=(c, d), intercept=False)
        chains = BlockChains(target, Gibbs(), 1, t)  # type: ignore[arg-type]
        chains.states[0] = {"w": w, "noise": np.asarray(noise), "precision": np.asarray(lam)}
        chains.warm_up(1)
        state = chains.states[0]
        w, noise, lam = state["w"], float(state["noise"]), float(state["precision"])
        kept[t] = [*w, 1.0 / noise, lam]
    for column, wanted in (
        (kept[:, 0], 0.0),
        (kept[:, 2], a / b),
        (kept[:, 3], c / d),
        (kept[:, 2] ** 2, a * (a + 1.0) / b**2),
        (kept[:, 3] ** 2, c * (c + 1.0) / d**2),
        (kept[:, 0] * kept[:, 1], 0.0),
        (kept[:, 0] ** 2 * kept[:, 2] * kept[:, 3], 1.0),
    ):
        near(column[None], wanted)


@pytest.mark.full  # seconds of sweeps in Python
def test_sweeps_in_random_order_can_be_turned_round() -> None:
    # A pair of places of a reversible chain and the turned pair have one law; of a fixed order they do not.
    C = np.array([[1.0, 0.8], [0.8, 1.0]])
    for sampler, same in ((Gibbs(True), True), (Gibbs(), False)):
        found = sample(gaussian_blocks([0.0, 0.0], C), method=sampler, draws=20_000, chains=2, random_state=5)
        x, z = found.draws[:, :-1], found.draws[:, 1:]
        turned = x[:, :, 0] * z[:, :, 1] - z[:, :, 0] * x[:, :, 1]
        error = turned.std() / math.sqrt(ess_mean(turned))
        assert (abs(turned.mean()) <= 5.0 * error) == same


def test_columns_of_frames_give_their_names_and_constants_no_answer() -> None:
    X, y = rows()
    frame = pd.DataFrame(X, columns=["age", "dose"])
    found = sample(regression_blocks(frame, y, intercept=False), method="gibbs", draws=4, warm_up=1)
    assert found.names == ["age", "dose", "noise", "precision"]
    with pytest.raises(ValueError, match="not all equal"):
        regression_blocks(X, np.ones(20))
    with pytest.raises(ValueError, match="X holds NaN or infinity in row 1"):
        regression_blocks(np.where(np.arange(20)[:, None] == 1, np.nan, X), y)
    with pytest.raises(ValueError, match="noise must be a pair of positive numbers"):
        regression_blocks(X, y, noise=(1.0, 0.0))
    with pytest.raises(ValueError, match="precision must be a pair of positive numbers"):
        regression_blocks(X, y, precision=(0.0, 0.0))
    with pytest.raises(ValueError, match="precision must be a finite number > 0"):
        regression_blocks(X, y, precision=-1.0)
    with pytest.raises(ValueError, match="X must have shape"):
        regression_blocks(X, y[:-1])


def test_collinear_columns_and_more_columns_than_rows_have_a_posterior() -> None:
    X, y = rows(8)
    wide = np.column_stack([X, X[:, :1], np.random.default_rng(1).normal(size=(8, 9))])
    found = sample(regression_blocks(wide, y, precision=1.0, noise=(1.0, 1.0)), method="gibbs", draws=1500)
    model = er.BayesianLinearRegression(1.0, noise_shape=1.0, noise_scale=1.0).fit(wide, y)
    for j in range(12):
        near(found.draws[:, :, j], float(model.coef_[j]))


def wrong(draw: Any) -> BlockTarget:
    """Return a target of two numbers whose block is drawn by a function."""
    return BlockTarget({"a": draw}, {"a": np.zeros(2)})


def test_blocks_and_draws_that_are_not_what_they_should_be_are_refused() -> None:
    for blocks in ({}, [1], None):
        with pytest.raises(TypeError, match="blocks must be a mapping"):
            BlockTarget(blocks, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="block 'a' must be a function"):
        BlockTarget({"a": 1.0}, {"a": 0.0})  # type: ignore[dict-item]
    for start in ({}, {"b": 1.0}, 3):
        with pytest.raises(ValueError, match="start must be a mapping with a value for each block"):
            BlockTarget({"a": lambda s, rng: 0.0}, start)
    with pytest.raises(ValueError, match="names of block 'a' has 1 entries"):
        BlockTarget({"a": lambda s, rng: 0.0}, {"a": [0.0, 1.0]}, {"a": ["x"]})
    for draw, words in (
        (lambda s, rng: np.zeros(3), r"has shape \(3,\), and the start shape \(2,\)"),
        (lambda s, rng: [0.0, math.nan], "holds NaN or infinity"),
        (lambda s, rng: "x", "must be a number or an array of numbers"),
        (lambda s, rng: np.zeros((1, 2)), "an array of one dimension"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            sample(wrong(draw), method="gibbs", draws=4)

    def changes(state: Any, rng: np.random.Generator) -> Array:
        state["a"][0] = 1.0
        return state["a"]

    with pytest.raises(ValueError, match="read-only"):
        sample(wrong(changes), method="gibbs", draws=4)
    pair = gaussian_blocks([0.0, 0.0], np.eye(2))
    with pytest.raises(TypeError, match="do not go together"):
        sample(pair, method="nuts")
    with pytest.raises(TypeError, match="do not go together"):
        sample(er.samplers.FunctionTarget(lambda w: (0.0, w), np.zeros(1)), method="gibbs")
    with pytest.raises(ValueError, match="random_order must be True or False"):
        Gibbs("x")  # type: ignore[arg-type]
    for arguments, words in (
        (([0.0], np.eye(2)), "mean must have shape"),
        (([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), "positive definite"),
        (([0.0, 0.0], np.eye(2), [1]), "whose sum is 2"),
    ):
        with pytest.raises(ValueError, match=words):
            gaussian_blocks(*arguments)


def test_an_interrupt_returns_the_sweeps_so_far() -> None:
    calls = iter(range(10**6))
    whole: list[Array] = []

    def counted(last: int) -> BlockTarget:
        def draw(state: Any, rng: np.random.Generator) -> float:
            if next(calls) == last:
                raise KeyboardInterrupt
            return float(rng.normal())

        return BlockTarget({"a": draw}, {"a": 0.0})

    whole = [sample(counted(-1), method="gibbs", draws=12, warm_up=5, chains=2).draws]
    lengths = []
    for last in range(36):
        calls = iter(range(10**6))
        try:
            found = sample(counted(last), method="gibbs", draws=12, warm_up=5, chains=2)
        except KeyboardInterrupt as error:
            lengths.append(0 if "nothing was drawn yet" in str(error) else -1)
            continue
        n = found.draws.shape[1]
        assert found.interrupted or n == 12
        np.testing.assert_array_equal(found.draws, whole[0][:, :n])
        lengths.append(n)
    assert lengths == sorted(lengths)
    assert lengths[0] == 0
    assert max(lengths) > 4


def test_draws_of_blocks_go_to_arviz() -> None:
    pytest.importorskip("arviz", reason="needs the extra: pip install 'empirisk[bayes]'")
    data = sample(gaussian_blocks([0.0], [[1.0]]), method="gibbs", draws=10).to_arviz()
    assert {"acceptance_rate", "diverging"} <= set(data.sample_stats)
    assert not {"energy", "lp", "step_size"} & set(data.sample_stats)


@pytest.mark.parametrize("c", [0.6, 1.0, 3.0])
@pytest.mark.parametrize("p", [1, 2, 4])
def test_rows_that_the_columns_explain_are_refused_where_the_posterior_has_no_mass(c: float, p: int) -> None:
    # Given lambda, p(y | lambda) ~ prod_j (lambda / (v_j + lambda))^(1/2) Q^(-m/2), by integrating w and s2.
    rng = np.random.default_rng(p)
    X = rng.normal(size=(5, p))
    y = X @ rng.normal(size=p)
    centred, values = X - X.mean(axis=0), np.linalg.eigvalsh(np.cov(X.T, ddof=0).reshape(p, p) * 5)
    w = np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    turned = np.linalg.eigh(centred.T @ centred)[1].T @ w

    def log_mass(low: float) -> float:
        """The logarithm of the mass of the posterior over log lambda from `low` to 20."""
        u = np.linspace(low, 20.0, 40_001)
        lam = np.exp(u)[:, None]
        shares = lam / (values + lam)
        Q = (shares * values * turned**2).sum(axis=1)
        log_density = c * u - lam[:, 0] + 0.5 * np.log(shares).sum(axis=1) - 2.0 * np.log(Q)
        top = log_density.max()
        return float(top + np.log(np.exp(log_density - top).sum() * (u[1] - u[0])))

    grows = log_mass(-400.0) - log_mass(-200.0)
    if grows > 0.5:  # at the border the mass grows with the length
        with pytest.raises(ValueError, match="the columns explain y but for rounding"):
            regression_blocks(X, y, precision=(c, 1.0))
    else:
        assert abs(grows) < 0.05
        regression_blocks(X, y, precision=(c, 1.0))
    regression_blocks(X, y, noise=(1.0, 1.0), precision=(c, 1.0))  # a proper prior of the noise decides


def test_exact_fits_are_refused_in_every_unit_and_noise_is_not() -> None:
    X, y = rows()
    exact = X @ [1.0, 2.0]
    for line in (exact, 1e-9 * exact, exact + 1e8):
        with pytest.raises(ValueError, match="the columns explain y but for rounding"):
            regression_blocks(X, line)
    regression_blocks(X, exact, precision=1.0)  # given lambda, its penalty is the scale of the noise
    regression_blocks(X, exact + 1e-6 * (y - exact))
    with pytest.raises(ValueError, match="not all equal"):
        regression_blocks(X, np.full(20, 0.1))  # whose mean is another number
    with pytest.raises(TypeError, match=r"X must be dense.*give X.toarray"):
        regression_blocks(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match=r"y must be an array of real numbers, got \['a'"):
        regression_blocks(X, ["a"] * 20)
    with pytest.raises(ValueError, match="X must be an array of real numbers, got an array of complex128"):
        regression_blocks(X + 1j, y)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((["a"], [[1.0]]), "mean must be an array of real numbers"),
        (([0.0], [[1.0j]]), "covariance must be an array of real numbers"),
        (([0.0, 0.0], np.ones((2, 2))), "covariance must be positive definite"),
        (([0.0, 0.0], np.eye(2), ["a", 1]), "sizes must be whole numbers above 0"),
        (([0.0, 0.0], np.eye(2), []), "sizes must be whole numbers above 0"),
    ],
)
def test_gaussian_blocks_refuse_what_is_no_law(given: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        gaussian_blocks(*given)
