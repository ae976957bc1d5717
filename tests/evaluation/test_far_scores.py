"""The log-loss of far scores: finite where the score is, and that of the link to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import log_expit, log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import empirisk as er
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.outputs import never_zero, outputs_of
from empirisk.evaluation.proba_kinds import may_answer_zero
from empirisk.selection import Sample
from tests.conformance.estimators import ALL
from tests.conformance.tree_estimators import USES

LINKED = [u for u in dict.fromkeys([*ALL, *USES]) if is_classifier(u.make())]
LINKED = [u for u in LINKED if hasattr(u.make(), "decision_function") and not may_answer_zero(u.make())]
FAR = np.array([-5000.0, -500.0, -100.0, -50.0, 50.0, 100.0, 500.0, 5000.0])


class OneMinus(ClassifierMixin, BaseEstimator):
    """A classifier whose score is the first column; it computes ``1 - p`` as boosting elsewhere does."""

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Any) -> Any:
        return X[:, 0]

    def predict(self, X: Any) -> Any:
        return self.classes_[(X[:, 0] > 0).astype(int)]

    def predict_proba(self, X: Any) -> Any:
        p = 1.0 / (1.0 + np.exp(-X[:, 0]))
        return np.column_stack([1.0 - p, p])


def linked_losses(z: Any, codes: Any) -> Any:
    table = np.column_stack([np.zeros_like(z), z]) if z.ndim == 1 else z
    return -log_softmax(table.astype(float), axis=1)[np.arange(len(codes)), codes]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("using", LINKED, ids=str)
def test_classifiers_with_a_link_have_a_finite_log_loss(
    using: Any, classes: int, dtype: Any, rng: np.random.Generator
) -> None:
    """Rows far out on both sides, each with each class."""
    y = np.arange(120) % classes
    X = (1.5 * y + rng.normal(size=120)).reshape(-1, 1).astype(dtype)
    model = clone(using.make()).fit(X, y)
    z = model.decision_function(X)
    slope = np.abs(np.diff(z[np.argsort(X[:, 0])], axis=0)).sum() / np.ptp(X)
    new = np.repeat(FAR / max(float(slope), 1e-3), classes).reshape(-1, 1).astype(dtype)
    codes = np.tile(np.arange(classes), FAR.size)
    losses = METRICS["log_loss"].losses(outputs_of(model, new).against(codes))
    assert losses is not None
    assert np.isfinite(losses).all()
    if type(model).__name__ == "LogisticRegression":
        wanted = linked_losses(np.asarray(model.decision_function(new)), codes)
        assert wanted.max() > 50.0
        assert wanted.max() > 750.0  # beyond the smallest double
        np.testing.assert_allclose(losses, wanted, rtol=1e-5, atol=np.finfo(dtype).eps)


def test_the_probability_of_the_rarer_class_comes_from_its_score() -> None:
    X, y = FAR[:, None], np.repeat([1, 0], FAR.size // 2)
    sample = Sample(X, y, task="classification")
    model = OneMinus().fit(X, y)
    assert model.predict_proba(X).min() == 0.0
    for need in ("score", "proba"):
        out = sample.outputs(model, need=need)
        losses = METRICS["log_loss"].losses(out.against(y))
        assert losses is not None
        np.testing.assert_allclose(losses, np.abs(FAR), rtol=1e-12)
    assert er.evaluate(model, X, y, metrics="log_loss")["log_loss"].value == pytest.approx(5650.0 / 4.0)


def test_rows_without_a_zero_keep_their_bits() -> None:
    z = np.linspace(-60.0, 60.0, 200)
    proba = OneMinus().predict_proba(z[:, None])
    out, logs = never_zero(proba, z)
    assert logs is None
    same = proba.all(axis=1)
    assert same.any()
    assert not same.all()
    assert np.array_equal(out[same], proba[same])
    assert (out > 0.0).all()


def test_zeros_that_no_link_explains_stay() -> None:
    z = np.array([3.0, -2.0, 0.5])
    shares = np.array([[0.0, 1.0], [1.0, 0.0], [0.4, 0.6]])
    assert never_zero(shares, z)[0] is shares
    assert never_zero(np.array([[0.0, 1.0]]), np.array([np.inf]))[0].min() == 0.0
    ranks = LogisticRegression().fit(FAR[:, None], np.repeat([0, 1], FAR.size // 2))
    assert outputs_of(ranks, FAR[:, None]).proba is not None


CLASSIFIERS = {
    "ours": er.LogisticRegression(alpha=1e-4),
    "pipeline": make_pipeline(FunctionTransformer(), er.LogisticRegression(alpha=1e-4)),
    "scikit-learn": LogisticRegression(C=100.0),
    "sgd": SGDClassifier("log_loss", random_state=0),
}


def own_losses(model: Any, X: Any, codes: Any) -> Any:
    """The loss of the score, by the link that the kind of model has."""
    z = np.asarray(model.decision_function(X), dtype=float)
    rest = isinstance(model, SGDClassifier) and z.ndim == 2
    return linked_losses(log_expit(z) if rest else z, codes)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_log_loss_is_that_of_the_score_in_every_way_in(kind: str, classes: int, dtype: Any) -> None:
    """Out-of-fold joins, single splits, searches and fixed models; rows far out count in no fit."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % classes
    X = (1.5 * y + rng.normal(size=120)).reshape(-1, 1).astype(dtype)
    far = np.arange(60, 120, 7)
    X[far, 0] = 1e5 * np.where(np.arange(far.size) % 2, -1.0, 1.0)
    weights = np.ones(120)
    weights[far] = 0.0
    est, close = CLASSIFIERS[kind], 1e-5
    name = f"{est.steps[-1][0]}__fit_intercept" if kind == "pipeline" else "fit_intercept"
    half = [(np.arange(60), np.arange(60, 120))]
    for cv in (5, half):
        sample = Sample(X, y, task="classification", weights=weights)
        found = er.cross_evaluate(est, sample, cv=cv, metrics="log_loss", random_state=0)
        first = range(found.plan.folds or 1)
        parts = [found.plan.splits[j] for j in first]
        wanted = [own_losses(sample.fit(clone(est), a), X[b], y[b]) for a, b in parts]
        assert max(w.max() for w in wanted) > 1000.0
        for j, w in zip(first, wanted, strict=True):
            losses = METRICS["log_loss"].losses(found.held_out[j])
            assert losses is not None
            np.testing.assert_allclose(losses, w, rtol=close, atol=close)
        if found.plan.folds:
            rows = np.concatenate([b for _, b in parts])
            joined = found.losses("log_loss")[0][rows]
            np.testing.assert_allclose(joined, np.concatenate(wanted), rtol=close, atol=close)
    search = er.selection.GridSearch(est, {name: [True]}, metric="log_loss", cv=half).fit(X, y)
    assert search.naive_score_.value == pytest.approx(wanted[0].mean(), rel=close)
    model = clone(est).fit(X[:60], y[:60])
    fixed = er.evaluate(model, X[60:], y[60:], metrics="log_loss")["log_loss"]
    assert fixed.value == pytest.approx(wanted[0].mean(), rel=close)


def test_a_class_that_no_fit_saw_keeps_an_infinite_loss_beside_far_scores() -> None:
    model = LogisticRegression().fit(FAR[:, None], np.repeat([0, 1], FAR.size // 2))
    out = outputs_of(model, np.array([[1e5], [1e5], [0.1]])).over(np.arange(3))
    losses = METRICS["log_loss"].losses(out.against([0, 2, 1]))
    assert losses is not None
    assert losses[0] > 1000.0
    assert np.isfinite(losses[[0, 2]]).all()
    assert losses[1] == np.inf
