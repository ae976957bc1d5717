"""A frame without columns is refused in one sentence, by every estimator of every registry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import empirisk as er
from empirisk.estimators import REGISTRY as PREDICTORS
from empirisk.estimators import clusters, features, unsupervised

FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame(),
    "pandas with rows": pd.DataFrame(index=range(6)),
    "polars": pl.DataFrame(),
}
REGISTRIES: list[dict[str, type]] = [
    PREDICTORS,
    clusters.REGISTRY,
    features.REGISTRY,
    unsupervised.REGISTRY,
]
CLASSES = {name: thing for registry in REGISTRIES for name, thing in registry.items()}


def words(X: Any) -> str:
    """Return the sentence, as a pattern."""
    return rf"^X has no columns \(its shape is \({len(X)}, 0\)\); give at least one$"


@pytest.mark.parametrize("frame", sorted(FRAMES))
@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_frame_without_columns_is_refused_in_words(name: str, frame: str) -> None:
    X = FRAMES[frame]
    y = np.array([0, 1, 0, 1, 1, 0])[: len(X)]
    with pytest.raises(ValueError, match=words(X)):
        CLASSES[name]().fit(X, y)


@pytest.mark.parametrize("frame", sorted(FRAMES))
def test_questions_about_rows_and_classes_of_functions_refuse_it_too(frame: str) -> None:
    X = FRAMES[frame]
    with pytest.raises(ValueError, match=words(X)):
        er.choose_k(er.KMeans(), X, range(1, 3))
    with pytest.raises(ValueError, match=words(X)):
        er.hypotheses.REGISTRY["boxes"]().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match=words(X)):
        er.KMeans(1).fit(pd.DataFrame({"a": [1.0, 2.0]})).predict(X)
