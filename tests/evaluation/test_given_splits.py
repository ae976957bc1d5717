"""Splits that are given: refused in words where a score would be about rows that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, TimeSeriesSplit

import empirisk as er
from empirisk.selection import Candidate, Sample

RNG = np.random.default_rng(0)
N = 90
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + RNG.normal(size=N)
TIME = RNG.permutation(N)
COPIES = np.arange(N) % 30
ORDER = np.argsort(TIME)
FORWARD = [(ORDER[:a], ORDER[a : a + 20]) for a in (30, 50, 70)]
WAYS: dict[str, Any] = {
    "cross_evaluate": lambda s, cv: er.cross_evaluate(er.Ridge(), s, cv=cv),
    "compare": lambda s, cv: er.compare(er.Ridge(), er.Ridge(10.0), s, cv=cv),
    "learning_curve": lambda s, cv: er.selection.learning_curve(er.Ridge(), s, cv=cv),
    "plan": lambda s, cv: s.plan(cv),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("held", "cv", "message"),
    [
        ({"time": TIME}, 5, "shuffled folds.*leave cv out"),
        ({"time": TIME}, KFold(5, shuffle=True, random_state=0), "is not earlier than row"),
        ({"time": TIME}, [(ORDER[40:], ORDER[:40])], "is not earlier than row"),
        ({"time": TIME // 2}, [(ORDER[:41], ORDER[41:])], "is not earlier than row"),
        ({"together": COPIES}, KFold(5), "split 0 trains on row .* which `together` keeps"),
        ({"together": COPIES}, [(np.arange(45), np.arange(45, 90))], "which `together` keeps"),
        ({"together": COPIES, "time": TIME}, None, "which `together` keeps"),
        ({"groups": COPIES}, KFold(5), "rows of one group"),
        ({}, [(np.arange(-60, 0), np.arange(20, 90))], "split 0 has the row -60 in its training part"),
        ({}, [(np.arange(20), np.arange(20, 40)), ([0, 1], [-1])], "split 1 has the row -1 in its test part"),
        ({}, [(np.arange(20), [90])], "the row 90 in its test part; rows are numbered from 0 to 89"),
        ({}, [(np.arange(20), [30, 31, 30])], "split 0 tests row 30 more than once"),
        ({}, [(np.arange(20), [30.5])], "whole numbers"),
        ({}, [(np.arange(20), np.ones(30, dtype=bool))], "a mask of 30 entries"),
        ({}, [(np.arange(20), [[30, 31]])], "shape"),
    ],
)
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_a_split_that_breaks_a_promise_is_refused(way: str, held: Any, cv: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WAYS[way](Sample(X, Y, **held), cv)


def test_copies_are_not_left_out_one_by_one() -> None:
    for score in (
        lambda s: er.cross_evaluate(er.Ridge(), s, cv="loo"),
        lambda s: er.selection.leave_one_out(er.Ridge(), s, None),  # type: ignore[arg-type],
    ):
        with pytest.raises(ValueError, match="`together` keeps row 0 with others"):
            score(Sample(X, Y, together=COPIES))
        assert score(Sample(X, Y, together=np.arange(N)))["mse"].low is not None


def test_splits_that_keep_the_promises_are_taken() -> None:
    in_order = Sample(X[ORDER], Y[ORDER], time=np.sort(TIME))
    for sample, cv in (
        (Sample(X, Y, time=TIME), FORWARD),
        (in_order, TimeSeriesSplit(4)),
        (Sample(X, Y, together=COPIES), list(GroupKFold(5).split(X, Y, COPIES))),
        (Sample(X, Y), [(np.arange(N) < 60, np.arange(N) >= 60)]),
        (Sample(X, Y), [([0, 0, 1, 2, 3], [4, 5])]),
        (Sample(X, Y, time=TIME, together=TIME), None),
    ):
        assert er.cross_evaluate(er.Ridge(), sample, cv=cv, metrics="mse")["mse"].value > 0.0


@pytest.mark.parametrize("metrics", ["mse", "r2", "neg_mean_absolute_error"])
@pytest.mark.parametrize("cv", [None, FORWARD, ShuffleSplit(4, random_state=0)])
def test_n_is_how_many_rows_were_scored(metrics: str, cv: Any) -> None:
    sample = Sample(X, Y, time=None if isinstance(cv, ShuffleSplit) else TIME)
    found = er.cross_evaluate(er.Ridge(), sample, cv=cv, metrics=metrics)
    scored = np.unique(np.concatenate([test for _, test in found.plan.splits])).size
    assert scored < N
    assert found[metrics].n == scored


def test_n_of_comparisons_and_curves_in_time() -> None:
    sample = Sample(X, Y, time=TIME)
    assert er.compare(er.Ridge(), er.Ridge(10.0), sample).difference.n == N // 2
    assert {e.n for e in er.selection.learning_curve(er.Ridge(), sample).validation} == {N // 2}


@pytest.mark.parametrize("rows", [[3, 80], [3, 4, 5]])
@pytest.mark.parametrize("together", [False, True])
def test_a_class_is_called_unseen_only_where_a_fit_lacks_it(rows: list[int], together: bool) -> None:
    y = np.where(X[:, 0] > 0, "a", "b").astype(object)
    y[rows] = "rare"
    tied = np.arange(N)
    if together:
        tied[rows] = N
    sample = Sample(X, y.astype(str), together=tied)
    plan = sample.plan(5, 1, 0)
    unseen = any(set(sample.y[train]) < set(sample.y) for train, _ in plan.splits)
    assert unseen == together
    found = er.cross_evaluate(LogisticRegression(), sample, repeats=1, random_state=0, metrics="accuracy")
    assert ("some fits never saw it" in found["accuracy"].reason) == unseen


@pytest.mark.parametrize("given", [er.Ridge, None, Candidate(er.Ridge()), 3.0])
def test_what_is_no_estimator_is_refused_in_words(given: Any) -> None:
    for ask in (
        lambda: Candidate(given),
        lambda: er.selection.model_selection_curve(given, X, Y, "tol", [1e-4, 1e-5]),
        lambda: er.selection.nested_cross_evaluate(given, X, Y),
        lambda: er.selection.stability(given, X, Y),
        lambda: er.diagnose(given, X, Y),
    ):
        with pytest.raises(TypeError, match="an estimator is wanted and"):
            ask()


def test_stability_says_that_it_has_no_times() -> None:
    with pytest.raises(ValueError, match="without their time"):
        er.selection.stability(er.Ridge(), Sample(X, Y, time=TIME), None)  # type: ignore[arg-type]


def test_an_error_in_a_fold_names_the_row_of_the_sample() -> None:
    gap = X.copy()
    gap[7, 2] = np.nan
    splits = [(np.arange(1, 60), np.arange(60, 90))]
    with pytest.raises(ValueError, match="row 6") as caught:
        er.cross_evaluate(er.Ridge(), gap, Y, cv=splits)
    assert "Row 6 of these is row 7 of the sample." in caught.value.__notes__[-1]
