"""The log-loss of far scores: finite where the score is, and that of the link to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.linear_model import LogisticRegression

import empirisk as er
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.outputs import never_zero, outputs_of
from empirisk.evaluation.proba_kinds import may_answer_zero
from empirisk.selection import Sample
from tests.conformance.estimators import ALL
from tests.conformance.tree_estimators import USES

LINKED = [u for u in dict.fromkeys([*ALL, *USES]) if is_classifier(u.make())]
LINKED = [u for u in LINKED if hasattr(u.make(), "decision_function") and not may_answer_zero(u.make())]
FAR = np.array([-500.0, -100.0, -50.0, 50.0, 100.0, 500.0])


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
        most = 744.4400719213812  # of the smallest double
        np.testing.assert_allclose(losses, np.minimum(wanted, most), rtol=1e-5, atol=np.finfo(dtype).eps)


def test_the_probability_of_the_rarer_class_comes_from_its_score() -> None:
    X, y = FAR[:, None], np.array([1, 1, 1, 0, 0, 0])
    sample = Sample(X, y, task="classification")
    model = OneMinus().fit(X, y)
    assert model.predict_proba(X).min() == 0.0
    for need in ("score", "proba"):
        out = sample.outputs(model, need=need)
        losses = METRICS["log_loss"].losses(out.against(y))
        np.testing.assert_allclose(losses, np.abs(FAR), rtol=1e-12)
    assert er.evaluate(model, X, y, metrics="log_loss")["log_loss"].value == pytest.approx(650.0 / 3.0)


def test_rows_without_a_zero_keep_their_bits() -> None:
    z = np.linspace(-60.0, 60.0, 200)
    proba = OneMinus().predict_proba(z[:, None])
    out = never_zero(proba, z)
    same = proba.all(axis=1)
    assert same.any()
    assert not same.all()
    assert np.array_equal(out[same], proba[same])
    assert (out > 0.0).all()


def test_zeros_that_no_link_explains_stay() -> None:
    z = np.array([3.0, -2.0, 0.5])
    shares = np.array([[0.0, 1.0], [1.0, 0.0], [0.4, 0.6]])
    assert never_zero(shares, z) is shares
    assert never_zero(np.array([[0.0, 1.0]]), np.array([np.inf])).min() == 0.0
    ranks = LogisticRegression().fit(FAR[:, None], [0, 0, 0, 1, 1, 1])
    assert outputs_of(ranks, FAR[:, None]).proba is not None
