"""What every Gaussian process estimator owes: scikit-learn's contract, weights, layouts, threads,
certificates.
"""

from __future__ import annotations

import html
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.kernels import Gaussian
from tests.conformance.estimators import data_for, each
from tests.conformance.process_estimators import FIXED, USES, registered
from tests.conformance.test_estimators import STORED


def answer(est: Any, X: Any) -> Any:
    """Return the mean and the deviation, or the probabilities: small changes show in them."""
    return est.predict_proba(X) if is_classifier(est) else np.stack(est.predict(X, return_std=True))


def assert_same(a: Any, b: Any, atol: float = 2e-3) -> None:
    """Equal up to what a slope of 1e-5 an observation leaves open in a flat direction."""
    np.testing.assert_allclose(a, b, rtol=2e-3, atol=atol)


def test_every_registered_estimator_is_tested() -> None:
    assert {use.kind for use in USES} >= registered()


@parametrize_with_checks([use.make() for use in USES])
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@each(USES)
def test_weight_is_repetition(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=40)
    times = rng.integers(1, 4, size=len(d.y))
    weighted = clone(est).fit(d.X, d.y, sample_weight=times)
    repeated = clone(est).fit(np.repeat(d.X, times, axis=0), np.repeat(d.y, times))
    assert_same(answer(weighted, d.X), answer(repeated, d.X))
    assert weighted.log_marginal_likelihood_ == pytest.approx(repeated.log_marginal_likelihood_, rel=1e-4)


@each(USES)
def test_weight_zero_is_absence(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    keep = rng.random(len(d.y)) < 0.8
    X = np.where(keep[:, None], d.X, 1e6)
    absent = clone(est).fit(X, d.y, sample_weight=keep.astype(float))
    np.testing.assert_allclose(
        answer(absent, d.X), answer(clone(est).fit(d.X[keep], d.y[keep]), d.X), rtol=1e-9
    )


@each(USES)
def test_row_order_does_not_matter(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    order = rng.permutation(len(d.y))
    assert_same(answer(clone(est).fit(d.X[order], d.y[order]), d.X), answer(clone(est).fit(d.X, d.y), d.X))


@pytest.mark.parametrize("stored", sorted(STORED))
@each(FIXED)
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    d.X[rng.random(d.X.shape) < 0.3] = 0.0
    X = STORED[stored](d.X)
    other = answer(clone(est).fit(X, d.y), X)
    np.testing.assert_allclose(other, answer(clone(est).fit(d.X, d.y), d.X), rtol=1e-7, atol=1e-9)


@each(USES)
def test_float32_is_the_same_rows_in_float64(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X = d.X.astype(np.float32)
    single, double = clone(est).fit(X, d.y), clone(est).fit(X.astype(np.float64), d.y)
    np.testing.assert_array_equal(answer(single, X), answer(double, X.astype(np.float64)))


@each(USES)
def test_same_bits_for_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=100)
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            answers.append(answer(clone(est).fit(d.X, d.y), d.X))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@each(USES)
def test_pickle_frames_and_refit(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(answer(again, d.X), answer(model, d.X))
    assert vars(model).keys() - vars(pickle.loads(pickle.dumps(model))).keys() <= {"_memory"}
    np.testing.assert_array_equal(answer(model.fit(d.X, d.y), d.X), answer(again, d.X))
    frame = pd.DataFrame(d.X, columns=list("abcde"))
    assert list(clone(est).fit(frame, d.y).feature_names_in_) == list("abcde")


@each(USES)
def test_inputs_are_left_alone(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X, y, s = d.X.copy(), d.y.copy(), np.ones(len(d.y))
    clone(est).fit(X, y, s)
    np.testing.assert_array_equal(X, d.X)
    np.testing.assert_array_equal(y, d.y)
    assert (s == 1.0).all()


@each(USES)
def test_fit_is_certified_verified_and_says_so(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s = rng.integers(0, 3, len(d.y)).astype(float)
    model = clone(est).fit(d.X, d.y, sample_weight=s)
    assert model.certificate_.within(est.tol)
    assert model.solution_.status.ok
    assert model.certificate_.claim in repr(model)
    assert html.escape(model.certificate_.claim) in model._repr_html_()
    again = er.verify(pickle.loads(pickle.dumps(model)), d.X, d.y, s)
    assert again.kind is model.certificate_.kind
    assert again.within(2.0 * est.tol)
    model.dual_coef_ = model.dual_coef_ * 1.05
    assert not er.verify(model, d.X, d.y, s).within(2.0 * est.tol)


@each(USES)
def test_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    before = answer(model, d.X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(d.X > 1.0, np.inf, d.X), d.y)
    np.testing.assert_array_equal(answer(model, d.X), before)


@each(USES)
def test_an_interrupted_fit_leaves_the_state_before(
    est: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    before = answer(model, d.X)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("empirisk.gaussian_processes.covariance.Covariance.at", stop)
    monkeypatch.setattr("empirisk.gaussian_processes.covariance.Covariance.block", stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(d.X + 1.0, d.y)
    monkeypatch.undo()
    np.testing.assert_array_equal(answer(model, d.X), before)


@each(USES)
def test_identical_rows_give_a_constant(est: Any) -> None:
    y = np.array([0, 1, 1, 0, 1, 1]) if is_classifier(est) else np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    model = clone(est).fit(np.ones((6, 2)), y)
    found = answer(model, np.ones((2, 2)))
    assert np.isfinite(found).all()
    assert model.certificate_.within(est.tol)
    if not is_classifier(est):
        assert found[0] == pytest.approx(3.5, abs=0.6)


@each(USES)
def test_bad_kernels_are_named(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(ValueError, match="the kernel 'rbf' is called 'gaussian' here"):
        clone(est).set_params(kernel="rbf").fit(d.X, d.y)
    with pytest.raises(ValueError, match="kernel must be one of analytic"):
        clone(est).set_params(kernel=3).fit(d.X, d.y)


@each(USES)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_extreme_scales(est: Any, scale: float, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    est = clone(est).set_params(kernel="gaussian")
    model, plain = clone(est).fit(d.X * scale, d.y), clone(est).fit(d.X, d.y)
    assert_same(answer(model, d.X * scale), answer(plain, d.X), 1e-2)


@each(USES)
def test_csr_with_repeated_cells_is_its_sum(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    n, p = d.X.shape
    cells, columns = np.repeat(d.X.ravel() / 2.0, 2), np.repeat(np.tile(np.arange(p), n), 2)
    half = sp.csr_array((cells, columns, np.arange(n + 1) * 2 * p), shape=(n, p))
    assert_same(answer(clone(est).fit(half, d.y), half), answer(clone(est).fit(d.X, d.y), d.X))


@each([u for u in FIXED if dict(u.params).get("kernel") == Gaussian(gamma=0.3) and "inducing" not in str(u)])
def test_a_precomputed_matrix_gives_the_same_model(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    new = d.X + 0.3
    s = np.where(np.arange(len(d.y)) < 5, 0.0, 1.0)
    model = clone(est).fit(d.X, d.y, s)
    given = clone(est).set_params(kernel=er.kernels.Precomputed()).fit(est.kernel.block(d.X), d.y, s)
    np.testing.assert_array_equal(
        given.predict(est.kernel.block(new, d.X)), model.predict(new)
    ) if is_classifier(est) else np.testing.assert_allclose(
        given.predict(est.kernel.block(new, d.X)), model.predict(new), rtol=1e-10
    )


@each(USES)
def test_a_matrix_that_is_no_covariance_is_refused_with_its_witness(
    est: Any, rng: np.random.Generator
) -> None:
    if getattr(est, "inducing", None) not in ("auto", None):
        est = clone(est).set_params(inducing=None)
    d = data_for(est, rng, n=8)
    K = np.eye(8)
    K[0, 1] = K[1, 0] = 3.0
    with pytest.raises(ValueError, match=r"smallest eigenvalue is -2 .* row [01] the heaviest"):
        clone(est).set_params(kernel="precomputed").fit(K, d.y)


@each(USES, lambda est: getattr(est, "inducing", None) in ("auto", None))
def test_memory_is_forecast(est: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    d = data_for(est, rng)
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda: 1e-5)
    with pytest.raises(MemoryError, match=r"a Gaussian process on 60 rows .* needs about .* GB"):
        clone(est).fit(d.X, d.y)
