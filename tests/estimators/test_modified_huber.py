"""The modified Huber loss in classifiers: the optimum by other roads, and Zhang's probabilities (2004)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import SGDClassifier as Theirs
from sklearn.linear_model import _sgd_fast

import empirisk as er
from empirisk.evaluation.proba_kinds import may_answer_zero
from empirisk.losses import ModifiedHuber

RNG = np.random.default_rng(4)
X = RNG.normal(size=(200, 3))
SCORE = X @ [1.5, -1.0, 0.0] + 0.3
Y = np.where(SCORE + RNG.logistic(size=200) > 0.0, 1, 0)
Y[:6] = SCORE[:6] < 0.0  # wrong labels
THREE = np.argmax(np.column_stack([SCORE, -SCORE, X[:, 2]]) + RNG.gumbel(size=(200, 3)), axis=1)


def objective(w: Any, alpha: float) -> float:
    """Return the mean of half of scikit-learn's loss, written anew, and the penalty."""
    t = np.where(Y == 1, 1.0, -1.0) * (X @ w[:3] + w[3])
    loss = np.where(t >= -1.0, np.maximum(0.0, 1.0 - t) ** 2, -4.0 * t) / 2
    return float(loss.mean() + 0.5 * alpha * w[:3] @ w[:3])


def test_values_are_half_of_scikit_learns() -> None:
    theirs = _sgd_fast.ModifiedHuber()
    ours = ModifiedHuber()
    for y in (-1.0, 1.0):
        for z in (-3.0, -1.0, -0.5, 0.0, 0.7, 1.0, 2.0):
            value = float(ours.value(np.array([y]), np.array([z]))[0])
            assert value == pytest.approx(theirs.py_loss(y, z) / 2, abs=1e-15)


def test_the_conjugate_is_that_of_a_search() -> None:
    loss, z = ModifiedHuber(), np.linspace(-50.0, 50.0, 2_000_001)
    for y in (-1.0, 1.0):
        value = loss.value(np.full_like(z, y), z)
        for v in (-2.0, -1.7, -1.0, -0.3, 0.0):
            searched = float((v * y * z - value).max())
            assert float(loss.conjugate(np.array([y]), np.array([v * y]))[0]) == pytest.approx(
                searched, abs=1e-8
            )
        assert np.isinf(loss.conjugate(np.array([y]), np.array([-2.01 * y]))[0])
        assert np.isinf(loss.conjugate(np.array([y]), np.array([0.01 * y]))[0])


@pytest.mark.parametrize(
    "make",
    [
        lambda a: er.LinearSVC(a, loss="modified_huber", tol=1e-12),
        lambda a: er.LinearSVC(a, loss="modified_huber", tol=1e-10, solver="sdca"),
        lambda a: er.SGDClassifier("modified_huber", a, n_epochs=20, tol=1e-10),
    ],
    ids=["newton", "sdca", "svrg"],
)
def test_the_optimum_is_that_of_a_simplex_search(make: Any) -> None:
    model = make(0.05).fit(X, Y)
    assert model.certificate_.within(1e-9)
    searched = minimize(
        objective, np.zeros(4), (0.05,), "Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-15, "maxiter": 20_000, "maxfev": 20_000},
    )  # fmt: skip
    w = np.append(model.coef_[0], model.intercept_)
    np.testing.assert_allclose(w, searched.x, atol=1e-4)
    assert objective(w, 0.05) <= searched.fun + 1e-10


def test_probabilities_of_two_classes() -> None:
    model = er.SGDClassifier("modified_huber", 0.01).fit(X, Y)
    z, p = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_allclose(p[:, 1], (np.clip(z, -1.0, 1.0) + 1.0) / 2.0, rtol=0.0, atol=1e-15)
    np.testing.assert_array_equal(p.sum(axis=1), 1.0)
    assert p.min() == 0.0
    assert may_answer_zero(model)
    assert not may_answer_zero(er.SGDClassifier("logistic"))
    logs = model.predict_log_proba(X)
    assert np.isneginf(logs[p == 0.0]).all()
    np.testing.assert_allclose(np.exp(logs), p, rtol=1e-14)


def test_probabilities_of_three_classes_are_scikit_learns() -> None:
    model = er.SGDClassifier("modified_huber", 0.01, n_epochs=20).fit(X, THREE)
    theirs = Theirs(loss="modified_huber").fit(X, THREE)
    model.intercept_ = model.intercept_ - 10.0  # some rows are of no class then
    theirs.coef_, theirs.intercept_ = model.coef_, model.intercept_
    wide = 5.0 * np.random.default_rng(0).normal(size=(500, 3))
    found, wanted = model.predict_proba(wide), theirs.predict_proba(wide)
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-15)
    nothing = (model.decision_function(wide) <= -1.0).all(axis=1)
    assert nothing.any()
    np.testing.assert_allclose(found[nothing], 1.0 / 3.0, atol=1e-15)
    np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(wide))


def test_scores_without_probabilities_say_so() -> None:
    model = er.SGDClassifier("squared_hinge").fit(X, Y)
    with pytest.raises(AttributeError, match="needs the logistic or the modified Huber loss"):
        model.predict_proba(X)
