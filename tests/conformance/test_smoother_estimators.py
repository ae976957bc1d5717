"""What every smoother owes: scikit-learn's contract, weights, layouts, threads, states that no failure
breaks.
"""

from __future__ import annotations

import html
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.estimators.neighbors import smoother
from empirisk.results import Kind
from tests.conformance.estimators import data_for, each
from tests.conformance.smoother_estimators import USES
from tests.conformance.test_estimators import STORED

# A window that leaves rows alone is refused by a sentence: scikit-learn's checks have rows far apart, and one
# of them asks for a good fit of rows that a wide window holds all.
CONTRACT = [
    use.make(empty="nearest", **({} if use.make().standardise else {"bandwidth": 3.0})) for use in USES
]


@parametrize_with_checks(CONTRACT)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("stored", sorted(STORED))
@each(USES)
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    d.X[rng.random(d.X.shape) < 0.3] = 0.0
    X = STORED[stored](d.X)
    other = clone(est).fit(X, d.y).predict(X)
    np.testing.assert_allclose(other, clone(est).fit(d.X, d.y).predict(d.X), rtol=1e-9)


@each(USES)
def test_float32_is_the_same_rows_in_float64(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X = d.X.astype(np.float32)
    single, double = clone(est).fit(X, d.y), clone(est).fit(X.astype(np.float64), d.y)
    np.testing.assert_array_equal(single.predict(X), double.predict(X.astype(np.float64)))


@each(USES)
def test_weight_is_repetition(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    times = rng.integers(1, 4, size=len(d.y))
    weighted = clone(est).fit(d.X, d.y, sample_weight=times)
    repeated = clone(est).fit(np.repeat(d.X, times, axis=0), np.repeat(d.y, times))
    np.testing.assert_allclose(weighted.predict(d.X), repeated.predict(d.X), rtol=1e-9)
    first = np.concatenate([[0], np.cumsum(times)[:-1]])
    np.testing.assert_allclose(weighted.predict(None), repeated.predict(None)[first], rtol=1e-9)


@each(USES)
def test_weight_zero_is_absence(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    keep = rng.random(len(d.y)) < 0.8
    X = np.where(keep[:, None], d.X, 1e6)
    absent = clone(est).fit(X, np.where(keep, d.y, 1e6), sample_weight=keep.astype(float))
    present = clone(est).fit(d.X[keep], d.y[keep])
    np.testing.assert_allclose(absent.predict(d.X[keep]), present.predict(d.X[keep]), rtol=1e-9)
    if est.empty == "nearest":
        np.testing.assert_allclose(absent.predict(None)[keep], present.predict(None), rtol=1e-9)
        assert len(absent.predict(None)) == len(d.y)


@each(USES)
def test_orders_do_not_matter(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    rows, columns = rng.permutation(len(d.y)), rng.permutation(d.X.shape[1])
    model = clone(est).fit(d.X, d.y)
    for other, X in (
        (clone(est).fit(d.X[rows], d.y[rows]), d.X),
        (clone(est).fit(d.X[:, columns], d.y), d.X[:, columns]),
    ):
        np.testing.assert_allclose(other.predict(X), model.predict(d.X), rtol=1e-8)


@each(USES)
@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-400, 2.0**400, 2.0**990])
def test_units_do_not_matter(est: Any, scale: float, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    in_units = (
        {} if est.standardise or isinstance(est.bandwidth, str) else {"bandwidth": est.bandwidth * scale}
    )
    scaled = clone(est).set_params(**in_units).fit(d.X * scale, d.y)
    model = clone(est).fit(d.X, d.y)
    np.testing.assert_array_equal(scaled.predict(d.X * scale), model.predict(d.X))
    if est.standardise:
        units = np.array([1e-3, 1.0, 40.0, 1e8, 7.0])
        shifted = clone(est).fit(d.X * units + 3.0 * units, d.y)
        np.testing.assert_allclose(shifted.predict(d.X * units + 3.0 * units), model.predict(d.X), rtol=1e-7)
        np.testing.assert_allclose(shifted.scale_, d.X.std(axis=0) * units, rtol=1e-9)


@each(USES)
def test_targets_in_other_units(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model, other = clone(est).fit(d.X, d.y), clone(est).fit(d.X, 1e3 * d.y - 5e4)
    np.testing.assert_allclose(other.predict(d.X), 1e3 * model.predict(d.X) - 5e4, rtol=1e-9)


@each(USES)
def test_same_bits_for_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=700)
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            answers.append(clone(est).fit(d.X, d.y).predict(d.X))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@each(USES)
def test_pickle_frames_and_refit(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(d.X), model.predict(d.X))
    np.testing.assert_array_equal(model.fit(d.X, d.y).predict(d.X), again.predict(d.X))
    frame = pd.DataFrame(d.X, columns=list("abcde"))
    assert list(clone(est).fit(frame, d.y).feature_names_in_) == list("abcde")
    assert model.certificate_.kind is Kind.NONE
    assert model.certificate_.claim in repr(model)
    assert html.escape(model.certificate_.claim) in model._repr_html_()
    with pytest.raises(
        TypeError, match="KernelSmoother has no certificate that could be verified: nothing is"
    ):
        er.verify(again, d.X, d.y)


@each(USES)
def test_inputs_are_left_alone(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X, y, s = d.X.copy(), d.y.copy(), np.ones(len(d.y))
    for array in (X, y, s):
        array.flags.writeable = False
    model = clone(est).fit(X, y, s)
    model.predict(X)
    changed = model.predict(d.X)
    d.X[:], d.y[:] = 0.0, 0.0
    np.testing.assert_array_equal(model.predict(X), changed)


@each(USES)
def test_a_failed_or_interrupted_fit_leaves_the_state_before(
    est: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    before = model.predict(d.X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(d.X > 1.0, np.inf, d.X), d.y)
    np.testing.assert_array_equal(model.predict(d.X), before)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(smoother.RowScale, "apply", stop)
        with pytest.raises(KeyboardInterrupt):
            model.fit(d.X[:30], d.y[:30])
    np.testing.assert_array_equal(model.predict(d.X), before)
