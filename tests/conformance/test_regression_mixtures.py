"""What every mixture of regressions owes: the contract of scikit-learn, weights, layouts, certificates."""

from __future__ import annotations

import html
import pickle
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
from empirisk.results import Kind
from tests.conformance.estimators import each
from tests.conformance.mixture_estimators import ONE, USES
from tests.conformance.test_estimators import STORED


def two_lines(rng: np.random.Generator, n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Rows near two planes in three columns of unlike units, a third of them on the second."""
    X = rng.normal(size=(n, 3)) * np.array([1.0, 20.0, 0.3]) + np.array([2.0, -50.0, 0.0])
    lines = np.array([[3.0, 1.0, 0.1, -4.0], [-2.0, -2.0, 0.1, 5.0]])[(np.arange(n) % 3 == 0).astype(int)]
    return X, lines[:, 0] + (X * lines[:, 1:]).sum(axis=1) + 0.4 * rng.normal(size=n)


def numbers(model: Any) -> np.ndarray:
    """Return all parameters in one vector."""
    return np.concatenate(
        [np.ravel(getattr(model, a)) for a in ("coef_", "intercept_", "sigma_", "weights_")]
    )


def same_fit(one: Any, other: Any, tol: float = 2e-3) -> None:
    """Equal parts up to what the tolerance of EM leaves open of a flat likelihood, and equal likelihoods."""
    assert one.n_components_ == other.n_components_
    order = [int(np.abs(other.coef_ - line).sum(axis=1).argmin()) for line in one.coef_]
    for name in ("coef_", "intercept_", "sigma_", "weights_"):
        a, b = getattr(one, name), getattr(other, name)[order]
        np.testing.assert_allclose(b, a, rtol=tol, atol=tol)


EXACT = "the rows of the check lie on one plane, where the likelihood has no maximum, as the error says"
EXCUSED = {
    "check_sample_weights_shape": EXACT,
    "check_sample_weights_not_overwritten": EXACT,
    "check_sample_weight_equivalence_on_dense_data": EXACT,
    "check_regressors_no_decision_function": EXACT,
}


@parametrize_with_checks([u.make() for u in ONE], expected_failed_checks=lambda est: EXCUSED)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("stored", sorted(STORED))
@each(USES)
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    X, y = two_lines(rng)
    other = STORED[stored](X)
    if sp.issparse(other):
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            clone(est).fit(other, y)
        return
    np.testing.assert_array_equal(numbers(clone(est).fit(other, y)), numbers(clone(est).fit(X, y)))


@each(USES)
def test_a_weight_is_a_repetition_and_zero_is_absence(est: Any, rng: np.random.Generator) -> None:
    X, y = two_lines(rng)
    s = rng.integers(0, 3, len(y))
    there = np.where((s > 0)[:, None], X, 1e6)
    weighted = clone(est).fit(there, np.where(s > 0, y, -1e6), sample_weight=s)
    repeated = clone(est).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    same_fit(weighted, repeated)
    assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_, rel=1e-8)
    assert weighted.bic_ == pytest.approx(repeated.bic_, rel=1e-8)
    np.testing.assert_array_equal(clone(est).fit(X, y, 1024.0 * s).labels_, clone(est).fit(X, y, s).labels_)


@each(USES)
def test_orders_and_units_do_not_matter(est: Any, rng: np.random.Generator) -> None:
    X, y = two_lines(rng)
    rows, columns = rng.permutation(len(y)), np.array([2, 0, 1])
    model = clone(est).fit(X, y)
    same_fit(model, clone(est).fit(X[rows], y[rows]))
    shuffled = clone(est).set_params(n_init=10).fit(X[:, columns], y)  # starts are others
    assert shuffled.log_likelihood_ == pytest.approx(model.log_likelihood_, rel=1e-7)
    unit = np.array([1e-9, 1e9, 32.0])
    scaled = clone(est).fit(1e6 * unit + unit * X, 1e3 * y + 1e8)
    np.testing.assert_allclose(scaled.coef_ * unit / 1e3, model.coef_, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(scaled.sigma_ / 1e3, model.sigma_, rtol=1e-3)
    assert scaled.log_likelihood_ == pytest.approx(model.log_likelihood_ - len(y) * np.log(1e3), rel=1e-5)


@each(USES)
def test_same_bits_for_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    X, y = two_lines(rng, 900)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(numbers(clone(est).fit(X, y)))
    np.testing.assert_array_equal(found[0], found[1])


@each(USES)
def test_float32_and_frames(est: Any, rng: np.random.Generator) -> None:
    X, y = two_lines(rng)
    single, double = clone(est).fit(X.astype(np.float32), y), clone(est).fit(X, y)
    assert single.coef_.dtype == single.predict(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-3, atol=1e-4)
    for frame in (pd.DataFrame(X, columns=list("abc")), pl.DataFrame(X, schema=list("abc"))):
        named = clone(est).fit(frame, y)
        assert list(named.feature_names_in_) == list("abc")
        np.testing.assert_array_equal(named.predict_proba(frame, y), double.predict_proba(X, y))


@each(USES)
def test_certificates_are_shown_kept_and_verified(est: Any, rng: np.random.Generator) -> None:
    X, y = two_lines(rng)
    model = clone(est).fit(X, y)
    assert model.certificate_.kind is Kind.MONOTONE
    assert model.certificate_.within(est.tol)
    assert model.certificate_.claim in repr(model)
    assert html.escape(model.certificate_.claim) in model._repr_html_()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X, y), model.predict(X, y))
    assert er.verify(again, X, y).within(2.0 * est.tol)
    assert er.verify(again, X, y[::-1]).kind is Kind.NONE
    assert er.verify(again, X[:-1], y[:-1]).kind is Kind.NONE
    for name in ("coef_", "intercept_", "sigma_", "weights_", "bic_", "icl_", "aic_", "log_likelihood_"):
        changed = pickle.loads(pickle.dumps(model))
        setattr(changed, name, getattr(changed, name) * 1.01)
        told = er.verify(changed, X, y)
        assert told.kind is Kind.NONE, name


@each(USES)
def test_a_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    X, y = two_lines(rng)
    model = clone(est).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 3.0, np.inf, X), y)
    with pytest.raises(ValueError, match="y contains NaN in row 4"):
        model.fit(X, np.where(np.arange(len(y)) == 4, np.nan, y))
    assert all(vars(model)[k] is v for k, v in before.items())


@each(USES)
def test_rows_and_lines_can_be_drawn(est: Any, rng: np.random.Generator) -> None:
    pytest.importorskip("matplotlib")
    X, y = two_lines(rng)
    axes = clone(est).fit(X, y).plot(X, y).axes
    assert axes.get_ylabel() == "y"
    assert axes.get_xlabel().startswith("column ")
