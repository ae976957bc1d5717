"""Separable or not: against enumeration in fractions; the proofs that are handed out, too."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from tests.oracles.rational import separation_kind


def proved_apart(model: Any, X: np.ndarray, y: np.ndarray) -> bool:
    """The hyperplane has every row strictly on its side, without rounding."""
    w, b = [Fraction(float(v)) for v in model.coef_[0]], Fraction(float(model.intercept_[0]))
    return all(
        (sum((Fraction(float(v)) * c for v, c in zip(x, w, strict=True)), b) > 0) == (label == 1)
        for x, label in zip(X, y, strict=True)
    )


def check_witness(model: Any, X: np.ndarray, y: np.ndarray, intercept: bool) -> None:
    """Positive weights, rows of both classes, and equal weighted sums."""
    witness = model.witness_
    assert witness.exact
    assert (witness.weights > 0.0).all()
    assert len(witness.rows) <= X.shape[1] + 2
    np.testing.assert_array_equal(witness.positive, y[witness.rows] == 1)
    one, other = witness.points(X)
    np.testing.assert_allclose(one, other, atol=1e-12 * (1.0 + np.abs(X).max()))
    if intercept:
        for side in (witness.positive, ~witness.positive):
            assert witness.weights[side].sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
def test_small_grids_by_enumeration(intercept: bool, rng: np.random.Generator) -> None:
    """Integer points with many ties: strict separation is exactly the kind "complete"."""
    seen = set()
    for _ in range(60):
        n, p = int(rng.integers(3, 9)), int(rng.integers(1, 4))
        X = rng.integers(-2, 3, size=(n, p)).astype(float)
        y = np.r_[0, 1, rng.integers(0, 2, size=n - 2)]
        kind = separation_kind(X.tolist(), y.tolist(), 2, intercept)
        model = er.HalfspaceClassifier(fit_intercept=intercept).fit(X, y)
        assert model.separable_ is (kind == "complete"), (X, y, kind)
        seen.add(kind)
        if model.separable_:
            assert proved_apart(model, X, y)
            assert model.n_errors_ == 0
            assert model.witness_ is None
        else:
            check_witness(model, X, y, intercept)
    assert seen == {"none", "quasi", "complete"}


def test_widest_margin_in_one_and_two_dimensions() -> None:
    model = er.HalfspaceClassifier().fit([[0.0], [1.0], [4.0], [9.0]], [0, 0, 1, 1])
    assert model.margin_ == pytest.approx(1.5, rel=1e-8)
    assert -model.intercept_[0] / model.coef_[0, 0] == pytest.approx(2.5, rel=1e-8)
    square = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    model = er.HalfspaceClassifier().fit(square, [0, 0, 1, 1])
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-8)
    assert model.margin_ <= model.margin_bound_ <= model.margin_ * (1.0 + 1e-8)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array])
def test_many_rows(form: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(500, 4)) * [1.0, 100.0, 0.01, 1.0] + [0.0, 1e3, 0.0, 0.0]
    f = (X - [0.0, 1e3, 0.0, 0.0]) @ [1.0, 0.01, 100.0, 1.0]
    y = (f > 0).astype(int)
    model = er.HalfspaceClassifier().fit(form(X), y)
    assert model.separable_
    assert proved_apart(model, X, y)
    assert model.margin_bound_ <= model.margin_ * (1.0 + 1e-6)
    y[np.argmax(np.abs(f))] ^= 1  # the farthest row on the wrong side
    model = er.HalfspaceClassifier().fit(form(X), y)
    assert model.separable_ is False
    check_witness(model, X, y, True)
    assert "verified without rounding" in model.proof_


def test_rows_without_weight_are_absent() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    assert er.HalfspaceClassifier().fit(X, y).separable_ is False
    assert er.HalfspaceClassifier().fit(X, y, sample_weight=[1, 0, 1, 1]).separable_ is True


def test_more_than_two_classes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"3 classes.*OneVsRestClassifier"):
        er.HalfspaceClassifier().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
