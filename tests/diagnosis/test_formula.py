"""Exact formulas of a target: found by construction, and not where chance makes them."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.diagnosis.cuts import exact_cuts
from empirisk.diagnosis.relation import CHANCE, Relation, exact_relation, rounding

NAMES = [f"x{j}" for j in range(200)]


def cells(rng: np.random.Generator, n: int, p: int, decimals: int = 2) -> np.ndarray:
    return (rng.gamma(2.0, 3.0, size=(n, p)) + 0.1).round(decimals)


def said(X: np.ndarray, y: np.ndarray) -> str | None:
    found = exact_relation(X, y)
    return None if found is None else found.formula("y", NAMES)


@pytest.mark.parametrize("n", [40, 3000])
def test_sums_differences_copies_products_and_ratios_are_written_as_they_were_made(n: int) -> None:
    X = cells(np.random.default_rng(1), n, 6)
    a, b, c = X[:, 0], X[:, 1], X[:, 4]
    made = {
        "y = x0 + x1 - x4": a + b - c,
        "y = x4": c,
        "y = 2 x0 + 30": 2 * a + 30,
        "y = -0.5 x1": -0.5 * b,
        "y = x0 x x1": a * b,
        "y = x0 / x4": a / c,
        "y = 100 x0 / x4^2": 100 * a / c**2,
    }
    assert {said(X, y) for y in made.values()} == set(made)


def test_cells_that_were_rounded_after_the_formula_keep_it() -> None:
    raw = np.random.default_rng(2).gamma(2.0, 3.0, size=(300, 5)) + 0.1
    X = raw.round(2)
    assert said(X, (raw[:, 0] + raw[:, 1] - raw[:, 3]).round(1)) == "y = x0 + x1 - x3"
    assert said(X, (raw[:, 0] / raw[:, 1]).round(2)) == "y = x0 / x1"
    assert said(X, raw[:, 2].round(1)) == "y = x2"


def test_correlated_columns_and_copies_do_not_hide_the_formula() -> None:
    X = np.cumsum(cells(np.random.default_rng(3), 400, 60), axis=1)
    y = X[:, 50] - X[:, 49] - X[:, 20] + X[:, 19]
    assert exact_relation(X, y).columns == (19, 20, 49, 50)  # type: ignore[union-attr]
    both = np.column_stack([X, X[:, 50]])
    assert len(exact_relation(both, y).columns) == 4  # type: ignore[union-attr]


def test_missing_cells_leave_the_formula_of_the_others() -> None:
    rng = np.random.default_rng(4)
    X = cells(rng, 500, 4)
    y = X[:, 0] + X[:, 1]
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 3] = np.nan
    assert said(X, y) == "y = x0 + x1"


@pytest.mark.parametrize(("n", "p"), [(8, 3), (30, 29), (30, 40), (30, 200), (50, 60), (200, 5)])
@pytest.mark.parametrize("whole", [False, True])
def test_chance_makes_no_formula(n: int, p: int, whole: bool) -> None:
    """With as many columns as rows every target is a formula of all of them: that proves nothing."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        X = rng.integers(0, 4, size=(n, p)).astype(float) if whole else rng.normal(size=(n, p))
        y = rng.integers(0, 4, size=n).astype(float) if whole else rng.normal(size=n)
        assert exact_relation(X, y) is None


def test_a_good_model_is_no_formula() -> None:
    rng = np.random.default_rng(6)
    X = cells(rng, 400, 6)
    assert exact_relation(X, (X[:, 0] + X[:, 1] + 0.05 * rng.normal(size=400)).round(2)) is None
    flags = rng.integers(0, 2, size=(400, 6)).astype(float)
    assert exact_relation(flags, flags[:, 0] + 0.4 * rng.random(400)) is None


def test_rounding_is_half_a_unit_of_the_last_decimal() -> None:
    assert rounding(np.array([1.25, 3.5, np.nan])) == 0.005
    assert rounding(np.array([0.1 + 0.2, 7.0])) == 0.05
    assert rounding(np.random.default_rng(0).normal(size=9)) == 0.0


def test_coefficients_are_written_without_an_exponent() -> None:
    r = Relation("linear", (0, 1), (1e-7, -2.5e6), 1e9, 0.0, 0.0, -9.0, 50)
    assert r.formula("y", NAMES) == "y = 0.0000001 x0 - 2500000 x1 + 1000000000"


def test_classes_that_are_cut_out_of_a_column() -> None:
    x = np.random.default_rng(7).normal(size=600)
    found = exact_cuts(x, np.digitize(x, [-0.5, 0.7]))
    assert found is not None
    assert found.order == (0, 1, 2)
    assert found.limits == pytest.approx((-0.5, 0.7), abs=0.05)
    assert found.log10_chance < np.log10(CHANCE)


def test_classes_that_a_gap_parts_or_that_overlap_are_no_cut() -> None:
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1], 300)
    assert exact_cuts(rng.normal(size=600) + 9.0 * y, y) is None
    x = rng.normal(size=600)
    flipped = (x > 0).astype(int)
    flipped[np.argsort(x)[298]] ^= 1
    assert exact_cuts(x, flipped) is None
    assert exact_cuts(x, (x > np.sort(x)[-6]).astype(int)) is None  # five rows prove little


@pytest.mark.filterwarnings("error")
def test_a_target_of_zeros_and_one_other_value_is_no_product(rng: np.random.Generator) -> None:
    """The logarithm of the value does not vary over the rows that are not 0, so that it is no product."""
    X = np.column_stack([np.round(rng.uniform(1.0, 9.0, 60), 1), rng.integers(1, 5, 60)])
    assert exact_relation(X, (rng.random(60) < 0.7).astype(float)) is None
