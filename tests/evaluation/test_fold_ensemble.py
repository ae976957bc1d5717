"""The models of all folds, kept: by hand, and against what scikit-learn asks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as SkLogistic
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.selection import CrossValidatedEnsemble, GridSearch
from tests.conftest import SEED


def data(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n)


@parametrize_with_checks(
    [
        CrossValidatedEnsemble(er.Ridge(), cv=2, random_state=0),
        CrossValidatedEnsemble(SkLogistic(), cv=2, random_state=0),
        CrossValidatedEnsemble(DecisionTreeClassifier(random_state=0), cv=2, vote="soft", random_state=0),
    ]
)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def test_members_are_the_fold_models() -> None:
    X, y = data()
    model = CrossValidatedEnsemble(LinearRegression(), random_state=3).fit(X, y)
    ev = er.cross_evaluate(LinearRegression(), X, y, repeats=1, random_state=3)
    for member, (train, _) in zip(model.members_, ev.plan.splits, strict=True):
        np.testing.assert_allclose(member.coef_, LinearRegression().fit(X[train], y[train]).coef_)
    np.testing.assert_allclose(model.predict(X), np.mean([m.predict(X) for m in model.members_], axis=0))
    assert model.evaluation_["mse"].value == ev["mse"].value
    assert "one member, trained on about 120 rows" in model.evaluation_["mse"].target
    assert "not the ensemble itself" in repr(model.evaluation_)
    mean_of_members = np.mean([np.mean((m.predict(X) - y) ** 2) for m in model.members_])
    assert np.mean((model.predict(X) - y) ** 2) <= mean_of_members  # Jensen, row by row


def test_votes_and_ties() -> None:
    X, y = data()
    labels = np.where(y > 0, "up", "down")
    hard = CrossValidatedEnsemble(SkLogistic(), cv=4, random_state=0).fit(X, labels)
    votes = hard.votes(X)
    assert (votes.sum(axis=1) == 4).all()
    clear = votes[:, 0] != votes[:, 1]
    np.testing.assert_array_equal(hard.predict(X)[clear], hard.classes_[votes.argmax(axis=1)][clear])
    proba = np.mean([m.predict_proba(X) for m in hard.members_], axis=0)
    np.testing.assert_array_equal(hard.predict(X)[~clear], hard.classes_[proba.argmax(axis=1)][~clear])
    assert not hasattr(hard, "predict_proba")
    soft = CrossValidatedEnsemble(SkLogistic(), cv=4, vote="soft", random_state=0).fit(X, labels)
    np.testing.assert_allclose(soft.predict_proba(X), proba)
    plain = CrossValidatedEnsemble(LinearSVC(), cv=2, random_state=0).fit(X, labels)
    tied = plain.votes(X)[:, 0] == 1
    assert set(plain.predict(X)[tied]) <= {"down"}


def test_a_class_that_a_fold_never_saw_gets_no_probability_from_it() -> None:
    X, y = data(60)
    labels = np.where(y > 0, 1, 0)
    labels[0] = 2
    model = CrossValidatedEnsemble(DecisionTreeClassifier(random_state=0), vote="soft", random_state=0)
    model.fit(X, labels)
    assert model.predict_proba(X).shape == (60, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert sum(len(m.classes_) == 2 for m in model.members_) == 1


def test_around_a_search_frames_and_pickles() -> None:
    X, y = data()
    frame = pd.DataFrame(X, columns=list("abc"))
    search = GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, repeats=1, random_state=0)
    model = CrossValidatedEnsemble(search, cv=3, random_state=0).fit(frame, y, groups=np.arange(150) // 3)
    assert all(m.best_params_ for m in model.members_)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))


def test_bad_votes_are_refused() -> None:
    X, y = data()
    with pytest.raises(ValueError, match="vote must be"):
        CrossValidatedEnsemble(DecisionTreeRegressor(), vote="maybe").fit(X, y)
    with pytest.raises(ValueError, match="no predict_proba"):
        CrossValidatedEnsemble(LinearSVC(), vote="soft").fit(X, y > 0)
