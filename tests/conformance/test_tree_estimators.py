"""What every estimator made of trees owes: scikit-learn's contract, weights, missing values, categories."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from empirisk.estimators.trees.tree_base import UnknownCategoryWarning, check_rows
from empirisk.results import Kind
from tests.conformance.tree_estimators import GREEDY, USES, each, registered

# Rows are drawn with their weights: repeated rows give other draws.
DRAWS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "weights are no repetitions where rows are drawn"
    for kind in ("dense", "sparse")
}
PURE_SIDES = {
    "check_class_weight_classifiers": "a leaf names the class of a side that holds one class only, "
    "whatever the weights; the check relies on min_weight_fraction_leaf"
}


def data(est: Any, rng: np.random.Generator, n: int = 240) -> tuple[Any, Any]:
    """Numbers, one column of categories as codes 0..5, and a target that both move."""
    X = rng.standard_normal((n, 4))
    X[:, 3] = rng.integers(0, 6, n)
    z = 2.0 * (X[:, 0] > 0.3) + X[:, 1] + np.isin(X[:, 3], [1, 4]) + 0.3 * rng.standard_normal(n)
    return X, ((z > z.mean()).astype(int) if is_classifier(est) else np.exp(0.3 * z))


def answer(est: Any, X: Any) -> Any:
    """Return the probabilities of a classifier, else the predictions: small changes show in them."""
    return est.predict_proba(X) if hasattr(est, "predict_proba") else est.predict(X)


def test_every_registered_estimator_is_tested() -> None:
    assert {use.kind for use in USES} >= registered()


def expected_failures(est: Any) -> dict[str, str]:
    """Checks that cannot hold, with the reason; an expected failure that passes is a failure."""
    kind = type(est).__name__
    draws = kind.startswith(("RandomForest", "ExtraTrees")) or getattr(est, "subsample", 1.0) < 1.0
    draws = draws or getattr(est, "resample", False)
    # Real votes are shares of classes: they do not name one.
    names = (
        kind in ("AdaBoostClassifier", "GradientBoostingClassifier") and vars(est).get("variant") != "real"
    )
    return {**(PURE_SIDES if names else {}), **(DRAWS if draws else {})}


@parametrize_with_checks([use.make() for use in USES], expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def test_more_rows_than_the_loops_can_number_are_refused() -> None:
    check_rows(2**31 - 1)
    for n in (2**31, 3_000_000_000):
        with pytest.raises(ValueError, match=f"X has {n} rows; trees take at most 2147483647"):
            check_rows(n)


@each(GREEDY)
def test_weight_is_repetition(est: Any, rng: np.random.Generator) -> None:
    X, y = data(est, rng)
    times = rng.integers(1, 4, size=len(y))
    weighted = clone(est).fit(X, y, sample_weight=times)
    repeated = clone(est).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(answer(weighted, X), answer(repeated, X), rtol=1e-9, atol=1e-12)


@each(USES)
def test_weight_zero_is_absence(est: Any, rng: np.random.Generator) -> None:
    X, y = data(est, rng)
    keep = rng.random(len(y)) < 0.8
    with_absent = clone(est).fit(np.where(keep[:, None], X, 1e6), y, sample_weight=keep)
    np.testing.assert_allclose(answer(with_absent, X), answer(clone(est).fit(X[keep], y[keep]), X), rtol=1e-9)


@each(USES)
def test_same_bits_for_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    X, y = data(est, rng, n=5000)
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            answers.append(answer(clone(est).fit(X, y), X))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@each(USES)
def test_frames_and_arrays_agree(est: Any, rng: np.random.Generator) -> None:
    X, y = data(est, rng)
    names = ["a", "b", "c", "kind"]
    pandas = pd.DataFrame(X, columns=names)
    pandas["kind"] = pd.Categorical(pandas["kind"].astype(int).map(lambda c: "uvwxyz"[c]))
    polars = pl.from_pandas(pandas)
    by_number = clone(est).set_params(categorical_features=[3]).fit(X, y)
    of_pandas, of_polars = clone(est).fit(pandas, y), clone(est).fit(polars, y)
    assert of_pandas.columns_.categories[3] == tuple("uvwxyz")
    np.testing.assert_array_equal(answer(of_pandas, pandas), answer(by_number, X))
    np.testing.assert_array_equal(answer(of_polars, polars), answer(by_number, X))
    # Both go with the heavier child: training had no missing value.
    unseen = pandas.assign(kind=pd.Categorical(["new"] * len(y)))
    missing = pandas.assign(kind=pd.Categorical([None] * len(y), categories=list("uvwxyz")))
    with pytest.warns(UnknownCategoryWarning, match=rf"ER003.*column 'kind' \({len(y)} rows\)"):
        found = answer(of_pandas, unseen)
    np.testing.assert_array_equal(found, answer(of_pandas, missing))


@each(USES)
def test_missing_values_are_learnt(est: Any, rng: np.random.Generator) -> None:
    n = 600
    X = rng.standard_normal((n, 3))
    gone = rng.random(n) < 0.4
    y = gone.astype(int) if is_classifier(est) else 1.0 + 5.0 * gone
    X[gone, 1] = np.nan
    model = clone(est).fit(X, y)
    assert model.score(X, y) > 0.9


@each(USES)
def test_sparse_equals_dense(est: Any, rng: np.random.Generator) -> None:
    X, y = data(est, rng)
    X[rng.random(X.shape) < 0.6] = 0.0
    expected = answer(clone(est).fit(X, y), X)
    for kind in (sp.csr_array, sp.csc_array):
        np.testing.assert_array_equal(answer(clone(est).fit(kind(X), y), kind(X)), expected)


@each(USES)
def test_pickle_and_refit(est: Any, rng: np.random.Generator) -> None:
    X, y = data(est, rng)
    model = clone(est).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(answer(again, X), answer(model, X))
    assert model.certificate_.claim in repr(model)
    assert model.certificate_.kind is not Kind.NONE or "none: " in model.certificate_.claim


@each(USES)
def test_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    X, y = data(est, rng)
    model = clone(est).fit(X, y)
    before = answer(model, X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 1.0, np.inf, X), y)
    np.testing.assert_array_equal(answer(model, X), before)


@each(USES, "regressor")
def test_dates_are_no_targets(est: Any, rng: np.random.Generator) -> None:
    days = np.datetime64("2024-01-01") + np.arange(20)
    with pytest.raises(ValueError, match="y holds dates or times"):
        clone(est).fit(rng.standard_normal((20, 2)), days)


@each(USES)
@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.full((6, 2), np.nan)], ids=["constant", "missing"])
def test_nothing_to_split_on(est: Any, X: Any) -> None:
    y = np.array([0, 1, 1, 0, 1, 1]) if is_classifier(est) else np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    found = answer(clone(est).fit(X, y), X)
    assert np.isfinite(found).all()
    assert len(np.unique(found, axis=0)) == 1
