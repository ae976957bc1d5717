"""Categories that training did not have, in every estimator made of trees."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier

import empirisk as er
from empirisk.estimators.trees.tree_base import UnknownCategoryWarning
from tests.conformance.tree_estimators import GREEDY, USES, each

LEVELS = ["a", "b", "c"]


def kinds(values: Any) -> Any:
    return pd.DataFrame({"kind": pd.Categorical(values, categories=[*LEVELS, "new"])})


def sample(est: Any, of_missing: int) -> tuple[Any, Any]:
    """Four parts of kind a with low targets, two of b with high ones, one missing with either."""
    X = kinds(["a", "a", "a", "a", "b", "b", None] * 120)
    y = np.array([0, 0, 0, 0, 1, 1, of_missing] * 120)
    return X, (y if is_classifier(est) else 1.0 + 2.0 * y + 0.1 * np.cos(np.arange(len(y))))


def told(est: Any, method: str, X: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = getattr(est, method)(X)
    return found, [str(w.message) for w in caught if issubclass(w.category, UnknownCategoryWarning)]


def methods(est: Any) -> list[str]:
    return [m for m in ("predict", "predict_proba", "decision_function") if hasattr(est, m)]


# Where classes weigh the same, rows of the rare class are the heavier ones, and its child may be.
BY_ROWS = [u for u in USES if getattr(u.make(), "class_weight", None) is None]


@each(BY_ROWS)
@pytest.mark.parametrize("of_missing", [0, 1], ids=["missing low", "missing high"])
def test_they_follow_the_heavier_child_whatever_missing_values_do(est: Any, of_missing: int) -> None:
    X, y = sample(est, of_missing)
    model = clone(est).fit(X, y)
    for method in methods(model):
        (a, b, missing, new), _ = told(model, method, kinds(["a", "b", None, "new"]))
        np.testing.assert_array_equal(new, a)
        near, far = (a, b) if of_missing == 0 else (b, a)
        assert np.abs(missing - near).max() < np.abs(missing - far).max()


@each(USES)
def test_one_warning_a_call_names_columns_and_rows(est: Any) -> None:
    model = clone(est).fit(*sample(est, 1))
    for method in methods(model):
        _, sentences = told(model, method, kinds(["a", "new", None, "new"]))
        assert len(sentences) == 1
        assert (
            "ER003: X holds categories that training did not have in column 'kind' (2 rows)" in sentences[0]
        )
        assert told(model, method, kinds(["a", "b", None]))[1] == []


@each(GREEDY)
def test_a_category_of_weight_zero_is_unknown(est: Any) -> None:
    """Weight 0 is absence: its category goes where a new one goes."""
    X, y = sample(est, 1)
    more, weight = kinds([*X["kind"], *["c"] * 40]), np.repeat([1.0, 0.0], [len(y), 40])
    known = clone(est).fit(more, [*y, *y[3:5], *[y[4]] * 38], sample_weight=weight)
    model = clone(est).fit(X, y)
    for method in methods(model):
        (new,), _ = told(model, method, kinds(["c"]))
        (of_none,), sentences = told(known, method, kinds(["c"]))
        np.testing.assert_array_equal(of_none, new)
        assert sentences == []  # it was in X


def test_the_path_of_an_unknown_category_says_why() -> None:
    est = er.DecisionTreeClassifier(alpha=None)
    model = est.fit(*sample(est, 1))
    with pytest.warns(UnknownCategoryWarning):
        said = model.explain(kinds(["new"]))
    assert "kind = a category that training did not have, so the side of more training weight: " in said
