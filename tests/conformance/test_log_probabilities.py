"""Every classifier with probabilities has their logarithms, finite where its formulas know them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import ClassifierMixin, clone, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.estimators.log_probabilities import LogProbabilities
from tests.conformance.bayes_estimators import USES as BAYES
from tests.conformance.estimators import ALL, BY_STEPS, data_for
from tests.conformance.kernel_estimators import EVERY as KERNELS
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.process_estimators import USES as PROCESSES
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.tree_estimators import USES as TREES

EVERY = dict.fromkeys(
    [*ALL, *BY_STEPS, *TREES, *KERNELS, *NEIGHBORS, *PROCESSES, *NETWORKS, *SMOOTHERS, *BAYES]
)
WITH = [u for u in EVERY if is_classifier(u.make()) and hasattr(u.make(), "predict_proba")]
FAR = 1e3  # times the rows: linear scores are beyond 745, where exp is 0
# Rows that the model refuses so far from those of the fit, or counts that it cannot hold.
NEAR = {"CategoricalNB": 1.0}


def knows(est: Any) -> bool:
    """Whether the class computes logarithms from more than the rounded probabilities."""
    return type(est)._log_probabilities is not LogProbabilities._log_probabilities


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("use", WITH, ids=str)
def test_they_are_the_logarithms_of_the_probabilities(use: Any, k: int, rng: np.random.Generator) -> None:
    est = use.make()
    d = data_for(est, rng, classes=k)
    fitted = clone(est).fit(d.X, d.y)
    p, logs = fitted.predict_proba(d.X), fitted.predict_log_proba(d.X)
    assert logs.shape == p.shape
    # A probability of float32 scores, or one that is a difference from 1, is known to this share of 1.
    np.testing.assert_allclose(np.exp(logs), p, rtol=1e-9, atol=4e-16)
    if knows(est) and getattr(est, "probabilities_open", None) is not False:
        far = fitted.predict_log_proba(d.X * NEAR.get(use.kind, FAR))
        assert np.isfinite(far).all()
        np.testing.assert_allclose(np.exp(far).sum(axis=1), 1.0, rtol=1e-9)


def test_every_class_with_probabilities_has_them() -> None:
    found = [c for c in REGISTRY.values() if issubclass(c, ClassifierMixin) and hasattr(c, "predict_proba")]
    assert len(found) > 10
    for cls in found:
        assert issubclass(cls, LogProbabilities), cls.__name__


@pytest.mark.parametrize("k", [2, 3])
def test_models_around_a_model_hand_them_on(k: int, rng: np.random.Generator) -> None:
    d = data_for(er.LogisticRegression(), rng, p=2, classes=k)
    frame = pd.DataFrame(d.X, columns=["a", "b"]).assign(y=d.y)
    simple = er.LogisticRegression(alpha=0.1)
    made = [
        (make_pipeline(StandardScaler(), simple).fit(d.X, d.y), d.X),
        (er.formula("y ~ a + b", frame, simple), frame),
        (er.selection.GridSearch(simple, {"alpha": [0.1]}).fit(d.X, d.y), d.X),
        (er.selection.CrossValidatedEnsemble(simple, cv=3, vote="soft").fit(d.X, d.y), d.X),
    ]
    for model, rows in made:
        np.testing.assert_allclose(
            model.predict_log_proba(rows), np.log(model.predict_proba(rows)), rtol=1e-9
        )


def test_there_are_none_without_probabilities() -> None:
    for est in (er.LinearSVC(), er.SVC(), er.SGDClassifier(loss="hinge"), er.Perceptron(), er.Ridge()):
        assert not hasattr(est, "predict_log_proba")


@pytest.mark.parametrize("loss", ["auto", "probit", "cloglog", "exponential"])
@pytest.mark.parametrize("calibrate", [None, "temperature", "isotonic"])
def test_boosting_knows_them_by_its_loss_and_its_map(
    loss: str, calibrate: Any, rng: np.random.Generator
) -> None:
    d = data_for(er.GradientBoostingClassifier(), rng, n=90, classes=2)
    est = er.GradientBoostingClassifier(
        loss, n_estimators=20, learning_rate=0.5, min_samples_leaf=3, calibrate=calibrate
    )
    fitted = est.fit(d.X, d.y)
    p, logs = fitted.predict_proba(d.X), fitted.predict_log_proba(d.X)
    np.testing.assert_allclose(logs[p > 1e-3], np.log(p[p > 1e-3]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.exp(logs), p, atol=4e-16)
    assert np.isfinite(logs).all() or calibrate == "isotonic"


def test_a_small_probability_keeps_its_digits() -> None:
    # By hand: log sigma(-z) = -z - log(1 + exp(-z)), and twice the score for AdaBoost.
    X = np.linspace(-1.0, 1.0, 40)[:, None]
    y = (X[:, 0] > 0.0).astype(int)
    model = er.LogisticRegression(alpha=1e-6).fit(X, y)
    z = model.decision_function([[1e5]])[0]
    assert z > 745.0
    np.testing.assert_allclose(model.predict_log_proba([[1e5]]), [[-z, 0.0]], rtol=1e-14)
    boosted = er.AdaBoostClassifier(learning_rate=100.0, n_estimators=3).fit(X, y)
    z = 2.0 * boosted.decision_function([[1.0]])[0]
    assert z > 745.0
    np.testing.assert_allclose(boosted.predict_log_proba([[1.0]]), [[-z, 0.0]], rtol=1e-14)


def test_the_posterior_of_a_bayesian_fit(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 1))
    y = X[:, 0] + rng.logistic(size=60) > 0.0
    model = er.BayesianGLM(family="binomial").fit(X, y)
    far = np.array([[-1e4], [-30.0], [-2.0], [0.0], [2.0], [30.0], [1e4]])
    p, logs = model.predict_proba(far), model.predict_log_proba(far)
    np.testing.assert_allclose(np.exp(logs), p, rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(p[:, 1], model.predict(far), atol=1e-15)
    assert np.isfinite(logs).all()
