"""The start of a network, which certificates are compared with, on some of many rows; passes by threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from empirisk.data import ArrayBlocks, BlockList, Design
from empirisk.data.some_rows import some_rows
from empirisk.losses import HalfSquared
from empirisk.problems import Layers, NetworkProblem
from empirisk.problems.activations import ReLU, Tanh
from empirisk.problems.network import PROBE


def mean(problem: NetworkProblem, w: np.ndarray) -> float:
    """The mean loss by one product over all rows."""
    (block,) = problem.data
    z = problem.layers.scores(w, block.design.X)[:, 0]
    return float(0.5 * block.weight @ (z - block.y) ** 2 / block.weight.sum())


def many(rng: np.random.Generator, n: int = 5_000) -> NetworkProblem:
    X, s = rng.normal(size=(n, 2)), rng.integers(1, 3, n).astype(float)
    return NetworkProblem(
        Layers.of((2, 3, 1), Tanh()), HalfSquared(), ArrayBlocks(Design(X), rng.normal(size=n), s)
    )


def test_the_scale_is_the_gradient_at_the_start_on_the_rows_that_are_drawn(rng: np.random.Generator) -> None:
    problem = many(rng)
    few = some_rows(problem.data, PROBE)
    assert few.n_rows == PROBE
    there = replace(problem, data=few)
    w = problem.start()
    assert problem.unit == pytest.approx(np.linalg.norm(there.evaluate(w).grad), rel=1e-12)
    c = problem.certify(w)
    assert c.value == pytest.approx(np.linalg.norm(problem.evaluate(w).grad), rel=1e-12)
    assert c.scale == problem.unit
    assert "of that at the start on 4096 of them" in c.claim
    small = many(rng, PROBE)
    assert small.probe is small
    assert "of that at the start)" in small.certify(w).claim


def test_rows_without_weight_are_not_drawn_and_change_nothing(rng: np.random.Generator) -> None:
    problem = many(rng)
    (block,) = problem.data
    at = np.sort(rng.choice(5_200, 5_000, replace=False))
    X, y, s = np.full((5_200, 2), 1e200), np.zeros(5_200), np.zeros(5_200)
    X[at], y[at], s[at] = block.design.X, block.y, block.weight
    padded = replace(problem, data=ArrayBlocks(Design(X), y, s))
    assert padded.unit == pytest.approx(problem.unit, rel=1e-12)
    blocks = replace(problem, data=BlockList.cut(block.design.X, block.y, block.weight, rows=700))
    assert blocks.unit == pytest.approx(problem.unit, rel=1e-12)


def test_whether_f_rose_is_settled_on_all_rows(rng: np.random.Generator) -> None:
    # Of 20 000 rows those of the probe have one target and the others the opposite one.
    X, y = np.arange(20_000.0)[:, None] / 20_000, np.full(20_000, -1.0)
    drawn = np.concatenate([b.design.X[:, 0] for b in some_rows(ArrayBlocks(Design(X), y, y * 0 + 1), PROBE)])
    y[np.rint(20_000 * drawn).astype(int)] = 1.0
    problem = NetworkProblem(
        Layers((1, 1), (Tanh(),)), HalfSquared(), ArrayBlocks(Design(X), y, np.ones(20_000))
    )
    start = problem.start()
    lower = start - [0.0, 0.5]
    assert problem.probe.evaluate(lower).loss > problem.probe.evaluate(start).loss
    assert mean(problem, lower) < mean(problem, start)
    assert problem.rose(lower, problem.evaluate(lower)) is None
    assert problem.rose(start, problem.evaluate(start)) is None
    usual = many(rng)
    start, far = usual.start(), usual.start() + 10.0
    assert usual.rose(far, usual.evaluate(far)) == pytest.approx(mean(usual, start), rel=1e-12)


def test_a_pass_has_the_same_bits_for_any_number_of_threads(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(6_500, 90)), rng.normal(size=6_500)
    problem = NetworkProblem(
        Layers.of((90, 50, 1), ReLU()), HalfSquared(), ArrayBlocks(Design(X), y, np.ones(6_500))
    )
    w, found = problem.start(), []
    w[90 * 50] = -1e3  # the first unit is silent
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            found.append(problem.evaluate(w))
    assert all(np.array_equal(e.grad, found[0].grad) for e in found)
    assert len({(e.loss, e.size, e.silent) for e in found}) == 1
    assert found[0].silent == (1, 0)
    assert found[0].loss == pytest.approx(mean(problem, w), rel=1e-12)
