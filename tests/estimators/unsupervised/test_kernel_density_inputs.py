"""The kernel density over all inputs: weights, layouts, units, threads, failures that leave it as it was."""

from __future__ import annotations

import html
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.estimators.unsupervised import kernel_density
from empirisk.results import Kind
from empirisk.typing import Array
from tests.conformance.sparse_layouts import LAYOUTS, dyadic, make
from tests.conformance.test_estimators import STORED

USES = [
    er.KernelDensity(),
    er.KernelDensity(0.7),
    er.KernelDensity(window="tricube", bandwidths=12),
    er.KernelDensity(3.0, window="epanechnikov"),
    er.KernelDensity(window="boxcar", standardise=False, bandwidths=(2.0, 6.0, 12.0)),
]
EACH = pytest.mark.parametrize("density", USES, ids=repr)


def cloud(rng: np.random.Generator, n: int = 60) -> Array:
    """Correlated columns with unlike means and scales."""
    return rng.normal(size=(n, 3)) @ (np.eye(3) + 0.3) * [0.5, 1.0, 2.0] + [-1.0, 0.0, 2.0]


@EACH
@pytest.mark.parametrize("stored", sorted(STORED))
def test_storage_does_not_matter(density: Any, stored: str, rng: np.random.Generator) -> None:
    X = cloud(rng)
    X[rng.random(X.shape) < 0.3] = 0.0
    told = STORED[stored](X)
    other = clone(density).fit(told).score_samples(told)
    np.testing.assert_allclose(other, clone(density).fit(X).score_samples(X), rtol=1e-9)


@EACH
def test_every_sparse_layout_is_its_dense_form(density: Any, rng: np.random.Generator) -> None:
    D = dyadic(rng, 60, 3)
    told = clone(density).fit(D).score_samples(D)
    for layout in LAYOUTS:
        A = make(D, *layout)
        np.testing.assert_array_equal(clone(density).fit(A).score_samples(A), told)


@EACH
def test_float32_is_the_same_rows_in_float64(density: Any, rng: np.random.Generator) -> None:
    X = cloud(rng).astype(np.float32)
    single, double = clone(density).fit(X), clone(density).fit(X.astype(np.float64))
    np.testing.assert_array_equal(single.score_samples(X), double.score_samples(X.astype(np.float64)))


@EACH
def test_weights_are_repetition_of_any_scale(density: Any, rng: np.random.Generator) -> None:
    X, times = cloud(rng), rng.integers(0, 4, 60)
    weighted = clone(density).fit(np.where(times[:, None] > 0, X, 1e6), sample_weight=times)
    repeated = clone(density).fit(np.repeat(X, times, axis=0))
    assert weighted.bandwidth_ == pytest.approx(repeated.bandwidth_, rel=1e-12)
    np.testing.assert_allclose(weighted.score_samples(X), repeated.score_samples(X), rtol=1e-9)
    left = repeated.score_samples(None)[np.cumsum(times)[times > 0] - 1]
    np.testing.assert_allclose(weighted.score_samples(None)[times > 0], left, rtol=1e-9)
    for c in (1e-300, 1.0 / 60.0, 1e150):
        scaled = clone(density).fit(X, sample_weight=c * times)
        plain = clone(density).fit(X, sample_weight=times)
        np.testing.assert_allclose(scaled.score_samples(X), plain.score_samples(X), rtol=1e-9)
        assert scaled.bandwidth_ == pytest.approx(plain.bandwidth_, rel=1e-12)


@EACH
def test_orders_do_not_matter(density: Any, rng: np.random.Generator) -> None:
    X = cloud(rng)
    model = clone(density).fit(X)
    mixed = clone(density).fit(X[rng.permutation(60)])
    np.testing.assert_allclose(mixed.score_samples(X), model.score_samples(X), rtol=1e-9)
    turned = clone(density).fit(X[:, [2, 0, 1]])
    np.testing.assert_allclose(turned.score_samples(X[:, [2, 0, 1]]), model.score_samples(X), rtol=1e-9)


@EACH
@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-300, 2.0**300, 2.0**990])
def test_units_move_the_density_by_their_volume(density: Any, scale: float, rng: np.random.Generator) -> None:
    X = cloud(rng)
    inner = clone(density)
    if not density.standardise:
        inner.set_params(bandwidths=tuple(scale * h for h in density.bandwidths))
    scaled, plain = inner.fit(scale * X).score_samples(scale * X), clone(density).fit(X).score_samples(X)
    np.testing.assert_allclose(scaled, plain - 3.0 * np.log(scale), rtol=1e-9)


@EACH
def test_same_bits_for_any_number_of_threads(density: Any, rng: np.random.Generator) -> None:
    X = cloud(rng, 700)
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            answers.append(clone(density).fit(X).score_samples(X))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@EACH
def test_pickles_frames_and_words(density: Any, rng: np.random.Generator) -> None:
    X = cloud(rng)
    model = clone(density).fit(X)
    told = model.score_samples(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.score_samples(X), told)
    np.testing.assert_array_equal(again.sample(5, random_state=3), model.sample(5, random_state=3))
    np.testing.assert_array_equal(model.fit(X).score_samples(X), told)
    assert model.certificate_.kind is Kind.NONE
    assert model.certificate_.claim in repr(model)
    assert html.escape(model.certificate_.claim) in model._repr_html_()
    with pytest.raises(
        TypeError, match="KernelDensity has no certificate that could be verified: nothing is"
    ):
        er.verify(model, X, None)
    for frame in (pd.DataFrame, pl.DataFrame):
        named = clone(density).fit(frame(dict(zip("abc", X.T, strict=True))))
        assert list(named.feature_names_in_) == list("abc")


@EACH
def test_a_failed_or_interrupted_fit_leaves_the_state_before(
    density: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = cloud(rng)
    model = clone(density).fit(X)
    before = model.score_samples(X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 1.0, np.inf, X))
    np.testing.assert_array_equal(model.score_samples(X), before)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(kernel_density.RowsInWindows, "__init__", stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:30])
    np.testing.assert_array_equal(model.score_samples(X), before)


@EACH
def test_inputs_are_left_alone(density: Any, rng: np.random.Generator) -> None:
    X, s = cloud(rng), np.ones(60)
    kept = X.copy()
    for array in (X, s):
        array.flags.writeable = False
    model = clone(density).fit(X, sample_weight=s)
    told = model.score_samples(kept)
    X.flags.writeable = True
    X[:] = 0.0
    np.testing.assert_array_equal(model.score_samples(kept), told)


def test_searches_and_pipelines_take_a_density(rng: np.random.Generator) -> None:
    X = cloud(rng)
    search = GridSearchCV(er.KernelDensity(), {"bandwidth": [0.3, 0.6, 1.2]}, cv=3).fit(X)
    assert search.best_estimator_.bandwidth_ == search.best_params_["bandwidth"]
    made = make_pipeline(StandardScaler(), er.KernelDensity(0.5)).fit(X)
    assert made.score(X) == pytest.approx(made[-1].score_samples(made[0].transform(X)).sum())
