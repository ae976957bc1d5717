"""Tables in, numbers and category codes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from empirisk.data.columns import ColumnCoder, _distinct


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "kind": pd.Categorical(["b", "a", None, "b"], categories=["z", "b", "a"]),
            "size": [1.5, np.nan, 2.5, 3.5],
            "n": pd.array([1, None, 3, 4], dtype="Int64"),
            "ok": [True, False, True, True],
        }
    )


EXPECTED = np.array([[1, 1.5, 1, 1], [0, np.nan, np.nan, 0], [np.nan, 2.5, 3, 1], [1, 3.5, 4, 1]])


@pytest.mark.parametrize("to", [lambda d: d, pl.from_pandas], ids=["pandas", "polars"])
def test_frames_become_numbers_and_sorted_codes(to: Any) -> None:
    X = to(frame())
    coder = ColumnCoder.fit(X)
    table = coder.encode(X)
    np.testing.assert_array_equal(table.X, EXPECTED)
    assert coder.categories == (("a", "b"), None, None, None), "a category without rows has no code"
    assert table.n_categories.tolist() == [2, 0, 0, 0]
    assert table.names == ("kind", "size", "n", "ok")


def test_frames_of_another_library_mean_the_same() -> None:
    coder = ColumnCoder.fit(frame())
    np.testing.assert_array_equal(coder.encode(pl.from_pandas(frame())).X, EXPECTED)


def test_polars_enum_and_strings_named_as_categories() -> None:
    X = pl.DataFrame({"e": ["u", "v", "u"], "s": ["x", "x", "y"]}).with_columns(
        pl.col("e").cast(pl.Enum(["v", "u"]))
    )
    table = ColumnCoder.fit(X, ["e", "s"]).encode(X)
    np.testing.assert_array_equal(table.X, [[0, 0], [1, 0], [0, 1]])


def test_unseen_categories_have_a_code_of_their_own() -> None:
    coder = ColumnCoder.fit(frame())
    later = frame().assign(kind=pd.Categorical(["new", "a", "z", None]))
    np.testing.assert_array_equal(coder.encode(later).X[:, 0], [2, 0, 2, np.nan])
    assert coder.encode(later).unknown() == {0: 2}
    assert not coder.encode(frame()).unknown()


def test_numbers_as_categories_sort_by_size() -> None:
    X = np.array([[10.0, 1.0], [9.0, 2.0], [np.nan, 3.0], [10.0, 4.0]])
    table = ColumnCoder.fit(X, [True, False]).encode(X)
    np.testing.assert_array_equal(table.X, [[1, 1], [0, 2], [np.nan, 3], [1, 4]])


def test_float_arrays_are_passed_on_without_a_copy() -> None:
    for X in (np.ones((3, 2), dtype=np.float32), np.asfortranarray(np.ones((3, 2)))):
        assert np.shares_memory(ColumnCoder.fit(X).encode(X).X, X)
    S = sp.csr_array(np.eye(3))
    assert ColumnCoder.fit(S).encode(S).X is S


def test_many_categories(rng: np.random.Generator) -> None:
    labels = rng.permutation(10_000)
    X = pd.DataFrame({"id": pd.Categorical([f"u{v:05d}" for v in labels])})
    np.testing.assert_array_equal(ColumnCoder.fit(X).encode(X).X[:, 0], labels)


@pytest.mark.parametrize(
    ("X", "asked", "words"),
    [
        (pd.DataFrame({"a": [1.0, np.inf]}), "from_dtype", "infinity .* column 'a', row 1"),
        (np.array([[1.0, -np.inf]]), "from_dtype", "column 1, row 0"),
        (sp.csr_array(np.array([[0.0], [np.inf]])), "from_dtype", "column 0, row 1"),
        (pd.DataFrame({"a": ["u", "v"]}), "from_dtype", "text 'u' in column 'a', row 0"),
        (pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}), "from_dtype", "column 't' of X holds dates"),
        (pd.DataFrame({"a": pd.Categorical(["u"])}), None, "'a' of X is categorical, but"),
        (pd.DataFrame({"a": [1.0]}), ["b"], "names 'b', which X does not have"),
        (np.ones((2, 2)), [2], "names 2, which X does not have"),
        (np.ones((2, 2)), [True], "1 flags, X has 2 columns"),
        (np.ones((2, 2)), "all", 'must be "from_dtype"'),
        (sp.csr_array(np.eye(2)), [0], "a sparse X holds numbers only"),
    ],
)
def test_bad_tables_are_refused_by_name(X: Any, asked: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ColumnCoder.fit(X, asked).encode(X)


def test_categories_of_another_type_are_refused() -> None:
    coder = ColumnCoder.fit(frame())
    with pytest.raises(
        ValueError, match=r"column 'kind' of X had text as categories .*'a'.* holds numbers now"
    ):
        coder.encode(frame().assign(kind=[1.0, 2.0, 1.0, 2.0]))


@pytest.mark.parametrize(
    "kind", ["codes", "gap in codes", "fractions", "negative", "huge", "integers", "all missing"]
)
def test_numbers_as_categories_are_those_of_a_sort(kind: str, rng: np.random.Generator) -> None:
    """Small whole numbers are counted in a table: the levels and codes are those that sorting gives."""
    values = rng.integers(0, 9, 60).astype(np.float64)
    values[::7] = np.nan
    values = {
        "codes": values,
        "gap in codes": values * 1000.0,
        "fractions": values / 2.0,
        "negative": values - 4.0,
        "huge": values + 1e12,
        "integers": rng.integers(0, 9, 60),
        "all missing": np.full(60, np.nan),
    }[kind]
    levels, codes = _distinct(values)
    known = ~np.isnan(values)
    assert [v for v in levels if v == v] == sorted(set(values[known].tolist()))
    assert np.array_equal(np.array(levels)[codes[known]], values[known])
    assert np.all(codes[~known] == -1)
