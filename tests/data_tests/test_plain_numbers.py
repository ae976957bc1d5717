"""Columns that are no numbers are refused by name, whatever frame holds them."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from empirisk.data.plain_numbers import numbers_only

N = 12
CODES = [0, 1, 2, 3] * 3
DAYS = [datetime.date(2020, 1, d + 1) for d in range(N)]


def frame(values: Any) -> Any:
    return pd.DataFrame({"size": np.arange(float(N)), "site": values})


def arrow(values: Any) -> Any:
    return pa.table({"size": np.arange(float(N)), "site": values})


def lively(values: Any) -> Any:
    return pl.DataFrame({"size": np.arange(float(N)), "site": values})


CATEGORIES = {
    "pandas": frame(pd.Categorical(CODES)),
    "pandas, ordered": frame(pd.Categorical(CODES, ordered=True)),
    "pandas, text": frame(pd.Categorical([str(c) for c in CODES])),
    "pandas on arrow": frame(
        pd.Series(
            pa.array(CODES).dictionary_encode(), dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.int64()))
        )
    ),
    "polars": lively(pl.Series([str(c) for c in CODES], dtype=pl.Categorical)),
    "polars enum": lively(pl.Series([str(c) for c in CODES], dtype=pl.Enum(["0", "1", "2", "3"]))),
    "arrow": arrow(pa.array(CODES).dictionary_encode()),
}
DATES = {
    "pandas": frame(pd.to_datetime(DAYS)),
    "pandas, spans": frame(pd.to_timedelta(np.arange(N), unit="h")),
    "pandas, zone": frame(pd.to_datetime(DAYS).tz_localize("UTC")),
    "polars": lively(DAYS),
    "arrow": arrow(pa.array(range(N), type=pa.timestamp("s"))),
}
OTHERS = {
    "period": frame(pd.period_range("2020-01", periods=N, freq="M")),
    "interval": frame(pd.interval_range(0, N)),
    "list": frame([[1]] * N),
    "dict": frame([{}] * N),
    "date objects": frame(DAYS),
    "text": frame(["much"] * N),
    "missing": frame(pd.Series([1, pd.NA] * 6, dtype=object)),
    "polars list": lively([[1]] * N),
    "polars struct": lively([{"a": 1}] * N),
    "polars text": lively(["much"] * N),
}
NUMBERS = {
    "booleans": frame([True, False] * 6),
    "nullable booleans": frame(pd.array([True, False] * 6, dtype="boolean")),
    "nullable integers": frame(pd.array(CODES, dtype="Int64")),
    "decimals": frame([decimal.Decimal(c) for c in CODES]),
    "numerals": frame([str(c) for c in CODES]),
    "sparse": frame(pd.arrays.SparseArray([0.0, 1.0] * 6, fill_value=0.0)),
    "pandas on arrow": frame(pd.Series(CODES, dtype="float64[pyarrow]")),
    "polars booleans": lively([True, False] * 6),
    "polars decimals": lively(pl.Series(CODES).cast(pl.Decimal(10, 2))),
    "arrow": arrow(CODES),
}
REFUSED = {
    **{f"{k}: category": (v, "column 'site' of X is categorical") for k, v in CATEGORIES.items()},
    **{f"{k}: dates": (v, "column 'site' of X holds dates or times") for k, v in DATES.items()},
    **{k: (v, "X holds .* in column 'site', row [01]") for k, v in OTHERS.items()},
}


def convert(X: Any) -> Any:
    """Return a frame as numbers in the way that scikit-learn converts it."""
    with numbers_only(X):
        return np.asarray(X, dtype=np.float64)


@pytest.mark.parametrize("kind", REFUSED)
def test_column_is_named(kind: str) -> None:
    X, words = REFUSED[kind]
    with pytest.raises((ValueError, TypeError), match=words):
        convert(X)


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_pass(kind: str) -> None:
    assert np.isfinite(convert(NUMBERS[kind])).all()


def test_other_errors_pass_through() -> None:
    with pytest.raises(ValueError, match="of another kind"), numbers_only(np.eye(2)):
        raise ValueError("of another kind")


def test_arrays_and_lists_are_named_by_number() -> None:
    X = np.eye(3).astype(object)
    X[1, 2] = DAYS[0]
    with pytest.raises(TypeError, match="type date in column 2, row 1"):
        convert(X)
    with pytest.raises(ValueError, match="text 'a' in column 0, row 0"):
        convert([["a", 1.0]])
