"""Distinct numbers by counting are those of NumPy by sorting, of every type and with missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.data.distinct_numbers import distinct_numbers

COLUMNS = {
    "whole floats": np.array([7.0, -3.0, 7.0, 0.0, 12.0]),
    "with missing": np.array([np.nan, 2.0, np.nan, 1.0, 2.0]),
    "missing alone": np.array([np.nan, np.nan]),
    "infinite": np.array([1.0, np.inf, 1.0, -np.inf]),
    "fractions": np.array([0.5, 1.5, 0.5]),
    "wide": np.array([0.0, 5000.0, 3.0]),
    "large": np.array([2.0**60, 2.0**60 + 2.0**10]),
    "single": np.array([3.0, 4.0, 3.0], dtype=np.float32),
    "bytes": np.array([-128, 127, 0], dtype=np.int8),
    "unsigned": np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], dtype=np.uint64),
    "booleans": np.array([True, False, True]),
    "zeros of both signs": np.array([0.0, -0.0, 1.0]),
    "none": np.zeros(0),
}


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)
def test_levels_and_places_are_those_of_sorting(values: Any) -> None:
    levels, places = distinct_numbers(values)
    expected, where = np.unique(values, return_inverse=True)
    assert levels.dtype == expected.dtype
    np.testing.assert_array_equal(levels, expected)
    np.testing.assert_array_equal(places, where)
