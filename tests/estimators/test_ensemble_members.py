"""Ensembles as sequences of members, their scores out-of-bag, and votes of members without probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import empirisk as er

Pair = tuple[Any, Any]
CLASSIFIERS = [
    er.RandomForestClassifier(7, random_state=1),
    er.RandomForestClassifier(7, random_state=1, smoothing=1.0, criterion="entropy", max_leaf_nodes=6),
    er.ExtraTreesClassifier(7, bootstrap=True, class_weight="balanced"),
    er.RandomForestClassifier(7, class_weight="balanced_subsample"),
    er.BaggingClassifier(n_estimators=7, max_features=2),
]
REGRESSORS = [
    er.RandomForestRegressor(7, random_state=1),
    er.RandomForestRegressor(7, criterion="poisson", max_features=0.5),
    er.RandomForestRegressor(7, criterion="absolute_error"),
    er.ExtraTreesRegressor(7, bootstrap=True),
    er.BaggingRegressor(n_estimators=7),
]
FORESTS = [est for est in [*CLASSIFIERS, *REGRESSORS] if not hasattr(est, "estimator")]


def rows(est: Any, rng: np.random.Generator, n: int = 120) -> Pair:
    X = rng.normal(size=(n, 3))
    z = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    if est in CLASSIFIERS:
        return X, np.array(["low", "mid", "top"])[np.digitize(z, [-0.5, 0.8])]
    return X, np.exp(z)


def named(est: Any) -> str:
    return type(est).__name__


@pytest.mark.parametrize("est", [*CLASSIFIERS, *REGRESSORS], ids=named)
def test_an_ensemble_is_the_mean_of_the_members_that_it_holds(est: Any, rng: np.random.Generator) -> None:
    X, y = rows(est, rng)
    with pytest.raises(NotFittedError):
        len(est)
    assert bool(est)
    fitted = est.fit(X, y)
    members = list(fitted)
    assert len(fitted) == len(members) == len(fitted.estimators_) == 7
    assert [type(m) for m in fitted[-2:]] == [type(members[5]), type(members[6])]
    with pytest.raises(IndexError):
        fitted[7]
    bagged = "Bagging" in named(est)
    parts = fitted.estimators_features_ if bagged else [slice(None)] * 7
    how = "predict_proba" if est in CLASSIFIERS else "predict"
    said = np.mean([getattr(m, how)(X[:, c]) for m, c in zip(fitted, parts, strict=True)], axis=0)
    np.testing.assert_allclose(said, getattr(fitted, how)(X), rtol=1e-12)
    assert np.array_equal(fitted[3].predict(X[:, parts[3]]), members[3].predict(X[:, parts[3]]))


@pytest.mark.parametrize("est", FORESTS, ids=named)
def test_a_tree_of_a_forest_is_a_tree(est: Any, rng: np.random.Generator) -> None:
    X, y = rows(est, rng)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    forest = est.fit(frame, y)
    tree = forest[2]
    assert tree.to_text().count("\n") > 2
    assert "a" in tree.to_text()
    np.testing.assert_array_equal(tree.apply(frame), forest.apply(frame)[:, 2])
    assert tree.prune(n_leaves=2).get_n_leaves() <= 2
    assert tree.alpha is None
    if est in CLASSIFIERS:
        assert set(tree.predict(frame)) <= {"low", "mid", "top"}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("est", [*CLASSIFIERS, *REGRESSORS], ids=named)
def test_scores_and_draws_out_of_bag(est: Any, weighted: bool, rng: np.random.Generator) -> None:
    X, y = rows(est, rng)
    w = rng.integers(0, 3, len(y)).astype(float) if weighted else np.ones(len(y))
    fitted = est.fit(X, y, sample_weight=w if weighted else None)
    drawn = fitted.estimators_samples_
    seen = np.array([np.bincount(rows, minlength=len(y)) for rows in drawn]).T
    assert (seen[w == 0.0] == 0).all()
    assert len(drawn) == 7
    # By hand: each row by the members that did not draw it.
    how = "predict_proba" if est in CLASSIFIERS else "predict"
    parts = fitted.estimators_features_ if "Bagging" in named(est) else [slice(None)] * 7
    said = np.array([getattr(m, how)(X[:, c]) for m, c in zip(fitted, parts, strict=True)])
    known = (w > 0.0) & (seen == 0).any(axis=1)
    told = np.array([said[seen[i] == 0, i].mean(axis=0) for i in np.flatnonzero(known)])
    if est in CLASSIFIERS:
        label = fitted.classes_[told.argmax(axis=1)]
        plain = accuracy_score(y[known], label, sample_weight=w[known])
        assert fitted.oob_score_ == pytest.approx(1.0 - fitted.oob_risk_.value, rel=1e-12)
    else:
        plain = r2_score(y[known], told, sample_weight=w[known])
    if getattr(est, "class_weight", None) != "balanced":  # which are weights of the score, too
        assert fitted.oob_score_ == pytest.approx(plain, rel=1e-9)
    assert isinstance(fitted.oob_score_, float)


def test_scores_that_are_not_there_are_told(rng: np.random.Generator) -> None:
    X, y = rows(REGRESSORS[0], rng)
    forest = er.RandomForestRegressor(3, bootstrap=False).fit(X, y)
    assert not hasattr(forest, "oob_score_")
    with pytest.raises(AttributeError, match="bootstrap=True"):
        _ = forest.oob_score_
    assert [s.tolist() for s in forest.estimators_samples_] == [list(range(len(y)))] * 3
    for cls in (er.RandomForestClassifier, er.BaggingRegressor):
        with pytest.raises(TypeError, match="out-of-bag scores are always there: oob_score_"):
            cls(oob_score=True)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("member", [LinearSVC(), RidgeClassifier(), er.Perceptron(), er.SVC()], ids=named)
def test_members_without_probabilities_vote(member: Any, k: int, rng: np.random.Generator) -> None:
    X, y = rows(CLASSIFIERS[0], rng, 60)
    y = np.where(y == "top", "mid", y) if k == 2 else y
    if k == 3 and isinstance(member, er.Perceptron):
        pytest.skip("a perceptron has two classes")
    soft = er.BaggingClassifier(member, n_estimators=5).fit(X, y)
    hard = er.BaggingClassifier(member, n_estimators=5, vote="hard").fit(X, y)
    assert soft.vote_ == hard.vote_ == "majority"
    assert type(member).__name__ in soft.solution_.note
    assert "one vote" in soft._repr_html_().lower()
    assert hard.solution_.note == ""
    votes = np.mean([np.eye(k)[m.predict(X)] for m in soft], axis=0)
    for fitted in (soft, hard):
        np.testing.assert_allclose(fitted.predict_proba(X), votes, atol=1e-15)


@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_decision_is_what_predict_decides_by(k: int, vote: str, rng: np.random.Generator) -> None:
    X, y = rows(CLASSIFIERS[0], rng)
    y = np.where(y == "top", "mid", y) if k == 2 else y
    model = er.BaggingClassifier(LogisticRegression(), n_estimators=6, vote=vote).fit(X, y)
    said, share = model.decision_function(X), model.predict_proba(X)
    assert model.vote_ == {"soft": "soft", "hard": "majority"}[vote]
    np.testing.assert_allclose(said, share[:, 1] - share[:, 0] if k == 2 else share, atol=1e-15)
    codes = (said > 0.0).astype(int) if k == 2 else said.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[codes], model.predict(X))


def test_columns_drawn_with_replacement(rng: np.random.Generator) -> None:
    X, y = rows(CLASSIFIERS[0], rng)
    model = er.BaggingClassifier(n_estimators=40, bootstrap_features=True).fit(X, y)
    drawn = np.array(model.estimators_features_)
    assert drawn.shape == (40, 3)
    assert {len(set(c)) for c in drawn.tolist()} == {1, 2, 3}
    # A column is missed with chance (2/3)^3; five standard errors of the share of 120 cells.
    missed = np.mean([j not in c for c in drawn.tolist() for j in range(3)])
    assert abs(missed - 8 / 27) < 5 * np.sqrt(8 / 27 * 19 / 27 / 120)
    shares = np.mean([m.predict_proba(X[:, c]) for m, c in zip(model, drawn, strict=True)], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-12)
    with pytest.raises(ValueError, match="give X as an array"):
        model.fit(pd.DataFrame(X, columns=list("abc")), y)


def test_rounds_of_adaboost_against_scikit_learn(rng: np.random.Generator) -> None:
    # Stumps and labels with noise: of two equally good splits the seeds of the members would choose.
    X = rng.normal(size=(160, 3))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=160) > 0.0, "mid", "low")
    member = DecisionTreeClassifier(max_depth=1, random_state=0)
    ours = er.AdaBoostClassifier(8, estimator=member).fit(X, y)
    theirs = AdaBoostClassifier(member, n_estimators=8).fit(X, y)
    np.testing.assert_allclose(list(ours.staged_score(X, y)), list(theirs.staged_score(X, y)), rtol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6)
    last = list(ours.staged_predict_proba(X))
    np.testing.assert_allclose(last[-1], ours.predict_proba(X), rtol=1e-12)
    with pytest.raises(AttributeError, match="LogisticRegression has none"):
        _ = er.AdaBoostClassifier(3, estimator=LogisticRegression()).fit(X, y).feature_importances_
