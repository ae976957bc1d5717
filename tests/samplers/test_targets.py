"""Potentials in the loops against plain NumPy, and targets that are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import empirisk as er
from empirisk import _loops, losses
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared, Logistic, Poisson, SquaredHinge, with_offset
from empirisk.penalties import L2, ElasticNetPenalty, Zero
from empirisk.problems import LinearProblem
from empirisk.samplers import FunctionTarget, LinearTarget, sample
from empirisk.samplers.diagnostics import ess_mean
from empirisk.typing import Array
from tests.conformance.loss_samples import SAMPLES

FUSED = [name for name, row in losses.REGISTRY.items() if getattr(row, "fused", False) is True]
LAYOUTS: dict[str, Any] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sp.csr_array,
    "csc": sp.csc_array,
}


def asked(call: Any, w: Array) -> tuple[float, Array]:
    """Return U and its gradient at w, as chains see them."""
    grad, u = np.zeros((1, len(w))), np.zeros(1)
    _loops.ask_places(call, w[None].copy(), grad, u)
    return float(u[0]), grad[0]


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("name", FUSED)
def test_the_compiled_potential_is_that_of_plain_numpy(name: str, layout: str) -> None:
    loss = SAMPLES[name].loss or losses.REGISTRY[name]()
    rng = np.random.default_rng(len(name))
    n, p, dispersion, temperature = 40, 3, 0.8, 1.5
    X = (rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7)).astype(np.float32).astype(np.float64)
    weight, w = rng.integers(0, 3, n).astype(float), 0.3 * rng.normal(size=p + 1)
    y = rng.choice(np.array(SAMPLES[name].targets, dtype=float), n)
    l1, l2 = 0.12, 0.08
    problem = LinearProblem(
        loss, ElasticNetPenalty(0.2, l1_ratio=0.6), ArrayBlocks(Design(LAYOUTS[layout](X)), y, weight),
        dispersion=dispersion,
    )  # fmt: skip
    target = LinearTarget(problem, temperature, proximal=True)
    u, grad = asked(target.call, w)
    total = weight.sum() / (dispersion * temperature)
    z = X @ w[:p] + w[p]
    if layout == "float32":  # coefficients are rounded for the product, too
        z = X @ w[:p].astype(np.float32).astype(float) + w[p]
    mean = weight @ loss.value(y, z) / weight.sum()
    coef = w[:p]
    wanted = total * (mean + l1 * np.abs(coef).sum() + 0.5 * l2 * coef @ coef)
    slope = weight * loss.grad(y, z) / weight.sum()
    kink = np.clip(coef / target.smoothing, -total * l1, total * l1)
    wanted_grad = total * np.append(X.T @ slope + l2 * coef, slope.sum()) + np.append(kink, 0.0)
    rtol = 1e-6 if layout == "float32" else 1e-11
    assert u == pytest.approx(wanted, rel=rtol)
    np.testing.assert_allclose(grad, wanted_grad, rtol=rtol, atol=rtol * np.abs(wanted_grad).max())


@pytest.mark.parametrize("layout", ["rows", "csr"])
@pytest.mark.parametrize("name", FUSED)
def test_the_hessian_is_that_of_plain_numpy(name: str, layout: str) -> None:
    loss = SAMPLES[name].loss or losses.REGISTRY[name]()
    rng = np.random.default_rng(len(name))
    X, weight = rng.normal(size=(30, 2)), rng.integers(0, 3, 30).astype(float)
    y = rng.choice(np.array(SAMPLES[name].targets, dtype=float), 30)
    target = LinearTarget(LinearProblem(loss, L2(0.1), ArrayBlocks(Design(LAYOUTS[layout](X)), y, weight)))
    w = 0.3 * rng.normal(size=3)
    D = np.column_stack([X, np.ones(30)])
    wanted = (D.T * (weight * loss.hess(y, D @ w))) @ D + 0.1 * weight.sum() * np.diag([1.0, 1.0, 0.0])
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(target.hessian(w), wanted, rtol=1e-9, atol=1e-9 * scale)


def test_offsets_are_part_of_the_scores() -> None:
    rng = np.random.default_rng(1)
    X, y, offset = rng.normal(size=(20, 2)), rng.poisson(1.0, 20).astype(float), rng.normal(size=20)
    loss, with_known = with_offset(Poisson(), y, offset)
    target = LinearTarget(LinearProblem(loss, L2(0.1), ArrayBlocks(Design(X), with_known, np.ones(20))))
    w = np.array([0.2, -0.1, 0.3])
    z = X @ w[:2] + w[2] + offset
    assert asked(target.call, w)[0] == pytest.approx(
        float((np.exp(z) - y * z).sum()) + asked_prior(w), rel=1e-12
    )


def asked_prior(w: Array) -> float:
    """The part of U above that is the prior's, and the constants that the loss of Poisson has."""
    zero = LinearTarget(
        LinearProblem(Poisson(), L2(0.1), ArrayBlocks(Design(np.zeros((20, 2))), np.zeros(20), np.ones(20)))
    )
    at, none = (asked(zero.call, np.append(v, 0.0))[0] for v in (w[:2], np.zeros(2)))
    return at - none


def problem(loss: Any, X: Array, y: Array, alpha: float = 0.0) -> LinearProblem:
    """Return a problem with unit weights, without a penalty where alpha is 0."""
    return LinearProblem(loss, L2(alpha) if alpha else Zero(), ArrayBlocks(Design(X), y, np.ones(len(y))))


SIDES = np.arange(6.0)[:, None], np.repeat([-1.0, 1.0], 3)
FEW = np.random.default_rng(0).normal(size=(3, 4))
IMPROPER: dict[str, tuple[LinearProblem, str]] = {
    "separable": (problem(Logistic(), *SIDES), "U has no minimum"),
    "zero counts": (problem(Poisson(), np.eye(4)[:, :1], np.zeros(4)), "U has no minimum"),
    "collinear": (
        problem(HalfSquared(), np.outer(np.arange(9.0), [1.0, 2.0]), np.arange(9.0) % 4),
        "flat along some line",
    ),
    "few rows": (problem(HalfSquared(), FEW, np.arange(3.0)), "3 rows for 5"),
    "no slope": (problem(SquaredHinge(), *SIDES), "flat along some line|no minimum"),
}


@pytest.mark.parametrize("name", list(IMPROPER))
def test_improper_posteriors_are_refused_with_the_reason(name: str) -> None:
    posed, why = IMPROPER[name]
    with pytest.raises(ValueError, match=f"is improper.*({why}).*give the model a penalty"):
        sample(posed, dispersion=1.0)


def test_a_prior_makes_them_proper() -> None:
    for name in ("separable", "collinear", "few rows"):
        posed, _ = IMPROPER[name]
        cured = LinearProblem(posed.loss, L2(0.1), posed.data)
        assert np.isfinite(sample(cured, draws=20, warm_up=20, dispersion=1.0).draws).all()


def test_functions_without_mass_slope_or_bound_are_refused() -> None:
    flat = FunctionTarget(lambda w: (0.0, np.zeros(2)), np.zeros(2))
    with pytest.raises(ValueError, match="flat as far as steps can go"):
        sample(flat)
    cliff = FunctionTarget(lambda w: (0.0 if (w == 0.5).all() else 1e9, np.full(1, 1e300)), np.full(1, 0.5))
    with pytest.raises(ValueError, match="no step of nuts is accepted, however short"):
        sample(cliff)
    spike = FunctionTarget(lambda w: (-math.inf, w), np.zeros(1))
    with pytest.raises(ValueError, match="-inf, a density without bound"):
        sample(spike)
    with pytest.raises(ValueError, match=r"symmetric array of shape \(1, 1\)"):
        FunctionTarget(lambda w: (0.0, w), np.zeros(1), covariance=np.eye(2))
    with pytest.raises(ValueError, match="positive definite"):
        FunctionTarget(lambda w: (0.0, w), np.zeros(1), covariance=[[-1.0]])


def test_a_gradient_that_becomes_nan_names_the_place() -> None:
    def broken(w: Array) -> tuple[float, Array]:
        return 0.5 * float(w @ w), w if w[0] < 1.0 else np.full(2, math.nan)

    with pytest.raises(ValueError, match=r"holds NaN or infinity where U = .* is finite, at w = \["):
        sample(FunctionTarget(broken, np.zeros(2)))


def test_a_potential_that_is_nan_lies_outside_of_the_support() -> None:
    def half(w: Array) -> tuple[float, Array]:
        return (math.nan if w[0] < 0.0 else float(w[0])), np.ones(1)

    found = sample(FunctionTarget(half, np.ones(1)), method="mala", draws=4000, random_state=1)
    assert (found.draws >= 0.0).all()
    assert abs(found.mean[0] - 1.0) <= 5.0 * found.mcse[0]


@pytest.mark.parametrize("answer", [None, 1.0, (1.0,), (1.0, None), [1.0, np.zeros(1)], (1.0, np.zeros(2))])
def test_answers_of_another_form_are_refused_by_the_loops(answer: Any) -> None:
    w, grad, u = np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1)
    with pytest.raises(ValueError, match="potential"):
        _loops.ask_places(lambda w: answer, w, grad, u)


def test_models_that_cannot_be_sampled_say_why(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    with pytest.raises(NotFittedError):
        sample(er.LogisticRegression())
    machine = er.LinearSVC(alpha=0.1).fit(X, np.arange(60) % 2)
    with pytest.raises(ValueError, match="has no compiled potential of one score a row"):
        sample(machine, dispersion=1.0)


def test_paths_that_meet_a_border_do_not_shorten_the_steps_for_ever() -> None:
    # A path is refused at the border of a flat box with steps of any length: nothing is gained by short ones.
    asked = 0

    def box(w: Array) -> tuple[float, Array]:
        nonlocal asked
        asked += 1
        return (0.0 if (np.abs(w) < 1.0).all() else math.inf), np.zeros_like(w)

    found = sample(FunctionTarget(box, np.zeros(2)), method="hmc", draws=300, warm_up=150, random_state=1)
    assert asked < 40 * 4 * 450
    square = found.draws**2  # a uniform law on [-1, 1] has the variance 1/3, and its squares have 4/45
    error = np.sqrt(4.0 / 45.0 / np.array([ess_mean(square[:, :, j]) for j in range(2)]))
    assert (np.abs(square.mean(axis=(0, 1)) - 1.0 / 3.0) <= 5.0 * error).all()


@pytest.mark.parametrize("weight", [1e-100, 1e-300])
def test_weights_that_are_almost_nothing_leave_the_prior(weight: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = np.where(rng.random(50) < 0.5, 1.0, -1.0)
    data = ArrayBlocks(Design(X), y, np.full(50, weight))
    found = sample(LinearProblem(Logistic(), L2(0.1), data, intercept=False), draws=500)
    # The prior is N(0, 1 / (S alpha)): rows that count for so little move nothing that is seen.
    z = found.draws * np.sqrt(50 * weight * 0.1)
    for j in range(2):
        x = z[:, :, j]
        assert abs(x.mean()) <= 5.0 / np.sqrt(ess_mean(x))
        assert abs((x**2).mean() - 1.0) <= 5.0 * np.sqrt(2.0 / ess_mean(x**2))
    assert not found.doubts


def test_steps_that_diverge_are_counted_and_said() -> None:
    # Neal's funnel (Annals of Statistics 31, 2003): w_0 ~ N(0, 9), w_1 ~ N(0, exp(w_0)).
    def funnel(w: Array) -> tuple[float, Array]:
        if abs(w[0]) > 300.0:
            return math.inf, w
        square = float(w[1:] @ w[1:]) * math.exp(-w[0])
        half = 0.5 * (len(w) - 1)
        slope = w[0] / 9.0 - 0.5 * square + half
        return w[0] ** 2 / 18.0 + 0.5 * square + half * w[0], np.append(slope, w[1:] * math.exp(-w[0]))

    found = sample(FunctionTarget(funnel, np.zeros(6)), draws=150, warm_up=150, random_state=3)
    assert found.divergences > 0
    assert "diverged: places of strong curvature" in found.certificate.claim
    assert "raise target_acceptance" in found.certificate.claim


FORMS = [None, 1.0, (1.0,), [1.0, np.zeros(2)], (1j, np.zeros(2)), (np.zeros(2), np.zeros(2))]


@pytest.mark.parametrize("answer", FORMS)
def test_answers_of_a_function_are_looked_at(answer: Any) -> None:
    with pytest.raises(TypeError, match="must return a tuple of U, a real number, and its gradient"):
        sample(FunctionTarget(lambda w: answer, np.zeros(2)))


def test_functions_names_and_lengths_of_another_kind_are_refused() -> None:
    with pytest.raises(TypeError, match="function must be callable"):
        FunctionTarget(3, np.zeros(1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="names must differ"):
        FunctionTarget(lambda w: (0.0, w), np.zeros(2), names=["a", "a"])
    with pytest.raises(TypeError, match=r"a.* cannot be sampled"):
        sample(er.LogisticRegression)
    for make in (
        lambda: er.samplers.ULA("x"),
        lambda: er.samplers.ULA(True),
        lambda: er.samplers.HMC(length="x"),
    ):
        with pytest.raises(ValueError, match="must be a finite number > 0"):
            make()
