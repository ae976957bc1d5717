"""Cells against what they promise: rows, sizes, and importances that no longer credit a twin."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from empirisk.trees.alike_cells import ROWS_OF_CELL, alike_cells

Rng = np.random.Generator


def test_cells_are_large_and_explain_the_column(rng: Rng) -> None:
    x = rng.normal(size=800)
    X = np.column_stack([x, x + 0.3 * rng.normal(size=800), rng.normal(size=800)])
    cells = alike_cells(X, np.zeros(3, dtype=np.int64))
    for j in range(3):
        _, of, size = np.unique(cells[:, j], return_inverse=True, return_counts=True)
        assert size.min() >= ROWS_OF_CELL
        within = X[:, j] - (np.bincount(of, X[:, j]) / size)[of]
        assert (within.var() < 0.3 * X[:, j].var()) == (j < 2)


def test_categories_and_missing_values(rng: Rng) -> None:
    code = rng.integers(4, size=400).astype(float)
    X = np.column_stack([code, (code > 1) + 0.1 * rng.normal(size=400)])
    X[:50, 0] = np.nan
    cells = alike_cells(X, np.array([4, 0]))
    assert (cells[:50, 0] == 0).all()
    assert (cells[50:, 0] > 0).all()
    # The other column tells the halves of the codes apart, and nothing more.
    for cell in np.unique(cells[50:, 0]):
        assert len(np.unique(code[50:][cells[50:, 0] == cell] > 1)) == 1


def test_constant_columns_and_few_rows(rng: Rng) -> None:
    assert not alike_cells(np.ones((100, 2)), np.zeros(2, dtype=np.int64)).any()
    assert not alike_cells(rng.normal(size=(30, 2)), np.zeros(2, dtype=np.int64)).any()


def test_conditional_importance_credits_no_twin(rng: Rng) -> None:
    x = rng.normal(size=(600, 2))
    X = np.column_stack([x, 0.9 * x[:, 0] + 0.44 * rng.normal(size=600)])
    y = x[:, 0] + x[:, 1] + rng.normal(size=600)
    forest = er.RandomForestRegressor(100, max_features=1, min_samples_leaf=3).fit(X, y)
    plain, conditional = forest.importances(), forest.importances(kind="conditional")
    assert plain.interval()[0][2] > 0.0  # the twin is used
    assert abs(conditional.value[2]) < 0.4 * plain.value[2]
    assert conditional.interval()[0][1] > 0.0  # what stands alone stays
    with pytest.raises(ValueError, match="groups of columns"):
        forest.importances(kind="conditional", groups=[[0, 2]])
