"""Drawn samples: exact bootstrap quantiles against every resample, and parts that share no row or group."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.evaluation.folds import plan_folds
from empirisk.resampling.bootstrap.distribution import AtomDifference
from empirisk.resampling.bootstrap.order import quantile_atoms
from empirisk.selection import train_validation_test_split
from empirisk.typing import Array

drawn = settings(max_examples=30, deadline=None, derandomize=True)
levels = st.integers(0, 24).map(lambda k: k / 24)
sizes = st.tuples(*[st.integers(1, 8)] * 3)


def samples(most: int) -> st.SearchStrategy[Array]:
    return st.lists(st.integers(-3, 3), min_size=1, max_size=most).map(lambda x: np.array(sorted(x), float))


def every_quantile(x: Array, q: float) -> Array:
    """Return the quantile of every one of the n^n resamples."""
    rows = np.array(list(itertools.product(range(len(x)), repeat=len(x))))
    return np.quantile(x[rows], q, axis=1)


@drawn
@given(x=samples(6), q=levels)
def test_quantile_of_one_sample(x: Array, q: float) -> None:
    atoms, every = quantile_atoms(x, q), every_quantile(x, q)
    for t in np.arange(-3.0, 3.1, 1 / 24) + 1 / 48:  # the values are multiples of 1/24: between them
        assert atoms.below(t) == pytest.approx(np.mean(every < t), abs=1e-13)
    assert atoms.moments() == pytest.approx((every.mean(), every.std()), abs=1e-7)


@drawn
@given(x=samples(4), z=samples(4), q=levels)
def test_difference_of_two_samples(x: Array, z: Array, q: float) -> None:
    difference = AtomDifference(quantile_atoms(x, q), quantile_atoms(z, q))
    every = np.subtract.outer(every_quantile(x, q), every_quantile(z, q)).ravel()
    for t in np.arange(-6.0, 6.1, 1 / 16) + 1 / 96:
        assert difference.below(t) == pytest.approx(np.mean(every < t), abs=1e-13)
    for p in (0.01, 0.31, 0.77, 0.995):
        end = difference.quantile(np.array([p]))[0]
        assert np.mean(every <= end + 1e-9) >= p - 1e-12
        assert np.mean(every < end - 1e-9) <= p + 1e-12


@drawn
@given(sizes=sizes, classes=st.integers(1, 3), seed=st.integers(0, 999))
def test_three_parts_cover_the_rows_once(sizes: tuple[int, ...], classes: int, seed: int) -> None:
    n = sum(sizes)
    y = np.arange(n) % classes
    parts = train_validation_test_split(np.arange(n), y, sizes=sizes, stratify=False, random_state=seed)
    assert tuple(p.rows.size for p in parts) == sizes
    assert sorted(np.concatenate([p.rows for p in parts])) == list(range(n))


@drawn
@given(codes=st.lists(st.integers(0, 6), min_size=3, max_size=40), shares=sizes, seed=st.integers(0, 999))
@pytest.mark.parametrize("unit", ["groups", "time"])
def test_three_parts_keep_groups_and_times_whole(
    unit: str, codes: list[int], shares: tuple[int, ...], seed: int
) -> None:
    code, share = np.array(codes), np.array(shares) / sum(shares)
    arguments = {unit: code, "sizes": share, "stratify": False, "random_state": seed}
    if len(set(codes)) < 3:
        with pytest.raises(ValueError, match=r"fewer than the 3 parts|too few for 3 parts"):
            train_validation_test_split(code, code, **arguments)
        return
    parts = train_validation_test_split(code, code, **arguments)
    assert sorted(np.concatenate([p.rows for p in parts])) == list(range(len(code)))
    seen = [set(code[p.rows]) for p in parts]
    assert sum(map(len, seen)) == len(set(codes))  # no code in two parts, and none left out
    assert all(seen)
    if unit == "time":
        assert [max(s) for s in seen[:2]] < [min(s) for s in seen[1:]]


@drawn
@given(
    codes=st.lists(st.integers(0, 6), min_size=3, max_size=30),
    classes=st.integers(1, 3),
    folds=st.integers(2, 5),
    grouped=st.booleans(),
    seed=st.integers(0, 999),
)
def test_folds_cover_the_rows_once(
    codes: list[int], classes: int, folds: int, grouped: bool, seed: int
) -> None:
    n, strata = len(codes), np.arange(len(codes)) % classes
    groups = np.unique(codes, return_inverse=True)[1] if grouped else np.arange(n)
    if folds > len(set(groups)):
        with pytest.raises(ValueError, match="folds cannot be made of"):
            plan_folds(strata, n, folds, groups if grouped else None)
        return
    plan = plan_folds(strata, n, folds, groups if grouped else None, repeats=2, random_state=seed)
    for r in range(2):
        chosen = [plan.splits[i] for i in plan.repeat(r)]
        assert len(chosen) == folds
        assert sorted(np.concatenate([test for _, test in chosen])) == list(range(n))
        for train, test in chosen:
            assert sorted(np.r_[train, test]) == list(range(n))
            assert not set(groups[train]) & set(groups[test])
            counts = np.bincount(strata[test], minlength=classes)
            assert grouped or np.ptp(counts - np.bincount(strata, minlength=classes) / folds) <= 2.0
