"""A class without weight costs nothing: its probability is 0 in the dual, and the certificate knows it."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from empirisk.losses.softmax import Softmax


@pytest.mark.parametrize("weighted", [0.0, 0.3])
def test_a_balanced_point_is_feasible_and_near_where_it_was(weighted: float) -> None:
    g = np.random.default_rng(0)
    y, s = np.arange(30) % 4 * 1.0, g.uniform(0.5, 2.0, 30)
    s[y == 3] = weighted
    z = g.normal(size=(30, 4)) - np.array([0.0, 0.0, 0.0, 20.0 if weighted == 0.0 else 0.0])
    loss = Softmax()
    theta = -loss.grad(y, z)
    out = loss.balance(y, theta.copy(), s)
    np.testing.assert_allclose(s @ out, 0.0, atol=1e-12)
    assert np.isfinite(loss.conjugate(y, -out)[s > 0.0]).all()


def test_rows_that_gave_all_to_an_absent_class_stay_feasible() -> None:
    loss, y, s = Softmax(), np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0, 0.0])
    z = np.array([[0.0, 0.0, 900.0], [0.0, 0.0, 900.0], [0.0, 0.0, 900.0]])
    out = loss.balance(y, -loss.grad(y, z), s)
    np.testing.assert_allclose(s @ out, 0.0, atol=1e-12)
    assert np.isfinite(loss.conjugate(y, -out)[:2]).all()


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("by", ["sample_weight", "class_weight"])
def test_a_fit_with_an_absent_class_is_certified_in_a_few_steps(l1_ratio: float, by: str) -> None:
    g = np.random.default_rng(0)
    X, y = g.normal(size=(60, 3)), np.arange(60) % 2
    y[57:] = 2
    weight = (y < 2) * 1.0
    named = {0: 1.0, 1: 1.0, 2: 0.0} if by == "class_weight" else None
    model = er.LogisticRegression(0.05, l1_ratio=l1_ratio, class_weight=named)
    model.fit(X, y, sample_weight=None if named else weight)
    assert model.certificate_.within(model.tol)
    assert model.n_iter_ <= 10
    assert model.predict_proba(X)[:, 2].max() < 1e-9
    assert er.verify(model, X, y, None if named else weight).within(1e-6)
