"""Weights that leave one class are refused, whether rows or classes bear them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er

WEIGHING = [
    name
    for name in sorted(er.__all__)
    if "class_weight" in getattr(getattr(er, name), "_get_param_names", list)()
]


def test_many_classifiers_weigh_classes() -> None:
    assert {"SVC", "LogisticRegression", "RandomForestClassifier", "KNeighborsClassifier"} <= set(WEIGHING)


@pytest.mark.parametrize("name", WEIGHING)
def test_a_class_without_weight_is_refused_like_rows_without(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] > 0.0, "yes", "no")
    make: Any = getattr(er, name)
    with pytest.raises(ValueError, match=r"only one class \('yes'\) has rows with positive sample_weight"):
        make().fit(X, y, sample_weight=np.where(y == "yes", 2.0, 0.0))
    with pytest.raises(ValueError, match=r"only one class \('yes'\) has rows with positive weight after cla"):
        make(class_weight={"no": 0.0, "yes": 2.0}).fit(X, y)
    with pytest.raises(ValueError, match=r"no class has rows with positive weight after class_weight"):
        make(class_weight={"no": 0.0, "yes": 0.0}).fit(X, y)
