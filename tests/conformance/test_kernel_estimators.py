"""What every estimator over a kernel owes: scikit-learn's contract, weights, layouts, threads,
certificates.
"""

from __future__ import annotations

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
from empirisk.kernels import Gaussian, Precomputed
from tests.conformance.estimators import data_for, each
from tests.conformance.kernel_estimators import EVERY, FIXED, GIVEN_STEPS, USES, registered
from tests.conformance.test_estimators import STORED


def answer(est: Any, X: Any) -> Any:
    """Return the scores: small changes show in them."""
    return est.decision_function(X) if is_classifier(est) else est.predict(X)


def solved(est: Any, X: Any, y: Any, **more: Any) -> Any:
    """Return a fitted clone, solved far beyond the default tolerance, so that equal problems have equal
    answers.
    """
    return clone(est).set_params(**({"tol": 1e-11} if promises(est) else {})).fit(X, y, **more)


def promises(est: Any) -> bool:
    """Return whether the estimator goes on until its certificate is small, and not for a number of steps."""
    return "tol" in est.get_params()


def certified(est: Any, certificate: Any, tol: float = 1e-6) -> bool:
    """Return whether the gap is as small as was promised; that of steps is finite, and says how good they
    were.
    """
    return bool(certificate.within(tol if promises(est) else 1.0))


def assert_same(a: Any, b: Any, atol: float = 2e-4) -> None:
    """Equal up to the root of the tolerance; pairs of classes vote, so that a score of 0 may tip a vote."""
    np.testing.assert_allclose(a, b, rtol=2e-4, atol=atol)


def test_every_registered_estimator_is_tested() -> None:
    assert {use.kind for use in EVERY} >= registered()


# Weights and repetitions agree to the tolerance of the fit; these checks ask for 1e-7 in the predictions.
BY_PAIRS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "equal up to the tolerance, and not bit for bit"
    for kind in ("dense", "sparse")
}


def expected_failures(est: Any) -> dict[str, str]:
    """Checks that cannot hold, with the reason; an expected failure that passes is a failure."""
    return BY_PAIRS if hasattr(est, "cache_size") and est.kernel != "linear" else {}


@parametrize_with_checks([use.make() for use in EVERY], expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@each([*FIXED, *GIVEN_STEPS])
def test_weight_is_repetition(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    times = rng.integers(1, 4, size=len(d.y))
    repeated = solved(est, np.repeat(d.X, times, axis=0), np.repeat(d.y, times))
    assert_same(answer(solved(est, d.X, d.y, sample_weight=times), d.X), answer(repeated, d.X))


@each(EVERY)
def test_weight_zero_is_absence(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    keep = rng.random(len(d.y)) < 0.8
    X = np.where(keep[:, None], d.X, 50.0)
    absent = solved(est, X, d.y, sample_weight=keep.astype(float))
    assert_same(answer(absent, d.X), answer(solved(est, d.X[keep], d.y[keep]), d.X))


@each(EVERY)
def test_weights_are_scale_free(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s = rng.uniform(0.5, 2.0, len(d.y))
    one = solved(est, d.X, d.y, sample_weight=s)
    other = solved(est, d.X, d.y, sample_weight=1024.0 * s)
    assert_same(answer(one, d.X), answer(other, d.X), 1e-6 if est.alpha != "1/n" else 1e9)


@each(FIXED)
def test_row_order_does_not_matter(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    order = rng.permutation(len(d.y))
    assert_same(answer(solved(est, d.X[order], d.y[order]), d.X), answer(solved(est, d.X, d.y), d.X))


@pytest.mark.parametrize("stored", sorted(STORED))
@each([*FIXED, *GIVEN_STEPS])
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    d.X[rng.random(d.X.shape) < 0.3] = 0.0
    X = STORED[stored](d.X)
    assert_same(answer(solved(est, d.X, d.y), d.X), answer(solved(est, X, d.y), X))


@each(EVERY)
def test_float32_is_close_to_float64(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X = d.X.astype(np.float32)
    single = clone(est).fit(X, d.y)
    double = clone(est).fit(X.astype(np.float64), d.y)
    assert certified(est, single.certificate_)
    assert_same(answer(single, X), answer(double, X.astype(np.float64)), 5e-2)


@each(EVERY)
def test_same_bits_for_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=120)
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads, user_api="openmp"):
            answers.append(answer(clone(est).fit(d.X, d.y), d.X))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@each(EVERY)
def test_pickle_frames_and_refit(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(answer(again, d.X), answer(model, d.X))
    np.testing.assert_array_equal(answer(model.fit(d.X, d.y), d.X), answer(again, d.X))
    frame = pd.DataFrame(d.X, columns=list("abcde"))
    assert list(clone(est).fit(frame, d.y).feature_names_in_) == list("abcde")
    assert model.certificate_.claim in repr(model)


@each(USES)
def test_fit_is_certified_and_verified(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s = rng.integers(0, 3, len(d.y)).astype(float)
    model = clone(est).fit(d.X, d.y, sample_weight=s)
    assert model.certificate_.within(1e-6)
    assert er.verify(pickle.loads(pickle.dumps(model)), d.X, d.y, s).within(2e-6)
    model.dual_coef_ = model.dual_coef_ * 1.05
    assert not er.verify(model, d.X, d.y, s).within(2e-6)


@each(EVERY, lambda est: not promises(est))
def test_steps_are_certified_and_verified(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s = rng.integers(0, 3, len(d.y)).astype(float)
    model = clone(est).fit(d.X, d.y, sample_weight=s)
    assert model.certificate_.within(1.0)
    again = er.verify(pickle.loads(pickle.dumps(model)), d.X, d.y, s)
    assert again.value == pytest.approx(model.certificate_.value, rel=1e-6, abs=1e-12)
    model.dual_coef_ = model.dual_coef_ * 5.0
    assert er.verify(model, d.X, d.y, s).value > 2.0 * again.value


@each(EVERY)
def test_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    before = answer(model, d.X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(d.X > 1.0, np.inf, d.X), d.y)
    np.testing.assert_array_equal(answer(model, d.X), before)


@each([*FIXED, *GIVEN_STEPS], lambda est: isinstance(est.kernel, Gaussian))
def test_a_precomputed_matrix_gives_the_same_model(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    new = d.X + 0.3
    model = solved(est, d.X, d.y)
    given = solved(clone(est).set_params(kernel="precomputed"), est.kernel.block(d.X), d.y)
    assert_same(answer(given, est.kernel.block(new, d.X)), answer(model, new))
    with pytest.raises(ValueError, match="features"):
        given.predict(est.kernel.block(new, d.X)[:, 1:])


SKEW = np.array([[1.0, 0.5], [0.2, 1.0]])


@each(FIXED[:1])
def test_faults_of_a_precomputed_matrix_are_named(est: Any) -> None:
    kernel = Precomputed()
    with pytest.raises(ValueError, match=r"X is the matrix .* got 2 x 3"):
        kernel.check(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"not symmetric: K\[0, 1\] = 0.5 and K\[1, 0\] = 0.2"):
        kernel.check(SKEW)
    with pytest.raises(ValueError, match="not symmetric"):
        clone(est).set_params(kernel="precomputed").fit(np.kron(np.eye(3), SKEW), list("ababab"))


@each(EVERY)
def test_identical_rows_give_a_constant(est: Any) -> None:
    y = np.array([0, 1, 1, 0, 1, 1]) if is_classifier(est) else np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    if getattr(est, "alpha", None) == "cv":
        est = clone(est).set_params(cv=[([0, 1, 2], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])])
    model = clone(est).fit(np.ones((6, 2)), y)
    assert np.isfinite(answer(model, np.ones((2, 2)))).all()
    assert certified(est, model.certificate_)


@each(EVERY)
def test_bad_kernels_are_named(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(ValueError, match="the kernel 'rbf' is called 'gaussian' here"):
        clone(est).set_params(kernel="rbf").fit(d.X, d.y)
    with pytest.raises(ValueError, match="sigmoid function is no Mercer kernel"):
        clone(est).set_params(kernel="sigmoid").fit(d.X, d.y)
    with pytest.raises(ValueError, match="kernel must be one of analytic"):
        clone(est).set_params(kernel=3).fit(d.X, d.y)


@each(EVERY, lambda est: est.alpha != "cv")  # folds are dealt by content, which a scale changes
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_extreme_scales(est: Any, scale: float, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    if est.kernel != "gaussian":
        est = clone(est).set_params(kernel="gaussian")
    model = clone(est).fit(d.X * scale, d.y)
    plain = clone(est).fit(d.X, d.y)
    assert_same(answer(model, d.X * scale), answer(plain, d.X), 1e-2)


@each(EVERY)
def test_csr_with_repeated_cells_is_its_sum(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    n, p = d.X.shape
    row, col = (a.ravel() for a in np.indices((n, p)))
    half = sp.csr_array(
        (np.repeat(d.X.ravel() / 2.0, 2), np.repeat(col, 2), np.arange(n + 1) * 2 * p), shape=(n, p)
    )
    assert row[-1] == n - 1
    assert_same(answer(clone(est).fit(half, d.y), half), answer(clone(est).fit(d.X, d.y), d.X), 1e-2)


@each(EVERY, lambda est: est.alpha != "cv")
def test_kernels_that_tell_no_rows_apart_are_said(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    for gamma, words in (
        (1e9, "K is the identity, take a smaller gamma"),
        (1e-12, "K is constant, take a larger"),
    ):
        model = clone(est).set_params(kernel=Gaussian(gamma=gamma)).fit(d.X, d.y)
        assert words in model.solution_.sentence
    assert "alike" not in clone(est).fit(d.X, d.y).solution_.sentence


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-160])
@each(EVERY, lambda est: est.kernel != "linear")
def test_squares_that_vanish_are_refused(est: Any, scale: float, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(ValueError, match="squares of such numbers vanish; rescale it"):
        clone(est).fit(d.X * scale, d.y)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
@pytest.mark.parametrize("make", [er.Nystroem, er.RandomFourierFeatures, er.KernelPCA])
def test_feature_maps_refuse_rows_out_of_range(
    make: Any, kernel: str, sparse: bool, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(40, 2))
    kind = sp.csr_matrix if sparse else np.asarray
    for scale in (1e-300, 1e-160):
        with pytest.raises(ValueError, match=r"^X holds no number above .* squares of such numbers vanish"):
            make(kernel).fit(kind(scale * X))
    with pytest.raises(ValueError, match=r"^column 0 of X holds numbers whose squares overflow; rescale it"):
        make(kernel).fit(kind(1e300 * X))
    named = pd.DataFrame(X * [1.0, 1e200], columns=["a", "b"])
    with pytest.raises(ValueError, match=r"^column 'b' of X holds numbers whose squares overflow"):
        make(kernel).fit(named)
    assert np.isfinite(make(kernel).fit_transform(kind(X))).all()
