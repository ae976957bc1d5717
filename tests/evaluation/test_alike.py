"""Steps that hand training rows on as new rows do so bit for bit, and others are not taken for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder

from empirisk.evaluation.before import passes_alike

RNG = np.random.default_rng(0)
X = np.where(RNG.random((80, 4)) < 0.2, np.nan, RNG.integers(0, 6, (80, 4)).astype(float))
X[:, 3] = RNG.integers(0, 6, 80)
Y = RNG.integers(0, 2, 80)
ALIKE = [
    SimpleImputer(),
    MissingIndicator(features="all"),
    MissingIndicator(),
    OrdinalEncoder(),
    OneHotEncoder(sparse_output=False, min_frequency=10, handle_unknown="infrequent_if_exist"),
    ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), [0, 1]),
            ("gaps", MissingIndicator(features="all"), [0, 2]),
            ("levels", OneHotEncoder(sparse_output=False), [3]),
            ("kept", "passthrough", [2]),
        ]
    ),
]


@pytest.mark.parametrize("step", ALIKE, ids=lambda step: type(step).__name__)
def test_what_passes_alike_does_so_bit_for_bit(step: Any) -> None:
    assert passes_alike(step)
    both = step.fit_transform(X, Y), step.fit(X, Y).transform(X)
    np.testing.assert_array_equal(*both)
    assert both[0].flags.c_contiguous == both[1].flags.c_contiguous


def test_cross_fitted_encoders_and_decompositions_do_not() -> None:
    for step in (TargetEncoder(), PCA(2)):
        assert not passes_alike(step)
        assert not passes_alike(make_pipeline(StandardScaler(), step))
        assert not passes_alike(ColumnTransformer([("it", step, [3])]))
        assert not passes_alike(ColumnTransformer([("kept", "passthrough", [0])], remainder=step))
