"""Matrices of kernels and distances in whatever deals rows to folds: the numbers that the rows give."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC

import empirisk as er
from empirisk.evaluation.sample import Sample

GAUSSIAN = er.kernels.Gaussian(gamma=0.5)
N = 60


# What takes the rows, what takes their matrix, and how the matrix is made.
@dataclass
class Middle(RegressorMixin, BaseEstimator):
    """A regressor that predicts the mean of its targets plus a shift."""

    shift: float = 0.0

    def fit(self, X: Any, y: Any) -> Middle:
        self.middle_ = float(np.mean(y)) + self.shift
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.middle_)


PAIRS: dict[str, tuple[Any, Any, Any]] = {
    "SVC": (er.SVC(0.01, kernel=GAUSSIAN), er.SVC(0.01, kernel="precomputed"), GAUSSIAN.block),
    "SVR": (er.SVR(0.01, kernel=GAUSSIAN), er.SVR(0.01, kernel="precomputed"), GAUSSIAN.block),
    "KernelRidge": (
        er.KernelRidge(0.01, kernel=GAUSSIAN),
        er.KernelRidge(0.01, kernel="precomputed"),
        GAUSSIAN.block,
    ),
    "KNeighborsClassifier": (
        er.KNeighborsClassifier(3),
        er.KNeighborsClassifier(3, metric="precomputed"),
        lambda X: np.linalg.norm(X[:, None] - X[None], axis=2),
    ),
    "of another library": (SVC(gamma=0.5), SVC(kernel="precomputed"), GAUSSIAN.block),
}


def data(est: Any) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=N)
    return X, (
        y
        if (hasattr(est, "fit_intercept") and "Ridge" in type(est).__name__) or isinstance(est, er.SVR)
        else y > 0.0
    )


@pytest.mark.parametrize("name", PAIRS)
def test_folds_take_the_columns_of_their_rows(name: str) -> None:
    plain, given, matrix = PAIRS[name]
    X, y = data(plain)
    one, other = (
        er.cross_evaluate(est, table, y, random_state=0) for est, table in ((plain, X), (given, matrix(X)))
    )
    for metric in one.metrics if hasattr(one, "metrics") else one:
        assert other[metric].value == pytest.approx(one[metric].value, rel=1e-6, nan_ok=True), metric


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, list], ids=["array", "frame", "lists"])
def test_matrices_of_any_form(form: Any) -> None:
    plain, given, matrix = PAIRS["KernelRidge"]
    X, y = data(plain)
    K = matrix(X)
    table = K.tolist() if form is list else form(K)
    assert er.cross_evaluate(given, table, y, random_state=0)["mse"].value == pytest.approx(
        er.cross_evaluate(plain, X, y, random_state=0)["mse"].value, rel=1e-6
    )


def test_pipelines_that_centre_a_matrix() -> None:
    """A kernel whose mean is taken off, with an intercept, is the same machine."""
    plain, given, matrix = PAIRS["SVC"]
    X, y = data(plain)
    centred = make_pipeline(KernelCenterer(), given)
    one = er.cross_evaluate(plain, X, y, random_state=0)
    other = er.cross_evaluate(centred, matrix(X), y, random_state=0)
    assert other["accuracy"].value == one["accuracy"].value


def test_searches_comparisons_and_curves() -> None:
    plain, given, matrix = PAIRS["KernelRidge"]
    X, y = data(plain)
    K = matrix(X)
    grid = {"alpha": [0.3, 0.1, 0.01]}
    one = er.selection.GridSearch(plain, grid, random_state=0).fit(X, y)
    other = er.selection.GridSearch(given, grid, random_state=0).fit(K, y)
    assert other.best_params_ == one.best_params_
    np.testing.assert_allclose(other.predict(K), one.predict(X), rtol=1e-6)
    curves = [
        er.selection.model_selection_curve(est, T, y, param="alpha", values=[0.1, 0.01], random_state=0)
        for est, T in ((plain, X), (given, K))
    ]
    values = [[e.value for e in curve.validation] for curve in curves]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-6)
    sizes = [
        er.selection.learning_curve(est, T, y, sizes=[24, 48], random_state=0)
        for est, T in ((plain, X), (given, K))
    ]
    np.testing.assert_allclose(
        [e.value for e in sizes[1].validation], [e.value for e in sizes[0].validation], rtol=1e-6
    )
    other_one = er.KernelRidge(1.0, kernel="precomputed")
    said = er.compare(given, other_one, K, y, random_state=0)
    rows = er.compare(plain, er.KernelRidge(1.0, kernel=GAUSSIAN), X, y, random_state=0)
    assert repr(said)[:20] == repr(rows)[:20]


def test_samples_of_matrices_can_be_pickled() -> None:
    plain, _, matrix = PAIRS["KernelRidge"]
    X, y = data(plain)
    sample = Sample(matrix(X), y)
    rows = np.arange(40)
    model = sample.fit(er.KernelRidge(0.01, kernel="precomputed"), rows)
    sample.fitted_on(model, rows)
    assert sample.rows_for(model, np.arange(40, 60)).shape == (20, 40)
    assert pickle.loads(pickle.dumps(sample)).n == N


def test_a_matrix_that_is_not_square_is_refused_by_the_estimator() -> None:
    X, y = data(er.SVC())
    with pytest.raises(ValueError, match="precomputed"):
        er.cross_evaluate(er.SVC(kernel="precomputed"), GAUSSIAN.block(X)[:, :50], y)


def test_models_that_cannot_be_hashed_are_asked_about_rows(rng: np.random.Generator) -> None:
    """A dataclass that compares by its fields has no hash; only matrices of pairs need one."""
    X = rng.normal(size=(40, 2))
    found = er.cross_evaluate(Middle(), X, X[:, 0], metrics="mse", random_state=0)
    assert found["mse"].value > 0.0
