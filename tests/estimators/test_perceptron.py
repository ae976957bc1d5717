"""The perceptron against its definition, row by row in plain Python, and against its bound."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import empirisk as er
from empirisk.estimators.training import release
from empirisk.results import Kind


def walk(X: np.ndarray, y: np.ndarray, orders: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, int]:
    """Last and mean weights, and the number of mistakes."""
    A = np.column_stack([X, np.ones(len(X))])
    v, total, seen, mistakes = np.zeros(A.shape[1]), np.zeros(A.shape[1]), 0, 0
    for order in orders:
        for i in order:
            if y[i] * (A[i] @ v) <= 0.0:
                v = v + y[i] * A[i]
                mistakes += 1
            total, seen = total + v, seen + 1
    return v, total / seen, mistakes


def overlapping(rng: np.random.Generator, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    X = rng.integers(-8, 9, size=(n, 3)) / 8.0  # sums without rounding: equal decisions whatever their order
    return X, np.where(X.sum(axis=1) + rng.normal(size=n) > 0, 1, -1)


FORMS = [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array, lambda X: X.astype(np.float32)]


@pytest.mark.parametrize("form", FORMS)
def test_definition(form: Any, rng: np.random.Generator) -> None:
    X, y = overlapping(rng)
    last, mean, mistakes = walk(X, y, [np.arange(60)] * 4)
    for variant, want in (("last", last), ("averaged", mean)):
        model = er.Perceptron(variant, shuffle=False, n_epochs=4).fit(form(X), y)
        np.testing.assert_allclose([*model.coef_[0], model.intercept_[0]], want, rtol=1e-6, atol=1e-6)
        assert model.mistakes_.tolist() == [mistakes]
        assert model.n_iter_ == 4
        assert not model.converged_
        assert model.certificate_.kind is Kind.NONE
        assert "no hyperplane separates" in model.certificate_.claim


def test_pocket_keeps_the_fewest_errors(rng: np.random.Generator) -> None:
    X, y = overlapping(rng, 200)
    pocket = er.Perceptron("pocket", n_epochs=30).fit(X, y).score(X, y)
    assert all(pocket >= er.Perceptron("last", n_epochs=k).fit(X, y).score(X, y) for k in range(1, 31))


@pytest.mark.parametrize("intercept", [True, False])
def test_mistakes_stay_below_the_bound(intercept: bool, rng: np.random.Generator) -> None:
    """R and B from an independent quadratic programme."""
    from scipy.optimize import minimize

    for _ in range(5):
        X = rng.normal(size=(40, 2)) + 0.5
        f = X @ rng.normal(size=2) + 0.3 * intercept
        X, y = X[np.abs(f) > 0.2], np.sign(f[np.abs(f) > 0.2])
        if abs(y.sum()) == len(y):
            continue
        A = np.column_stack([X, np.ones(len(X))]) if intercept else X
        rows = {"type": "ineq", "fun": lambda v, A=A, y=y: y * (A @ v) - 1.0}
        best = minimize(
            lambda v: v @ v / 2, 10 * f.std() * np.ones(A.shape[1]), constraints=[rows], method="SLSQP"
        )
        want = np.max((A**2).sum(axis=1)) * 2.0 * best.fun
        model = er.Perceptron(fit_intercept=intercept, n_epochs=10_000).fit(X, y)
        assert model.converged_
        assert model.score(X, y) == 1.0
        assert model.bound_[0] == pytest.approx(math.floor(want), abs=1.0 + 1e-5 * want)
        assert 0 < model.mistakes_[0] <= model.bound_[0]
        assert model.certificate_.kind is Kind.EXACT
        assert "within the bound" in model.certificate_.claim


def test_classes_against_the_rest(rng: np.random.Generator) -> None:
    centres = np.array([[0.0, 6.0], [6.0, -3.0], [-6.0, -3.0]])
    codes = rng.integers(0, 3, size=90)
    X = centres[codes] + rng.normal(size=(90, 2))
    model = er.Perceptron(n_epochs=1000).fit(X, np.array(["a", "b", "c"])[codes])
    assert model.coef_.shape == (3, 2)
    assert model.converged_
    assert model.score(X, np.array(["a", "b", "c"])[codes]) == 1.0
    assert (model.mistakes_ <= model.bound_).all()


def test_blocks_are_one_pass(rng: np.random.Generator) -> None:
    X, y = overlapping(rng)
    for variant in ("last", "averaged"):
        whole = er.Perceptron(variant, shuffle=False, n_epochs=1).fit(X, y)
        blocks = er.Perceptron(variant)
        for first in range(0, 60, 20):
            blocks.partial_fit(X[first : first + 20], y[first : first + 20], classes=[-1, 1])
        np.testing.assert_allclose(blocks.coef_, whole.coef_, rtol=1e-12)
        np.testing.assert_array_equal(blocks.mistakes_, whole.mistakes_)
    with pytest.raises(ValueError, match="classes must name all labels"):
        er.Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"label 7 in row 0"):
        blocks.partial_fit(X[:2], [7, 1])


def test_bad_variant_is_named() -> None:
    with pytest.raises(ValueError, match="variant must be one of 'averaged', 'pocket', 'last'"):
        er.Perceptron("voted").fit([[0.0], [1.0]], [0, 1])


def test_the_bound_is_about_the_rows_of_the_fit_whenever_it_is_read(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 2))
    y = np.where(X.sum(axis=1) > 0.0, 1, -1)
    X += 0.2 * y[:, None]
    at_once = er.Perceptron(fit_intercept=False).fit(X, y)
    want, told = at_once.bound_.copy(), at_once.certificate_.claim
    for read in (lambda m: m, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), release):
        rows = X.copy()
        model = er.Perceptron(fit_intercept=False).fit(rows, y)
        assert "claim" not in vars(model.certificate_)  # not yet written
        rows[:] = 0.0
        late = read(model)
        np.testing.assert_array_equal(late.bound_, want)
        assert late.certificate_.claim == told
        assert late._bounds.rows is None


def test_a_bound_needs_a_fit() -> None:
    with pytest.raises(NotFittedError):
        _ = er.Perceptron().bound_
