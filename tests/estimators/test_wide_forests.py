"""Forests on tables that are much wider than what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.trees import bins
from empirisk.trees.forest import grow_forest

FORESTS = [
    er.RandomForestClassifier,
    er.RandomForestRegressor,
    er.ExtraTreesClassifier,
    er.ExtraTreesRegressor,
]


def wide(p: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """100 rows, 300 stored numbers, some of them 0, and a column of ones."""
    rows, columns = rng.integers(0, 100, 300), rng.integers(1, p, 300)
    X = sp.csc_array((rng.standard_normal(300), (rows, columns)), shape=(100, p))
    X = sp.hstack([np.ones((100, 1)), X[:, 1:]], format="csc")
    X.data[-20:] = 0.0
    return X, rng.integers(0, 2, 100)


@pytest.mark.parametrize("kind", FORESTS)
def test_only_columns_that_vary_are_binned_and_grown_on(
    kind: Any, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    X, y = wide(20_000, rng)
    varying = set(np.flatnonzero(np.diff(X.indptr) > 0)) - {0}
    read, grown, column = [], [], bins._column

    def counted(X: Any, j: int, rows: Any) -> Any:
        read.append(j)
        return column(X, j, rows)

    def watched(binned: Any, *args: Any, **more: Any) -> Any:
        grown.append((binned.shape[1], args[1].max_features))
        return grow_forest(binned, *args, **more)

    monkeypatch.setattr("empirisk.trees.bins._column", counted)
    monkeypatch.setattr("empirisk.estimators.trees.forest_task.grow_forest", watched)
    model = kind(n_estimators=5, max_features="sqrt", random_state=0).fit(X, y)
    assert len(read) <= 2 * (len(varying) + 1)  # once for the cuts, once for the codes
    assert len(grown) == 1
    assert grown[0][0] <= len(varying)
    assert grown[0][1] == 141  # the root of all columns
    asked = model.trees_.feature[model.trees_.feature >= 0]
    assert asked.size
    assert set(asked) <= varying
    assert model.trees_.n_features == 20_000
    assert model.feature_importances_.shape == (20_000,)


@pytest.mark.parametrize("kind", FORESTS)
def test_constant_columns_change_nothing_but_the_numbers(kind: Any, rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((80, 3)), rng.integers(0, 2, 80)
    padded = np.full((80, 6), 4.0)
    padded[:, [1, 2, 5]] = X
    narrow = kind(n_estimators=6, max_features=2, random_state=3).fit(X, y)
    for rows in (padded, sp.csr_array(padded), sp.csc_array(padded)):
        model = kind(n_estimators=6, max_features=2, random_state=3).fit(rows, y)
        inner = narrow.trees_.feature >= 0
        np.testing.assert_array_equal(
            model.trees_.feature[inner], np.array([1, 2, 5])[narrow.trees_.feature[inner]]
        )
        np.testing.assert_array_equal(model.trees_.threshold, narrow.trees_.threshold)
        np.testing.assert_array_equal(model.predict(rows), narrow.predict(X))


@pytest.mark.parametrize("kind", FORESTS)
def test_a_table_of_zeros_gives_the_constant(kind: Any) -> None:
    y = np.array([0, 1, 1, 1] * 5)
    for rows in (np.zeros((20, 4)), sp.csr_array((20, 4))):
        model = kind(n_estimators=3, bootstrap=False, random_state=0).fit(rows, y)
        said = model.predict_proba(rows)[:, 1] if hasattr(model, "predict_proba") else model.predict(rows)
        np.testing.assert_allclose(said, 0.75, rtol=1e-12)


def test_a_warm_start_on_a_wide_table_has_the_bits_of_one_run(rng: np.random.Generator) -> None:
    X, y = wide(500, rng)
    whole = er.RandomForestClassifier(8, random_state=1).fit(X, y)
    model = er.RandomForestClassifier(3, random_state=1, warm_start=True).fit(X, y)
    model.set_params(n_estimators=8).fit(X, y)
    np.testing.assert_array_equal(model.trees_.feature, whole.trees_.feature)


def test_monotone_constraints_keep_their_columns(rng: np.random.Generator) -> None:
    X = np.zeros((200, 4))
    X[:, 1], X[:, 3] = rng.standard_normal((2, 200))
    y = X[:, 3] - 2.0 * X[:, 1] + rng.standard_normal(200)
    model = er.RandomForestRegressor(10, monotonic_cst=[0, -1, 0, 1], random_state=0).fit(X, y)
    grid = np.zeros((50, 4))
    for column, sign in ((1, -1), (3, 1)):
        rows = grid.copy()
        rows[:, column] = np.linspace(-3, 3, 50)
        assert (sign * np.diff(model.predict(rows)) >= 0.0).all()
