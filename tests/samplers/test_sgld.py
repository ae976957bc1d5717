"""Langevin steps with the gradients of few rows: their law by algebra, and what a seed decides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk import _loops
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared, Logistic, Poisson, with_offset
from empirisk.optimizers import Constant, InverseTime, StepDecay
from empirisk.penalties import L2
from empirisk.problems import LinearProblem
from empirisk.samplers import SGLD, LinearTarget, sample
from empirisk.samplers.diagnostics import ess_mean
from empirisk.typing import Array

NOISE = 2.0


def line(n: int = 30) -> tuple[LinearProblem, Array, Array]:
    """Return a squared-error problem of one coefficient without intercept or penalty, and its rows."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=n) + 0.5
    y = 0.7 * x + rng.normal(size=n)
    data = ArrayBlocks(Design(x[:, None]), y, np.ones(n))
    return LinearProblem(HalfSquared(), L2(1e-3), data, intercept=False), x, y


def settled(h: float, m: int, anchored: bool) -> tuple[float, float, float]:
    """Return mean, variance of the target, and the variance that steps of h with m rows settle to.

    Rows drawn with replacement give the gradient ``g + e``, ``e`` of variance ``n^2 / m`` times the variance
    over rows of ``u_i(w) = (x_i (x_i w - y_i)) / noise``, with control variates of ``u_i(w) - u_i(mode)``.
    Both are squares of w, so that the variance V of ``w' = w - h C g + sqrt(2 h C) z`` solves a linear
    equation.
    """
    _, x, y = line()
    n = len(x)
    alpha = n * 1e-3 / NOISE
    curvature = float(x @ x) / NOISE + alpha
    mode = float(x @ y) / NOISE / curvature
    slope, rest = x * x / NOISE, x * (x * mode - y) / NOISE
    scale = n * n / m
    per_square = scale * slope.var()  # u_i(w) = rest_i + slope_i (w - mode)
    constant = 0.0 if anchored else scale * rest.var()
    c = 1.0 / curvature
    contraction = (1.0 - h) ** 2 + h * h * c * c * per_square
    return mode, c, (2.0 * h * c + h * h * c * c * constant) / (1.0 - contraction)


@pytest.mark.parametrize("anchored", [True, False])
def test_the_bias_is_that_of_algebra_and_halves_with_the_step(anchored: bool) -> None:
    problem, _, _ = line()
    bias = []
    for h in (0.4, 0.2):
        mode, exact, variance = settled(h, 8, anchored)
        sampler = SGLD(h, batch=8, control_variates=anchored)
        found = sample(problem, method=sampler, draws=40_000, thin=1, dispersion=NOISE, random_state=2)
        w = found.draws[:, :, 0]
        square = (w - mode) ** 2
        error = square.std() / math.sqrt(ess_mean(square))
        assert abs(w.mean() - mode) <= 5.0 * w.std() / math.sqrt(ess_mean(w))
        assert abs(square.mean() - variance) <= 5.0 * error
        assert variance - exact > 10.0 * error  # the bias is seen
        bias.append(square.mean() - exact)
    # Of the first order: what algebra says for these steps, and near 2.
    told = [settled(h, 8, anchored)[2] - settled(h, 8, anchored)[1] for h in (0.4, 0.2)]
    assert bias[0] / bias[1] == pytest.approx(told[0] / told[1], rel=0.1)
    assert 1.7 < told[0] / told[1] < 2.7
    assert "times those of the target" in found.certificate.claim


def gradient(problem: LinearProblem, w: Array, rows: Any, weight: Array, dispersion: float) -> Array:
    """Return the gradient of U with each row's loss counted `rows` times, in plain NumPy."""
    X = problem.design.X
    X = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    p = X.shape[1]
    z = X @ w[:p] + w[p]
    slope = rows * weight * problem.loss.grad(problem.data.y, z)
    return np.append(X.T @ slope + weight.sum() * problem.penalty.l2 * w[:p], slope.sum()) / dispersion


LAYOUTS: dict[str, Any] = {
    "float64": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sp.csr_array,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("anchored", [True, False])
def test_a_step_on_all_rows_is_that_of_the_potential(layout: str, anchored: bool) -> None:
    # Without replacement a batch of all rows has the exact gradient: w' = w - h g + sqrt(2 h) z.
    rng = np.random.default_rng(4)
    n, p = 40, 5
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.6)
    X = X.astype(np.float32).astype(np.float64)
    y, offset = rng.poisson(1.0, n).astype(float), rng.normal(size=n)
    loss, targets = with_offset(Poisson(), y, offset)
    weight = rng.integers(0, 3, n).astype(float)
    data = ArrayBlocks(Design(LAYOUTS[layout](X)), targets, weight)
    target = LinearTarget(LinearProblem(loss, L2(0.1), data))
    start, h = rng.normal(size=(1, p + 1)) * 0.1, 0.01
    w = start.copy()
    anchor = target.anchor() if anchored else None
    _loops.run_minibatches(
        target.call, anchor, w, np.ones((1, p + 1)), None, 7, 0, np.full(1, h), 1, n, False
    )
    wanted = start[0] - h * gradient(target.problem, start[0], 1.0, weight, 1.0)
    noise = math.sqrt(2.0 * h) * _loops.stream_normals(7, 0, 0, p + 1)
    rtol = 2e-6 if layout == "float32" else 1e-11
    np.testing.assert_allclose(w[0] - noise, wanted, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 7, 8, 9, 17, 64, 70, 133])
def test_rows_of_any_width_are_read_in_place(p: int, dtype: Any) -> None:
    # Columns are taken in vectors of 2, 4 or 8, and rows in groups and blocks: none divides these numbers.
    rng = np.random.default_rng(5)
    n = 203
    X = rng.normal(size=(2 * n, p + 3)).astype(dtype)[::-2, 2 : p + 2]
    y = rng.normal(size=n)
    target = LinearTarget(LinearProblem(HalfSquared(), L2(0.1), ArrayBlocks(Design(X), y, np.ones(n))))
    start = rng.normal(size=(1, p + 1))
    w, h = start.copy(), 1e-3
    _loops.run_minibatches(target.call, None, w, np.ones((1, p + 1)), None, 7, 0, np.full(1, h), 1, n, False)
    wanted = -h * gradient(target.problem, start[0], 1.0, np.ones(n), 1.0)
    noise = math.sqrt(2.0 * h) * _loops.stream_normals(7, 0, 0, p + 1)
    np.testing.assert_allclose(w[0] - start[0] - noise, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("replace", [True, False])
def test_gradients_of_batches_are_unbiased(replace: bool) -> None:
    rng = np.random.default_rng(6)
    n, p, k = 12, 2, 6000
    X = rng.normal(size=(n, p))
    y, weight = np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.random(n) + 0.5
    target = LinearTarget(LinearProblem(Logistic(), L2(0.1), ArrayBlocks(Design(X), y, weight)))
    start = np.array([0.5, -0.3, 0.2])
    w = np.tile(start, (k, 1))
    _loops.run_minibatches(target.call, None, w, np.ones((k, 3)), None, 3, 5, np.ones(1), 1, 3, replace)
    found = start - w  # the gradient, and noise of variance 2
    error = np.sqrt(found.var(axis=0) / k)
    assert (
        np.abs(found.mean(axis=0) - gradient(target.problem, start, 1.0, weight, 1.0)) <= 5.0 * error
    ).all()


def test_an_epoch_without_replacement_takes_each_row_once() -> None:
    # The sum over an epoch of linear gradients is that of all rows: with steps so small that w stands still.
    rng = np.random.default_rng(8)
    n, m = 20, 5
    X = rng.normal(size=(n, 2))
    data = ArrayBlocks(Design(X), rng.normal(size=n), np.ones(n))
    target = LinearTarget(LinearProblem(HalfSquared(), L2(0.1), data))
    h = 1e-16
    w = np.zeros((1, 3))
    draws, _ = _loops.run_minibatches(
        target.call, None, w, np.ones((1, 3)), None, 1, 8, np.full(4, h), 1, m, False
    )
    noise = math.sqrt(2.0 * h) * np.sum([_loops.stream_normals(1, 0, t, 3) for t in range(8, 12)], axis=0)
    wanted = -4.0 * h * gradient(target.problem, np.zeros(3), 1.0, np.ones(n), 1.0)
    assert np.abs(draws[-1] - noise - wanted).max() <= 1e-6 * np.abs(wanted).max()


def test_schedules_give_the_steps() -> None:
    problem, _, _ = line()
    sampler = SGLD(InverseTime(0.5), batch=8)
    found = sample(problem, method=sampler, draws=6, warm_up=4, thin=2, dispersion=NOISE)
    np.testing.assert_allclose(found.told[0, :, 5], [0.5 / t for t in (6, 8, 10, 12, 14, 16)])
    decay = sample(problem, method=SGLD(StepDecay(0.5, 0.5, 4)), draws=8, warm_up=0, thin=1, dispersion=NOISE)
    np.testing.assert_allclose(decay.told[0, :, 5], [StepDecay(0.5, 0.5, 4).at(t) for t in range(1, 9)])


def test_steps_that_are_too_long_are_seen() -> None:
    problem, _, _ = line()
    with pytest.raises(ValueError, match="left the finite numbers within the warm-up: take a smaller step"):
        sample(problem, method=SGLD(Constant(50.0), batch=8), draws=10, dispersion=NOISE)
    # The second half of a run: its chains stay where they are and are counted.
    found = sample(
        problem, method=SGLD(Constant(50.0), batch=8), draws=2000, warm_up=0, thin=1, dispersion=NOISE
    )
    assert found.divergences > 0
    assert np.isfinite(found.draws).all()
    assert "diverged" in found.certificate.claim


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SGLD(0.0), "step must be a finite number > 0, a schedule of er.optimizers, or None"),
        (lambda: SGLD("fast"), "step must be a finite number"),
        (lambda: SGLD(batch=0), "batch must be a whole number from 1"),
    ],
)
def test_parameters_out_of_range_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_what_has_no_rows_is_refused() -> None:
    normal = er.samplers.FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(2))
    with pytest.raises(TypeError, match="draws rows of a linear problem"):
        sample(normal, method="sgld")
