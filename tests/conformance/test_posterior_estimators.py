"""What every Bayesian regression owes: scikit-learn's contract, weights, layouts, units, certificates."""

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
from tests.conformance.estimators import data_for, each
from tests.conformance.posterior_estimators import APPROXIMATE, CONJUGATE, FIXED
from tests.conformance.test_estimators import STORED

NUMBERS = (
    "coef_", "intercept_", "covariance_", "noise_", "noise_shape_", "noise_scale_", "effective_parameters_",
)  # fmt: skip


def same(one: Any, other: Any, rtol: float = 1e-9) -> None:
    """Equal posteriors, up to rounding of the sums and, for learned precisions, of a flat maximum."""
    for name in NUMBERS:
        a, b = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        np.testing.assert_allclose(b, a, rtol=rtol, atol=rtol * float(np.abs(a).max()), err_msg=name)
    if one.log_evidence_ is not None:
        assert other.log_evidence_ == pytest.approx(one.log_evidence_, abs=1e-7 * one.noise_shape_)


EXACT = "the columns of the check explain its targets exactly, where there is no noise, as the error says"
REPEATED = "check_sample_weight_equivalence_on_dense_data"
EXCUSED = {
    REPEATED: EXACT,
    "check_sample_weights_shape": EXACT,
    "check_sample_weights_not_overwritten": EXACT,
    "check_regressors_no_decision_function": EXACT,
}


def expected_failures(est: Any) -> dict[str, str]:
    """Checks that cannot hold where there is no posterior, with the reason."""
    if isinstance(est, er.BayesianGLM):
        return {}
    if est.prior_precision == 0.0:
        return {REPEATED: "the check has more columns than rows, where a flat prior has no posterior"}
    return EXCUSED if est.prior_precision == "evidence" and est.noise_shape == 0.0 else {}


# A log link without an intercept cannot explain targets whose mean is not 1 at x = 0, as a check asks.
MADE = [u.make() for u in [*CONJUGATE, *APPROXIMATE]]
CONTRACT = [est for est in MADE if est.fit_intercept or not isinstance(est, er.BayesianGLM)]


@parametrize_with_checks(CONTRACT, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("stored", sorted(STORED))
@each(CONJUGATE)
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    other = STORED[stored](d.X)
    if sp.issparse(other):
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            clone(est).fit(other, d.y)
        return
    model, again = clone(est).fit(d.X, d.y), clone(est).fit(other, d.y)
    for name in NUMBERS:
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))


@each(CONJUGATE)
def test_a_weight_is_a_repetition_and_zero_is_absence(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s = rng.integers(0, 3, len(d.y))
    there = np.where((s > 0)[:, None], d.X, 1e200)
    weighted = clone(est).fit(there, np.where(s > 0, d.y, -1e9), sample_weight=s)
    same(weighted, clone(est).fit(np.repeat(d.X, s, axis=0), np.repeat(d.y, s)), 1e-7)


@each(CONJUGATE)
def test_orders_and_a_distant_origin_do_not_matter(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    rows, columns = rng.permutation(len(d.y)), np.array([2, 0, 4, 1, 3])
    model = clone(est).fit(d.X, d.y)
    same(model, clone(est).fit(d.X[rows], d.y[rows]), 1e-7)
    moved = clone(est).fit(d.X[:, columns], d.y)
    np.testing.assert_allclose(moved.coef_, model.coef_[columns], rtol=1e-7)
    if est.fit_intercept:
        X = np.round(d.X * 2**20) / 2**20  # so that moving them rounds nothing
        near, far = clone(est).fit(X, d.y), clone(est).fit(X + 2.0**30, d.y)
        np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-8)
        assert far.noise_ == pytest.approx(near.noise_, rel=1e-9)
        np.testing.assert_allclose(far.predict(X + 2.0**30), near.predict(X), rtol=1e-6)


@each(CONJUGATE)
def test_same_bits_for_threads_and_memory_maps(est: Any, rng: np.random.Generator, tmp_path: Any) -> None:
    X = rng.normal(size=(3000, 5)) + np.arange(5.0)
    y = X @ np.arange(5.0) + rng.normal(size=3000)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    models = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            models.append(clone(est).fit(X, y))
    models.append(clone(est).fit_blocks(er.data.BlockList.cut(mapped, y)))
    models.append(clone(est).fit(mapped, y))
    for other in models[1:]:
        for name in NUMBERS:
            np.testing.assert_array_equal(getattr(other, name), getattr(models[0], name), err_msg=name)
    pieces = clone(est).fit_blocks(er.data.BlockList.cut(mapped, y, rows=700))
    same(models[0], pieces, 1e-8)
    parts = clone(est)
    for a in range(0, 3000, 700):
        parts.partial_fit(X[a : a + 700], y[a : a + 700])
    same(models[0], parts, 1e-8)


@each(CONJUGATE)
def test_float32_and_frames(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    single, double = clone(est).fit(d.X.astype(np.float32), d.y), clone(est).fit(d.X, d.y)
    new = d.X.astype(np.float32)
    assert (
        single.coef_.dtype == single.predict(new).dtype == single.mean_interval(new).low.dtype == np.float32
    )
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4, atol=1e-5)
    for frame in (pd.DataFrame(d.X, columns=list("abcde")), pl.DataFrame(d.X, schema=list("abcde"))):
        named = clone(est).fit(frame, d.y)
        assert list(named.feature_names_in_) == list("abcde")
        np.testing.assert_array_equal(named.predict(frame), double.predict(d.X))


@each(CONJUGATE)
def test_certificates_are_shown_kept_and_verified(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    learned = isinstance(est.prior_precision, str)
    assert model.certificate_.kind is (Kind.STATIONARITY if learned else Kind.EXACT)
    assert model.certificate_.within(est.tol)
    assert model.certificate_.claim in repr(model)
    assert html.escape(model.certificate_.claim) in model._repr_html_()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(d.X), model.predict(d.X))
    assert er.verify(again, d.X, d.y).within(1e-9)
    assert er.verify(again, d.X, d.y[::-1]).kind is Kind.NONE
    assert er.verify(again, d.X[:-1], d.y[:-1]).kind is Kind.NONE
    for name in (*NUMBERS, "log_evidence_"):
        if getattr(model, name) is not None and np.any(getattr(model, name)):
            changed = pickle.loads(pickle.dumps(model))
            setattr(changed, name, getattr(changed, name) * 1.001)
            assert er.verify(changed, d.X, d.y).kind is Kind.NONE, name


@each(CONJUGATE)
def test_a_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(d.X > 2.0, np.inf, d.X), d.y)
    with pytest.raises(ValueError, match="y contains NaN in row 4"):
        model.fit(d.X, np.where(np.arange(len(d.y)) == 4, np.nan, d.y))
    with pytest.raises(ValueError, match="y contains NaN in row 4"):
        model.partial_fit(d.X, np.where(np.arange(len(d.y)) == 4, np.nan, d.y))
    assert all(vars(model)[k] is v for k, v in before.items())


@each(FIXED)
def test_intervals_hold_the_share_of_draws_that_they_say(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    draws = model.sample_posterior(4000, random_state=1)
    value = np.column_stack([draws.coef, draws.intercept])[:, : 5 + est.fit_intercept]
    ends = model.credible_interval(0.8)
    slack = 4.0 * np.sqrt(0.16 / 4000)
    inside = ((value > ends.low) & (value < ends.high)).mean(axis=0)
    assert np.all(np.abs(inside - 0.8) < slack)
    scores = draws.coef @ d.X.T + draws.intercept[:, None]
    band = model.mean_interval(d.X, 0.8)
    for (low, high), drawn in (
        ((band.low, band.high), scores),
        (
            model.predict(d.X, return_interval=True, level=0.8)[1:],
            scores + np.sqrt(draws.noise)[:, None] * rng.standard_normal(scores.shape),
        ),
    ):
        share = ((drawn > low) & (drawn < high)).mean(axis=0)
        assert np.all(np.abs(share - 0.8) < 1.2 * slack)


# -- normal laws at a mode ------------------------------------------------------------------------------


def same_law(one: Any, other: Any, rtol: float = 1e-6) -> None:
    """Equal modes and covariances, up to what the tolerance of the fits leaves open."""
    for name in ("coef_", "intercept_", "covariance_"):
        a, b = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        np.testing.assert_allclose(b, a, rtol=rtol, atol=rtol * float(np.abs(a).max()), err_msg=name)


@pytest.mark.parametrize("stored", sorted(STORED))
@each(APPROXIMATE)
def test_storage_does_not_matter_to_a_normal_law(est: Any, stored: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    d.X[rng.random(d.X.shape) < 0.3] = 0.0
    other = STORED[stored](d.X)
    model, again = (clone(est).set_params(tol=1e-13).fit(X, d.y) for X in (d.X, other))
    same_law(model, again)
    np.testing.assert_allclose(again.predict(other), model.predict(d.X), rtol=1e-6)


@each(APPROXIMATE)
def test_weights_are_repetitions_to_a_normal_law(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s, est = rng.integers(0, 3, len(d.y)), clone(est).set_params(tol=1e-13)
    weighted = clone(est).fit(np.where((s > 0)[:, None], d.X, 1e3), d.y, sample_weight=s)
    repeated = clone(est).fit(np.repeat(d.X, s, axis=0), np.repeat(d.y, s))
    same_law(weighted, repeated)
    assert weighted.log_evidence_ == pytest.approx(repeated.log_evidence_, rel=1e-9)


@each(APPROXIMATE)
def test_normal_laws_are_shown_kept_and_verified(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    assert model.certificate_.within(est.tol)
    assert model.certificate_.claim in repr(model)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(d.X), model.predict(d.X))
    assert er.verify(again, d.X, d.y).within(1e-6)
    again.covariance_ = 1.001 * again.covariance_
    assert er.verify(again, d.X, d.y).kind is Kind.NONE
    single = clone(est).fit(d.X.astype(np.float32), d.y)
    assert single.coef_.dtype == single.predict(d.X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.predict(d.X), model.predict(d.X), rtol=1e-3)
