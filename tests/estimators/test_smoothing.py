"""Smoothed class shares: the formula, no probability of 0, and the bits of the shares without smoothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.evaluation.proba_kinds import may_answer_zero

KINDS = (er.DecisionTreeClassifier, er.RandomForestClassifier, er.ExtraTreesClassifier)


def letters(rng: np.random.Generator, n: int = 120, classes: int = 3) -> tuple[Any, Any]:
    X = rng.normal(size=(n, 3))
    return X, np.array(list("abc"))[(X[:, 0] > 0).astype(int) + (classes == 3) * (X[:, 1] > 0)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_half_a_row_is_added_to_each_class(kind: Any, classes: int, rng: np.random.Generator) -> None:
    X, y = letters(rng, classes=classes)
    weight = rng.integers(0, 3, y.size).astype(float)
    plain, smooth = (kind(random_state=0, smoothing=s).fit(X, y, weight) for s in (0.0, 0.5))
    p, n = plain.predict_proba(X), weight.sum()
    wanted = (p * n + 0.5) / (n + 0.5 * classes)
    found = smooth.predict_proba(X)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert p.min() == 0.0
    assert found.min() > 0.0
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-14)
    assert np.array_equal(plain.predict(X), smooth.predict(X))


@pytest.mark.parametrize("kind", KINDS)
def test_without_smoothing_the_shares_keep_their_bits(kind: Any, rng: np.random.Generator) -> None:
    X, y = letters(rng)
    model = kind(random_state=0).fit(X, y)
    trees = model.tree_ if hasattr(model, "tree_") else model.trees_
    assert np.array_equal(model.predict_proba(X), trees.predict(X) / len(trees))


def test_a_smoothed_tree_stays_smoothed_when_it_is_pruned(rng: np.random.Generator) -> None:
    X, y = letters(rng)
    grown = er.DecisionTreeClassifier(alpha=None, smoothing=1.0, min_samples_leaf=3).fit(X, y)
    pruned, own = grown.prune(alpha=0.02), er.DecisionTreeClassifier(alpha=0.02, smoothing=1.0)
    own.set_params(min_samples_leaf=3).fit(X, y)
    assert np.array_equal(pruned.predict_proba(X), own.predict_proba(X))


def test_the_weights_of_classes_count(rng: np.random.Generator) -> None:
    X, y = letters(rng, classes=2)
    model = er.DecisionTreeClassifier(class_weight={"a": 2.0, "b": 1.0}, smoothing=1.0).fit(X, y)
    n = float(np.where(y == "a", 2.0, 1.0).sum())
    assert model.predict_proba(X).min() == pytest.approx(1.0 / (n + 2.0), rel=1e-12)


def test_out_of_bag_shares_are_smoothed_and_their_log_loss_is_finite(rng: np.random.Generator) -> None:
    X, y = letters(rng)
    y[:5] = "c"
    plain, smooth = (er.RandomForestClassifier(30, smoothing=s).fit(X, y) for s in (0.0, 0.5))
    shown = (plain.oob_decision_function_ + 0.5 / 120) / (1.0 + 1.5 / 120)
    np.testing.assert_allclose(smooth.oob_decision_function_, shown, rtol=1e-14)
    own = shown[np.arange(120), np.searchsorted(smooth.classes_, y)]
    assert smooth.oob_risks_["log loss"].value == pytest.approx(float(-np.log(own).mean()), rel=1e-12)
    assert plain.oob_risks_["error rate"].value == smooth.oob_risks_["error rate"].value
    found = smooth.interval(X[:4])
    np.testing.assert_allclose(found.value, smooth.predict_proba(X[:4]), rtol=1e-12)
    assert np.all((found.low <= found.value) & (found.value <= found.high))


@pytest.mark.parametrize("kind", KINDS)
def test_a_smoothed_model_is_judged_by_the_log_loss(kind: Any, rng: np.random.Generator) -> None:
    assert may_answer_zero(kind())
    assert not may_answer_zero(kind(smoothing=0.5))
    X, y = letters(rng)
    model = kind(smoothing=0.5, random_state=0).fit(X[:80], y[:80])
    assert np.isfinite(er.evaluate(model, X[80:], y[80:])["log_loss"].value)


@pytest.mark.parametrize("wrong", [-1.0, np.inf, "half", None, True])
@pytest.mark.parametrize("kind", KINDS)
def test_an_impossible_number_of_rows_is_refused(kind: Any, wrong: Any, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="smoothing must be a finite number >= 0"):
        kind(smoothing=wrong).fit(*letters(rng))
