"""Codes against comparisons with the cuts; cuts against their definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.data.threads import at_most
from empirisk.trees.bins import Bins

NUMBERS = st.one_of(
    st.floats(-1e308, 1e308),
    st.integers(-3, 3).map(float),
    st.just(float("nan")),
    st.sampled_from([5e-324, -5e-324, 1.0, np.nextafter(1.0, 2.0), 1.7e308, -1.7e308]),
)


@given(st.lists(NUMBERS, min_size=1, max_size=80), st.integers(2, 9))
@settings(max_examples=150, deadline=None)
def test_a_code_is_at_most_t_where_the_number_is_at_most_the_cut(values: list[float], most: int) -> None:
    x = np.array(values)[:, None]
    bins = Bins.fit(x, max_bins=most)
    code, cuts = bins.transform(x).columns[0], bins.cuts(0)
    assert (np.diff(cuts) > 0).all()
    assert np.isfinite(cuts).all()
    assert bins.n_bins[0] == len(cuts) + 1 <= most
    for t, cut in enumerate(cuts):
        known = ~np.isnan(x[:, 0])
        np.testing.assert_array_equal(code[known] <= t, x[known, 0] <= cut)
    np.testing.assert_array_equal(code == bins.n_bins[0], np.isnan(x[:, 0]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_compiled_search_is_that_of_numpy(dtype: type, order: str, rng: np.random.Generator) -> None:
    x = np.asarray(rng.standard_normal((3000, 4)), dtype=dtype, order=order)  # type: ignore[call-overload]
    x[:, 1] = np.round(x[:, 1])
    x[rng.random(x.shape) < 0.1] = np.nan
    bins = Bins.fit(x)
    for threads in (1, 3):
        with at_most(threads):
            found = bins.transform(x)
        for j in range(4):
            code = np.searchsorted(bins.cuts(j), x[:, j], side="left")
            np.testing.assert_array_equal(found.columns[j], np.where(np.isnan(x[:, j]), bins.n_bins[j], code))
        np.testing.assert_array_equal(found.rows, found.columns.T)


def test_few_values_have_a_bin_each_and_midpoints_between_them() -> None:
    x = np.repeat([7.0, -1.0, 2.0], 5)[:, None]
    assert Bins.fit(x).cuts(0).tolist() == [0.5, 4.5]


def test_bins_of_many_values_hold_equal_shares(rng: np.random.Generator) -> None:
    code = Bins.fit(x := rng.standard_normal((10_000, 1))).transform(x).columns[0]
    sizes = np.bincount(code)
    assert len(sizes) == 255
    assert sizes.min() >= 39
    assert sizes.max() <= 40


def test_a_heavy_value_fills_one_bin_and_the_others_share_the_rest(rng: np.random.Generator) -> None:
    x = np.where(rng.random(10_000) < 0.6, 0.0, rng.standard_normal(10_000))
    bins = Bins.fit(x[:, None])
    sizes = np.bincount(bins.transform(x[:, None]).columns[0])
    assert bins.n_bins[0] >= 254
    assert sizes.max() - (x == 0.0).sum() <= 20
    assert np.sort(sizes)[-2] <= 1.6 * (x != 0.0).sum() / 254


def test_weights_are_repetition_and_weight_0_is_absence(rng: np.random.Generator) -> None:
    x = np.round(rng.standard_normal((800, 2)), 2)
    w = rng.integers(0, 4, 800)
    weighted = Bins.fit(x, weight=w.astype(float), max_bins=20)
    repeated = Bins.fit(x.repeat(w, axis=0), max_bins=20)
    np.testing.assert_array_equal(weighted.cut_values, repeated.cut_values)
    np.testing.assert_array_equal(weighted.cut_start, repeated.cut_start)


def test_a_sample_of_the_rows_gives_nearly_the_same_shares(rng: np.random.Generator) -> None:
    x = rng.exponential(size=(60_000, 1))
    code = Bins.fit(x, max_bins=10, sample_rows=5_000).transform(x).columns[0]
    share = np.cumsum(np.bincount(code))[:-1] / 60_000
    # Stratified draws: below the binomial error sqrt(.25 / 5000) = 0.0071 of a cut.
    np.testing.assert_allclose(share, np.arange(1, 10) / 10, atol=4 * 0.0071)


def test_categories_have_their_own_codes_and_rare_ones_share_the_last(rng: np.random.Generator) -> None:
    few = Bins.fit(np.array([[2.0], [0.0]]), np.array([3]))
    assert few.transform(np.array([[0.0], [1.0], [2.0], [3.0], [-1.0], [np.nan]])).columns.tolist() == [
        [0, 1, 2, 3, 3, 3]
    ]
    category = np.concatenate([np.repeat(np.arange(300), 2), np.repeat([299, 7], 50)]).astype(float)
    many = Bins.fit(category[:, None], np.array([300]))
    codes = many.codes(0)
    assert sorted(codes[[299, 7]]) == [0, 1]  # the most frequent two, ties by number
    assert (np.bincount(codes)[:254] == 1).all()
    assert np.bincount(codes)[254] == 300 - 254


def test_sparse_columns_have_the_codes_of_dense_ones(rng: np.random.Generator) -> None:
    x = np.where(rng.random((400, 3)) < 0.7, 0.0, rng.standard_normal((400, 3)))
    x[:, 2] = rng.integers(0, 5, 400)
    kinds = np.array([0, 0, 5])
    dense, sparse = Bins.fit(x, kinds), Bins.fit(sp.csc_array(x), kinds)
    np.testing.assert_array_equal(dense.cut_values, sparse.cut_values)
    np.testing.assert_array_equal(dense.transform(x).columns, sparse.transform(sp.csc_array(x)).columns)


def test_rows_can_be_taken(rng: np.random.Generator) -> None:
    binned = Bins.fit(x := rng.standard_normal((50, 2))).transform(x)
    np.testing.assert_array_equal(binned.take(np.array([4, 4, 1])).rows, binned.rows[[4, 4, 1]])


def test_empty_and_missing_columns_have_one_bin() -> None:
    bins = Bins.fit(np.full((4, 1), np.nan))
    assert bins.n_bins.tolist() == [1]
    assert bins.transform(np.array([[np.nan], [3.0]])).columns.tolist() == [[1, 0]]


def test_wrong_numbers_are_named() -> None:
    with pytest.raises(ValueError, match=r"max_bins must lie in \[2, 255\], got 256"):
        Bins.fit(np.zeros((3, 1)), max_bins=256)
    with pytest.raises(ValueError, match="X has 2 columns; the bins were chosen for 1"):
        Bins.fit(np.zeros((3, 1))).transform(np.zeros((3, 2)))
