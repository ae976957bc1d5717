"""Every function that gives evidence, over every estimator: against refits by hand, or by a sentence."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import get_tags

import empirisk as er
from empirisk.diagnosis.diagnose import FAILED
from empirisk.estimators import REGISTRY
from empirisk.selection import GridSearch

N = 60
HALVES = [(np.arange(0, N, 2), np.arange(1, N, 2)), (np.arange(1, N, 2), np.arange(0, N, 2))]
# Draws of rows, or steps in the order of the rows: the order of a subset shows in the fit.
# Classes in few rows are told apart without a penalty; counts with many zeros need a zero.
ZEROS = ("HurdleRegressor", "ZeroInflatedRegressor")
LIKELIHOODS = ("OrderedLogit", "ConditionalLogit", *ZEROS)
RANDOM = ("Bagging", "ExtraTrees", "RandomForest", "SGD", "KernelSGD", "Perceptron")


def made(kind: str) -> Any:
    """The estimator with its defaults, few trees, a seed, and no strength that hangs on folds by content."""
    known = inspect.signature(REGISTRY[kind]).parameters
    few: dict[str, Any] = {"n_estimators": 5, "random_state": 0}
    few |= {"early_stopping": False} if kind.startswith("GradientBoosting") else {}
    few |= {"family": "poisson"} if kind == "BayesianGLM" else {}
    few |= {"alpha": 0.01} if kind in ("Lasso", "ElasticNet", *LIKELIHOODS) else {}
    return REGISTRY[kind](**{k: v for k, v in few.items() if k in known})


def sample(est: Any) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N, 2))
    z = X[:, 0] + 0.5 * rng.normal(size=N)
    X = np.exp(X) if counts(est) else X
    if type(est).__name__ in ZEROS or (hasattr(est, "steps") and type(est.steps[-1][1]).__name__ in ZEROS):
        return X, rng.poisson(np.exp(0.5 * z)) * (rng.random(N) < 0.7)
    return X, (z > 0.0).astype(int) if is_classifier(est) else np.exp(0.5 * z)


def counts(est: Any) -> bool:
    """Whether an estimator, or the last step of a pipeline, takes no negative features."""
    last = est.steps[-1][1] if hasattr(est, "steps") else est
    return bool(get_tags(last).input_tags.positive_only)


def by_hand(est: Any, X: np.ndarray, y: np.ndarray, metric: str) -> float:
    """Mean over the rows of the loss of fits that know nothing of each other."""
    total = 0.0
    for train, test in HALVES:
        model = clone(est).fit(X[train], y[train])
        if metric == "mse":
            total += float(((model.predict(X[test]) - y[test]) ** 2).sum())
        elif metric == "accuracy":
            total += float((model.predict(X[test]) == y[test]).sum())
        else:
            total += float(((model.predict_proba(X[test])[:, 1] - y[test]) ** 2).sum())
    return total / N


def kinds(est: Any) -> str:
    if not is_classifier(est):
        return "mse"
    return "brier_score" if hasattr(est, "predict_proba") else "accuracy"


@pytest.mark.parametrize("wrapped", [False, True], ids=["alone", "pipeline"])
@pytest.mark.parametrize("kind", sorted(REGISTRY))
def test_scores_and_curves_are_those_of_fits_by_hand(kind: str, wrapped: bool) -> None:
    est = made(kind)
    scaler = MinMaxScaler(clip=True) if counts(est) else StandardScaler()
    est = make_pipeline(scaler, est) if wrapped else est
    X, y = sample(est)
    metric = kinds(est)
    wanted = by_hand(est, X, y, metric)
    scored = er.cross_evaluate(est, X, y, cv=HALVES, metrics=metric)[metric].value
    assert scored == pytest.approx(wanted, rel=1e-9)
    curve = er.selection.learning_curve(est, X, y, [14, 30], cv=HALVES, loss=metric, random_state=0)
    last = 1.0 - curve.validation[-1].value if metric == "accuracy" else curve.validation[-1].value
    assert last == pytest.approx(wanted, rel=0.6 if kind.startswith(RANDOM) else 2e-3)
    assert curve.plot() is not None


@pytest.mark.parametrize("kind", sorted(REGISTRY))
def test_every_question_of_the_diagnosis_is_answered(kind: str) -> None:
    est = made(kind)
    X, y = sample(est)
    found = er.diagnose(est, X, y, cv=2, random_state=0)
    assert not [a for a in found.answers if FAILED in a.sentence or "could not be fitted" in a.sentence]
    for part in found.decomposition.parts:
        if part.low is not None and part.high is not None:
            assert 0.0 <= part.low <= part.high
    assert "nan" not in re.findall(r"[a-z]+", repr(found))


Ask = Callable[[Any, np.ndarray, np.ndarray], Any]


def searched(m: Any, **settings: Any) -> GridSearch:
    """A search over two settings of the step before the estimator."""
    grid = {"standardscaler__with_mean": [True, False]}
    return GridSearch(make_pipeline(StandardScaler(), m), grid, cv=2, **settings)


ASKED: dict[str, Ask] = {
    "evaluate": lambda m, X, y: er.evaluate(m.fit(X[:30], y[:30]), X[30:], y[30:]),
    "cross_evaluate": lambda m, X, y: er.cross_evaluate(m, X, y, cv=2, random_state=0),
    "compare": lambda m, X, y: er.compare(m, clone(m), X, y, cv=2, random_state=0),
    "learning_curve": lambda m, X, y: er.selection.learning_curve(m, X, y, cv=2, random_state=0),
    "leave_one_out": lambda m, X, y: er.selection.leave_one_out(m, X, y, max_seconds=5.0),
    "nested": lambda m, X, y: er.selection.nested_cross_evaluate(searched(m), X, y, cv=2, random_state=0),
    "search": lambda m, X, y: searched(m, random_state=0).fit(X, y).result_,
    "model_selection_curve": lambda m, X, y: er.selection.model_selection_curve(
        make_pipeline(StandardScaler(), m), X, y, "standardscaler__with_mean", [True, False], cv=2
    ),
    "stability": lambda m, X, y: er.selection.stability(m, X, y, n_replace=3, random_state=0),
    "bias_variance": lambda m, X, y: er.selection.bias_variance(m, X, y, n_sets=4, random_state=0),
    "partial_dependence": lambda m, X, y: er.partial_dependence(m.fit(X, y), X, [0]),
    "risk_bounds": lambda m, X, y: er.risk_bounds(m.fit(X[:30], y[:30]), X[:30], y[:30], X[30:], y[30:]),
    "diagnose of a pipeline": lambda m, X, y: er.diagnose(make_pipeline(StandardScaler(), m), X, y, cv=2),
    "diagnose of a search": lambda m, X, y: er.diagnose(searched(m), X, y, cv=2, random_state=0),
}


@pytest.mark.slow
@pytest.mark.parametrize("evidence", ASKED)
@pytest.mark.parametrize("kind", sorted(REGISTRY))
def test_every_function_works_or_refuses_by_a_sentence(kind: str, evidence: str) -> None:
    est = made(kind)
    X, y = sample(est)
    found, refusal = None, ""
    try:
        found = ASKED[evidence](est, X, y)
    except (ValueError, TypeError) as error:
        refusal = str(error)
        assert_sentence(refusal)
    said = refusal or repr(found)
    assert FAILED not in said
    assert not re.search(r"\[nan|nan\]", said)
    if is_classifier(est) and evidence in ("search", "compare", "learning_curve"):
        assert "infinite" not in said


def assert_sentence(refusal: str) -> None:
    """A refusal is a sentence of ours, no accident inside."""
    assert len(refusal.split()) > 4, refusal
    accident = r"object has no|unexpected keyword|not subscriptable|broadcast|Invalid param|NoneType"
    assert not re.search(accident, refusal), refusal
