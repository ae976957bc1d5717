"""Stochastic steps on the weights of rows: the loop against its plain twin."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk import _loops
from empirisk.losses import REGISTRY

LOSSES = sorted(name for name, loss in REGISTRY.items() if getattr(loss, "row_slope", False))


def twin(
    K: np.ndarray, y: np.ndarray, loss: object, alpha: float, first: int, score: np.ndarray
) -> np.ndarray:
    """What each step adds, from the definition: the scores are computed anew at every step."""
    added = np.zeros_like(y)
    for t in range(y.shape[1]):
        z = (score[:, t] + added[:, :t] @ K[:t, t]) / (alpha * (first + t))
        for c in range(len(y)):
            added[c, t] = -loss.grad(y[c, t : t + 1], z[c : c + 1])[0]  # type: ignore[attr-defined]
    return added


@pytest.mark.parametrize("name", ["hinge", "logistic", "absolute", "perceptron"])
def test_steps_are_those_of_the_definition(name: str, rng: np.random.Generator) -> None:
    assert name in LOSSES
    A = rng.normal(size=(37, 3))
    K = np.exp(-((A[:, None] - A) ** 2).sum(axis=2))
    K[3] = K[:, 3] = K[5]  # a row that was drawn twice
    y = np.where(rng.random((2, 37)) < 0.5, 1.0, -1.0)
    score = rng.normal(size=(2, 37))
    wanted = twin(K, y, REGISTRY[name](), 0.3, 4, score)
    moved, added = score.copy(), np.empty_like(y)
    _loops.kernel_stochastic_steps(K, y, name, 0.0, 0.3, 4, moved, added)
    np.testing.assert_allclose(added, wanted, rtol=1e-10, atol=1e-12)
    assert np.count_nonzero(added) > 0


def test_bad_arguments_are_refused() -> None:
    K, y = np.eye(2), np.ones((1, 2))
    for bad, words in (
        ({"matrix": np.eye(3)}, r"matrix has shape \(3, 3\), expected \(2, 2\)"),
        ({"first": 0}, "first must be at least 1"),
        ({"alpha": 0.0}, "alpha above 0"),
        ({"loss": "nothing"}, "no compiled slope of the loss 'nothing'"),
        ({"y": np.ones(2)}, "y must have a row for each problem"),
    ):
        arguments = {
            "matrix": K, "y": y, "loss": "hinge", "parameter": 0.0, "alpha": 1.0, "first": 1,
            "score": np.zeros((1, 2)), "added": np.zeros((1, 2)),
        }  # fmt: skip
        with pytest.raises(ValueError, match=words):
            _loops.kernel_stochastic_steps(**{**arguments, **bad})
