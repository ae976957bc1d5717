"""Probabilities that losses of labels read off a score: those at which the score has the least risk."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.losses import REGISTRY
from empirisk.typing import Capability


def has_probabilities(name: str) -> bool:
    """Whether the loss is smooth, of two labels, and has an inverse link."""
    loss = REGISTRY[name]()
    if loss.vector or not loss.labels or Capability.GRAD not in loss.offers:
        return False
    try:
        loss.mean(np.zeros(1))
    except TypeError:
        return False
    return True


SMOOTH = [name for name in sorted(REGISTRY) if has_probabilities(name)]


@pytest.mark.parametrize("name", SMOOTH)
def test_the_score_is_the_best_one_under_its_probability(name: str) -> None:
    loss = REGISTRY[name]()
    z = np.linspace(-0.9, 0.9, 13)
    p, one = loss.mean(z), np.ones_like(z)
    assert np.all((p > 0.0) & (p < 1.0))
    # d/dz (p l(1, z) + (1 - p) l(-1, z)) = 0
    slope = p * loss.grad(one, z) + (1.0 - p) * loss.grad(-one, z)
    np.testing.assert_allclose(slope, 0.0, atol=1e-13)


def test_the_losses_that_are_known_to_have_probabilities_are_here() -> None:
    assert {"exponential", "squared_hinge", "modified_huber", "logistic", "probit"} <= set(SMOOTH)


def test_the_best_scores_of_known_probabilities() -> None:
    # Half the log-odds (Friedman, Hastie and Tibshirani 2000) and the odds' mean (Zhang 2004).
    assert REGISTRY["exponential"]().mean(np.array([0.5 * np.log(0.8 / 0.2)])) == pytest.approx(0.8)
    assert REGISTRY["squared_hinge"]().mean(np.array([2.0 * 0.8 - 1.0])) == pytest.approx(0.8)
    assert REGISTRY["modified_huber"]().mean(np.array([2.0 * 0.8 - 1.0])) == pytest.approx(0.8)
    assert REGISTRY["logistic"]().mean(np.array([np.log(0.8 / 0.2)])) == pytest.approx(0.8)
