"""Losses from functions: what is checked when they are made, and that solvers certify with them."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import empirisk as er
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Huber, Logistic, Poisson, Probit, user_loss
from empirisk.penalties import L2, ElasticNetPenalty, Zero
from empirisk.problems import LinearProblem
from empirisk.results import Kind, Status
from empirisk.typing import Capability, Interval


def value(y, z):
    return np.logaddexp(z - y, y - z) - math.log(2.0)


def grad(y, z):
    return np.tanh(z - y)


def hess(y, z):
    return 1.0 / np.cosh(z - y) ** 2


def conjugate(y, u):
    w = np.clip(u, -1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = sum(np.where(q > 0.0, q * np.log(q), 0.0) for q in (1.0 + w, 1.0 - w)) / 2.0
    return np.where(np.abs(u) <= 1.0, u * y + entropy, np.inf)


def problem(loss, penalty, rng, labels=False):
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -1.0, 0.5] + rng.standard_t(3, size=60) + 0.4
    y = np.where(y > 0, 1.0, -1.0) if labels else y
    return LinearProblem(loss, penalty, ArrayBlocks(Design(X), y, np.ones(60)))


VARIANTS = {
    "gradient": user_loss(value, grad),
    "curvature": user_loss(value, grad, hess, lipschitz=1.0, curvature=(0.0, 1.0)),
    "everything": user_loss(value, grad, hess, conjugate, name="log_cosh", mean=lambda z: z),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_certified_wherever_the_capabilities_allow(name, rng):
    loss = VARIANTS[name]
    best = er.solve(problem(VARIANTS["everything"], L2(0.1), np.random.default_rng(3)), tol=1e-13)
    solution = er.solve(problem(loss, L2(0.1), np.random.default_rng(3)), tol=1e-9)
    assert solution.status is Status.CERTIFIED
    assert solution.solver == ("lbfgs" if name == "gradient" else "newton")
    assert solution.certificate.kind is Kind.DUALITY_GAP
    assert np.linalg.norm((solution.w - best.w)[:3]) <= solution.certificate.distance() + 1e-7
    assert er.solve(problem(loss, Zero(), rng)).status is Status.CERTIFIED
    assert er.solve(problem(loss, ElasticNetPenalty(0.1, 0.5), rng)).status is Status.CERTIFIED


def test_conjugate_by_search_encloses_from_above(rng):
    y, u = rng.normal(size=300), rng.uniform(-0.999, 0.999, size=300)
    for name in ("gradient", "curvature"):
        found, right = VARIANTS[name].conjugate(y, u), conjugate(y, u)
        assert (found >= right - 1e-15 * (1.0 + np.abs(u * y))).all()
        np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-12)
    assert np.isinf(VARIANTS["gradient"].conjugate(np.zeros(2), np.array([1.001, -3.0]))).all()


@pytest.mark.parametrize("known", [Logistic(), Poisson(), Huber(), Probit()], ids=lambda loss: loss.name)
def test_search_agrees_with_known_conjugates(known, rng):
    domain = known.y_domain
    loss = user_loss(known.value, known.grad, y_domain=domain, labels=known.labels)
    y = (
        np.where(rng.random(200) < 0.5, 1.0, -1.0)
        if known.labels
        else rng.poisson(3.0, size=200).astype(float)
    )
    u = known.grad(y, rng.normal(size=200))
    found, right = loss.conjugate(y, u), known.conjugate(y, u)
    np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-9)
    assert (found >= right - 1e-14 * (1.0 + np.abs(right))).all()


def test_kinks_and_concavity_are_declared(rng):
    pinball = user_loss(lambda y, z: np.abs(z - y), lambda y, z: np.sign(z - y), kinks=True, lipschitz=1.0)
    assert pinball.offers == {Capability.CONJUGATE}
    with pytest.raises(ValueError, match='take solver="subgradient"'):
        er.solve(problem(pinball, L2(0.1), rng))
    slow = er.solve(problem(pinball, L2(0.1), rng), "subgradient")
    assert slow.certificate.kind is Kind.DUALITY_GAP
    assert slow.certificate.relative < 0.1
    cauchy = user_loss(
        lambda y, z: 0.5 * np.log1p((z - y) ** 2), lambda y, z: (z - y) / (1.0 + (z - y) ** 2), convex=False
    )
    solution = er.solve(problem(cauchy, L2(0.1), rng))
    assert solution.status is Status.CERTIFIED
    assert solution.certificate.kind is Kind.KKT_RESIDUAL
    assert "not convex, so that this proves a stationary point" in solution.certificate.claim


WRONG = {
    "grad is wrong at y = -7.3, z = -12.3: it returns -5, finite differences of value say -10": (
        lambda: user_loss(lambda y, z: (z - y) ** 2, lambda y, z: z - y)
    ),
    "hess is wrong at y = .*: it returns 2, finite differences of grad say 1": (
        lambda: user_loss(lambda y, z: (z - y) ** 2 / 2, lambda y, z: z - y, lambda y, z: 2.0 + 0.0 * z)
    ),
    "conjugate is wrong at y = .*Fenchel and Young's equality says": (
        lambda: user_loss(value, grad, hess, lambda y, u: u * y)
    ),
    "grad grows less than curvature = .0, inf. allows between z = .*pass convex=False": (
        lambda: user_loss(lambda y, z: -((z - y) ** 2), lambda y, z: -2.0 * (z - y))
    ),
    "grad grows more than curvature": lambda: user_loss(value, grad, curvature=(0.0, 0.1)),
    "lipschitz = 0.5 is too small": lambda: user_loss(value, grad, lipschitz=0.5),
    "no subgradient at y = ": lambda: user_loss(
        lambda y, z: np.abs(z - y), lambda y, z: -np.sign(z - y), kinks=True
    ),
    "value returns nan at y = -7.3": lambda: user_loss(
        lambda y, z: np.log(y) * z, lambda y, z: np.log(y) + 0 * z
    ),
    "value must return one number per row": lambda: user_loss(lambda y, z: np.sum(z), lambda y, z: z),
    "contradicts convex=True": lambda: user_loss(value, grad, curvature=(-1.0, 1.0)),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_contradictions_are_found(sentence):
    with pytest.raises(ValueError, match=sentence):
        WRONG[sentence]()


def test_domains_are_respected():
    """Functions that are only defined for y > 0 are only tried there."""
    made = user_loss(
        lambda y, z: y * np.exp(-z) + z + np.log(y), lambda y, z: 1.0 - y * np.exp(-z),
        y_domain=Interval(0.0, math.inf, low_closed=False),
    )  # fmt: skip
    assert made.y_domain.low == 0.0
    assert pickle.loads(pickle.dumps(user_loss(value, grad))) == user_loss(value, grad)
    assert repr(made) == "user_loss(name='user')"
