"""Networks as problems: gradients for every loss, blocks and weights, XOR, the linear model as one layer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import empirisk as er
from empirisk.data import ArrayBlocks, BlockList, Design
from empirisk.losses import HalfSquared, Logistic, Softmax
from empirisk.problems import Layers, NetworkProblem
from empirisk.problems.activations import Identity, ReLU, Step, Tanh
from empirisk.results import Kind
from tests.conformance.loss_samples import ALL, SAMPLES, loss_of


def network(X: Any, y: Any, loss: Any, hidden: tuple[int, ...], k: int = 1, **more: Any) -> NetworkProblem:
    weight = more.pop("weight", np.ones(X.shape[0]))
    layers = Layers.of((X.shape[1], *hidden, k), more.pop("f", Tanh()))
    return NetworkProblem(layers, loss, ArrayBlocks(Design(X), y, weight), **more)


def lowest(problem: NetworkProblem, w: np.ndarray) -> Any:
    """Where a quasi-Newton method of another library ends from w."""

    def pair(v: np.ndarray) -> tuple[float, np.ndarray]:
        e = problem.evaluate(v)
        return problem.objective(v, e), problem.gradient(v, e)

    return minimize(pair, w, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2_000})


@pytest.mark.parametrize("label", ALL)
def test_gradients_of_every_loss(label: str, rng: np.random.Generator) -> None:
    sample, loss = SAMPLES[label], loss_of(label)
    if not loss.convex:  # the zero-one loss, whose slope is 0 where it has one
        return
    targets = np.array([t for t in sample.targets if abs(t) <= 5.0], dtype=float)
    y = np.resize(targets, 8)
    problem = network(rng.normal(size=(8, 3)), y, loss, (4,), max(sample.k, 1), alpha=0.05)
    # Scores of a size at which no kink lies within the differences.
    w = 0.3 * rng.normal(size=problem.layers.size)
    assert max(problem.gradient_check(w).values()) < 1e-7


def test_columns_of_targets_are_summed(rng: np.random.Generator) -> None:
    X, Y = rng.normal(size=(7, 2)), rng.normal(size=(7, 3))
    problem = network(X, Y, HalfSquared(), (4,), 3)
    w = problem.start()
    loss = 0.5 * ((problem.scores(w, X) - Y) ** 2).sum(axis=1).mean()
    assert problem.evaluate(w).loss == pytest.approx(loss, rel=1e-14)
    assert max(problem.gradient_check().values()) < 1e-8


def test_weights_are_repetition_and_absent_rows_count_for_nothing(rng: np.random.Generator) -> None:
    X, y, s = rng.normal(size=(30, 3)), rng.normal(size=30), rng.integers(0, 4, 30)
    once = network(X, y, HalfSquared(), (5,), weight=s.astype(float), alpha=0.1)
    X[s == 0] = 1e200  # whose cost would be infinite
    again = network(np.repeat(X, s, axis=0), np.repeat(y, s), HalfSquared(), (5,), alpha=0.1)
    w = once.start()
    a, b = once.evaluate(w), again.evaluate(w)
    assert a.loss == pytest.approx(b.loss, rel=1e-13)
    np.testing.assert_allclose(a.grad, b.grad, rtol=1e-10, atol=1e-14)


def test_blocks_and_layouts_give_the_same_pass(rng: np.random.Generator) -> None:
    X = rng.normal(size=(2_500, 4)) * (rng.random((2_500, 4)) < 0.4)
    y = rng.normal(size=2_500)
    problem = network(X, y, HalfSquared(), (3,), center=np.full(4, 0.1), scaling=np.full(4, 2.0))
    w = problem.start()
    wanted = problem.evaluate(w)
    for given in (np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X)):
        found = replace(problem, data=ArrayBlocks(Design(given), y, np.ones(2_500))).evaluate(w)
        np.testing.assert_allclose(found.grad, wanted.grad, rtol=1e-12, atol=1e-15)
    found = replace(problem, data=BlockList.cut(X, y, rows=700)).evaluate(w)
    np.testing.assert_allclose(found.grad, wanted.grad, rtol=1e-12, atol=1e-15)


def test_a_network_of_one_layer_is_the_linear_model(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] + rng.logistic(size=80) > 0.0, 1.0, -1.0)
    problem = network(X, y, Logistic(), (), alpha=0.05)
    w = lowest(problem, problem.start()).x
    linear = er.LogisticRegression(alpha=0.05, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(w, [*linear.coef_.ravel(), *linear.intercept_], atol=1e-7)
    assert problem.certify(w).relative < 1e-6


def test_linear_layers_in_a_row_reach_no_lower_than_one(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, 0.0, -1.0] + rng.normal(size=40)
    deep = network(X, y, HalfSquared(), (2, 4), f=Identity())
    A = np.column_stack([X, np.ones(40)])
    best = 0.5 * float(((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2).mean())
    assert lowest(deep, deep.start()).fun == pytest.approx(best, rel=1e-6)


def test_xor_needs_a_hidden_layer() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([-1.0, 1.0, 1.0, -1.0])
    straight = lowest(network(X, y, Logistic(), ()), np.array([0.3, -0.2, 0.1]))
    assert straight.fun == pytest.approx(np.log(2.0), abs=1e-9)  # the best line knows nothing
    bent = network(X, y, Logistic(), (2,), alpha=1e-4)
    found = min((lowest(bent, bent.layers.draw(seed)) for seed in range(5)), key=lambda r: r.fun)
    assert found.fun < 0.05
    assert (np.sign(bent.scores(found.x, X)[:, 0]) == y).all()
    # By hand: the first unit is OR, the second AND, and the output asks for OR without AND.
    by_hand = NetworkProblem(Layers((2, 2, 1), (Step(), Step())), Logistic(), bent.data)
    w = np.array([1.0, 1.0, 1.0, 1.0, -0.5, -1.5, 1.0, -2.0, -0.5])
    assert by_hand.scores(w, X)[:, 0].tolist() == [0.0, 1.0, 1.0, 0.0]


def test_the_certificate_is_the_gradient_norm_and_claims_no_more(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    problem = network(X, y, Softmax(), (4,), 3, alpha=0.01)
    w = problem.start()
    c = problem.certify(w)
    assert c.kind is Kind.STATIONARITY
    assert c.relative == 1.0
    assert c.suboptimality() is None
    assert c.distance() is None
    assert c.value == pytest.approx(np.linalg.norm(problem.gradient(w, problem.evaluate(w))))
    assert problem.certify(lowest(problem, w).x).within(1e-5)


def test_l1_asks_for_the_smallest_subgradient(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    problem = network(X, y, HalfSquared(), (), alpha=0.2, l1_ratio=0.5)
    linear = er.ElasticNet(alpha=0.2, l1_ratio=0.5, tol=1e-14).fit(X, y)
    w = np.array([*linear.coef_, linear.intercept_])
    assert (w == 0.0).any()
    assert problem.certify(w).value < 1e-6


def test_what_does_not_fit_is_refused_by_name(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(5, 2)), rng.normal(size=5)
    data = ArrayBlocks(Design(X), y, np.ones(5))
    with pytest.raises(ValueError, match="first width is 3, and the rows have 2 columns"):
        NetworkProblem(Layers.of((3, 1), ReLU()), HalfSquared(), data)
    with pytest.raises(ValueError, match="alpha must be >= 0"):
        network(X, y, HalfSquared(), (2,), alpha=-1.0)
    with pytest.raises(ValueError, match="activations must name one for each of the 2 layers"):
        Layers((2, 2, 1), (Tanh(),))
    with pytest.raises(ValueError, match="weights are zero for every row"):
        network(X, y, HalfSquared(), (2,), weight=np.zeros(5)).evaluate(np.zeros(9))
