"""A child that is forked after parallel loops has no thread pool: it computes the same on one thread."""

from __future__ import annotations

import multiprocessing
import os
import sys
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk import _loops

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")

# Enough work for two threads (see threads_for in cpp/support/parallel.hpp).
ROWS, COLUMNS = 60_000, 40
PATIENCE = 120.0  # a child that hangs does so for ever


def table() -> tuple[Any, Any]:
    g = np.random.default_rng(0)
    X = g.normal(size=(ROWS, COLUMNS))
    return X, X[:, 0] + g.normal(size=ROWS)


MODELS = {
    "ridge": lambda: er.Ridge(0.1),
    "logistic": lambda: er.LogisticRegression(0.1),
    "forest": lambda: er.RandomForestRegressor(2, max_depth=3, random_state=0),
    "boosting": lambda: er.GradientBoostingRegressor(n_estimators=2, early_stopping=False),
}


def answer(name: str) -> Any:
    X, y = table()
    model = MODELS[name]().fit(X, (y > 0).astype(int) if name == "logistic" else y)
    return model.predict(X[:50])


@pytest.mark.parametrize("name", list(MODELS))
def test_a_forked_child_fits_and_predicts(name: str) -> None:
    here = answer(name)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = pool.apply_async(answer, (name,)).get(timeout=PATIENCE)
    np.testing.assert_array_equal(there, here)


def test_the_child_runs_on_one_thread_and_the_parent_goes_on() -> None:
    before = _loops.max_threads()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, bytes([_loops.max_threads()]))
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1) == bytes([1])
    os.close(read)
    os.close(write)
    assert _loops.max_threads() == before
