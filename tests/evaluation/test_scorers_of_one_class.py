"""Precision, recall, F1 and Jaccard of two classes are about the last one, whatever the labels are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
    if name != "f1":  # a metric of ours
        assert f"about the class {labels[1]}" in found.target
    crossed = er.cross_evaluate(model, X, y, metrics=[name], repeats=1, random_state=0)
    assert 0.0 < crossed[name].value < 1.0


def test_several_classes_keep_the_refusal_of_the_scorer(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(90, 2)), np.repeat(["a", "b", "c"], 30)
    with pytest.raises(ValueError, match="average"):
        er.evaluate(er.LogisticRegression().fit(X, y), X, y, metrics=["recall"])
