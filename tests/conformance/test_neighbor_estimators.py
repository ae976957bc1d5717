"""What every estimator made of neighbours owes: scikit-learn's contract, layouts, threads, exact searches."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.results import Kind
from tests.conformance.estimators import data_for, each
from tests.conformance.neighbor_estimators import USES, registered
from tests.conformance.test_estimators import STORED


def answer(est: Any, X: Any) -> Any:
    """Return the probabilities of a classifier, else the predictions: small changes show in them."""
    return est.predict_proba(X) if is_classifier(est) else est.predict(X)


def test_every_registered_estimator_is_tested() -> None:
    assert {use.kind for use in USES} >= registered()


# Both copies of a row are among the k nearest, and a row of weight 2 takes one of the k places.
PLACES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight is a factor on a vote, and no repetition"
    for kind in ("dense", "sparse")
}

FEW = {"check_class_weight_classifiers": "no weight names a class that none of three neighbours has"}


def expected_failures(est: Any) -> dict[str, str]:
    """Checks that cannot hold, with the reason; an expected failure that passes is a failure."""
    few = is_classifier(est) and est.n_neighbors == 3
    return {**PLACES, **(FEW if few else {})}


@parametrize_with_checks([use.make() for use in USES], expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("stored", sorted(STORED))
@each(USES)
def test_storage_does_not_matter(est: Any, stored: str, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    d.X[rng.random(d.X.shape) < 0.3] = 0.0
    X = STORED[stored](d.X)
    np.testing.assert_allclose(
        answer(clone(est).fit(X, d.y), X), answer(clone(est).fit(d.X, d.y), d.X), rtol=1e-9
    )


@each(USES)
def test_row_order_does_not_matter(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    order = rng.permutation(len(d.y))
    one, other = clone(est).fit(d.X[order], d.y[order]), clone(est).fit(d.X, d.y)
    np.testing.assert_allclose(answer(one, d.X), answer(other, d.X), rtol=1e-9)


@each(USES)
@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-400, 2.0**400, 2.0**990])
def test_scale_does_not_matter(est: Any, scale: float, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    scaled = answer(clone(est).fit(d.X * scale, d.y), d.X * scale)
    np.testing.assert_allclose(scaled, answer(clone(est).fit(d.X, d.y), d.X), rtol=1e-9)


@each(USES)
def test_same_bits_for_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=1500)
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads, user_api="openmp"):
            answers.append(answer(clone(est).fit(d.X, d.y), d.X))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@each(USES)
def test_pickle_frames_and_refit(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(answer(again, d.X), answer(model, d.X))
    np.testing.assert_array_equal(answer(model.fit(d.X, d.y), d.X), answer(again, d.X))
    frame = pd.DataFrame(d.X, columns=list("abcde"))
    assert list(clone(est).fit(frame, d.y).feature_names_in_) == list("abcde")
    assert model.certificate_.kind is Kind.EXACT
    assert model.certificate_.claim in repr(model)
    assert er.verify(again, d.X, d.y).kind is Kind.EXACT


@each(USES)
def test_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    before = answer(model, d.X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(d.X > 1.0, np.inf, d.X), d.y)
    np.testing.assert_array_equal(answer(model, d.X), before)


@each(USES)
def test_more_neighbours_than_rows_are_refused(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    with pytest.raises(
        ValueError, match="n_neighbors = 61 exceeds the number of training rows, n_samples = 60"
    ):
        clone(est).set_params(n_neighbors=61).fit(d.X, d.y)
    for bad in (0, 2.5, "many", None):
        with pytest.raises(ValueError, match="n_neighbors must be"):
            clone(est).set_params(n_neighbors=bad).fit(d.X, d.y)


@each(USES)
def test_identical_rows_have_one_answer(est: Any) -> None:
    y = np.array([0, 1, 1, 0, 1, 1]) if is_classifier(est) else np.arange(6.0)
    found = answer(clone(est).set_params(n_neighbors=3).fit(np.ones((6, 2)), y), np.ones((2, 2)))
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found[0], found[1])


@each(USES)
def test_a_precomputed_matrix_gives_the_same_model(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).set_params(n_neighbors=4).fit(d.X, d.y)
    distances = model.metric_.distances
    given = clone(est).set_params(n_neighbors=4, metric="precomputed").fit(distances(d.X, d.X), d.y)
    new = d.X + 0.3
    np.testing.assert_allclose(answer(given, distances(new, d.X)), answer(model, new), rtol=1e-9)
    for bad, words in ((np.ones((2, 3)), "got 2 x 3"), (-np.ones((6, 6)), r"X\[0, 0\] is -1")):
        with pytest.raises(ValueError, match=words):
            clone(given).fit(bad, d.y[: len(bad)])
