"""Which metric is taken when nobody says: by the kind of model, never by the luck of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from empirisk.evaluation.compare import default_metric
from empirisk.evaluation.proba_kinds import may_answer_zero, probability_metric
from empirisk.selection import GridSearch, RandomSearch, cross_evaluate, evaluate, learning_curve
from tests.conformance.estimators import FIXED
from tests.conformance.tree_estimators import USES

FOREST = RandomForestClassifier(3, random_state=0)
ZERO = (
    AdaBoostClassifier(),
    BaggingClassifier(),
    BaggingClassifier(KNeighborsClassifier()),
    CalibratedClassifierCV(method="isotonic"),
    DecisionTreeClassifier(),
    DummyClassifier(strategy="most_frequent"),
    FOREST,
    GaussianNB(),
    GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}),
    KNeighborsClassifier(),
    SGDClassifier(loss="modified_huber"),
    StackingClassifier([("a", LogisticRegression())], DecisionTreeClassifier()),
    VotingClassifier([("a", LogisticRegression()), ("b", FOREST)], voting="soft"),
    make_pipeline(StandardScaler(), KNeighborsClassifier()),
    er.AdaBoostClassifier(),
    er.BaggingClassifier(),
    er.DecisionTreeClassifier(),
    er.ExtraTreesClassifier(),
    er.GradientBoostingClassifier(calibrate="isotonic"),
    er.RandomForestClassifier(),
    GridSearch(er.DecisionTreeClassifier(), {"max_depth": [1, 2]}),
)
LINKED = (
    BaggingClassifier(LogisticRegression()),
    CalibratedClassifierCV(method="sigmoid"),
    DummyClassifier(strategy="prior"),
    HistGradientBoostingClassifier(),
    LogisticRegression(),
    SGDClassifier(loss="log_loss"),
    StackingClassifier([("a", FOREST)]),
    make_pipeline(StandardScaler(), LogisticRegression()),
    er.BaggingClassifier(er.LogisticRegression()),
    er.GradientBoostingClassifier(),
    er.GradientBoostingClassifier(calibrate="temperature"),
    er.BaggingClassifier(er.DecisionTreeClassifier(smoothing=0.5)),
    er.DecisionTreeClassifier(smoothing=0.5),
    er.ExtraTreesClassifier(smoothing=1.0),
    er.RandomForestClassifier(smoothing=0.5),
    er.LogisticRegression(),
    er.SGDClassifier(loss="logistic"),
    GridSearch(er.LogisticRegression(), {"alpha": [0.1, 1.0]}),
)


def name(est: Any) -> str:
    return f"{type(est).__name__}{'' if not hasattr(est, 'steps') else est.steps[-1][1]}"


@pytest.fixture
def classes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(90, 2))
    return X, (X[:, 0] + 0.5 * rng.normal(size=90) > 0).astype(int)


@pytest.mark.parametrize("est", ZERO, ids=name)
def test_kinds_that_may_answer_0_are_scored_by_the_brier_score(est: Any) -> None:
    assert may_answer_zero(est)
    assert default_metric(est, LogisticRegression()) == "brier_score"


@pytest.mark.parametrize("est", LINKED, ids=name)
def test_kinds_with_a_link_keep_the_log_loss(est: Any) -> None:
    assert not may_answer_zero(est)
    assert probability_metric(est, est) == "log_loss"


OURS = [use.make() for use in (*FIXED, *USES) if "Classifier" in use.kind or use.kind == "LogisticRegression"]


@pytest.mark.parametrize(
    "est", [e for e in OURS if hasattr(e, "predict_proba") and not may_answer_zero(e)], ids=name
)
def test_linked_classifiers_of_ours_never_answer_0_or_1(est: Any, rng: np.random.Generator) -> None:
    """Separated classes and a far row: what would be rounded to 0 is not."""
    X = np.r_[rng.normal(-1.0, 0.1, size=(30, 1)), rng.normal(1.0, 0.1, size=(30, 1))]
    proba = est.fit(X, np.repeat([0, 1], 30)).predict_proba(np.r_[X, [[-5.0], [5.0]]])
    assert (proba > 0.0).all()


def test_the_default_does_not_depend_on_the_rows(classes: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = classes
    tree = er.DecisionTreeClassifier(alpha=None)
    assert "log_loss" not in list(evaluate(tree.fit(X[:60], y[:60]), X[60:], y[60:]))
    stump = er.DecisionTreeClassifier(alpha=None, max_depth=1)  # as a rule no probability of 0
    first, second = (cross_evaluate(model, X, y, random_state=0) for model in (stump, tree))
    assert list(first) == list(second)
    assert learning_curve(stump, X, y, random_state=0).loss == "brier_score"
    asked = evaluate(tree, X[60:], y[60:], metrics="log_loss")["log_loss"]
    assert asked.low is None
    assert "rows gave probability 0" in asked.reason


def test_a_search_that_swaps_models_is_scored_for_all_of_them(classes: tuple[np.ndarray, np.ndarray]) -> None:
    pipe = make_pipeline(StandardScaler(), er.LogisticRegression())
    swapped = {"logisticregression": [er.LogisticRegression(), er.DecisionTreeClassifier(max_depth=2)]}
    for search in (
        GridSearch(pipe, swapped, random_state=0),
        RandomSearch(pipe, swapped, n_iter=2, random_state=0),
    ):
        assert search._default_metric() == "brier_score"
    assert GridSearch(pipe, {"logisticregression__alpha": [0.1, 1.0]})._default_metric() == "log_loss"
