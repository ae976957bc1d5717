"""Update rules against their formulas in fifty digits, rates on quadratics, and Langevin's stationary law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from empirisk.optimizers import (
    Adadelta,
    Adagrad,
    Adam,
    AdamW,
    Chain,
    Constant,
    Cosine,
    GradientStep,
    InverseTime,
    Langevin,
    Momentum,
    Nesterov,
    RMSprop,
    StepDecay,
    StronglyConvex,
    run,
)

D = mp.mpf


def momentum(w: Any, grads: list[Any]) -> Any:
    v = D(0)
    for t, g in enumerate(grads, 1):
        v = D("0.9") * v + g / (10 * t)
        w -= v
    return w


def nesterov(w: Any, grads: list[Any]) -> Any:
    # The textbook form: y is where the gradient is taken, x the iterate; y = x - m v.
    x, v, y = w, D(0), w
    for t, g in enumerate(grads, 1):
        v = D("0.9") * v + g / (10 * t)
        x = x - v
        y = x - D("0.9") * v
    return y


def adagrad(w: Any, grads: list[Any]) -> Any:
    for t, g in enumerate(grads, 1):
        w -= g / (10 * t) / (mp.sqrt(sum(x**2 for x in grads[:t])) + D("1e-8"))
    return w


def means(grads: list[Any], share: Any, power: int) -> Any:
    """The exponential mean as an explicit sum."""
    n = len(grads)
    return sum((1 - share) * share ** (n - 1 - i) * g**power for i, g in enumerate(grads))


def rmsprop(w: Any, grads: list[Any]) -> Any:
    for t, g in enumerate(grads, 1):
        w -= g / (10 * t) / (mp.sqrt(means(grads[:t], D("0.9"), 2)) + D("1e-8"))
    return w


def adadelta(w: Any, grads: list[Any]) -> Any:
    moves: list[Any] = []
    for t, g in enumerate(grads, 1):
        u, s = means(moves, D("0.95"), 2), means(grads[:t], D("0.95"), 2)
        moves.append(-mp.sqrt(u + D("1e-6")) / mp.sqrt(s + D("1e-6")) * g)
        w += moves[-1] / (10 * t)
    return w


def adam(w: Any, grads: list[Any], decay: Any = 0) -> Any:
    b1, b2 = D("0.9"), D("0.999")
    for t in range(1, len(grads) + 1):
        m, s = means(grads[:t], b1, 1) / (1 - b1**t), means(grads[:t], b2, 2) / (1 - b2**t)
        w -= (m / (mp.sqrt(s) + D("1e-8")) + decay * w) / (10 * t)
    return w


STEPS = InverseTime(0.1)


@pytest.mark.parametrize(
    ("rule", "formula"),
    [
        (GradientStep(STEPS), lambda w, grads: w - sum(g / (10 * t) for t, g in enumerate(grads, 1))),
        (Momentum(STEPS), momentum),
        (Nesterov(STEPS), nesterov),
        (Adagrad(STEPS), adagrad),
        (RMSprop(STEPS), rmsprop),
        (Adadelta(STEPS), adadelta),
        (Adam(STEPS), adam),
        (AdamW(STEPS, decay=0.3), lambda w, grads: adam(w, grads, D("0.3"))),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_first_steps_in_fifty_digits(
    rule: Any, formula: Callable[..., Any], rng: np.random.Generator
) -> None:
    grads = rng.standard_normal(6)
    state, w = rule.init(np.array([0.7])), np.array([0.7])
    for k, g in enumerate(grads, 1):
        state, step = rule.update(state, np.array([g]), w)
        w = w + step
        with mp.workdps(50):
            right = formula(D(0.7), [D(float(x)) for x in grads[:k]])
        assert w[0] == pytest.approx(float(right), rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e6])
def test_adam_corrects_its_start(size: float) -> None:
    """With one gradient for ever the corrected means are it and its square: every step is g_t sign(grad)."""
    rule = Adam(Constant(0.1))
    w = g = np.array([size, -size])
    state = rule.init(w)
    for _ in range(20):
        state, step = rule.update(state, g, w)
        np.testing.assert_allclose(step, [-0.1, 0.1], rtol=1.1e-8 / size + 1e-12)


H = np.array([4.0, 1.0, 0.1])


def test_gradient_descent_keeps_its_rate(rng: np.random.Generator) -> None:
    """``||x_T - x*||^2 <= (1 - g mu)^T ||x_0 - x*||^2`` for g <= 1/L; equality up to a square along mu."""
    w = rng.standard_normal(3)
    for size in (0.25, 0.1):
        for steps in (1, 10, 100):
            end = run(GradientStep(Constant(size)), lambda w: H * w, w, steps)
            assert end @ end <= (1.0 - size * 0.1) ** steps * (w @ w)
            np.testing.assert_allclose(end, (1.0 - size * H) ** steps * w, atol=1e-14)


def test_momentum_has_the_rate_of_its_spectrum() -> None:
    """Polyak's choice of step and m contracts by sqrt(m) a step: 0.723 here, where plain steps give 0.951."""
    root_l, root_mu = 2.0, 0.1**0.5
    size, m = 4.0 / (root_l + root_mu) ** 2, ((root_l - root_mu) / (root_l + root_mu)) ** 2
    heavy = run(Momentum(Constant(size), m), lambda w: H * w, np.ones(3), 100)
    assert np.linalg.norm(heavy) <= 1000 * m**50  # a polynomial factor of a double root
    plain = run(GradientStep(Constant(2.0 / 4.1)), lambda w: H * w, np.ones(3), 100)
    assert np.linalg.norm(heavy) < 1e-6 * np.linalg.norm(plain)


@pytest.mark.parametrize(
    "rule",
    [
        Nesterov(Constant(0.2)),
        Adagrad(Constant(0.5)),
        RMSprop(Cosine(0.05, 2000)),
        Adam(Cosine(0.05, 2000)),
        Adadelta(Constant(1.0)),
    ],
    ids=lambda r: r.name,
)
def test_adaptive_rules_reach_the_minimum(rule: Any) -> None:
    end = run(rule, lambda w: H * w, np.ones(3), 2000)
    assert np.abs(end).max() < 0.05


def test_schedules() -> None:
    assert [StepDecay(1.0, 0.5, 2).at(t) for t in range(1, 6)] == [1.0, 1.0, 0.5, 0.5, 0.25]
    assert [Cosine(1.0, 4, 0.2).at(t) for t in (1, 3, 5, 9)] == pytest.approx([1.0, 0.6, 0.2, 0.2])
    # 1/(mu t) on mu (w - x_t)^2/2 is the running mean of the x_t.
    xs, w = np.array([3.0, -1.0, 4.0, 1.0]), np.array([9.0])
    rule, state = GradientStep(StronglyConvex(0.5)), 0
    for x in xs:
        state, step = rule.update(state, 0.5 * (w - x), w)
        w = w + step
    assert w[0] == pytest.approx(xs.mean())


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_unadjusted_langevin_has_its_exact_law(temperature: float) -> None:
    """On ``U = (w-c)'A(w-c)/2``: mean c, covariance ``T A^-1 (I - g A/2)^-1``; the bias of g shows."""
    A = np.array([[2.0, 0.8], [0.8, 1.0]])
    center, size, chains, burn = np.array([1.0, -2.0]), 0.5, 40_000, 60
    rule = Chain((GradientStep(Constant(size)), Langevin(Constant(size), seed=5, temperature=temperature)))
    # The start is forgotten: the slowest factor is 0.72, and 0.72^60 = 3e-9.
    w = run(rule, lambda w: (w - center) @ A, np.zeros((chains, 2)), burn)
    right = temperature * np.linalg.inv(A @ (np.eye(2) - size * A / 2.0))
    error = w.mean(axis=0) - center
    assert np.all(np.abs(error) <= 5.0 * np.sqrt(np.diag(right) / chains))
    spread = np.sqrt((right**2 + np.outer(np.diag(right), np.diag(right))) / chains)  # of a sample covariance
    assert np.all(np.abs(np.cov(w.T) - right) <= 5.0 * spread)
    unbiased = temperature * np.linalg.inv(A)
    assert np.any(np.abs(np.cov(w.T) - unbiased) > 20.0 * spread)  # the test sees the discretisation


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Constant(-1.0), "size must be a finite number > 0"),
        (lambda: Momentum(STEPS, 1.0), r"m must lie in \[0, 1\)"),
        (lambda: Adam(STEPS, beta2=1.5), "beta2"),
        (lambda: AdamW(STEPS, decay=-1.0), "decay"),
        (lambda: Adagrad(STEPS, eps=0.0), "eps"),
        (lambda: Langevin(STEPS, seed=-1), "seed"),
        (lambda: StepDecay(1.0, 0.5, 0), "every"),
        (lambda: Cosine(1.0, 0), "steps"),
    ],
)
def test_bad_parameters_are_refused(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
