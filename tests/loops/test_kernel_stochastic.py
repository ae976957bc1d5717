"""Stochastic steps on the weights of rows: the loop against its plain twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk import _loops
from empirisk.losses import REGISTRY

LOSSES = sorted(name for name, loss in REGISTRY.items() if getattr(loss, "row_slope", False))


def twin(
    K: np.ndarray, y: np.ndarray, order: np.ndarray, loss: Any, alpha: float, first: int, score: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What each step adds, and the scores at the end, from the definition: each score is computed anew."""
    beta, added = np.zeros_like(y), np.zeros((len(y), len(order)))
    for t, i in enumerate(order):
        for c in range(len(y)):
            z = (score[c, i] + beta[c] @ K[:, i]) / (alpha * (first + t))
            added[c, t] = -loss.grad(y[c, i : i + 1], np.array([z]))[0]
            beta[c, i] += added[c, t]
    return added, score + beta @ K


@pytest.mark.parametrize("name", ["hinge", "logistic", "absolute", "perceptron"])
def test_steps_are_those_of_the_definition(name: str, rng: np.random.Generator) -> None:
    assert name in LOSSES
    A = rng.normal(size=(37, 3))
    K = np.exp(-((A[:, None] - A) ** 2).sum(axis=2))
    y = np.where(rng.random((2, 37)) < 0.5, 1.0, -1.0)
    score, order = rng.normal(size=(2, 37)), rng.integers(0, 37, size=90)
    wanted, end = twin(K, y, order, REGISTRY[name](), 0.3, 4, score)
    moved, added = score.copy(), np.empty((2, 90))
    _loops.kernel_stochastic_steps(K, y, order, name, 0.0, 0.3, 4, moved, added)
    np.testing.assert_allclose(added, wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(moved, end, rtol=1e-10, atol=1e-12)
    assert np.count_nonzero(added) > 0


def test_bad_arguments_are_refused() -> None:
    for bad, words in (
        ({"matrix": np.eye(3)}, r"matrix has shape \(3, 3\), expected \(2, 2\)"),
        ({"first": 0}, "first must be at least 1"),
        ({"alpha": 0.0}, "alpha above 0"),
        ({"loss": "nothing"}, "no compiled slope of the loss 'nothing'"),
        ({"y": np.ones(2)}, "y must have a row for each problem"),
        ({"order": np.array([0, 2])}, "order names a row that matrix does not have"),
    ):
        arguments: dict[str, Any] = {
            "matrix": np.eye(2), "y": np.ones((1, 2)), "order": np.array([0, 1]), "loss": "hinge",
            "parameter": 0.0, "alpha": 1.0, "first": 1, "score": np.zeros((1, 2)), "added": np.zeros((1, 2)),
        }  # fmt: skip
        with pytest.raises(ValueError, match=words):
            _loops.kernel_stochastic_steps(**{**arguments, **bad})
