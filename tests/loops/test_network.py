"""The compiled steps of networks against plain NumPy: activations, losses, update rules, layouts, threads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from empirisk import _loops
from empirisk.data import ArrayBlocks, Design
from empirisk.estimators.network.training import Training, begin, epoch_order, one_epoch
from empirisk.losses import REGISTRY as LOSSES
from empirisk.losses import HalfSquared, Softmax
from empirisk.optimizers import REGISTRY as RULES
from empirisk.optimizers import Constant, GradientStep, InverseTime
from empirisk.problems import Layers, NetworkProblem
from empirisk.problems.activations import REGISTRY, Identity, ReLU, Tanh
from empirisk.problems.normalizations import REGISTRY as NORMALIZATIONS

COMPILED = sorted(RULES.keys() - {"langevin"})
SMOOTH = sorted(name for name, f in REGISTRY.items() if f.differentiable)
SCALAR = sorted(name for name, loss in LOSSES.items() if getattr(loss, "row_slope", False))


def small(rng: np.random.Generator, f: Any = None, **more: Any) -> NetworkProblem:
    X, y = rng.normal(size=(23, 4)), rng.normal(size=23)
    loss, k = more.pop("loss", HalfSquared()), more.pop("k", 1)
    given = more.pop("X", X)
    data = ArrayBlocks(Design(given), more.pop("y", y), more.pop("weight", np.ones(23)))
    return NetworkProblem(Layers.of((4, 5, 3, k), f or Tanh()), loss, data, **more)


def by_hand(problem: NetworkProblem, w: Any, rule: Any, order: Any, batch: int, clip: float = 0.0) -> Any:
    """The same steps in NumPy: the gradient of each batch, and the Python rule."""
    (block,) = problem.data
    X = block.design.X.toarray() if block.design.sparse else block.design.X
    weight = block.weight / block.weight[block.weight > 0.0].mean()
    state = rule.init(w)
    for a in range(0, len(order), batch):
        rows = order[a : a + batch]
        data = ArrayBlocks(Design(X[rows]), block.y[rows], weight[rows])
        here = replace(problem, data=data, alpha=0.0)
        grad = weight[rows].mean() * here.evaluate(w).grad
        weights = problem.layers.masked(w)
        grad += problem.alpha * ((1.0 - problem.l1_ratio) * weights + problem.l1_ratio * np.sign(weights))
        norm = float(np.linalg.norm(grad))
        grad *= clip / norm if 0.0 < clip < norm else 1.0
        state, step = rule.update(state, grad.astype(w.dtype), w)
        w = w + step
    return w


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", COMPILED)
def test_fifty_steps_of_every_rule_are_those_of_its_python_form(
    name: str, dtype: str, rng: np.random.Generator
) -> None:
    problem = small(rng, alpha=0.01, l1_ratio=0.5)
    problem = small(rng, X=problem.data.design.X.astype(dtype), alpha=0.01, l1_ratio=0.5)
    rule = RULES[name](InverseTime(0.05)) if name != "adadelta" else RULES[name]()
    order = np.concatenate([epoch_order(np.arange(23), 0, e) for e in range(11)])[:250]
    w = problem.start()
    run, bad = one_epoch(problem, begin(w, dtype), rule, order, 5)
    assert bad is None
    assert run.taken == 50
    assert run.w.dtype == dtype
    tolerance = 1e-11 if dtype == "float64" else 2e-4
    np.testing.assert_allclose(run.w, by_hand(problem, w, rule, order, 5), rtol=tolerance, atol=tolerance)
    # Two runs of 25 steps are one of 50: memories and step numbers go on.
    half, _ = one_epoch(problem, begin(w, dtype), rule, order[:125], 5)
    again, _ = one_epoch(problem, half, rule, order[125:], 5)
    assert np.array_equal(again.w, run.w)


@pytest.mark.parametrize("name", SMOOTH)
def test_every_activation(name: str, rng: np.random.Generator) -> None:
    problem, rule = small(rng, REGISTRY[name]()), GradientStep(Constant(0.1))
    order = np.arange(23)
    run, _ = one_epoch(problem, begin(problem.start(), "float64"), rule, order, 6)
    np.testing.assert_allclose(
        run.w, by_hand(problem, problem.start(), rule, order, 6), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("name", [*SCALAR, "softmax"])
def test_every_compiled_loss(name: str, rng: np.random.Generator) -> None:
    loss, k = LOSSES[name](), 3 if name == "softmax" else 1
    y = rng.integers(0, 3, 23).astype(float)
    if loss.labels:
        y = np.where(y > 0.0, 1.0, -1.0)
    elif k == 1:
        y += 0.5
    problem, rule = small(rng, loss=loss, y=y, k=k), GradientStep(Constant(0.1))
    run, _ = one_epoch(problem, begin(problem.start(), "float64"), rule, np.arange(23), 6)
    wanted = by_hand(problem, problem.start(), rule, np.arange(23), 6)
    np.testing.assert_allclose(run.w, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("layout", ["F", "strided", "csr", "csr64"])
def test_layouts_weights_and_scaled_columns(layout: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(23, 4)) * (rng.random((23, 4)) < 0.5)
    more: Any = {"weight": rng.integers(0, 3, 23).astype(float), "scaling": np.array([1.0, 2.0, 0.5, 4.0])}
    sparse: Any = sp.csr_array(X)
    if layout == "csr64":
        sparse.indices, sparse.indptr = sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)
    elif layout in ("F", "strided"):
        more["center"] = np.array([0.5, 0.0, -1.0, 2.0])
        sparse = np.asfortranarray(X) if layout == "F" else np.repeat(X, 2, axis=1)[:, ::2]
    problem, rule = small(rng, X=sparse, y=rng.normal(size=(23, 2)), k=2, **more), GradientStep(Constant(0.1))
    order = epoch_order(np.flatnonzero(more["weight"]), 3, 1)
    run, _ = one_epoch(problem, begin(problem.start(), "float64"), rule, order, 7, clip=0.05)
    wanted = by_hand(problem, problem.start(), rule, order, 7, clip=0.05)
    np.testing.assert_allclose(run.w, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("norm", [None, *sorted(NORMALIZATIONS)])
def test_any_number_of_threads_gives_the_same_bits(norm: Any, rng: np.random.Generator) -> None:
    # The fifth to eighth step are tried on all threads; the others are on as many as were quicker.
    X, y = rng.normal(size=(650, 150)).astype(np.float32), rng.integers(0, 7, 650).astype(float)
    data = ArrayBlocks(Design(X), y, np.ones(650))
    layers = Layers.of((150, 131, 201, 7), ReLU(), NORMALIZATIONS[norm]() if norm else None)
    problem = NetworkProblem(layers, Softmax(), data, alpha=0.01)
    found = []
    for threads in (1, 2):
        with threadpool_limits(1, user_api="blas"), threadpool_limits(threads, user_api="openmp"):
            run, _ = one_epoch(
                problem, begin(problem.start(), "float32"), RULES["adam"](Constant(1e-3)), np.arange(650),
                64, dropout=0.3, clip=1.0,
            )  # fmt: skip
            found.append(run.w)
    assert np.array_equal(*found)


def test_an_epoch_has_an_order_of_its_own() -> None:
    rows = np.arange(3, 40)
    orders = [epoch_order(rows, seed, epoch) for seed, epoch in ((0, 1), (0, 2), (1, 1), (0, 1))]
    assert all(sorted(order) == rows.tolist() for order in orders)
    assert orders[0].tolist() == orders[3].tolist()
    assert len({tuple(order) for order in orders}) == 3


def test_dropout_leaves_the_mean_and_follows_the_seed(rng: np.random.Generator) -> None:
    # One linear hidden layer with weights 1 and a last layer of means: the score is the mean of kept units.
    n, units = 400, 500
    data = ArrayBlocks(Design(np.ones((n, 1))), np.zeros(n), np.ones(n))
    layers = Layers((1, units, 1), (Identity(), Identity()))
    w = np.concatenate([np.ones(units), np.zeros(units), np.full(units, 1.0 / units), [0.0]])
    rule = GradientStep(Constant(1.0))
    found = []
    for seed in (1, 1, 2):
        problem = NetworkProblem(layers, HalfSquared(), data, seed=seed)
        run, _ = one_epoch(problem, begin(w, "float64"), rule, np.arange(n), n, dropout=0.25)
        found.append(-run.w[-1])  # the step of the last bias: the mean score
    assert found[0] == found[1]
    assert found[0] != found[2]
    # Each of n units draws is 0 or 4/3: a standard deviation of sqrt(1/3) of one.
    for mean in found:
        assert abs(mean - 1.0) < 5.0 * np.sqrt(1.0 / 3.0 / (n * units))


def test_the_first_layer_without_finite_numbers_is_named_and_the_step_is_not_taken(
    rng: np.random.Generator,
) -> None:
    problem = small(rng, ReLU())
    w = problem.start()
    w[20:25] = 0.0
    w[25:40] = 1e200  # weights of layer 2: its sums are finite, those of layer 3 are not
    w[40:43] = 0.0
    w[43:46] = 1e200
    before = w.copy()
    run, bad = one_epoch(problem, begin(w, "float64"), GradientStep(Constant(0.1)), np.arange(23), 6)
    assert bad is not None
    assert (bad.epoch, bad.layer, run.taken) == (1, 3, 0)
    assert np.array_equal(run.w, before)


def test_what_does_not_fit_is_refused_by_name() -> None:
    X, y = np.ones((3, 2)), np.ones((3, 1))
    good: dict[str, Any] = {
        "X": X, "y": y, "weight": None, "w": np.zeros(3), "widths": [2, 1], "activations": ["identity"],
        "loss": "half_squared", "parameter": 0.0, "order": np.arange(3), "batch": 2, "sizes": np.ones(2),
        "rule": "gradient_step",
    }  # fmt: skip
    assert _loops.network_steps(**good) == (2, 0)
    for change, word in (
        ({"X": sp.csc_array(X)}, "rows of CSC"),
        ({"w": np.zeros(4)}, "w must hold one number"),
        ({"w": np.zeros(3, np.float32)}, "w must hold one number"),
        ({"widths": [3, 1]}, "widths must begin"),
        ({"activations": ["cubic"]}, "activation 'cubic'"),
        ({"rule": "cubic"}, "update rule 'cubic'"),
        ({"rule": "adam"}, "needs memory_one"),
        ({"loss": "cubic"}, "loss 'cubic'"),
        ({"loss": "softmax", "y": np.full(3, 2.0)}, "class codes"),
        ({"order": np.array([3])}, "order names a row"),
        ({"sizes": np.ones(1)}, "sizes must cover"),
        ({"batch": 0}, "batch must be"),
        ({"dropout": 1.0}, "dropout must lie"),
    ):
        with pytest.raises(ValueError, match=word):
            _loops.network_steps(**{**good, **change})


def test_an_epoch_leaves_the_run_before_it_alone(rng: np.random.Generator) -> None:
    problem = small(rng)
    before = begin(problem.start(), "float64")
    one_epoch(problem, before, RULES["adam"](Constant(0.1)), np.arange(23), 5)
    assert np.array_equal(before.w, problem.start())
    assert not before.memory[0].any()
    assert isinstance(before, Training)
