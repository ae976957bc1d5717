"""The one-versus-rest loss is the sum of its base over the classes, whatever the base."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared, Hinge, Logistic, OneVersusRest, Perceptron, SquaredHinge
from empirisk.penalties import L2
from empirisk.problems import LinearProblem


@pytest.mark.parametrize("base", [Hinge(), SquaredHinge(), Perceptron(), Logistic()], ids=lambda b: b.name)
def test_is_a_sum_over_the_classes(base, rng):
    loss, y, z = OneVersusRest(base, 3), rng.integers(0, 3, size=40), rng.normal(size=(40, 3))
    u, s = -0.3 * loss.signs(y) * rng.random((40, 3)), rng.random(40)
    for c in range(3):
        label = np.where(y == c, 1.0, -1.0)
        np.testing.assert_array_equal(loss.grad(y, z)[:, c], base.grad(label, z[:, c]))
        np.testing.assert_array_equal(loss.hess(y, z)[:, c], base.hess(label, z[:, c]))
        np.testing.assert_array_equal(loss.balance(y, -u, s)[:, c], base.balance(label, -u[:, c], s))
        assert loss.best_constant(y, s)[c] == base.best_constant(label, s)
    labels = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    parts = [base.value(labels[:, c], z[:, c]) for c in range(3)]
    np.testing.assert_allclose(loss.value(y, z), np.sum(parts, axis=0), rtol=1e-15)
    parts = [base.conjugate(labels[:, c], u[:, c]) for c in range(3)]
    np.testing.assert_allclose(loss.conjugate(y, u), np.sum(parts, axis=0), rtol=1e-14)


def test_gap_is_the_sum_of_the_gaps(rng):
    X, y, s = rng.normal(size=(50, 3)), rng.integers(0, 3, size=50), rng.random(50)
    w = rng.normal(size=(4, 3))
    whole = LinearProblem(OneVersusRest(Logistic(), 3), L2(0.1), ArrayBlocks(Design(X), y, s), n_outputs=3)
    gaps = [
        LinearProblem(Logistic(), L2(0.1), ArrayBlocks(Design(X), np.where(y == c, 1.0, -1.0), s))
        .certify(w[:, c])
        .value
        for c in range(3)
    ]
    assert whole.certify(w).value == pytest.approx(sum(gaps), rel=1e-12)


def test_base_must_be_a_loss_of_labels():
    with pytest.raises(ValueError, match="base must be a loss of the labels"):
        OneVersusRest(HalfSquared())
