"""What every feature map owes: scikit-learn's contract, names, precision, weights, clean failures."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.estimators.features import REGISTRY
from empirisk.estimators.features.base import ColumnMap
from empirisk.kernels import Gaussian, Linear
from tests.oracles.complete import complete

USES = [
    er.FourierFeatures(),
    er.FourierFeatures(2, period=3.0, orthonormal=True),
    er.OrthogonalPolynomials(),
    er.OrthogonalPolynomials(2, smooth=True),
    er.Nystroem(n_components=10),
    er.Nystroem(Gaussian(length_scale=2.0), 10, sampling="kmeans++", random_state=3),
    er.Nystroem(Gaussian(gamma=0.3) + Linear(), 10, sampling="leverage"),
    er.RandomFourierFeatures(n_components=20),
    er.RandomReluFeatures(n_components=20),
    er.RandomReluFeatures(2, 20, random_state=1),
    er.KernelPCA(),
    er.KernelPCA("linear", preimage="ridge"),
    er.RandomProjection(20),
    er.RandomProjection(20, kind="sparse", density=0.04, random_state=2),
    er.RandomProjection(2, kind="srht"),
    er.PCA(2),
    er.PCA(),
    er.PCA(2, method="svd"),
    er.PCA(2, method="lanczos", tol=1e-13),
]
EACH = pytest.mark.parametrize("feature_map", USES, ids=repr)
COLUMNS = [use for use in USES if isinstance(use, ColumnMap)]
BY_COLUMN = pytest.mark.parametrize("feature_map", COLUMNS, ids=repr)
# Features of all columns, which are told by their number alone, and take sparse rows.
JOINT = pytest.mark.parametrize("feature_map", [use for use in USES if use not in COLUMNS], ids=repr)


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
    if isinstance(feature_map, ColumnMap):
        assert {str(c).rsplit("_", 1)[0] for c in out.columns} == {"age", "hour"}
    np.testing.assert_array_equal(out.to_numpy(), clone(feature_map).fit_transform(X))


@EACH
def test_single_precision_stays(feature_map: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2)).astype(np.float32)
    single = clone(feature_map).fit_transform(X)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, clone(feature_map).fit_transform(X.astype(np.float64)), atol=1e-4)


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
    names = ("n_harmonics", "degree", "n_components")
    name = next(n for n in names if n in feature_map.get_params())
    pipeline = make_pipeline(clone(feature_map), er.LinearRegression())
    step = pipeline.steps[0][0]
    search = GridSearchCV(pipeline, {f"{step}__{name}": [2, 4]}, cv=2).fit(X, X[:, 0])
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@BY_COLUMN
def test_a_list_has_one_value_a_column(feature_map: Any) -> None:
    name = "n_harmonics" if isinstance(feature_map, er.FourierFeatures) else "degree"
    with pytest.raises(ValueError, match=f"{name} has 3 values for 2 columns"):
        clone(feature_map).set_params(**{name: [1, 2, 3]}).fit(np.random.default_rng(0).normal(size=(9, 2)))


@JOINT
def test_sparse_rows_are_the_same_rows(feature_map: Any, rng: np.random.Generator) -> None:
    X = np.where(rng.random((40, 5)) < 0.4, rng.normal(size=(40, 5)), 0.0)
    row, column = np.nonzero(X)
    halves = sp.coo_matrix((np.tile(X[row, column] / 2, 2), (np.tile(row, 2), np.tile(column, 2))), X.shape)
    expected = clone(feature_map).fit_transform(X)
    for made in (sp.csr_matrix(X), sp.csc_matrix(X), sp.csr_array(X), halves):
        np.testing.assert_allclose(clone(feature_map).fit_transform(made), expected, atol=1e-9)


@EACH
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e153, 1e300])
def test_weights_of_any_size_give_the_same_features(
    feature_map: Any, scale: float, rng: np.random.Generator
) -> None:
    X, weight = rng.normal(size=(40, 3)), rng.integers(1, 4, size=40).astype(float)
    one, two = clone(feature_map).fit(X, sample_weight=weight), clone(feature_map)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        if isinstance(two, er.PCA) and scale < 1.0:  # weights are rows, and a variance needs more than one
            with pytest.raises(ValueError, match="sample_weight sums to"):
                two.fit(X, sample_weight=scale * weight)
            return
        two.fit(X, sample_weight=scale * weight)
    np.testing.assert_allclose(two.transform(X), one.transform(X), rtol=1e-7, atol=1e-9)


@JOINT
def test_the_order_of_the_rows_and_the_unit_of_weights_change_nothing(
    feature_map: Any, rng: np.random.Generator
) -> None:
    X, weight = rng.normal(size=(40, 3)), rng.uniform(0.5, 2.0, size=40)
    order = rng.permutation(40)
    one = clone(feature_map).fit(X, sample_weight=weight)
    two = clone(feature_map).fit(X[order], sample_weight=7.0 * weight[order])
    np.testing.assert_allclose(one.transform(X), two.transform(X), atol=1e-9)


@JOINT
def test_pickles_give_the_same_features_and_reprs_say_the_error(
    feature_map: Any, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(30, 3))
    fitted = clone(feature_map).fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    assert repr(again) == repr(fitted)
    assert fitted._headline() in repr(fitted)
    assert not clone(fitted)._headline()
    made = clone(feature_map).fit(X)
    np.testing.assert_array_equal(made.transform(X), fitted.transform(X))
    # Exact components are the same for any draws.
    if "random_state" in feature_map.get_params() and not isinstance(feature_map, er.PCA):
        other = clone(feature_map).set_params(random_state=99).fit(X)
        assert np.abs(other.transform(X) - fitted.transform(X)).max() > 1e-6


@JOINT
def test_identical_rows_and_tiny_numbers(feature_map: Any) -> None:
    for X in (np.ones((10, 2)), np.arange(20.0).reshape(10, 2) * 1e-150, np.zeros((10, 2))):
        if isinstance(feature_map, er.KernelPCA | er.PCA) and np.ptp(X) == 0.0:
            with pytest.raises(ValueError, match="there is no component"):
                clone(feature_map).fit(X)
        else:
            assert np.isfinite(clone(feature_map).fit_transform(X)).all()
