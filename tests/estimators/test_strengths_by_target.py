"""One strength for each target of ridge regression and its relatives: separate fits that share products."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge as Theirs

import empirisk as er
from empirisk import _loops

RNG = np.random.default_rng(0)
TALL, WIDE = RNG.normal(size=(80, 6)) + 3.0, RNG.normal(size=(12, 30))
STRENGTHS = [0.01, 0.5, 20.0]


def targets(X: Any) -> Any:
    rng = np.random.default_rng(1)
    return (
        X[:, :3] * [1.0, -2.0, 5.0]
        + rng.normal(size=(len(X), 3)) * [0.1, 1.0, 9.0]
        + np.array([0.0, 10.0, -3.0])
    )


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_they_are_separate_fits(X: Any, weighted: bool, fit_intercept: bool) -> None:
    Y, weight = targets(X), 1.0 + np.arange(len(X)) % 3 if weighted else None
    model = er.Ridge(alpha=np.array(STRENGTHS), fit_intercept=fit_intercept).fit(X, Y, weight)
    assert model.coef_.shape == (3, X.shape[1])
    assert model.predict(X).shape == Y.shape
    for j, alpha in enumerate(STRENGTHS):
        alone = er.Ridge(alpha=alpha, fit_intercept=fit_intercept).fit(X, Y[:, j], weight)
        size = np.abs(alone.coef_).max()
        np.testing.assert_allclose(model.coef_[j], alone.coef_, rtol=0.0, atol=1e-12 * size)
        np.testing.assert_allclose(model.intercept_[j], alone.intercept_, rtol=1e-12, atol=1e-12 * size)
        np.testing.assert_allclose(model.predict(X)[:, j], alone.predict(X), rtol=1e-12, atol=1e-11)
        own = model.by_target_[j].certificate_
        assert own.within(1e-10)
        assert own.claim == alone.certificate_.claim
    np.testing.assert_array_equal(model.alpha_, STRENGTHS)
    assert er.verify(model, X, Y, weight).within(1e-9)


def test_they_are_the_normal_equations() -> None:
    Y = targets(TALL)
    model = er.Ridge(alpha=STRENGTHS).fit(TALL, Y)
    A, B = TALL - TALL.mean(axis=0), Y - Y.mean(axis=0)
    for j, alpha in enumerate(STRENGTHS):
        w = np.linalg.solve(A.T @ A / 80 + alpha * np.eye(6), A.T @ B[:, j] / 80)
        np.testing.assert_allclose(model.coef_[j], w, rtol=1e-10)


def test_intervals_are_those_of_each_target() -> None:
    Y = targets(TALL)
    model, plain = er.Ridge(alpha=[0.0, 0.5, 0.0]).fit(TALL, Y), er.LinearRegression()
    for j in (0, 2):
        wanted = plain.fit(TALL, Y[:, j]).summary()
        found = model.by_target_[j].summary()
        np.testing.assert_allclose(
            found.to_frame().to_numpy(float),
            wanted.to_frame().to_numpy(float),
            rtol=1e-8,
        )
    with pytest.raises(ValueError, match="ask by_target_"):
        model.summary()
    assert "shrinks the coefficients" in str(model.by_target_[1].summary())


def test_an_array_of_strengths_as_scikit_learn_takes_it() -> None:
    Y = targets(TALL)
    theirs = Theirs(alpha=80 * np.array(STRENGTHS)).fit(TALL, Y)
    ours = er.Ridge(alpha=STRENGTHS).fit(TALL, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cv_chooses_for_each_target(X: Any, weighted: bool) -> None:
    Y, weight = targets(X), 1.0 + np.arange(len(X)) % 3 if weighted else None
    model = er.Ridge(alpha=["cv", "1/n", "cv"]).fit(X, Y, weight)
    for j, alpha in enumerate(["cv", "1/n", "cv"]):
        alone = er.Ridge(alpha=alpha).fit(X, Y[:, j], weight)
        assert model.alpha_[j] == pytest.approx(alone.alpha_, rel=1e-12)
        np.testing.assert_allclose(model.coef_[j], alone.coef_, rtol=1e-9, atol=1e-12)
        if alpha == "cv":
            found, wanted = model.by_target_[j].selection_, alone.selection_
            np.testing.assert_allclose(found.loss, wanted.loss, rtol=1e-9)
            np.testing.assert_allclose(found.se, wanted.se, rtol=1e-7)


@pytest.mark.parametrize(("X", "loop"), [(TALL, "gram"), (WIDE, "gram_rows")], ids=["tall", "wide"])
def test_the_products_are_computed_once(X: Any, loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, computed = [], getattr(_loops, loop)

    def counted(*args: Any) -> Any:
        calls.append(loop)
        return computed(*args)

    monkeypatch.setattr(_loops, loop, counted)
    er.Ridge(alpha=STRENGTHS).fit(X, targets(X))
    assert len(calls) == 1
    er.Ridge(alpha=["cv", "cv", "cv"]).fit(X, targets(X))
    assert len(calls) == 2


@pytest.mark.parametrize("kind", ["Lasso", "ElasticNet"])
def test_lasso_and_elastic_net_have_strengths_too(kind: str) -> None:
    Y = targets(TALL)
    model = getattr(er, kind)(alpha=[0.05, 0.2, 0.01], tol=1e-10).fit(TALL, Y)
    for j, alpha in enumerate([0.05, 0.2, 0.01]):
        alone = getattr(er, kind)(alpha=alpha, tol=1e-10).fit(TALL, Y[:, j])
        np.testing.assert_array_equal(model.coef_[j], alone.coef_)


def test_rows_far_from_zero_and_float32() -> None:
    X = TALL + 1e7
    Y = targets(TALL) + np.array([0.0, 1e9, 0.0])
    model = er.Ridge(alpha=STRENGTHS).fit(X, Y)
    single = er.Ridge(alpha=STRENGTHS).fit(TALL.astype(np.float32), targets(TALL))
    assert single.coef_.dtype == np.float32
    for j, alpha in enumerate(STRENGTHS):
        np.testing.assert_allclose(model.coef_[j], er.Ridge(alpha=alpha).fit(X, Y[:, j]).coef_, rtol=1e-9)
        np.testing.assert_allclose(
            single.coef_[j], er.Ridge(alpha=alpha).fit(TALL, targets(TALL)[:, j]).coef_, rtol=1e-4, atol=1e-5
        )


def test_names_pickles_clones_and_new_fits() -> None:
    frame = pd.DataFrame(targets(TALL), columns=["a", "b", "c"])
    model = er.Ridge(alpha=STRENGTHS).fit(TALL, frame)
    assert list(model.by_target_) == ["a", "b", "c"]
    assert "worst of 3 targets" in model.certificate_.claim
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(TALL), model.predict(TALL))
    np.testing.assert_array_equal(clone(model).fit(TALL, frame).coef_, model.coef_)
    one = model.set_params(alpha=0.1).fit(TALL, frame)
    assert not hasattr(one, "by_target_")
    assert one.alpha_ == 0.1


@pytest.mark.parametrize(
    ("y", "alpha", "told"),
    [
        (targets(TALL), [0.1, 0.2], "alpha holds 2 strengths and y 3 targets: give one for each column"),
        (
            targets(TALL)[:, 0],
            [0.1, 0.2],
            "alpha holds 2 strengths and y is 1 target: give alpha as a number",
        ),
        (targets(TALL), [0.1, -1.0, 0.2], "in the target 1: alpha must be a finite number >= 0"),
        (targets(TALL), [0.1, "best", 0.2], "in the target 1: alpha must be a number >= 0"),
    ],
)
def test_wrong_strengths_are_refused(y: Any, alpha: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        er.Ridge(alpha=alpha).fit(TALL, y)


def test_one_problem_has_one_strength() -> None:
    with pytest.raises(ValueError, match="ask for that of each target, with its own alpha"):
        er.Ridge(alpha=STRENGTHS).problem(TALL, targets(TALL))
