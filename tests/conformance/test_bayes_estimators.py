"""What every classifier by Bayes' rule owes: scikit-learn's contract, weights, layouts, blocks, names."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.data import BlockList
from empirisk.results import Kind
from tests.conformance.bayes_estimators import DENSE_ALONE, USES, registered
from tests.conformance.estimators import data_for, each
from tests.oracles.complete import complete

# Rows of a class that do not vary in a column, or that are one row several times.
SINGULAR = {
    f"check_sample_{name}": "the rows of a class do not vary in a column: refused by name"
    for name in ("weights_shape", "weights_not_overwritten", "weight_equivalence_on_dense_data")
}
NEGATIVE = {"check_decision_proba_consistency": "its rows are negative, and no counts"}
FAILURES = {
    "LinearDiscriminantAnalysis()": SINGULAR,
    "LinearDiscriminantAnalysis(shrinkage=ledoit_wolf, n_components=1)": ["check_sample_weights_shape"],
    "QuadraticDiscriminantAnalysis()": SINGULAR,
    "QuadraticDiscriminantAnalysis(shrinkage=ledoit_wolf)": SINGULAR,
    "QuadraticDiscriminantAnalysis(shrinkage=oas)": ["check_sample_weight_equivalence_on_dense_data"],
    "GaussianNB(var_smoothing=0.0)": SINGULAR,
    "MultinomialNB()": NEGATIVE,
    "MultinomialNB(alpha=0.1)": NEGATIVE,
}
TOLD = {repr(u.make()): FAILURES.get(str(u), ()) for u in USES}


def expected_failures(est: Any) -> dict[str, str]:
    """Checks that cannot hold, with the reason; an expected failure that passes is a failure."""
    return {name: {**SINGULAR, **NEGATIVE}[name] for name in TOLD[repr(est)]}


def test_every_registered_estimator_is_tested() -> None:
    complete({u.kind for u in USES}, registered(), "a use", "USES in tests/conformance/bayes_estimators.py")


@parametrize_with_checks([u.make() for u in USES], expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def assert_same(a: Any, b: Any, X: Any, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(a.predict_log_proba(X), b.predict_log_proba(X), rtol=rtol, atol=rtol)


@each(USES)
def test_a_weight_is_repetition_and_zero_absence(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=150)
    times = rng.integers(0, 3, len(d.y))
    weighted = clone(est).fit(d.X, d.y, sample_weight=times)
    assert_same(
        weighted, clone(est).fit(np.repeat(d.X, times, axis=0), np.repeat(d.y, times)), d.X[times > 0]
    )


@each(USES)
def test_the_order_of_the_rows_does_not_matter(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    order = rng.permutation(len(d.y))
    assert_same(clone(est).fit(d.X[order], d.y[order]), clone(est).fit(d.X, d.y), d.X)


STORED = {
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "list": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
    "polars": lambda X: pl.DataFrame({f"c{j}": X[:, j] for j in range(X.shape[1])}),
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
}


@pytest.mark.parametrize("stored", sorted(STORED))
@each(USES)
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X = STORED[stored](d.X)
    if sp.issparse(X) and type(est).__name__ in DENSE_ALONE:
        with pytest.raises(TypeError, match=r"(?i)sparse.*dense"):
            clone(est).fit(X, d.y)
        return
    model, plain = clone(est).fit(X, d.y), clone(est).fit(d.X, d.y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(d.X), rtol=1e-9, atol=1e-12)


@each(USES)
def test_a_memory_map_and_blocks_have_the_bits_of_memory(
    est: Any, rng: np.random.Generator, tmp_path: Path
) -> None:
    d = data_for(est, rng, n=900)
    X, y = np.tile(d.X[:, :2], (74, 1)), np.unique(np.tile(d.y, 74), return_inverse=True)[1]
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    plain = clone(est).fit(X, y)
    told = plain.predict_log_proba(X[:50])
    for model in (
        clone(est).fit(mapped, y),
        clone(est).fit_blocks(BlockList.cut(mapped, y)),
        clone(est).fit_blocks(BlockList.cut(X, y.astype(float))),
    ):
        np.testing.assert_array_equal(model.predict_log_proba(X[:50]), told)
        assert model.certificate_.kind is plain.certificate_.kind
    other = clone(est).fit_blocks(BlockList.cut(X, y, rows=7_001))
    np.testing.assert_allclose(other.predict_log_proba(X[:50]), told, rtol=1e-8, atol=1e-10)


@each(USES)
def test_single_precision_is_summed_in_double(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X = d.X.astype(np.float32)
    assert_same(clone(est).fit(X, d.y), clone(est).fit(X.astype(float), d.y), X)


@each(USES)
def test_same_bits_for_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=1500)
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads, user_api="openmp"):
            answers.append(clone(est).fit(d.X, d.y).predict_log_proba(d.X))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@each(USES)
def test_certificate_pickle_and_html(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(d.X), model.predict_proba(d.X))
    assert model.certificate_.kind is Kind.EXACT
    assert model.certificate_.claim.startswith("exact: in closed form")
    assert "closed form" in model._repr_html_()
    assert er.verify(again, d.X, d.y).kind is Kind.EXACT
    assert er.verify(again, d.X, d.y[::-1]).kind is Kind.NONE


@each(USES)
def test_a_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    before = model.predict_proba(d.X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(d.X > 1.0, np.inf, d.X), d.y)
    np.testing.assert_array_equal(model.predict_proba(d.X), before)


@each(USES)
def test_priors_are_checked_and_taken(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    for bad in ([0.5, 0.5], [0.5, 0.6, -0.1], [1.0, 1.0, 1.0], "even", [[0.2, 0.3, 0.5]]):
        with pytest.raises(ValueError, match=r"^priors must be 3 chances >= 0 that sum to 1"):
            clone(est).set_params(priors=bad).fit(d.X, d.y)
    plain = clone(est).fit(d.X, d.y)
    given = clone(est).set_params(priors=[0.2, 0.3, 0.5]).fit(d.X, d.y)
    named = dict(zip(given.classes_.tolist()[::-1], [0.5, 0.3, 0.2], strict=True))
    np.testing.assert_array_equal(
        clone(est).set_params(priors=named).fit(d.X, d.y).predict_proba(d.X), given.predict_proba(d.X)
    )
    for other in ({**named, "other": 0.0}, {"other": 1.0}):
        with pytest.raises(ValueError, match=r"^priors must have the labels of the classes, \["):
            clone(est).set_params(priors=other).fit(d.X, d.y)
    told = np.log([0.2, 0.3, 0.5] / plain.priors_)
    shift = given.predict_log_proba(d.X) - plain.predict_log_proba(d.X) - told
    np.testing.assert_allclose(shift - shift[:, :1], 0.0, atol=1e-9)
    never = clone(est).set_params(priors=[0.0, 0.5, 0.5]).fit(d.X, d.y)
    assert (never.predict_proba(d.X)[:, 0] == 0.0).all()


@each(USES)
def test_a_class_whose_rows_have_no_weight_is_never_predicted(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s = (d.y != "birch").astype(float)
    model = clone(est).fit(d.X, d.y, sample_weight=s)
    two = clone(est).fit(d.X[s > 0.0], d.y[s > 0.0])
    if type(est).__name__ != "CategoricalNB":  # where categories of the absent rows are smoothed, too
        np.testing.assert_allclose(
            model.predict_proba(d.X)[:, [0, 2]], two.predict_proba(d.X), rtol=1e-8, atol=1e-12
        )
    assert (model.predict_proba(d.X)[:, 1] == 0.0).all()
    assert er.verify(model, d.X, d.y, s).kind is Kind.EXACT


@pytest.mark.parametrize("fault", ["constant", "constant in a class", "fewer rows than columns", "a copy"])
@each(USES)
def test_rows_that_decide_no_law_are_refused_or_answered(
    est: Any, fault: str, rng: np.random.Generator
) -> None:
    """A refusal says what of the rows is at fault, and not in words of linear algebra; no NaN is told."""
    d = data_for(est, rng)
    X, y = d.X.copy(), d.y
    if fault == "constant":
        X[:, 1] = X[0, 1]
    elif fault == "constant in a class":
        X[y == "ash", 1] = X[0, 1]
    elif fault == "a copy":
        X[:, 2] = X[:, 1]
    else:
        few = np.concatenate([np.flatnonzero(y == label)[:2] for label in np.unique(y)])
        X, y = X[few], y[few]
    model, refusal = clone(est), None
    try:
        model.fit(X, y)
    except ValueError as why:
        refusal = why
    if refusal is not None:
        assert not isinstance(refusal, np.linalg.LinAlgError)
        assert re.search(r"column \d|class '|degrees? of freedom", str(refusal)), refusal
        return
    P = model.predict_proba(d.X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)


# -- naive Bayes: batches -----------------------------------------------------------------------

ADDING = [u for u in USES if hasattr(u.make(), "partial_fit")]


@each(ADDING)
def test_batches_give_the_fit_of_all_their_rows(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s = rng.integers(1, 3, len(d.y)) * 1.0
    model = clone(est)
    order = np.argsort(d.y, kind="stable")  # the last class comes with the last batch
    for at in np.split(order, [11, 40]):
        model.partial_fit(d.X[at], d.y[at], classes=["cedar", "ash", "birch"], sample_weight=s[at])
    whole = clone(est).fit(d.X, d.y, sample_weight=s)
    assert_same(model, whole, d.X, 1e-8)
    assert er.verify(model, d.X, d.y, s).kind is Kind.EXACT
    again = pickle.loads(pickle.dumps(whole)).partial_fit(d.X, d.y, sample_weight=s)
    assert_same(again, clone(est).fit(d.X, d.y, sample_weight=2.0 * s), d.X, 1e-8)


@each(ADDING)
def test_labels_that_were_not_given_are_refused(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(ValueError, match="the first partial_fit needs classes="):
        clone(est).partial_fit(d.X, d.y)
    with pytest.raises(ValueError, match=r"label 'cedar' in row \d+, which is none of the classes"):
        clone(est).partial_fit(d.X, d.y, classes=["ash", "birch"])
    model = clone(est).partial_fit(d.X, d.y, classes=["ash", "birch", "cedar", "elm"])
    assert (model.predict_proba(d.X)[:, 3] == 0.0).all()
    before = model.predict_log_proba(d.X)
    with pytest.raises(ValueError, match="which is none of the classes of the first partial_fit"):
        model.partial_fit(d.X[:1], ["oak"])
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit(d.X[:1], ["ash"], classes=["ash", "elm"])
    np.testing.assert_array_equal(model.predict_log_proba(d.X), before)


@each(USES)
def test_blocks_that_cannot_be_fitted_are_refused_by_place(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    y = np.unique(d.y, return_inverse=True)[1]
    bad = d.X.copy()
    bad[33, 1] = np.inf
    with pytest.raises(ValueError, match=r"(?i)inf"):
        clone(est).fit_blocks(BlockList.cut(bad, y, rows=25))
    if type(est).__name__ in DENSE_ALONE:
        with pytest.raises(ValueError, match=r"X is sparse, and .* needs dense rows"):
            clone(est).fit_blocks(BlockList.cut(sp.csr_array(d.X), y, rows=25))
    with pytest.raises(ValueError, match=r"only one class|one class only"):
        clone(est).fit_blocks(BlockList.cut(d.X, y, (y == 1).astype(float), rows=25))


@each([u for u in USES if u.kind in ("GaussianNB", "QuadraticDiscriminantAnalysis")])
def test_rows_whose_squares_overflow_are_refused_by_number(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    d.X[7] = 1e200
    with pytest.raises(ValueError, match=r"^row 7 of X is so far from the rows .* \(1 such rows\)"):
        model.predict_proba(d.X)
