"""Bagging by hand: members, out-of-bag votes, weights as draws, and the luck of the seeds by simulation."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.results import Kind

DRAWS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "weights are chances of being drawn, not repetitions"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [
        er.BaggingClassifier(n_estimators=5),
        er.BaggingClassifier(GaussianNB(), 5, vote="majority", max_features=0.7),
        er.BaggingRegressor(n_estimators=5, max_samples=0.7),
        er.BaggingRegressor(er.Ridge(alpha=0.1), 5),
    ],
    expected_failed_checks=lambda est: DRAWS,
)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def classes(rng: np.random.Generator, n: int = 80, k: int = 3) -> tuple[Any, Any]:
    X = rng.standard_normal((n, 4))
    z = X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.standard_normal(n)
    return X, np.array(["ash", "birch", "cedar"])[np.digitize(z, np.quantile(z, np.arange(1, k) / k))]


@pytest.mark.parametrize("vote", ["soft", "majority"])
@pytest.mark.parametrize("max_features", [1.0, 2])
def test_the_vote_and_its_out_of_bag_twin_by_hand(
    vote: str, max_features: Any, rng: np.random.Generator
) -> None:
    X, y = classes(rng)
    tree = DecisionTreeClassifier(max_depth=3)
    model = er.BaggingClassifier(tree, 25, vote=vote, max_features=max_features, random_state=7).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    total, unseen_total, unseen = np.zeros((80, 3)), np.zeros((80, 3)), np.zeros(80)
    parts = zip(model.estimators_, model.estimators_samples_, model.estimators_features_, strict=True)
    for member, rows, columns in parts:
        assert len(rows) == 80
        assert len(columns) == (4 if max_features == 1.0 else 2)
        # The member is a tree fitted to the drawn rows: refitted on repeated rows it says the same.
        again = clone(member).fit(X[rows][:, columns], codes[rows])
        p = member.predict_proba(X[:, columns])
        np.testing.assert_allclose(again.predict_proba(X[:, columns]), p, atol=1e-12)
        if vote == "majority":
            p = np.eye(3)[p.argmax(axis=1)]
        total += p
        out = ~np.isin(np.arange(80), rows)
        unseen_total[out] += p[out]
        unseen += out
    np.testing.assert_allclose(model.predict_proba(X), total / 25, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[total.argmax(axis=1)])
    share = unseen_total / unseen[:, None]
    np.testing.assert_allclose(model.oob_proba_, share, atol=1e-12)
    wrong = (share.argmax(axis=1) != codes).astype(float)
    ends = binomtest(int(wrong.sum()), 80).proportion_ci(method="wilson")
    assert model.oob_risk_.value == pytest.approx(wrong.mean())
    assert (model.oob_risk_.low, model.oob_risk_.high) == pytest.approx((ends.low, ends.high))
    brier = ((share - np.eye(3)[codes]) ** 2).sum(axis=1).mean()
    assert model.oob_brier_.value == pytest.approx(brier)
    assert model.certificate_.kind is Kind.MONTE_CARLO


class Recorder(RegressorMixin, BaseEstimator):
    """A member that remembers the rows and weights it was given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.seen_ = (np.asarray(X)[:, 0].astype(int), sample_weight)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


class Blind(RegressorMixin, BaseEstimator):
    """A member whose fit takes no weights."""

    def fit(self, X: Any, y: Any) -> Any:
        self.seen_ = np.asarray(X)[:, 0].astype(int)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


@pytest.mark.full  # simulated
def test_weights_are_chances_of_being_drawn() -> None:
    X, y = np.arange(6.0)[:, None], np.zeros(6)
    weight = np.array([0.0, 1.0, 1.0, 2.0, 4.0, 0.0])
    model = er.BaggingRegressor(Recorder(), 1000).fit(X, y, weight)
    drawn = np.zeros(6)
    for member in model.estimators_:
        rows, times = member.seen_
        np.add.at(drawn, rows, times)
    assert drawn.sum() == 1000 * 4  # as many draws as rows with weight
    expected = weight / 8.0
    np.testing.assert_allclose(drawn / 4_000, expected, atol=4 * np.sqrt(0.25 / 4_000))
    assert drawn[0] == drawn[5] == 0
    scaled = er.BaggingRegressor(Recorder(), 20).fit(X, y, 1000.0 * weight)
    for a, b in zip(scaled.estimators_samples_, model.estimators_samples_, strict=False):
        np.testing.assert_array_equal(a, b)


def test_without_weights_rows_are_repeated_and_without_replacement_weights_go_on() -> None:
    X, y = np.arange(6.0)[:, None], np.zeros(6)
    blind = er.BaggingRegressor(Blind(), 10).fit(X, y, [0, 1, 1, 1, 1, 1])
    for member, rows in zip(blind.estimators_, blind.estimators_samples_, strict=True):
        assert len(member.seen_) == 5
        np.testing.assert_array_equal(member.seen_, rows)
    weight = np.array([3.0, 1.0, 2.0, 1.0, 0.0, 1.0])
    half = er.BaggingRegressor(Recorder(), 10, bootstrap=False, max_samples=0.5).fit(X, y, weight)
    for member in half.estimators_:
        rows, given = member.seen_
        assert len(set(rows)) == 3
        np.testing.assert_array_equal(given, weight[rows])
    with pytest.raises(ValueError, match="Blind takes none"):
        er.BaggingRegressor(Blind(), 10, bootstrap=False).fit(X, y, weight)


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_processes_do_not_matter(backend: str, rng: np.random.Generator) -> None:
    X, y = classes(rng)
    with parallel_config(backend):
        one, two = (er.BaggingClassifier(n_estimators=6, n_jobs=j, random_state=2).fit(X, y) for j in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.oob_proba_, two.oob_proba_)
    fewer = er.BaggingClassifier(n_estimators=3, random_state=2).fit(X, y)
    np.testing.assert_array_equal(fewer.estimators_samples_, one.estimators_samples_[:3])


def test_pipelines_over_frames_and_sparse_rows(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=rng.choice(["u", "v"], len(y)))
    inside = ColumnTransformer([("n", StandardScaler(), ["a", "b"]), ("k", OneHotEncoder(), ["kind"])])
    model = er.BaggingClassifier(make_pipeline(inside, LogisticRegression()), 8).fit(frame, y)
    assert model.score(frame, y) > 0.6
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d", "kind"]
    dense = er.BaggingClassifier(LogisticRegression(), 8).fit(np.where(X > 0, X, 0.0), y)
    sparse = er.BaggingClassifier(LogisticRegression(), 8).fit(sp.csr_array(np.where(X > 0, X, 0.0)), y)
    np.testing.assert_allclose(sparse.oob_proba_, dense.oob_proba_, atol=1e-4)
    near = er.BaggingClassifier(KNeighborsClassifier(3), 8).fit(X, y)
    assert near.oob_risk_.value < 0.66


def test_default_trees_take_categories_and_gaps(rng: np.random.Generator) -> None:
    X, _ = classes(rng, 300)
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(
        kind=pd.Categorical(rng.choice(list("uvw"), 300))
    )
    y = np.where((frame["kind"] == "v") ^ (rng.random(300) < 0.1), "yes", "no")
    frame.loc[rng.random(300) < 0.2, "a"] = np.nan
    model = er.BaggingClassifier(n_estimators=20).fit(frame, y)
    assert model.oob_risk_.high < 0.35
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(again.estimators_samples_, model.estimators_samples_)
    numbers = er.BaggingRegressor(n_estimators=20).fit(frame, (y == "yes") * 2.0 + 1.0)
    assert numbers.score(frame, (y == "yes") * 2.0 + 1.0) > 0.7


def test_a_rare_class_keeps_its_column(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((60, 2)), np.repeat([0, 1, 2], [30, 29, 1])
    model = er.BaggingClassifier(GaussianNB(var_smoothing=1.0), 40).fit(X, y)
    assert {len(m.classes_) for m in model.estimators_} == {2, 3}
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    few = er.BaggingClassifier(n_estimators=30).fit([[0.0], [1.0]], [0, 1])  # a draw is both rows
    assert all(len(set(rows)) == 2 for rows in few.estimators_samples_)
    assert "no row is out-of-bag" in few.oob_risk_.reason


def curve(rng: np.random.Generator, n: int = 120) -> tuple[Any, Any]:
    x = rng.uniform(-2, 2, n)
    return x[:, None], np.sin(2 * x) + 0.3 * rng.standard_normal(n)


@pytest.mark.full  # simulated: many seeds
def test_the_monte_carlo_errors_against_other_seeds(rng: np.random.Generator) -> None:
    X, y = curve(rng)
    grid = np.linspace(-2, 2, 15)[:, None]
    tree = DecisionTreeRegressor(min_samples_leaf=3)
    fits = [er.BaggingRegressor(tree, 30, random_state=s).fit(X, y) for s in range(25)]
    spread = np.std([m.predict(grid) for m in fits], axis=0, ddof=1)
    told = np.mean([m.monte_carlo_error(grid) for m in fits], axis=0)
    assert np.mean(told) == pytest.approx(np.mean(spread), rel=0.2)
    risk_spread = np.std([m.oob_risk_.value for m in fits], ddof=1)
    assert np.mean([m.monte_carlo_error_ for m in fits]) == pytest.approx(risk_spread, rel=0.35)


def test_averaging_lowers_the_variance(rng: np.random.Generator) -> None:
    grid = np.linspace(-1.8, 1.8, 25)[:, None]
    alone, bagged = [], []
    for _ in range(20):
        X, y = curve(rng, 80)
        alone.append(DecisionTreeRegressor().fit(X, y).predict(grid))
        bagged.append(er.BaggingRegressor(n_estimators=15).fit(X, y).predict(grid))
    assert np.var(bagged, axis=0).mean() < 0.7 * np.var(alone, axis=0).mean()


@pytest.mark.parametrize("draws", [40, pytest.param(600, marks=pytest.mark.slow)])
def test_the_interval_holds_the_risk_of_the_ensemble(draws: int, rng: np.random.Generator) -> None:
    covered = 0
    for seed in range(draws):
        X, y = curve(rng)
        new, target = curve(rng, 2000)
        model = er.BaggingRegressor(LinearRegression(), 15, random_state=seed).fit(X, y)
        risk = np.mean((model.predict(new) - target) ** 2)
        covered += model.oob_risk_.low <= risk <= model.oob_risk_.high
    assert covered / draws > 0.95 - 3.0 * np.sqrt(0.05 * 0.95 / draws) - 0.02  # Student's t on skewed losses


def test_auto_stops_when_the_seeds_matter_little(rng: np.random.Generator) -> None:
    X, y = curve(rng)
    model = er.BaggingRegressor(DecisionTreeRegressor(min_samples_leaf=5), "auto").fit(X, y)
    assert model.n_estimators_ == model.size_.trees == len(model.estimators_)
    assert model.size_.mc_error <= 0.25 * model.size_.standard_error
    assert model.size_.reason == model.solution_.note
    with pytest.raises(ValueError, match="needs out-of-bag rows"):
        er.BaggingRegressor(n_estimators="auto", bootstrap=False).fit(X, y)


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails on what it is told to."""

    def __init__(self, fail: bool = False, random_state: Any = None) -> None:
        self.fail = fail
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Any:
        if self.fail and self.random_state % 3 == 0:
            raise KeyboardInterrupt if X.shape[1] == 2 else RuntimeError("broken")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


def test_failed_and_interrupted_fits_leave_the_state_before(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    model = er.BaggingClassifier(Fragile(), 20, vote="majority").fit(X, y)
    before = dict(model.__dict__)
    model.estimator.fail = True
    with pytest.raises(RuntimeError) as caught:
        model.fit(X, y)
    assert "while fitting member" in caught.value.__notes__[0]
    assert "is one of its draw, not of X" in caught.value.__notes__[0]
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :2], y)
    assert model.__dict__ == before
    assert model.predict(X).shape == (80,)


def test_refusals_name_what_is_wrong(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    for params, words in (
        ({"max_samples": 0.0}, "max_samples must be a share"),
        ({"max_samples": 81, "bootstrap": False}, "whole number 1 .. 80"),
        ({"max_samples": 2**40}, "whole number 1 .. 2147483647"),
        ({"max_features": 5}, "max_features must be"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"n_estimators": "many"}, '"auto"'),
        ({"vote": "loud"}, "vote must be 'soft' or 'majority' or 'hard'"),
    ):
        with pytest.raises(ValueError, match=words):
            er.BaggingClassifier(**params).fit(X, y)
    with pytest.raises(TypeError, match="take BaggingRegressor"):
        er.BaggingClassifier(LinearRegression()).fit(X, y)
    with pytest.raises(TypeError, match="take BaggingClassifier"):
        er.BaggingRegressor(GaussianNB()).fit(X, np.arange(80.0))
    with pytest.raises(ValueError, match="one class only"):
        er.BaggingClassifier().fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="draws of 1 rows held one class only"):
        er.BaggingClassifier(max_samples=1).fit(X, y)
    with pytest.raises(
        ValueError, match=r"max_samples must be a share in .* or a whole number 1 .. \d+, got 0"
    ):
        er.BaggingClassifier(max_samples=0).fit(X, y)
    with pytest.raises(ValueError, match=r"only one class .* has rows with positive sample_weight"):
        er.BaggingClassifier().fit(X, y, sample_weight=np.arange(80) == 0)
    with pytest.raises(ValueError, match="y holds the text 'low' in row 0, and a regression needs numbers"):
        er.BaggingRegressor().fit(X, ["low", "high"] * 40)
    with pytest.raises(ValueError, match="NaN in row 3"):
        er.BaggingRegressor().fit(X, np.where(np.arange(80) == 3, np.nan, 1.0))


@pytest.mark.parametrize(
    ("member", "steps"),
    [
        (None, (4, 5, 5, 14, 23)),
        (LogisticRegression(), (4, 23)),
        (make_pipeline(StandardScaler(), RidgeClassifier()), (4, 23)),
    ],
)
def test_warm_start_is_the_fit_of_all_members_at_once(
    member: Any, steps: tuple[int, ...], rng: np.random.Generator
) -> None:
    """Bit for bit: members, draws, predictions out-of-bag, risks, and what seeds move them by."""
    X, y = classes(rng)
    weight = rng.uniform(0.5, 2.0, len(y)) * (rng.random(len(y)) < 0.9)
    params: Any = {"max_features": 2, "random_state": 3, "n_jobs": 1}
    whole = er.BaggingClassifier(member, 23, **params).fit(X, y, weight)
    grown = er.BaggingClassifier(member, 4, warm_start=True, **params)
    for m in steps:
        grown.set_params(n_estimators=m).fit(X, y, weight)
        assert len(grown) == m
    np.testing.assert_array_equal(grown.oob_proba_, whole.oob_proba_)
    np.testing.assert_array_equal(grown.predict_proba(X), whole.predict_proba(X))
    for ours, theirs in zip(grown.estimators_samples_, whole.estimators_samples_, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert grown.oob_risk_ == whole.oob_risk_
    assert grown.certificate_ == whole.certificate_


def test_warm_start_of_numbers_over_frames_and_sparse_rows(rng: np.random.Generator) -> None:
    X, y = curve(rng)
    frame = pd.DataFrame({"x": X[:, 0], "part": pd.Categorical(np.where(X[:, 0] > 3.0, "late", "early"))})
    for table in (frame, pl.from_pandas(frame), sp.csr_array(X), frame.to_numpy(dtype=object)):
        member = None if not isinstance(table, np.ndarray) else Ridge()
        table = table if member is None else table[:, :1]
        whole = er.BaggingRegressor(member, 12).fit(table, y)
        grown = er.BaggingRegressor(member, 5, warm_start=True).fit(table, y)
        grown.set_params(n_estimators=12).fit(table, y)
        np.testing.assert_array_equal(grown.oob_prediction_, whole.oob_prediction_)
        assert grown.monte_carlo_error_ == whole.monte_carlo_error_
        assert pickle.loads(pickle.dumps(grown)).set_params(n_estimators=13).fit(table, y).n_estimators_ == 13
        with pytest.raises(ValueError, match="the same rows, columns, weights and targets"):
            grown.set_params(n_estimators=14).fit(table, y + 1.0)


def test_warm_start_refuses_other_members(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    member = er.DecisionTreeClassifier(alpha=None, random_state=1)
    model = er.BaggingClassifier(member, 4, warm_start=True).fit(X, y)
    member.set_params(random_state=2)  # which each draw sets
    assert len(model.set_params(n_estimators=5, n_jobs=1).fit(X, y)) == 5
    before = model.estimators_
    for change, sentence in (
        ({"max_samples": 0.5}, "max_samples was 1.0 and is 0.5 now"),
        ({"vote": "hard"}, "vote was 'soft' and is 'hard' now"),
        ({"random_state": 7}, "random_state was 0 and is 7 now"),
        ({"estimator__max_depth": 2}, "estimator was DecisionTreeClassifier"),
        ({"estimator": None}, "estimator was DecisionTreeClassifier"),
    ):
        changed = copy.deepcopy(model).set_params(n_estimators=6, **change)
        with pytest.raises(ValueError, match=re.escape(sentence)):
            changed.fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=4 is less than the 5 members there are"):
        model.set_params(n_estimators=4).fit(X, y)
    assert model.estimators_ is before
    with pytest.raises(ValueError, match="set warm_start=False"):
        model.set_params(n_estimators="auto").fit(X, y)
    cold = er.BaggingClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="warm_start must be True in the first fit too"):
        cold.set_params(n_estimators=4, warm_start=True).fit(X, y)


def test_members_weigh_classes_by_what_they_drew(rng: np.random.Generator) -> None:
    """What others call balanced_subsample: a member with class_weight="balanced" sees its draw alone."""
    X = rng.standard_normal((150, 2))
    y = (X[:, 0] + 0.5 * rng.standard_normal(150) > 1.2).astype(int)
    member = er.DecisionTreeClassifier(alpha=None, max_depth=2, class_weight="balanced")
    bagged = er.BaggingClassifier(member, 4).fit(X, y)
    for ours, drawn in zip(bagged.estimators_, bagged.estimators_samples_, strict=True):
        peer = DecisionTreeClassifier(max_depth=2, class_weight="balanced").fit(X[drawn], y[drawn])
        np.testing.assert_allclose(ours.predict_proba(X[drawn]), peer.predict_proba(X[drawn]), atol=1e-12)
    with pytest.raises(TypeError, match="the members weigh the classes, each in its own draw"):
        er.BaggingClassifier(class_weight="balanced_subsample")
