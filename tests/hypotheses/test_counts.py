"""VC dimensions and growth functions against published numbers and against search."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from empirisk.hypotheses import (
    Annuli,
    Balls,
    Boxes,
    Conjunctions,
    DecisionStumps,
    FiniteClass,
    Halfspaces,
    Intervals,
    NearestNeighbours,
    PolynomialThresholds,
    Sine,
    Thresholds,
)
from empirisk.hypotheses.growth import Growth, cover, power_of_two, sauer
from empirisk.hypotheses.growth_curve import growth_curve

# Class, dimension of its points, VC dimension (Shalev-Shwartz and Ben-David 2014; Abu-Mostafa et al. 2012).
DIMENSIONS = [
    (Thresholds(), 1, 1),
    (Thresholds(two_sided=True), 1, 2),
    (Intervals(), 1, 2),
    (Intervals(two_sided=True), 1, 3),
    (Intervals(k=2), 1, 4),
    (Boxes(1), 1, 2),
    (Boxes(2), 2, 4),
    (DecisionStumps(1), 1, 2),
    (DecisionStumps(2), 2, 3),
    (Halfspaces(1), 1, 2),
    (Halfspaces(2), 2, 3),
    (Halfspaces(3), 3, 4),
    (Halfspaces(2, intercept=False), 2, 2),
    (Halfspaces(3, intercept=False), 3, 3),
    (PolynomialThresholds(3, 1), 1, 4),
    (PolynomialThresholds(2, 2), 2, 6),
    (Balls(1), 1, 2),
    (Balls(2), 2, 3),
    (Annuli(2), 2, 2),
]


@pytest.mark.parametrize(("c", "d", "vc"), DIMENSIONS)
def test_the_vc_dimension_is_the_largest_shattered_set_found(c: Any, d: int, vc: int) -> None:
    assert c.vc_dimension() == vc
    rng = np.random.default_rng(0)
    assert any(c.shatters(rng.normal(size=(vc, d))) for _ in range(200))
    assert not any(c.shatters(rng.normal(size=(vc + 1, d))) for _ in range(20))


@pytest.mark.parametrize(
    ("c", "d", "values"),
    [
        (Thresholds(), 1, [2, 3, 4, 5, 6, 7]),
        (Thresholds(two_sided=True), 1, [2, 4, 6, 8, 10]),
        (Intervals(), 1, [2, 4, 7, 11, 16, 22]),
        (Annuli(3), 3, [2, 4, 7, 11, 16]),
        (Halfspaces(1), 1, [2, 4, 6, 8, 10]),
        (Halfspaces(2), 2, [2, 4, 8, 14, 22, 32]),
        (Halfspaces(3), 3, [2, 4, 8, 16, 30, 52]),
        (Halfspaces(3, intercept=False), 3, [2, 4, 8, 14, 22, 32]),
        (PolynomialThresholds(2, 1), 1, [2, 4, 8, 14, 22]),
        (NearestNeighbours(2), 2, [2, 4, 8, 16, 32]),
        (Intervals(k=2), 1, None),
        (Intervals(k=2, two_sided=True), 1, None),
        (PolynomialThresholds(2, 2), 2, None),
        (Balls(2), 2, None),
        (Balls(3), 3, None),
        (Boxes(1), 1, None),
        (DecisionStumps(1), 1, None),
    ],
)
def test_exact_growth_is_attained_by_random_points(c: Any, d: int, values: list[int] | None) -> None:
    rng = np.random.default_rng(1)
    for n in range(1, len(values) + 1 if values else 8):
        assert c.growth(n).exact
        assert c.growth(n) == len(c.restriction(rng.normal(size=(n, d))))
        assert values is None or c.growth(n) == values[n - 1]


@pytest.mark.parametrize(("c", "d", "largest"), [(Boxes(2), 2, 6), (DecisionStumps(2), 2, 6)])
def test_growth_that_is_no_closed_form_says_so(c: Any, d: int, largest: int) -> None:
    rng = np.random.default_rng(2)
    for n in range(1, largest + 1):
        most = max(len(c.restriction(rng.normal(size=(n, d)))) for _ in range(300))
        assert most <= c.growth(n)
        if c.growth(n).exact:
            assert most == c.growth(n)
    assert not c.growth(largest).exact
    assert "at most" in repr(c.growth(largest))


@pytest.mark.full  # brute force
def test_the_bound_of_stumps_is_attained_for_few_points() -> None:
    rng = np.random.default_rng(3)
    for d, n in ((2, 4), (3, 5)):
        orders = (np.argsort(rng.random((d, n)), axis=1).T.astype(float) for _ in range(3000))
        assert max(len(DecisionStumps(d).restriction(X)) for X in orders) == DecisionStumps(d).growth(n)


def test_finite_classes_are_searched() -> None:
    rng = np.random.default_rng(4)
    table = rng.integers(0, 2, size=(12, 7))
    c = FiniteClass(table)
    by_size = [max(len(np.unique(table[:, list(s)], axis=0)) for s in _subsets(7, n)) for n in range(1, 8)]
    assert [int(c.growth(n)) for n in range(1, 8)] == by_size
    assert c.vc_dimension() == max(n for n in range(1, 8) if by_size[n - 1] == 2**n)
    assert c.vc_dimension() <= math.log2(len(c))
    functions = FiniteClass([lambda X: X[:, 0] > 0, lambda X: X[:, 0] > 1, lambda X: X[:, 0] > 2])
    assert (functions.vc_dimension(), int(functions.growth(5))) == (1, 3)
    assert not functions.growth(5).exact
    with pytest.raises(ValueError, match="member 0 must return one True or False"):
        FiniteClass([lambda X: X[0]]).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="column numbers 0 to 6"):
        c.restriction([7])


@pytest.mark.parametrize("monotone", [False, True])
def test_conjunctions_on_their_whole_domain(monotone: bool) -> None:
    for d in (1, 2, 3):
        c = Conjunctions(d, monotone)
        domain = np.array(list(product([0.0, 1.0], repeat=d)))
        made = c.restriction(domain)
        assert len(made) == c.growth(2**d) == (2**d if monotone else 3**d + 1)
        table = FiniteClass(made)  # its dimension and its growth are searched
        assert c.vc_dimension() == table.vc_dimension()
        for n in range(1, 2**d):
            assert table.growth(n) <= c.growth(n)
            assert not c.growth(n).exact or table.growth(n) == c.growth(n)
    with pytest.raises(ValueError, match="coordinates 0 and 1, got 2 in row 1, column 0"):
        c.fit([[0.0] * d, [2.0] * d], [0, 1])


def _subsets(n: int, size: int) -> Any:
    return combinations(range(n), size)


def test_infinite_classes() -> None:
    for n in (1, 5, 9):
        assert Sine().shatters(Sine.textbook_points(n))
    labels = np.random.default_rng(5).integers(0, 2, size=300)
    fitted = Sine().fit(Sine.textbook_points(300), labels)
    assert fitted.training_error_ == 0.0
    assert Sine().vc_dimension() == NearestNeighbours().vc_dimension() == math.inf
    assert Sine().growth(100) == 2**100
    assert Sine().log_growth(10**9) == pytest.approx(10**9 * math.log(2))
    with pytest.raises(ValueError, match="use log_growth"):
        Sine().growth(10**9)


def test_a_sine_without_argument_says_so() -> None:
    X = 1.0 + (2.0 * np.arange(12) + 1.0) * 2.0**-40  # large odd multiples of one unit
    fitted = Sine().fit(X, np.arange(12) % 2)
    assert fitted.certificate_.kind.name == "NONE"
    assert fitted.certificate_.value >= fitted.training_error_ > 0.0
    with pytest.raises(ValueError, match="too many to compare"):
        Sine().restriction(X)


def test_counts_are_integers_that_know_their_argument() -> None:
    assert [int(sauer(n, 2)) for n in range(6)] == [1, 2, 4, 7, 11, 16]
    assert [sauer(n, 2).exact for n in (2, 3)] == [True, False]
    assert cover(0, 3) == 1
    big = Growth(10**6000, True, "x")
    assert repr(big) == "10^6000 (exact: x)"
    assert power_of_two(10) == 1024
    assert Halfspaces(20).log_growth(10**6) == pytest.approx(math.log(int(Halfspaces(20).growth(10**6))))


def test_a_growth_curve_holds_the_counts_of_its_class() -> None:
    curve = growth_curve(Halfspaces(2), 6)
    assert curve["growth"] == [2, 4, 8, 14, 22, 32]
    assert (curve["vc_dimension"], curve["exact"]) == (3, True)
    assert growth_curve(Sine(), 3)["vc_dimension"] is None
    with pytest.raises(ValueError, match="m must be at least 1"):
        growth_curve(Sine(), 0)
