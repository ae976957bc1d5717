"""Precision, recall, F1 and Jaccard of two classes are about the last one, whatever the labels are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, fbeta_score, make_scorer

import empirisk as er


def shares(name: str, y: Any, said: Any, last: Any) -> float:
    hit, told, true = np.sum((y == last) & (said == last)), np.sum(said == last), np.sum(y == last)
    found = {
        "precision": hit / told,
        "recall": hit / true,
        "f1": 2.0 * hit / (told + true),
        "jaccard": hit / (told + true - hit),
    }
    return float(found[name])


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (1, 2), (-1, 1), (False, True)], ids=str)
def test_the_class_is_the_last_one(name: str, labels: tuple[Any, Any], rng: np.random.Generator) -> None:
    X = rng.normal(size=(400, 2))
    y = np.array(labels)[(X[:, 0] + rng.normal(size=400) > 0.3).astype(int)]
    model = er.LogisticRegression().fit(X, y)
    found = er.evaluate(model, X, y, metrics=[name])[name]
    assert found.value == pytest.approx(shares(name, y, model.predict(X), labels[1]), rel=1e-12)
    assert found.low is not None
    if name != "f1":  # computed by default, where all metrics share one target
        assert f"about the class {labels[1]}" in found.target
    crossed = er.cross_evaluate(model, X, y, metrics=[name], repeats=1, random_state=0)
    assert 0.0 < crossed[name].value < 1.0


def test_several_classes_need_the_one_that_is_meant(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(90, 2)), np.repeat(["a", "b", "c"], 30)
    model = er.LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="average"):
        er.evaluate(model, X, y, metrics=["jaccard"])
    assert "positive=" in er.evaluate(model, X, y, metrics=["recall"])["recall"].reason
    found = er.evaluate(model, X, y, metrics=["recall", "average_precision"], positive="b")
    assert found["recall"].value == np.mean(model.predict(X[y == "b"]) == "b")
    proba = model.predict_proba(X)[:, 1]
    assert found["average_precision"].value == pytest.approx(average_precision_score(y == "b", proba))
    with pytest.raises(ValueError, match="none of the classes: a, b, c"):
        er.evaluate(model, X, y, metrics=["recall"], positive="d")


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_metrics_of_a_user_are_about_the_class_that_is_named(positive: str, rng: np.random.Generator) -> None:
    """Functions of targets and predictions, scorers of one class, and a class that is not the last one."""
    X = rng.normal(size=(240, 2))
    y = np.where(X[:, 0] + rng.normal(size=240) > 0.3, "yes", "no")
    model = er.LogisticRegression().fit(X, y)
    said = model.predict(X)

    def agreed(true: Any, told: Any) -> float:
        return float(np.mean(true == told))

    twice = make_scorer(fbeta_score, beta=2.0)
    asked: Any = {"own": agreed, "f": twice, "f2": "f2", "ap": "average_precision"}
    found = er.evaluate(model, X, y, metrics=asked, positive=positive)
    assert found["own"].value == np.mean(y == said)
    right = fbeta_score(y, said, beta=2.0, pos_label=positive)
    assert found["f"].value == pytest.approx(right, rel=1e-12)
    assert found["f2"].value == pytest.approx(right, rel=1e-12)
    score = model.decision_function(X) * (1.0 if positive == "yes" else -1.0)
    assert found["ap"].value == pytest.approx(average_precision_score(y == positive, score), rel=1e-12)
    assert all(found[name].low is not None for name in asked)
    assert all(f"about the class {positive}" in found[name].target for name in ("f", "f2", "ap"))
    crossed = er.cross_evaluate(model, X, y, metrics=asked, positive=positive, repeats=1, random_state=0)
    assert all(crossed[name].low is not None for name in asked)
    assert f"about the class {positive}" in crossed["f2"].target
    p = crossed.out_of_fold[0]
    labels = p.classes[p.pred]
    assert crossed["f2"].value == pytest.approx(fbeta_score(y, labels, beta=2.0, pos_label=positive))
