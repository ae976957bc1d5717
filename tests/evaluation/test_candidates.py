"""Candidates through the fold engine: shared steps, plans of a few splits, and doors that take one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import empirisk as er
from empirisk.data.deadline import OutOfTime
from empirisk.evaluation.before import Before
from empirisk.evaluation.fit_folds import each_fit
from empirisk.evaluation.outputs import outputs_of
from empirisk.evaluation.parts import each_value
from empirisk.selection import Candidate, Sample

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = X[:, 0] + RNG.normal(size=90)
LABELS = np.where(Y > 0, "yes", "no")


class Counting(TransformerMixin, BaseEstimator):
    """A step that counts, over all of its clones, how often it is fitted and how often it transforms."""

    fits = 0
    calls = 0

    def fit(self, X: Any, y: Any = None) -> Any:
        type(self).fits += 1
        self.mean_ = np.mean(X, axis=0)
        return self

    def transform(self, X: Any) -> Any:
        type(self).calls += 1
        return X - self.mean_


class Noisy(Counting):
    """A step that hands training rows on otherwise than new rows, as cross-fitted encoders do."""

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        return self.fit(X).transform(X) + np.sin(np.arange(X.size)).reshape(X.shape)


@pytest.fixture(autouse=True)
def _from_zero() -> None:
    Counting.fits = Counting.calls = 0


def same_outputs(a: Any, b: Any) -> None:
    for name in ("pred", "proba", "score"):
        one, other = getattr(a, name), getattr(b, name)
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one, other)


def test_candidates_with_the_same_steps_cost_one_encoding_a_split() -> None:
    step = Counting()
    models = (er.Ridge(), er.DecisionTreeRegressor(alpha=0.0), er.Lasso())
    candidates = [
        Candidate(Pipeline([("step", step), ("model", models[0])]), "model__alpha", [1.0, 0.1]),
        Candidate(Pipeline([("other", step), ("model", models[1])]), "model__max_depth", [1, 2, 3]),
        Candidate(Pipeline([("step", step), ("model", models[2])])),
    ]
    sample, before = Sample(X, Y), Before()
    plan = sample.plan(random_state=0)
    for j in range(3):
        for candidate in candidates:
            for fit in each_fit(candidate, sample, plan.only(j), before):
                same_outputs(fit.outputs(), outputs_of(fit.model, X[fit.test]))
                same_outputs(fit.train_outputs(), outputs_of(fit.model, X[fit.train]))
    assert Counting.fits == 3
    # Of each split: the training rows for the fits and all models, test rows for all models, and 12 checks.
    assert Counting.calls == 3 * (1 + 1 + 2 * 6)


def test_each_with_steps_of_its_own_fits_them_itself() -> None:
    sample, before = Sample(X, Y), Before()
    for _ in range(2):
        list(each_fit(Candidate(make_pipeline(Counting(), er.Ridge())), sample, sample.plan(3), before))
    assert Counting.fits == 2 * len(sample.plan(3).splits)


def test_what_is_remembered_is_bounded() -> None:
    sample, rows = Sample(X, Y), [np.arange(k, 60 + k) for k in range(3)]
    candidate = Candidate(make_pipeline(Counting(), er.Ridge()))
    for most, fits in ((1, 4), (3, 3)):
        Counting.fits, before = 0, Before(most)
        for part in (*rows, rows[0]):
            next(candidate.fits(sample, part, before))
        assert Counting.fits == fits
    next(candidate.fits(Sample(X, Y), rows[0], before))  # the same rows of another sample
    assert Counting.fits == 4


def test_models_are_those_of_pipelines_fitted_whole() -> None:
    """Training rows pass transform for models where a step says so: some fit and transform otherwise."""
    sample, rows = Sample(X, Y), np.arange(60)
    est = make_pipeline(Noisy(), make_pipeline(StandardScaler(), er.Ridge()))
    name = "pipeline__ridge__alpha"
    before = Before()
    for value, model in zip(
        [1.0, 0.1], Candidate(est, name, [1.0, 0.1]).fits(sample, rows, before), strict=True
    ):
        own = est.set_params(**{name: value}).fit(X[:60], Y[:60])
        np.testing.assert_allclose(model.predict(X), own.predict(X), rtol=1e-6)
        same_outputs(before.outputs(model, sample, rows), outputs_of(model, X[:60]))


def test_steps_that_vary_are_fitted_for_each_value() -> None:
    est = Pipeline([("step", FunctionTransformer(np.abs)), ("model", er.Ridge())])
    steps = [FunctionTransformer(np.abs), FunctionTransformer(np.square)]
    first, second = each_value(est, X, Y, "step", steps)
    assert first[0].func is np.abs
    assert second[0].func is np.square


def test_weights_and_exposures_reach_values_that_are_fitted_together() -> None:
    weights, time = RNG.integers(1, 4, size=90).astype(float), RNG.uniform(0.5, 2.0, 90)
    counts, rows = RNG.poisson(time).astype(float), np.arange(70)
    sample = Sample(X, counts, weights=weights, exposure=time)
    for est, name in (
        (er.PoissonRegressor(tol=1e-12), "alpha"),
        (make_pipeline(er.PoissonRegressor(tol=1e-12)), "poissonregressor__alpha"),
    ):
        found = list(Candidate(est, name, [1.0, 0.1]).fits(sample, rows))
        for value, model in zip([1.0, 0.1], found, strict=True):
            own = er.PoissonRegressor(alpha=value, tol=1e-12)
            own.fit(X[:70], counts[:70], weights[:70], exposure=time[:70])
            last = model[-1] if hasattr(model, "steps") else model
            np.testing.assert_allclose(last.coef_, own.coef_, atol=1e-5)


def test_work_that_is_cut_short_leaves_the_models_before() -> None:
    class Late(er.Ridge):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            if self.tol == 1e-3:
                raise OutOfTime
            return super().fit(X, y, sample_weight)

    models = Candidate(Late(), "tol", [1e-6, 1e-3]).fits(Sample(X, Y), np.arange(60))
    assert next(models).tol == 1e-6
    with pytest.raises(OutOfTime):
        next(models)


# -- plans --------------------------------------------------------------------------------------------


def test_a_plan_of_the_first_splits_holds_whole_repeats() -> None:
    plan = Sample(X, Y).plan(3, 4, random_state=0)
    for count, repeats in ((3, 1), (5, 1), (6, 2), (12, 4)):
        part = plan.first(count)
        assert (part.folds, part.repeats, len(part.splits)) == (3, repeats, 3 * repeats)
        assert part.splits == plan.splits[: 3 * repeats]
    for count in (1, 2):
        part = plan.first(count)
        assert (part.folds, part.repeats, len(part.splits)) == (None, 0, count)
        assert part.note
    forward = Sample(X, Y, time=np.arange(90)).plan()
    assert forward.first(3).splits == forward.splits[:3]
    assert plan.only(4).splits == (plan.splits[4],)
    assert plan.first(12).note == plan.note


def test_a_part_of_a_plan_is_judged_like_splits_that_are_given() -> None:
    sample = Sample(X, Y)
    plan = sample.plan(random_state=0)
    for part in (plan.only(2), plan.first(3), plan.first(7)):
        one, other = (er.cross_evaluate(er.Ridge(), sample, cv=part.splits), part)
        assert (one.plan.folds, one.plan.repeats, one.plan.note) == (other.folds, other.repeats, other.note)


# -- doors --------------------------------------------------------------------------------------------


def test_doors_take_a_candidate_of_one_model_by_its_name() -> None:
    sample, est = Sample(X, Y), er.Ridge(0.3)
    for named in (Candidate(est, name="mine"), Candidate(er.Ridge(), "alpha", [0.3], "mine")):
        found, plain = (er.cross_evaluate(m, sample, random_state=0) for m in (named, est))
        assert dict(found) == dict(plain)
        assert found.title == plain.title.replace("Ridge", "mine")
        loo, alone = (er.cross_evaluate(m, sample, cv="loo") for m in (named, est))
        assert dict(loo) == dict(alone)
        assert loo.title.startswith("mine, ")
        c = er.compare(named, er.Ridge(30.0), sample, random_state=0)
        assert c.names == ("mine", "Ridge")
        assert c.difference == er.compare(est, er.Ridge(30.0), sample, random_state=0).difference
        curve = er.selection.learning_curve(named, sample, random_state=0)
        assert curve.name == "mine"
        assert curve.validation == er.selection.learning_curve(est, sample, random_state=0).validation
        one = er.selection.leave_one_out(named, X, Y)
        assert dict(one) == dict(er.selection.leave_one_out(est, X, Y))
        assert one.title.startswith("mine, ")
    labels = er.cross_evaluate(Candidate(er.DecisionTreeClassifier()), X, LABELS, random_state=0)
    assert "brier_score" in labels
    assert "log_loss" not in labels


@pytest.mark.parametrize("door", [er.cross_evaluate, er.selection.learning_curve, er.selection.leave_one_out])
def test_several_values_are_refused_with_what_to_do(door: Any) -> None:
    several = Candidate(er.Ridge(), "alpha", [1.0, 0.1])
    with pytest.raises(ValueError, match="makes 2 models, and one is judged here: leave one value of alpha"):
        door(several, X, Y)
    with pytest.raises(ValueError, match="makes 2 models"):
        er.compare(er.Ridge(), several, X, Y)
