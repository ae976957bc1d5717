"""Seeds in every form that NumPy has, in every estimator and search that draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er
from tests.conformance.estimators import AS_WRITTEN, BY_STEPS, Use, data_for, use
from tests.conformance.tree_estimators import USES as TREES

KINDS = {"generator": np.random.default_rng, "state": np.random.RandomState, "integer": np.int64}
BAGS = [use("BaggingClassifier", n_estimators=3), use("BaggingRegressor", n_estimators=3)]
DRAWING = [u for u in [*AS_WRITTEN, *BY_STEPS, *TREES, *BAGS] if "random_state" in u.make().get_params()]
ONE_OF_EACH = list({u.kind: u for u in reversed(DRAWING)}.values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("u", ONE_OF_EACH, ids=str)
def test_every_form_of_a_seed_is_taken(u: Use, kind: str, rng: np.random.Generator) -> None:
    est, make = u.make(), KINDS[kind]
    d = data_for(est, rng)
    est.set_params(random_state=make(7))
    assert est.get_params()["random_state"] is est.random_state
    # A clone has a copy of the state, and so the same draws; the parameter itself stays what it is.
    twin = clone(est)
    first, second = est.fit(d.X, d.y).predict(d.X), twin.fit(d.X, d.y).predict(d.X)
    np.testing.assert_array_equal(first, second)
    assert type(est.get_params()["random_state"]) is type(make(7))
    # And equal states give equal fits.
    np.testing.assert_array_equal(
        clone(est).set_params(random_state=make(7)).fit(d.X, d.y).predict(d.X), first
    )


@pytest.mark.parametrize("bad", [-1, 1.5, "lucky", True])
@pytest.mark.parametrize("u", ONE_OF_EACH, ids=str)
def test_what_is_no_seed_is_named(u: Use, bad: Any, rng: np.random.Generator) -> None:
    est = u.make().set_params(random_state=bad)
    d = data_for(est, rng)
    try:
        said = clone(est).fit(d.X, d.y).predict(d.X)
    except ValueError as e:
        assert str(e).startswith("random_state must be an integer >= 0")  # noqa: PT017
        return
    # Where nothing is drawn, the seed is not looked at.
    np.testing.assert_array_equal(said, u.make(random_state=1).fit(d.X, d.y).predict(d.X))
    np.testing.assert_array_equal(said, u.make(random_state=2).fit(d.X, d.y).predict(d.X))


def test_a_generator_moves_on_from_fit_to_fit(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    state = np.random.default_rng(3)
    a, b = (er.RandomForestRegressor(4, random_state=state).fit(X, y).predict(X) for _ in range(2))
    assert np.abs(a - b).max() > 0.0


def test_searches_take_one_too(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    for state in (np.random.default_rng(0), np.random.RandomState(0)):
        found = er.selection.GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, random_state=state).fit(X, X[:, 0])
        assert found.best_params_
        assert er.cross_evaluate(er.Ridge(), X, X[:, 0], random_state=state)
