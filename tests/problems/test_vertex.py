"""Dependent columns under a weak L1 penalty."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification

import empirisk as er
from empirisk.problems.vertex import to_vertex


def test_scores_stay_and_the_norm_falls_to_independent_columns(rng: np.random.Generator) -> None:
    base = rng.normal(size=(40, 3))
    X = np.column_stack([base, base @ rng.normal(size=(3, 4))]) + 5.0
    problem = er.Lasso(0.1).problem(X, base[:, 0])
    w = rng.normal(size=8)
    moved = to_vertex(problem, w)
    assert moved is not None
    np.testing.assert_allclose(problem.scores(moved), problem.scores(w), rtol=0.0, atol=1e-11)
    assert np.abs(moved[:-1]).sum() < np.abs(w[:-1]).sum()
    assert np.count_nonzero(moved[:-1]) == 3
    assert to_vertex(problem, moved) is None


@pytest.mark.parametrize("seed", range(3))
def test_weak_penalty_on_redundant_columns_is_certified(seed: int) -> None:
    X, y = make_classification(random_state=seed)
    model = er.LogisticRegression(alpha=1e-8, l1_ratio=1).fit(X, y)
    assert model.solution_.status.ok, model.solution_.sentence
    assert er.verify(model, X, y).within(1e-5)


def test_many_rows_take_no_square_of_their_number(rng: np.random.Generator) -> None:
    base = rng.normal(size=(200_000, 2))  # a factor with a row and a column for each row would be 320 GB
    problem = er.Lasso(0.1).problem(np.column_stack([base, base.sum(axis=1)]), base[:, 0])
    w = np.array([1.0, 2.0, 3.0, 0.5])
    moved = to_vertex(problem, w)
    assert moved is not None
    np.testing.assert_allclose(problem.scores(moved), problem.scores(w), rtol=0.0, atol=1e-11)
    assert np.count_nonzero(moved[:-1]) == 2
