"""What every feature map owes: scikit-learn's contract, names, precision, weights, clean failures."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.estimators.features import REGISTRY
from tests.oracles.complete import complete

USES = [
    er.FourierFeatures(),
    er.FourierFeatures(2, period=3.0, orthonormal=True),
    er.OrthogonalPolynomials(),
    er.OrthogonalPolynomials(2, smooth=True),
]
EACH = pytest.mark.parametrize("feature_map", USES, ids=repr)


def test_every_row_is_tested() -> None:
    complete(
        {type(use).__name__ for use in USES},
        REGISTRY,
        "a use",
        "USES in tests/estimators/features/test_feature_maps.py",
    )
    for name, thing in REGISTRY.items():
        assert getattr(er, name, None) is thing, f"add {name!r} to src/empirisk/__init__.pyi"


@parametrize_with_checks(USES)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@EACH
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_in_and_out(feature_map: Any, frame: Any, rng: np.random.Generator) -> None:
    X = frame({"age": rng.normal(size=30), "hour": rng.normal(size=30)})
    kind = "pandas" if frame is pd.DataFrame else "polars"
    out = clone(feature_map).set_output(transform=kind).fit_transform(X)
    assert isinstance(out, frame)
    assert len(set(out.columns)) == len(out.columns)
    assert {str(c).rsplit("_", 1)[0] for c in out.columns} == {"age", "hour"}
    np.testing.assert_array_equal(out.to_numpy(), clone(feature_map).fit_transform(X))


@EACH
def test_single_precision_stays(feature_map: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    single = clone(feature_map).fit_transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, clone(feature_map).fit_transform(X), atol=1e-4)


@EACH
def test_weight_zero_is_absence_and_weight_is_repetition(feature_map: Any, rng: np.random.Generator) -> None:
    X, times = rng.normal(size=(40, 2)), rng.integers(0, 4, size=40)
    far = np.where(times[:, None] > 0, X, 1e5)
    weighted = clone(feature_map).fit(far, sample_weight=times)
    repeated = clone(feature_map).fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), rtol=1e-12, atol=1e-12)


@EACH
def test_bad_input_is_named_and_changes_nothing(feature_map: Any, rng: np.random.Generator) -> None:
    X = pd.DataFrame(rng.normal(size=(20, 2)), columns=["age", "hour"])
    fitted = clone(feature_map).fit(X)
    before = pickle.dumps(fitted)
    X.loc[7, "hour"] = np.nan
    with pytest.raises(ValueError, match="NaN in column 'hour', row 7"):
        fitted.fit(X)
    assert pickle.dumps(fitted) == before
    with pytest.raises(ValueError, match="NaN in column 'hour', row 7"):
        fitted.transform(X)


@EACH
def test_works_in_a_search(feature_map: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 1))
    name = "n_harmonics" if isinstance(feature_map, er.FourierFeatures) else "degree"
    pipeline = make_pipeline(clone(feature_map), er.LinearRegression())
    step = pipeline.steps[0][0]
    search = GridSearchCV(pipeline, {f"{step}__{name}": [1, 2]}, cv=2).fit(X, X[:, 0])
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@EACH
def test_a_list_has_one_value_a_column(feature_map: Any) -> None:
    name = "n_harmonics" if isinstance(feature_map, er.FourierFeatures) else "degree"
    with pytest.raises(ValueError, match=f"{name} has 3 values for 2 columns"):
        clone(feature_map).set_params(**{name: [1, 2, 3]}).fit(np.random.default_rng(0).normal(size=(9, 2)))
