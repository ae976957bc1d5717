"""Posteriors of models of three or more classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp, softmax

import empirisk as er
from empirisk import _loops
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Softmax
from empirisk.penalties import L1, L2, Zero
from empirisk.problems import LinearProblem
from empirisk.samplers import FunctionTarget, SoftmaxTarget, sample
from empirisk.samplers.diagnostics import ess_mean
from empirisk.samplers.draws import Draws
from empirisk.typing import Array

LAYOUTS: dict[str, Any] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sp.csr_array,
    "csc": sp.csc_array,
}
K, P, N, ALPHA, TEMPERATURE = 4, 2, 30, 0.1, 1.5


def posed(layout: str, intercept: bool, weighted: bool = True) -> tuple[LinearProblem, Any]:
    """Return a problem of four classes and U of (W, b) again by plain formulas, at any intercepts b."""
    rng = np.random.default_rng(4)
    X = (rng.normal(size=(N, P)) * (rng.random((N, P)) < 0.8)).astype(np.float32).astype(np.float64)
    y = rng.integers(0, K, N).astype(float)
    s = rng.integers(0, 3, N).astype(float) if weighted else np.ones(N)
    data = ArrayBlocks(Design(LAYOUTS[layout](X)), y, s)
    problem = LinearProblem(Softmax(), L2(ALPHA), data, intercept=intercept, n_outputs=K)

    def plain(W: Array, b: Array) -> float:
        z = X @ W + b
        losses = logsumexp(z, axis=1) - z[np.arange(N), y.astype(int)]
        total = s.sum()
        return float(s @ losses + 0.5 * total * ALPHA * (W**2).sum()) / TEMPERATURE

    return problem, plain


def parts(target: SoftmaxTarget, w: Array) -> tuple[Array, Array]:
    """Coefficients (p, k) and intercepts (k,) of coordinates, by the reported parameters."""
    told = target.reported(w[None, None])[0, 0].reshape(-1, K)
    return told[:P], (told[P] if len(told) > P else np.zeros(K))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_the_compiled_potential_is_that_of_plain_numpy(layout: str, intercept: bool) -> None:
    problem, plain = posed(layout, intercept)
    target = SoftmaxTarget(problem, TEMPERATURE)
    w = 0.4 * np.random.default_rng(1).normal(size=target.size)
    if layout == "float32":  # coefficients are rounded for the product, too
        w = w.astype(np.float32).astype(float)
    u, grad = target.value_grad(w)
    rtol = 1e-6 if layout == "float32" else 1e-12
    W, b = parts(target, w)
    assert abs(b.sum()) < 1e-12
    assert u == pytest.approx(plain(W, b), rel=rtol)
    eye, h = np.eye(target.size), 1e-5
    numeric = [(plain(*parts(target, w + h * e)) - plain(*parts(target, w - h * e))) / (2.0 * h) for e in eye]
    np.testing.assert_allclose(grad, numeric, rtol=1e-5, atol=1e-6 * np.abs(grad).max())


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("layout", ["rows", "csr"])
def test_the_hessian_is_that_of_differences(layout: str, intercept: bool) -> None:
    target = SoftmaxTarget(posed(layout, intercept)[0], TEMPERATURE)
    w, h = 0.4 * np.random.default_rng(1).normal(size=target.size), 1e-6
    eye = np.eye(target.size)
    numeric = [(target.value_grad(w + h * e)[1] - target.value_grad(w - h * e)[1]) / (2.0 * h) for e in eye]
    H = target.hessian(w)
    np.testing.assert_allclose(H, numeric, rtol=1e-6, atol=1e-7 * np.abs(H).max())


@pytest.mark.parametrize("method", ["nuts", "hmc", "mala", "random_walk", "ula"])
def test_draws_agree_with_those_of_a_function_of_python(method: str) -> None:
    problem, plain = posed("rows", True, weighted=False)
    target = SoftmaxTarget(problem)
    by_function = FunctionTarget(lambda w: target.value_grad(w), np.zeros(target.size))
    assert plain(np.zeros((P, K)), np.zeros(K)) * TEMPERATURE == pytest.approx(
        target.value_grad(np.zeros(target.size))[0]
    )
    options: dict[str, Any] = {"method": method, "draws": 10, "warm_up": 0, "chains": 2}
    compiled = sample(problem, **options)
    # The same numbers lead to the same draws only from the same start and shape: those of the mode.
    guess = target.guess()
    covariance = guess.factor @ guess.factor.T  # type: ignore[operator, union-attr]
    other = FunctionTarget(by_function.function, guess.place, covariance=covariance)
    draws = target.reported(sample(other, **options).draws)
    np.testing.assert_allclose(compiled.draws, draws, rtol=1e-8, atol=1e-8)


@pytest.fixture(scope="module")
def three() -> tuple[Draws, Any, Array, Array]:
    """Draws of a model of three named classes, the model, and its rows."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = np.array(["high", "low", "mid"])[
        np.argmax(X @ rng.normal(size=(2, 3)) + rng.gumbel(size=(60, 3)), axis=1)
    ]
    model = er.LogisticRegression(alpha=0.05).fit(X, y)
    return sample(model, draws=1000, random_state=1), model, X, y


def test_a_model_of_three_classes_is_sampled_in_one_line(three: Any) -> None:
    found, model, _, _ = three
    assert found.names[:3] == ["x0[high]", "x0[low]", "x0[mid]"]
    assert found.names[-1] == "intercept[mid]"
    assert found.r_hat.max() < 1.01
    assert found.divergences == 0
    np.testing.assert_allclose(found.draws[:, :, -3:].sum(axis=2), 0.0, atol=1e-12)
    wanted = np.append(model.coef_.T.ravel(), model.intercept_)
    assert (np.abs(found.mean - wanted) < found.deviation).all()


def test_moves_that_the_rows_cannot_see_have_their_prior(three: Any) -> None:
    # The mean of a column's coefficients over k classes: N(0, 1 / (k S alpha)).
    found = three[0]
    variance = 1.0 / (3 * 60 * 0.05)
    for j in range(2):
        mean = found.draws[:, :, 3 * j : 3 * j + 3].mean(axis=2)
        for value, wanted in ((mean, 0.0), (mean**2, variance)):
            assert abs(value.mean() - wanted) <= 5.0 * value.std() / math.sqrt(ess_mean(value))


def test_contrasts_of_three_classes_against_integrals() -> None:
    # One column and no intercept: coefficients are a common move and two contrasts, so that sums over a grid
    # of the contrasts are the posterior.
    X, y = np.array([-1.0, -0.4, 0.1, 0.8, 1.5, 2.0]), np.array([0, 1, 1, 2, 0, 2])
    alpha, n = 0.3, 6
    data = ArrayBlocks(Design(X[:, None]), y.astype(float), np.ones(n))
    problem = LinearProblem(Softmax(), L2(alpha), data, intercept=False, n_outputs=3)
    found = sample(problem, draws=4000, random_state=3).draws
    basis = np.linalg.svd(np.full((1, 3), 1.0))[2][1:]  # rows whose sums are 0
    grid = np.linspace(-5.0, 5.0, 161)
    w = (grid[:, None, None] * basis[0] + grid[None, :, None] * basis[1]).reshape(-1, 3)
    z = X[None, :, None] * w[:, None, :]
    losses = logsumexp(z, axis=2) - np.take_along_axis(z, y[None, :, None], axis=2)[:, :, 0]
    mass = np.exp(-losses.sum(axis=1) - 0.5 * n * alpha * (w**2).sum(axis=1))
    mass /= mass.sum()
    contrasts = found - found.mean(axis=2, keepdims=True)
    for j in range(3):
        x = contrasts[:, :, j]
        for value, wanted in ((x, mass @ w[:, j]), (x * x, mass @ w[:, j] ** 2)):
            assert abs(value.mean() - wanted) <= 5.0 * value.std() / math.sqrt(ess_mean(value))


def test_new_classes_have_the_chances_of_the_softmax(three: Any) -> None:
    found, _, X, _ = three
    chance = found.means(X[:5])
    assert chance.shape == (4, 1000, 5, 3)
    W = found.draws.reshape(4, 1000, 3, 3)
    z = np.einsum("nj,cmjk->cmnk", X[:5], W[:, :, :2]) + W[:, :, 2:]
    np.testing.assert_allclose(chance, softmax(z, axis=3), rtol=1e-12)
    drawn = found.predictive(X[:5], random_state=3)
    assert set(np.unique(drawn)) == {"high", "low", "mid"}
    for k, label in enumerate(["high", "low", "mid"]):
        off = (drawn == label).mean(axis=(0, 1)) - chance[:, :, :, k].mean(axis=(0, 1))
        assert np.abs(off).max() <= 5.0 * 0.5 / math.sqrt(4000)
    with pytest.raises(TypeError, match="take no offset"):
        found.means(X[:5], offset=np.zeros(5))


def test_what_has_no_density_or_no_gradient_is_refused() -> None:
    problem, _ = posed("rows", True)
    for penalty, words in (
        (Zero(), "is improper.*flat along such lines"),
        (L1(0.1), "method='proximal_langevin'"),
    ):
        with pytest.raises(ValueError, match=words):
            sample(LinearProblem(Softmax(), penalty, problem.data, n_outputs=K))
    with pytest.raises(TypeError, match="one for each class: sample it with 'nuts'"):
        sample(problem, method="sgld")
    codes = np.where(problem.data.y == 2.0, 1.0, problem.data.y)
    absent = ArrayBlocks(problem.design, codes, np.ones(N))
    with pytest.raises(ValueError, match=r"is improper: class 2 has no rows"):
        sample(LinearProblem(Softmax(), L2(0.1), absent, n_outputs=K))
    alone = LinearProblem(Softmax(), L2(0.1), absent, intercept=False, n_outputs=K)
    assert np.isfinite(sample(alone, draws=4, warm_up=4).draws).all()


def test_arguments_of_the_loops_are_looked_at() -> None:
    call = list(SoftmaxTarget(posed("rows", True)[0]).call)
    w, grad, u = np.zeros((1, 11)), np.zeros((1, 11)), np.zeros(1)
    _loops.ask_places(tuple(call), w, grad, u)
    for place, wrong, words in (
        (1, np.full(N, 9), "is not a class index below"),
        (3, 1, "at least two classes"),
        (4, np.zeros((2, 2)), "basis"),
    ):
        bad = list(call)
        bad[place] = wrong
        with pytest.raises(ValueError, match=words):
            _loops.ask_places(tuple(bad), w, grad, u)
    with pytest.raises(ValueError, match="another number of columns"):
        _loops.ask_places(tuple(call), np.zeros((1, 5)), np.zeros((1, 5)), u)


@pytest.mark.full  # a second of steps, beside integrals of both other samplers of such penalties
def test_an_l1_penalty_against_integrals() -> None:
    # One column, two classes, no intercept: U over a grid of both coefficients.
    X, y = np.array([-1.0, -0.4, 0.1, 0.8, 1.5, 2.0]), np.array([0, 1, 1, 1, 0, 1])
    alpha, n = 0.25, 6
    data = ArrayBlocks(Design(X[:, None]), y.astype(float), np.ones(n))
    problem = LinearProblem(Softmax(), L1(alpha), data, intercept=False, n_outputs=2)
    found = sample(problem, method="proximal_langevin", draws=4000, random_state=3).draws
    grid = np.linspace(-9.0, 9.0, 361)
    w = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    z = X[None, :, None] * w[:, None, :]
    losses = logsumexp(z, axis=2) - np.take_along_axis(z, y[None, :, None], axis=2)[:, :, 0]
    mass = np.exp(-losses.sum(axis=1) - n * alpha * np.abs(w).sum(axis=1))
    mass /= mass.sum()
    for x, wanted in (
        (found[:, :, 0], mass @ w[:, 0]),
        (found[:, :, 1], mass @ w[:, 1]),
        (found[:, :, 0] * found[:, :, 1], mass @ (w[:, 0] * w[:, 1])),
        (found[:, :, 0] ** 2, mass @ w[:, 0] ** 2),
    ):
        assert abs(x.mean() - wanted) <= 5.0 * x.std() / math.sqrt(ess_mean(x))
