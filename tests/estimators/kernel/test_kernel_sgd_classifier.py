"""SGD for soft-margin machines over a kernel: the steps of the textbooks, what is proved of their mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import empirisk as er
from empirisk.kernels import Gaussian, Linear, UserKernel
from empirisk.solvers import kernel_walk
from tests.oracles.soft_machine_steps import kernel_steps, linear_steps

KERNEL = Gaussian(gamma=0.4)
# Megabytes: with the matrix of the kernel in memory, and by blocks of draws.
CACHES = {"stored": 500.0, "blocks": 1e-6}


def rings(rng: np.random.Generator, n: int = 150, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Classes by the distance from the origin, with some noise."""
    X = rng.normal(size=(n, 3))
    far = np.linalg.norm(X, axis=1) + 0.2 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(far, np.arange(1, classes) / classes), far)


def odd(rng: np.random.Generator, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """With every row its negative, of the other class: by symmetry no constant is of use to a machine."""
    X = rng.normal(size=(n, 2))
    y = np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n) > 0.0, 1, -1)
    return np.concatenate([X, -X]), np.concatenate([y, -y])


def drawing(monkeypatch: pytest.MonkeyPatch, draws: Sequence[int]) -> None:
    """Make the steps meet these rows, one after the other."""
    left = list(draws)

    def given(*_: Any) -> Callable[[int], np.ndarray]:
        def draw(count: int) -> np.ndarray:
            out, left[:] = left[:count], left[count:]
            return np.array(out, dtype=np.int64)

        return draw

    monkeypatch.setattr(kernel_walk, "_draws", given)


def weights(model: Any, n: int) -> np.ndarray:
    """The weights of all rows, one row for each problem."""
    a = np.zeros((len(model.dual_coef_), n))
    a[:, model.support_] = model.dual_coef_
    return a


def problem_of(model: Any, X: np.ndarray, y: np.ndarray, s: np.ndarray | None = None) -> Any:
    """The problem of a fitted model with two classes."""
    return model._problems(model._encoded(X, y, s, fitting=False), model.alpha_)[0]


def lowest(K: np.ndarray, y: np.ndarray, alpha: float, share: np.ndarray) -> float:
    """The minimum of the objective without a constant, from its dual over a box, by another library."""
    Q = (y[:, None] * K * y) / alpha

    def dual(t: np.ndarray) -> tuple[float, np.ndarray]:
        u = share * t
        return 0.5 * float(u @ Q @ u) - float(u.sum()), share * (Q @ u - 1.0)

    found = minimize(
        dual, np.full(len(y), 0.5), jac=True, bounds=[(0.0, 1.0)] * len(y),
        options={"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-12},
    )  # fmt: skip
    return -float(found.fun)


# -- the steps --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("alpha", [0.5, 0.02, 1e-3])
def test_steps_are_those_of_the_textbook(
    alpha: float, cache: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rings(rng)
    draws = rng.integers(0, len(y), size=1_700)  # more than three blocks, which hold rows more than once
    drawing(monkeypatch, draws)
    model = er.KernelSGDClassifier(alpha, kernel=KERNEL, n_draws=len(draws), cache_size=CACHES[cache])
    model.fit(X, y)
    wanted = kernel_steps(KERNEL.block(X), 2.0 * y - 1.0, alpha, draws)
    np.testing.assert_allclose(weights(model, len(y))[0], wanted, rtol=1e-9, atol=1e-12 * wanted.max())
    assert model.t_ == len(draws)
    assert not model.intercept_.any()


@pytest.mark.parametrize("cache", CACHES)
def test_a_linear_kernel_takes_the_linear_steps(
    cache: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rings(rng)
    draws = rng.integers(0, len(y), size=900)
    drawing(monkeypatch, draws)
    model = er.KernelSGDClassifier(0.05, kernel=Linear(), n_draws=900, cache_size=CACHES[cache]).fit(X, y)
    w = linear_steps(X, 2.0 * y - 1.0, 0.05, draws)
    np.testing.assert_allclose(model.decision_function(X), X @ w, rtol=1e-9, atol=1e-11)


def test_rows_are_drawn_with_their_share_of_the_weight(rng: np.random.Generator) -> None:
    X, y = rings(rng, 6)
    s = np.array([0.0, 1.0, 2.0, 0.0, 3.0, 4.0])
    problem = problem_of(er.KernelSGDClassifier(kernel=KERNEL).fit(X, y), X, y, s)
    count = np.bincount(kernel_walk._draws(problem, rng)(40_000), minlength=6)
    assert count[0] == count[3] == 0
    np.testing.assert_array_less(np.abs(count - 4_000 * s), 5.0 * np.sqrt(4_000 * s) + 1e-9)


def test_layouts_and_blocks_agree(rng: np.random.Generator) -> None:
    X, y = rings(rng)
    X[rng.random(X.shape) < 0.4] = 0.0
    est = er.KernelSGDClassifier(0.02, kernel=KERNEL, n_draws=2_000)
    wanted = est.fit(X, y).decision_function(X)
    mine = UserKernel(lambda A, B: np.exp(-0.4 * ((A[:, None] - B) ** 2).sum(axis=2)))
    for form, kernel in ((sp.csr_array, KERNEL), (sp.csc_array, KERNEL), (np.asfortranarray, mine)):
        for cache in CACHES.values():
            other = er.KernelSGDClassifier(0.02, kernel=kernel, n_draws=2_000, cache_size=cache)
            np.testing.assert_allclose(other.fit(form(X), y).decision_function(form(X)), wanted, rtol=1e-8)


# -- what is proved ---------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 2e-3])
def test_the_gap_is_true_and_falls(alpha: float, rng: np.random.Generator) -> None:
    X, y = rings(rng)
    s = rng.integers(1, 4, size=len(y)).astype(float)
    least = lowest(KERNEL.block(X), 2.0 * y - 1.0, alpha, s / s.sum())
    gaps, excess = [], []
    for steps in (300, 3_000, 30_000, 300_000):
        model = er.KernelSGDClassifier(alpha, kernel=KERNEL, n_draws=steps).fit(X, y, sample_weight=s)
        problem = problem_of(model, X, y, s)
        a = weights(model, len(y))[0]
        excess.append(problem.objective(a, problem.evaluate(a)) - least)
        gaps.append(model.certificate_.value)
        assert -1e-7 <= excess[-1] <= gaps[-1] + 1e-7
        assert er.verify(model, X, y, s).value == pytest.approx(gaps[-1], rel=1e-6)
    assert gaps[1] < 0.5 * gaps[0]
    assert gaps[3] < 0.05 * gaps[1]
    assert excess[3] < 0.2 * excess[1]


def test_the_optimum_is_that_of_svc_within_the_gap(rng: np.random.Generator) -> None:
    X, y = odd(rng)
    exact = er.SVC(0.01, kernel=KERNEL, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(exact.intercept_, 0.0, atol=1e-4)
    model = er.KernelSGDClassifier(0.01, kernel=KERNEL, n_draws=100_000).fit(X, y)
    problem = problem_of(model, X, y)
    ours, best = (weights(m, len(y))[0] for m in (model, exact))
    lost = problem.objective(ours, problem.evaluate(ours)) - problem.objective(best, problem.evaluate(best))
    assert -1e-6 <= lost <= model.certificate_.value
    assert model.certificate_.value < 0.02
    # alpha ||f - f*||^2 / 2 <= gap, and scores are at most ||f - f*|| apart, as k(x, x) = 1.
    apart = math.sqrt(2.0 * model.certificate_.value / 0.01)
    assert np.abs(model.decision_function(X) - exact.decision_function(X)).max() <= apart


def test_theorem_holds_in_the_mean(rng: np.random.Generator) -> None:
    X, y = rings(rng, 80)
    least = lowest(KERNEL.block(X), 2.0 * y - 1.0, 0.1, np.full(80, 1.0 / 80))
    excess = []
    for seed in range(40):
        model = er.KernelSGDClassifier(0.1, kernel=KERNEL, n_draws=200, random_state=seed).fit(X, y)
        problem = problem_of(model, X, y)
        a = weights(model, 80)[0]
        excess.append(problem.objective(a, problem.evaluate(a)) - least)
    promised = 2.0 * (1.0 + math.log(200)) / (0.1 * 200)
    assert model.guarantee(X, y).epsilon == pytest.approx(promised, rel=1e-12)
    assert np.mean(excess) + 3.0 * np.std(excess) / math.sqrt(40) <= promised
    assert np.mean(excess) >= 1e-3 * promised  # the comparison could fail


# -- labels, classes, weights -----------------------------------------------------------------------


def test_classes_are_separate_problems_on_the_same_draws(rng: np.random.Generator) -> None:
    X, y = rings(rng, classes=3)
    names = np.array(["near", "between", "far"])[y]
    model = er.KernelSGDClassifier(0.02, kernel=KERNEL, n_draws=5_000).fit(X, names)
    assert list(model.classes_) == ["between", "far", "near"]
    total = 0.0
    for k, name in enumerate(model.classes_):
        one = er.KernelSGDClassifier(0.02, kernel=KERNEL, n_draws=5_000).fit(X, names == name)
        np.testing.assert_allclose(one.decision_function(X), model.decision_function(X)[:, k], rtol=1e-9)
        total += one.certificate_.value
    assert model.certificate_.value == pytest.approx(total, rel=1e-9)
    assert np.mean(model.predict(X) == names) > 0.6  # by chance a third


def test_weights_are_repetition_bit_for_bit(rng: np.random.Generator) -> None:
    X, y = rings(rng)
    times = rng.integers(0, 4, size=len(y))
    est = er.KernelSGDClassifier(0.02, kernel=KERNEL, n_draws=3_000, class_weight={0: 2.0})
    once = est.fit(X, y, sample_weight=times).decision_function(X)
    factor = np.where(y == 0, 2, 1)
    est = er.KernelSGDClassifier(0.02, kernel=KERNEL, n_draws=3_000)
    again = est.fit(np.repeat(X, times * factor, axis=0), np.repeat(y, times * factor)).decision_function(X)
    np.testing.assert_allclose(once, again, rtol=1e-9, atol=1e-12)


def test_same_seed_same_bits_other_seed_other_draws(rng: np.random.Generator) -> None:
    X, y = rings(rng)
    a, b, c = (
        er.KernelSGDClassifier(n_draws=500, random_state=seed).fit(X, y).dual_coef_.sum()
        for seed in (3, 3, 4)
    )
    assert a == b
    assert a != c
    assert er.KernelSGDClassifier().fit(X, y).t_ == 10_000
    assert er.KernelSGDClassifier().fit(np.tile(X, (4, 1)), np.tile(y, 4)).t_ == 20 * 600


def test_what_it_refuses(rng: np.random.Generator) -> None:
    X, y = rings(rng)
    for bad, words in (
        ({"alpha": 0.0}, "alpha must be a finite number > 0"),
        ({"alpha": "cv"}, "alpha must be"),
        ({"n_draws": 0}, "n_draws must be an integer >= 1"),
        ({"n_draws": "many"}, "n_draws must be an integer >= 1"),
        ({"cache_size": 0.0}, "cache_size must be a finite number > 0"),
        ({"random_state": -1}, "random_state must be an integer >= 0"),
    ):
        with pytest.raises(ValueError, match=words):
            er.KernelSGDClassifier(**bad).fit(X, y)
    with pytest.raises(TypeError, match="alpha"):
        er.KernelSGDClassifier(C=1.0)


def test_a_kernel_that_is_none_is_refused_with_a_row(rng: np.random.Generator) -> None:
    X, y = rings(rng)
    bad = UserKernel(lambda A, B: -np.exp(-((A[:, None] - B) ** 2).sum(axis=2)))
    with pytest.raises(ValueError, match=r"not positive semi-definite: k\(i, i\) = -1 < 0 for row 0"):
        er.KernelSGDClassifier(0.1, kernel=bad, n_draws=500).fit(X, y)
