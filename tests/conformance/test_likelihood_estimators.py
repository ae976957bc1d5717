"""What every estimator by maximum likelihood owes: scikit-learn's contract, weights, certificates."""

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

import empirisk as er
from tests.conformance.estimators import data_for, each, parameters
from tests.conformance.likelihood_estimators import COUNTS, SETS, USES, registered
from tests.oracles.complete import complete


def test_every_registered_estimator_is_tested() -> None:
    words = "USES in tests/conformance/likelihood_estimators.py"
    complete({u.kind for u in [*USES, *COUNTS, *SETS]}, registered(), "a use", words)


@parametrize_with_checks([u.make() for u in USES])
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@each([*USES, *COUNTS])
def test_a_weight_is_repetition_and_zero_absence(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=90)
    est = clone(est).set_params(alpha=0.05, tol=1e-13)
    times = rng.integers(0, 3, len(d.y))
    there = np.where((times > 0)[:, None], d.X, 1e6)
    weighted = clone(est).fit(there, d.y, sample_weight=times)
    repeated = clone(est).fit(np.repeat(d.X, times, axis=0), np.repeat(d.y, times))
    np.testing.assert_allclose(parameters(weighted), parameters(repeated), rtol=1e-6, atol=1e-6)
    assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_, rel=1e-9)


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
@each([*USES, *COUNTS])
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X = STORED[stored](d.X)
    est = clone(est).set_params(tol=1e-13)
    model, plain = clone(est).fit(X, d.y), clone(est).fit(d.X, d.y)
    np.testing.assert_allclose(parameters(model), parameters(plain), rtol=1e-6, atol=1e-6)


@each([*USES, *COUNTS])
def test_rows_columns_and_origins_do_not_matter(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    est = clone(est).set_params(tol=1e-13)
    model = clone(est).fit(d.X, d.y)
    rows, columns = rng.permutation(len(d.y)), rng.permutation(d.X.shape[1])
    other = clone(est).fit(d.X[rows][:, columns] + 1e5, d.y[rows])
    np.testing.assert_allclose(other.coef_, model.coef_[columns], rtol=1e-5, atol=1e-6)


@each([*USES, *COUNTS])
def test_single_precision_stays_so(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    single, double = clone(est).fit(d.X.astype(np.float32), d.y), clone(est).fit(d.X, d.y)
    assert single.coef_.dtype == np.float32
    assert single.certificate_.within(est.tol)
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-3, atol=1e-4)


@each([*USES, *COUNTS])
def test_factors_are_their_coded_columns(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=80)
    soil = np.array(["wet", "dry", "mid", "wet"])[np.arange(80) % 4]
    X = pd.DataFrame({"a": d.X[:, 0], "soil": soil})
    coded = pd.DataFrame({"a": d.X[:, 0], "soil[dry]": soil == "dry", "soil[mid]": soil == "mid"}).astype(
        float
    )
    model, plain = clone(est).fit(X, d.y), clone(est).fit(coded, d.y)
    assert model.terms_ == ("a", "soil[dry]", "soil[mid]")
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)


@each([*USES, *COUNTS])
def test_certificates_are_shown_kept_and_verified(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    assert model.solution_.status.ok
    assert model.certificate_.within(est.tol)
    assert model.certificate_.claim in repr(model)
    assert html.escape(model.certificate_.claim) in model._repr_html_()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert er.verify(again, d.X, d.y).within(est.tol)
    again.coef_ = again.coef_ + 0.1
    assert not er.verify(again, d.X, d.y).within(est.tol)


@each([*USES, *COUNTS])
def test_penalised_fits_have_no_standard_errors_and_say_why(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    table = clone(est).set_params(alpha=0.1).fit(d.X, d.y).summary()
    assert not table.valid
    assert np.isnan(table.se).all()
    assert "the L2 penalty shrinks the coefficients" in table.notes[0]


@each([*USES, *COUNTS])
def test_inference_is_about_the_rows_of_the_fit(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=200)
    model = clone(est).set_params(alpha=0.0).fit(d.X, d.y)
    table = model.summary()
    assert table.valid
    assert (table.se > 0.0).all()
    again = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="rows of the fit are not at hand"):
        again.summary()
    np.testing.assert_allclose(again.summary(d.X, d.y).se, table.se, rtol=1e-12)
    with pytest.raises(ValueError, match="not the rows that the model was fitted on"):
        again.summary(d.X[::-1], d.y)
    # Each row its own group: CR0 is HC0.
    alone = model.summary(covariance="CR0", groups=np.arange(200)).se
    np.testing.assert_allclose(alone, model.summary(covariance="HC0").se, rtol=1e-10)
    assert model.wald_test([str(t) for t in model.terms_]).df == d.X.shape[1]
    # A repetition is a weight, in the table as well.
    twice = clone(model).fit(d.X, d.y, sample_weight=np.full(200, 2.0)).summary()
    np.testing.assert_allclose(twice.se, table.se / np.sqrt(2.0), rtol=1e-5)
