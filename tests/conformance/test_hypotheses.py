"""Any hypothesis class of the registry: labellings against brute force, best members, counts, refusals."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from empirisk.hypotheses import (
    REGISTRY,
    Boxes,
    Conjunctions,
    FiniteClass,
    Halfspaces,
    Intervals,
    PolynomialThresholds,
    Thresholds,
)
from empirisk.results import Kind
from tests.oracles.labellings import all_labellings, realisable

TABLE = np.array([[0, 0, 1, 1, 0], [1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [1, 1, 1, 1, 0], [0, 0, 1, 1, 0]])
VARIANTS: dict[str, list[Any]] = {
    "conjunctions": [Conjunctions(), Conjunctions(monotone=True)],
    "finite_class": [FiniteClass(TABLE)],
    "thresholds": [Thresholds(), Thresholds(two_sided=True)],
    "intervals": [Intervals(), Intervals(k=2), Intervals(two_sided=True)],
    "halfspaces": [Halfspaces(), Halfspaces(intercept=False)],
    "polynomial_thresholds": [PolynomialThresholds(2), PolynomialThresholds(0)],
}
CLASSES = [c for name, make in REGISTRY.items() for c in (VARIANTS[name] if name in VARIANTS else [make()])]
each = pytest.mark.parametrize("c", CLASSES, ids=lambda c: repr(c)[:40])


def points(c: Any, rng: np.random.Generator, n: int) -> np.ndarray:
    """Points of the domain, half of the time on a coarse grid with copies and collinear triples."""
    if c.name == "finite_class":
        return rng.integers(0, TABLE.shape[1], size=(n, 1)).astype(float)
    if c.name == "conjunctions":
        return rng.integers(0, 2, size=(n, int(rng.integers(1, 5)))).astype(float)
    if c.name == "sine":
        return rng.integers(-8, 9, size=(n, 1)).astype(float)
    d = c._dimension() or int(rng.integers(1, 4))
    if rng.random() < 0.5:
        return rng.normal(size=(n, d))
    return rng.integers(0, 3, size=(n, d)).astype(float)


def cases(c: Any, seed: int, count: int, largest: int = 6) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [points(c, rng, int(rng.integers(1, largest + 1))) for _ in range(count)]


@each
def test_the_restriction_is_every_realisable_labelling(c: Any) -> None:
    for X in cases(c, 1, 8):
        made = {tuple(row) for row in c.restriction(X).tolist()}
        assert made == {tuple(y.tolist()) for y in all_labellings(len(X)) if realisable(c, X, y)}, X
        assert np.array_equal(np.unique(c.restriction(X), axis=0), c.restriction(X))


@each
def test_shattering_has_a_witness_or_a_hypothesis_for_each_labelling(c: Any) -> None:
    for X in cases(c, 2, 8, 5):
        answer = c.shatters(X)
        made = c.restriction(X)
        assert bool(answer) == (len(made) == 2 ** len(X))
        for labelling in made:
            assert np.array_equal(answer.hypothesis(labelling)(X), labelling)
        if not answer:
            assert not (made == answer.witness).all(axis=1).any()
            with pytest.raises(ValueError, match=f"none of the {c.words}"):
                answer.hypothesis(answer.witness)
        assert answer.sentence in repr(answer)
        assert len(answer.to_frame()) == len(X)


@each
def test_fit_is_the_best_of_the_restriction(c: Any) -> None:
    rng = np.random.default_rng(3)
    for X in cases(c, 3, 12, 8):
        y = rng.integers(0, 2, size=len(X))
        weight = rng.integers(0, 4, size=len(X)) + (0.0 if rng.random() < 0.5 else 0.5)
        if not weight.any():
            continue
        wrong = (c.restriction(X) != y) @ weight
        fitted = clone(c).fit(X, y, weight)
        assert fitted.training_error_ == pytest.approx(wrong.min() / weight.sum(), abs=1e-12), X
        assert fitted.certificate_.kind is Kind.EXACT
        assert fitted.certificate_.at_floor
        assert weight @ (fitted.predict(X) != y) == pytest.approx(wrong.min(), abs=1e-9)


@each
def test_weights_are_repetitions(c: Any) -> None:
    X = points(c, np.random.default_rng(4), 7)
    y = np.array([0, 1, 1, 0, 1, 0, 1])
    times = np.array([1, 3, 0, 2, 1, 0, 2])
    weighted = clone(c).fit(X, y, times)
    repeated = clone(c).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.training_error_ == pytest.approx(repeated.training_error_)
    assert np.array_equal(weighted.predict(X), repeated.predict(X))


@each
def test_the_growth_function_is_never_exceeded(c: Any) -> None:
    for X in cases(c, 5, 15, 7):
        here = c._among(X.shape[1])
        assert len(c.restriction(X)) <= here.growth(len(X))
        assert here.log_growth(len(X)) == pytest.approx(math.log(here.growth(len(X))))
    assert c._among(2).growth(0) == 1


@each
def test_labels_of_any_kind_and_copies_of_the_estimator(c: Any) -> None:
    X = points(c, np.random.default_rng(6), 6)
    fitted = clone(c).fit(X, np.array(["no", "yes", "yes", "no", "yes", "no"]))
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert set(fitted.predict(X)) <= {"no", "yes"}
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(X), fitted.predict(X))
    assert clone(c).fit(X, np.ones(6)).training_error_ == pytest.approx(
        1.0 - c.restriction(X).mean(axis=1).max()
    )


@each
@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        ([[0.0], [math.nan]], [0, 1], None, "NaN in row 1, column 0"),
        ([[0.0], [math.inf]], [0, 1], None, "inf"),
        ([[0.0], [1.0], [1.0]], [0, 1, 2], None, "3 labels"),
        (np.empty((0, 1)), [], None, "0 sample"),
        ([[0.0], [1.0]], None, None, "requires y"),
        ([[0.0], [1.0]], [0, 1], [1.0, -1.0], "row 1"),
        ([[0.0], [1.0]], [0, 1], [0.0, 0.0], "zero for every row"),
    ],
)
def test_bad_input_is_refused_by_name(c: Any, X: Any, y: Any, weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        clone(c).fit(X, y, weight)


@each
def test_bad_points_are_refused(c: Any) -> None:
    for bad in ([], [[]], [["a"]], [[math.nan]], np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match=r"point|numbers|shape"):
            c.restriction(bad)
    for n in (-1, 2.5, True):
        with pytest.raises(ValueError, match="n must be an integer >= 0"):
            c.growth(n)


def test_a_large_answer_is_forecast_and_refused() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(ValueError, match=r"may hold up to .* labellings of 60 distinct points"):
        Boxes().restriction(X, max_labellings=1000)
    with pytest.raises(ValueError, match="columns"):
        Thresholds().restriction(X)
    with pytest.raises(ValueError, match="give n_features, or fit"):
        Halfspaces().vc_dimension()
