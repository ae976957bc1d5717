"""Every normalization: its formula, gradients through it, the compiled form, the rows that it looks at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import empirisk as er
from empirisk import _loops
from empirisk.data import ArrayBlocks, BlockList, Design
from empirisk.estimators.network.training import begin, epoch_order, one_epoch
from empirisk.losses import HalfSquared
from empirisk.optimizers import Constant, GradientStep
from empirisk.problems import Layers, NetworkProblem
from empirisk.problems.activations import REGISTRY as ACTIVATIONS
from empirisk.problems.activations import Identity, Tanh
from empirisk.problems.normalizations import REGISTRY
from tests.loops.test_network import by_hand, small

SMOOTH = sorted(name for name, f in ACTIVATIONS.items() if f.differentiable)


def network(rng: np.random.Generator, norm: Any, f: Any = None, n: int = 13, **more: Any) -> NetworkProblem:
    data = ArrayBlocks(
        Design(rng.normal(size=(n, 3))), rng.normal(size=n), rng.integers(1, 4, n).astype(float)
    )
    layers = Layers((3, 4, 5, 1), (f or Tanh(), f or Tanh(), Identity()), (norm, norm, None))
    return NetworkProblem(layers, HalfSquared(), data, **more)


def anywhere(problem: NetworkProblem, rng: np.random.Generator) -> np.ndarray:
    """Return random parameters, biases and gains too."""
    return problem.start() + 0.5 * rng.normal(size=problem.layers.size)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_formula_in_many_digits(name: str, rng: np.random.Generator) -> None:
    norm, a = REGISTRY[name](), rng.normal([0.0, 1e3, -1.0, 7.0], size=(5, 4))
    moments = (a.mean(axis=0), a.var(axis=0)) if norm.over_rows else None
    u = norm.standardise(a, moments)[0]
    groups = (a.T, u.T) if norm.over_rows else (a, u)
    with mp.workdps(40):
        for group, found in zip(*groups, strict=True):
            exact = [mp.mpf(float(v)) for v in group]
            mean = mp.fsum(exact) / len(exact)
            spread = mp.sqrt(mp.fsum((v - mean) ** 2 for v in exact) / len(exact) + mp.mpf("1e-5"))
            # Sums of size 1000 are rounded at 1e-13 before their mean leaves them.
            np.testing.assert_allclose(found, [float((v - mean) / spread) for v in exact], atol=1e-11)
    assert norm.standardise(a.astype(np.float32), moments)[0].dtype == np.float32


@pytest.mark.parametrize("activation", SMOOTH)
@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_gradients_of_all_rows_by_differences(name: str, activation: str, rng: np.random.Generator) -> None:
    problem = network(rng, REGISTRY[name](), ACTIVATIONS[activation](), alpha=0.1)
    assert [part.name for part in problem.layout.parts if part.name.startswith("gains")] == [
        "gains 1",
        "gains 2",
    ]
    assert max(problem.gradient_check(anywhere(problem, rng)).values()) < 1e-8


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_blocks_weights_and_absent_rows(name: str, rng: np.random.Generator) -> None:
    problem = network(rng, REGISTRY[name](), alpha=0.1)
    w, (block,) = anywhere(problem, rng), problem.data
    X, y, s = block.design.X, block.y, block.weight.astype(int)
    wanted = problem.evaluate(w)
    cut = BlockList.cut(X, y, block.weight, rows=5)
    again = ArrayBlocks(Design(np.repeat(X, s, axis=0)), np.repeat(y, s), np.ones(s.sum()))
    wild = ArrayBlocks(
        Design(np.vstack([np.full((2, 3), 1e200), X])),
        np.append([0.0, 0.0], y),
        np.append([0.0, 0.0], block.weight),
    )
    for data in (cut, again, wild):
        here = replace(problem, data=data)
        found = here.evaluate(w)
        assert found.loss == pytest.approx(wanted.loss, rel=1e-13)
        np.testing.assert_allclose(found.grad, wanted.grad, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(here.scores(w, X), problem.scores(w, X), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_compiled_steps_are_those_of_plain_numpy(name: str, dtype: str, rng: np.random.Generator) -> None:
    plain = small(rng, weight=rng.integers(1, 4, 23).astype(float), alpha=0.05)
    layers = Layers.of(plain.layers.widths, Tanh(), REGISTRY[name]())
    (block,) = plain.data
    data = ArrayBlocks(Design(block.design.X.astype(dtype)), block.y, block.weight)
    problem = replace(plain, layers=layers, data=data)
    order = np.concatenate([epoch_order(np.arange(23), 0, e) for e in range(4)])[:90]
    w, rule = anywhere(problem, rng), GradientStep(Constant(0.1))
    run, bad = one_epoch(problem, begin(w, dtype), rule, order, 6, clip=0.2)
    assert bad is None
    assert run.taken == 15
    tolerance = 1e-10 if dtype == "float64" else 1e-4
    wanted = by_hand(problem, w, rule, order, 6, clip=0.2)
    np.testing.assert_allclose(run.w, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_step_on_all_rows_goes_along_the_gradient_of_the_objective(
    name: str, rng: np.random.Generator
) -> None:
    problem = network(rng, REGISTRY[name](), alpha=0.1)
    w = anywhere(problem, rng)
    run, _ = one_epoch(problem, begin(w, "float64"), GradientStep(Constant(1.0)), np.arange(13), 13)
    np.testing.assert_allclose(w - run.w, problem.gradient(w, problem.evaluate(w)), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_units_of_the_weights_before_it_change_no_answer(name: str, rng: np.random.Generator) -> None:
    problem = network(rng, REGISTRY[name](), n=40)
    w = anywhere(problem, rng)
    larger, X = w.copy(), rng.normal(size=(9, 3))
    for weights, _ in list(problem.layers.split(larger))[:-1]:
        weights *= 64.0
    # But for the 1e-5 beside the variances, which are near 1.
    np.testing.assert_allclose(problem.scores(larger, X), problem.scores(w, X), atol=1e-3)


def test_rows_are_normalised_alone_and_batches_together(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    alone = er.MLPRegressor(6, normalization="layer", n_epochs=3).fit(X, y)
    together = er.MLPRegressor(6, normalization="batch", n_epochs=3).fit(X, y)
    for model in (alone, together):
        np.testing.assert_allclose(model.predict(X[:1]), model.predict(X)[:1], rtol=1e-12)
        assert [len(gain) for gain in model.gains_] == [6, 0]
    assert alone.graph().activations == ("relu, layer norm", "identity")
    assert alone.moments_ == [None, None]
    assert together.moments_[0] is not None
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    sums = scaled @ together.coefs_[0]
    np.testing.assert_allclose(together.moments_[0][0], sums.mean(axis=0), atol=1e-13)
    np.testing.assert_allclose(together.moments_[0][1], sums.var(axis=0), rtol=1e-12)


def test_a_lone_row_at_the_end_is_left_out_of_steps_that_take_variances(rng: np.random.Generator) -> None:
    problem = network(rng, REGISTRY["batch"]())
    rule, start = GradientStep(Constant(0.1)), problem.start()
    run, _ = one_epoch(problem, begin(start, "float64"), rule, np.arange(13), 4)
    short, _ = one_epoch(problem, begin(start, "float64"), rule, np.arange(12), 4)
    assert run.taken == 3
    assert np.array_equal(run.w, short.w)


def test_what_cannot_be_normalised_is_refused_by_name(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    for change, word in (
        ({"normalization": "group"}, "normalization must be"),
        ({"normalization": "layer", "hidden": 1}, "normalization='layer' of layer 1, which has one unit"),
        ({"normalization": "batch", "batch_size": 1}, "normalization='batch' takes the variance"),
    ):
        with pytest.raises(ValueError, match=word):
            er.MLPRegressor(3, n_epochs=2).set_params(**change).fit(X, y)
    with pytest.raises(ValueError, match="needs the means and variances of all rows, which a stream"):
        er.MLPRegressor(3, normalization="batch").partial_fit(X, y)
    with pytest.raises(ValueError, match="normalizations must name one or None for each of the 2 layers"):
        Layers((2, 2, 1), (Tanh(), Identity()), (REGISTRY["layer"](),))
    with pytest.raises(ValueError, match="moments must be the means and variances"):
        REGISTRY["batch"]().standardise(X)
    with pytest.raises(ValueError, match="share and totals"):
        REGISTRY["batch"]().slopes(X, X, np.ones(2))
    good: dict[str, Any] = {
        "X": X, "y": y[:, None], "weight": None, "w": np.zeros(3), "widths": [2, 1], "activations":
        ["identity"], "loss": "half_squared", "parameter": 0.0, "order": np.arange(3), "batch": 2, "sizes":
        np.ones(2), "rule": "gradient_step",
    }  # fmt: skip
    for names, word in ((["cubic"], "normalization 'cubic'"), (["", ""], "normalizations must name one")):
        with pytest.raises(ValueError, match=word):
            _loops.network_steps(**good, normalizations=names)
