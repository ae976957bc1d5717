"""Samples and candidates: what they check, how folds are dealt, and that every way in gives one number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.evaluation.fit_folds import each_fit
from empirisk.selection import Candidate, Sample

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = X[:, 0] + RNG.normal(size=90)
GROUPS = np.arange(90) // 3


def same(a: Any, b: Any) -> None:
    assert list(a) == list(b)
    for name in a:
        assert a[name] == b[name]


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_a_sample_gives_the_numbers_of_its_rows_and_targets(groups: Any) -> None:
    sample = Sample(X, Y, groups=groups)
    same(
        er.cross_evaluate(er.Ridge(), sample, random_state=3),
        er.cross_evaluate(er.Ridge(), X, Y, groups=groups, random_state=3),
    )
    one, other = (
        er.compare(er.Ridge(), er.Ridge(10.0), *rows, random_state=3, **more)
        for rows, more in (((sample,), {}), ((X, Y), {"groups": groups}))
    )
    assert one.difference == other.difference


def test_a_learning_curve_in_time_is_that_of_the_sample() -> None:
    time = RNG.permutation(90)
    one = er.selection.learning_curve(er.Ridge(), Sample(X, Y, time=time), random_state=0)
    other = er.selection.learning_curve(er.Ridge(), X, Y, time=time, random_state=0)
    assert one.validation == other.validation


def test_every_fold_in_time_is_predicted_from_its_past() -> None:
    time = RNG.permutation(90)
    plan = Sample(X, Y, time=time).plan()
    assert len(plan.splits) == 5
    for train, test in plan.splits:
        assert time[train].max() < time[test].min()


TIED = {
    "four moments": np.repeat(np.arange(4), 50),
    "runs of all lengths": np.repeat(np.arange(40), RNG.integers(1, 9, size=40)),
    "one late moment": np.r_[np.zeros(150), np.ones(50)],
    "one early moment": np.r_[np.zeros(20), np.ones(180)],
    "dates": np.repeat(np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="M8[D]"), 30),
}


@pytest.mark.parametrize("moments", TIED.values(), ids=list(TIED))
def test_rows_of_one_moment_are_in_one_block(moments: Any) -> None:
    time = np.random.default_rng(1).permutation(moments)
    plan = Sample(RNG.normal(size=(time.size, 2)), RNG.normal(size=time.size), time=time).plan()
    assert 1 <= len(plan.splits) <= min(5, np.unique(time).size - 1)
    held = np.concatenate([test for _, test in plan.splits])
    assert np.unique(held).size == held.size
    for train, test in plan.splits:
        assert set(train) == set(np.flatnonzero(time < time[test].min()))
    assert time[held].max() == time.max()


@pytest.mark.parametrize("time", [np.zeros(90), np.r_[0.0, np.ones(89)]])
def test_a_time_without_an_earlier_moment_is_refused(time: Any) -> None:
    with pytest.raises(ValueError, match="no row has earlier rows to be predicted"):
        Sample(X, Y, time=time).plan()


def test_weights_reach_the_fits_and_the_scores() -> None:
    weights = RNG.integers(1, 4, size=90).astype(float)
    for est in (er.Ridge(), make_pipeline(StandardScaler(), er.Ridge())):
        sample = Sample(X, Y, weights=weights)
        rows = np.arange(60)
        model = sample.fit(est, rows)
        name = "ridge__sample_weight" if hasattr(est, "steps") else "sample_weight"
        by_hand = est.__class__(**est.get_params(deep=False)).fit(X[:60], Y[:60], **{name: weights[:60]})
        assert np.array_equal(model.predict(X), by_hand.predict(X))
    found = er.cross_evaluate(er.Ridge(), sample, random_state=0)
    splits = found.plan.splits
    errors = [
        (er.Ridge().fit(X[a], Y[a], sample_weight=weights[a]).predict(X[b]) - Y[b]) ** 2 for a, b in splits
    ]
    counted = np.concatenate([weights[b] for _, b in splits])
    assert found["mse"].value == pytest.approx(np.average(np.concatenate(errors), weights=counted))


def test_exposures_reach_fits_and_predictions() -> None:
    exposure = RNG.uniform(0.5, 3.0, size=90)
    counts = RNG.poisson(np.exp(0.3 * X[:, 0]) * exposure).astype(float)
    sample = Sample(X, counts, exposure=exposure)
    found = er.cross_evaluate(er.PoissonRegressor(), sample, metrics="mse", random_state=0)
    a, b = found.plan.splits[0]
    model = er.PoissonRegressor().fit(X[a], counts[a], exposure=exposure[a])
    assert found.fitted.outputs[0].pred == pytest.approx(model.predict(X[b], exposure=exposure[b]))


def test_what_a_model_does_not_take_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="takes no exposure"):
        er.cross_evaluate(er.Ridge(), Sample(X, Y, exposure=np.ones(90)))
    with pytest.raises(TypeError, match="holds its y and groups"):
        er.cross_evaluate(er.Ridge(), Sample(X, Y), Y, groups=GROUPS)
    with pytest.raises(TypeError, match="for classification and the sample is one of regression"):
        er.cross_evaluate(er.LogisticRegression(), Sample(X, Y))
    with pytest.raises(TypeError, match="y is missing"):
        er.cross_evaluate(er.Ridge(), X)
    with pytest.raises(ValueError, match="sample_weight is -1 in row 2"):
        Sample(X, Y, weights=np.where(np.arange(90) == 2, -1.0, 1.0))
    with pytest.raises(ValueError, match="one class only"):
        Sample(X, np.full(90, "a"))
    with pytest.raises(ValueError, match="'loo' has no times"):
        er.cross_evaluate(er.Ridge(), Sample(X, Y, time=np.arange(90)), cv="loo")


@pytest.mark.parametrize("est", [er.Ridge(), make_pipeline(StandardScaler(), er.Ridge())])
def test_a_candidate_along_its_path_gives_the_fits_of_its_values(est: Any) -> None:
    name = "ridge__alpha" if hasattr(est, "steps") else "alpha"
    candidate, sample = Candidate(est, name, [0.01, 1.0, 0.1]), Sample(X, Y)
    assert candidate.together
    plan = sample.plan(3, 1, 0)
    fits = list(each_fit(candidate, sample, plan))
    assert [(f.split, f.value) for f in fits] == [(j, v) for j in range(3) for v in range(3)]
    for fit in fits:
        alone = est.__class__(**est.get_params(deep=False)).set_params(**{name: candidate.values[fit.value]})
        alone.fit(X[fit.train], Y[fit.train])
        assert fit.model.predict(X[fit.test]) == pytest.approx(alone.predict(X[fit.test]), abs=1e-4)


def test_a_candidate_without_a_path_sets_each_value() -> None:
    candidate = Candidate(er.DecisionTreeRegressor(random_state=0), "max_depth", [1, 2])
    assert not candidate.together
    depths = [m.max_depth for m in candidate.fits(Sample(X, Y), np.arange(90))]
    assert depths == [1, 2]
    with pytest.raises(ValueError, match="is no parameter of"):
        Candidate(er.Ridge(), "depth", [1])
    with pytest.raises(ValueError, match="name it"):
        Candidate(er.Ridge(), values=[1])


def test_an_error_says_in_which_split_it_happened() -> None:
    bad = X.copy()
    bad[70, 0] = np.nan
    with pytest.raises(ValueError, match="contains NaN in column 0, row 10") as caught:
        er.cross_evaluate(
            er.Ridge(),
            Sample(bad, Y),
            cv=[(np.arange(40), np.arange(40, 60)), (np.arange(60, 80), np.arange(10))],
        )
    assert "split 1 of 2 (20 rows)" in caught.value.__notes__[0]


def test_they_say_what_they_are() -> None:
    said = repr(Sample(X, Y, groups=GROUPS, weights=np.ones(90)))
    assert said == "Sample(90 rows, regression, 30 groups, weighted)"
    assert (
        repr(Candidate(er.Ridge(), "alpha", [1.0, 0.1, 0.01, 0.001]))
        == "Candidate(Ridge, alpha = 1, 0.1, 0.01, ...)"
    )
    assert repr(Candidate(er.Ridge())) == "Candidate(Ridge)"
