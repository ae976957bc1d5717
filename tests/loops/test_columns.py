"""Sums and tallies of one column against exact sums, over layouts; what is odd is told from what is plain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from empirisk import _loops
from empirisk.typing import Array

LAYOUTS = {
    "column": lambda x: x[:, None],
    "float32": lambda x: x.astype(np.float32)[:, None],
    "of a table": lambda x: np.column_stack([x, -x])[:, :1],
    "backwards": lambda x: x[::-1, None],
}
SIZES = [1, 7, 16, 511, 512, 513, 3000]
ALL = {"square": True, "log": True, "log_rest": True}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sums_are_the_exact_ones(layout: str, n: int, weighted: bool, rng: np.random.Generator) -> None:
    X = LAYOUTS[layout](rng.beta(0.3, 2.0, n) * 0.999 + 1e-9)
    s = rng.gamma(1.0, 1.0, n) + 1e-3 if weighted else None
    x = X[:, 0].astype(np.float64)
    w = np.ones(n) if s is None else s
    found = _loops.column_sums(X, s, **ALL)
    assert found is not None
    terms = [w, w * x, w * x * x, w * np.log(x), w * np.log1p(-x)]
    for got, term in zip(found[:5], terms, strict=True):
        # A term is rounded a few times, and the sum no more than once for each of the 512 rows of a tile.
        assert abs(got - math.fsum(term)) <= 2e-15 * math.fsum(abs(term))
    assert found[5:] == (x.min(), x.max())


def test_an_origin_is_taken_off_before_squaring(rng: np.random.Generator) -> None:
    x = 1e8 + rng.normal(size=1000)
    found = _loops.column_sums(x[:, None], None, 1e8, square=True)
    assert found is not None
    assert found[1] == pytest.approx(math.fsum(x - 1e8), rel=1e-13)
    assert found[2] == pytest.approx(math.fsum((x - 1e8) ** 2), rel=1e-13)
    assert found[5:] == (x.min(), x.max())


@pytest.mark.parametrize("x", [1e-300, 0.5, 1.0 - 2.0**-53, 1.0 + 2.0**-40, 3.0, 1e300])
def test_products_of_equal_rows_have_their_logarithm(x: float) -> None:
    for n in (15, 512, 5000):
        found = _loops.column_sums(np.full((n, 1), x), None, log=True)
        assert found is not None
        assert found[3] == pytest.approx(n * math.log(x), rel=1e-14, abs=n * 1.2e-16)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, 13, 599])
def test_what_is_not_finite_is_told(odd: float, at: int) -> None:
    x = np.full((600, 1), 0.5)
    x[at] = odd
    assert _loops.column_sums(x) is None
    assert _loops.column_tally(x) is None
    weights = np.full(600, 0.5)
    weights[at] = odd
    assert _loops.column_sums(np.ones((600, 1)), weights) is None
    assert _loops.column_tally(np.ones((600, 1)), weights) is None


@pytest.mark.parametrize("weight", [0.0, -1.0])
def test_weights_are_above_zero(weight: float) -> None:
    weights = np.append(np.ones(40), weight)
    assert _loops.column_sums(np.ones((41, 1)), weights) is None
    assert _loops.column_tally(np.ones((41, 1)), weights) is None


@pytest.mark.parametrize("x", [0.0, -1.0, 5e-324, 1e308])
def test_logarithms_are_of_normal_numbers(x: float) -> None:
    rows = np.array([[0.5], [x]])
    assert _loops.column_sums(rows, None, log=True) is None
    assert _loops.column_sums(rows) is not None


@pytest.mark.parametrize("x", [1.0, 2.0, -0.5])
def test_what_is_left_of_one_is_above_zero(x: float) -> None:
    assert _loops.column_sums(np.array([[0.5], [x]]), None, log_rest=True) is None


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_tallies_are_those_of_numpy(layout: str, n: int, weighted: bool, rng: np.random.Generator) -> None:
    X = LAYOUTS[layout](np.minimum(rng.geometric(0.01, n), 2047).astype(np.float64))
    if layout == "of a table":
        X = np.abs(X)
    s = rng.random(n) + 0.1 if weighted else None
    np.testing.assert_array_equal(
        _loops.column_tally(X, s), np.bincount(X[:, 0].astype(np.intp), weights=s).astype(np.float64)
    )


@pytest.mark.parametrize("x", [-1.0, 0.5, 2048.0, 1e300, -0.25])
def test_what_is_no_small_count_is_told(x: float) -> None:
    rows: Any = np.arange(30.0)[:, None]
    rows[17] = x
    assert _loops.column_tally(rows) is None


def test_shapes_are_refused_by_name() -> None:
    x: Array = np.ones((3, 2))
    for loop in (_loops.column_sums, _loops.column_tally):
        with pytest.raises(ValueError, match=r"^X must be one dense column"):
            loop(x)
        with pytest.raises(ValueError, match=r"^weights has shape"):
            loop(x[:, :1], np.ones(2))
