"""Small point sets with many ties: labellings and least errors against all 2^n labellings, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from empirisk.hypotheses import (
    Annuli,
    Balls,
    Boxes,
    Conjunctions,
    DecisionStumps,
    Halfspaces,
    Intervals,
    NearestNeighbours,
    PolynomialThresholds,
    Thresholds,
)
from tests.oracles.labellings import all_labellings, realisable

# Class, columns of its points, their largest coordinate.
CLASSES: list[tuple[Any, int, int]] = [
    (Thresholds(), 1, 3),
    (Thresholds(two_sided=True), 1, 3),
    (Intervals(), 1, 3),
    (Intervals(k=2, two_sided=True), 1, 4),
    (Boxes(), 2, 3),
    (DecisionStumps(), 2, 3),
    (Annuli(), 2, 2),
    (Conjunctions(), 3, 1),
    (NearestNeighbours(), 2, 1),
    (Halfspaces(), 2, 2),
    (Halfspaces(intercept=False), 2, 2),
    (Halfspaces(), 3, 1),
    (PolynomialThresholds(2), 1, 4),
    (PolynomialThresholds(2), 2, 2),
    (Balls(), 2, 2),
]


@pytest.mark.parametrize(("c", "d", "largest"), CLASSES, ids=lambda v: repr(v)[:40])
@settings(max_examples=12, deadline=None, derandomize=True)
@given(data=st.data())
def test_restriction_and_least_error(c: Any, d: int, largest: int, data: st.DataObject) -> None:
    low = 0 if c.name == "conjunctions" else -largest // 2
    row = st.tuples(*[st.integers(low, low + largest)] * d)
    X = np.array(data.draw(st.lists(row, min_size=1, max_size=5)), dtype=float)
    truth = [y for y in all_labellings(len(X)) if realisable(c, X, y)]
    assert {tuple(y) for y in c.restriction(X).tolist()} == {tuple(y.tolist()) for y in truth}
    assert bool(c.shatters(X)) == (len(truth) == 2 ** len(X))
    y = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))), dtype=float)
    if y.all() or not y.any() or not weight.any():
        return  # the two labels must be seen, and a row must weigh
    least = min(float(weight[z != y].sum()) for z in truth)
    fitted = clone(c).fit(X, y, weight)
    assert fitted.training_error_ * weight.sum() == pytest.approx(least, abs=1e-12)
    assert weight[fitted.predict(X) != y].sum() == least
