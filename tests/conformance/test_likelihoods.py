"""What every likelihood owes: derivatives, slopes of units, moves, and curvature that is kept as claimed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.problems.likelihoods import REGISTRY, Hurdle, Matched, Ordered, ZeroInflated
from tests.oracles.complete import complete


def samples(rng: np.random.Generator) -> dict[str, list[Any]]:
    """Return likelihoods on a few rows, with weights of which one is 0."""
    X, s = rng.normal(size=(40, 2)), rng.integers(0, 3, 40).astype(float)
    codes = np.arange(40) % 3
    s[:3] = 1.0
    sets = np.arange(40) // 5
    counts, known = np.maximum(codes * (np.arange(40) % 4) - 1.0, 0.0), 0.1 * X[:, 0]
    return {
        "ordered": [Ordered(X, codes, s, 3), Ordered(X, codes, s, 3, "probit")],
        "matched": [Matched(X, codes == 1, sets, 1.0 + sets % 3), Matched(X, codes < 2, sets, np.ones(40))],
        **{
            law.name: [law(X, X[:, :1], counts, s, known, dispersed) for dispersed in (False, True)]
            for law in (Hurdle, ZeroInflated)
        },
    }


EACH = [(name, k) for name, found in samples(np.random.default_rng(0)).items() for k in range(len(found))]
each = pytest.mark.parametrize(("name", "k"), EACH, ids=str)


def at(name: str, k: int, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    """Return a likelihood, and a point that is no optimum."""
    model = samples(rng)[name][k]
    w = model.start()
    return model, w + 0.1 * rng.normal(size=w.shape)


def test_every_likelihood_is_tried(rng: np.random.Generator) -> None:
    complete(samples(rng), REGISTRY, "a sample", "samples in tests/conformance/test_likelihoods.py")


@each
def test_derivatives_are_those_of_the_value(name: str, k: int, rng: np.random.Generator) -> None:
    model, w = at(name, k, rng)
    found, h = model.sums(w, True), 1e-5
    ends = [(model.sums(w + h * d, False), model.sums(w - h * d, False)) for d in np.eye(len(w))]
    np.testing.assert_allclose(found.grad, [(a.loss - b.loss) / (2 * h) for a, b in ends], atol=1e-8)
    np.testing.assert_allclose(found.hess, [(a.grad - b.grad) / (2 * h) for a, b in ends], atol=1e-7)
    mean = model.weight @ model.slopes(w) / model.weight.sum()
    np.testing.assert_allclose(mean, found.grad, atol=1e-13)


@each
def test_what_moves_nothing_changes_nothing(name: str, k: int, rng: np.random.Generator) -> None:
    model, w = at(name, k, rng)
    moved = model.moves(w, np.eye(len(w)))
    assert max(np.abs(m).max(initial=0.0) for m in moved) > 0.0
    assert all(not np.any(m) for m in model.moves(w, np.zeros((len(w), 2))))


@each
def test_the_hessian_keeps_the_share_that_is_claimed(name: str, k: int, rng: np.random.Generator) -> None:
    model, w = at(name, k, rng)
    here = model.sums(w, True).hess
    for size in (0.01, 0.1, 0.3):
        for _ in range(20):
            step = size * rng.normal(size=len(w))
            reach = [np.abs(m[:, 0]) for m in model.moves(w, step[:, None])]
            share = model.shrinkage(w, reach)
            there = model.sums(w + step, True)
            if there.hess is None or share == 0.0:
                continue
            assert 0.0 <= share <= 1.0
            assert np.linalg.eigvalsh(there.hess - share * here).min() >= -1e-12
