"""Searches, ensembles and hypothesis classes whose second fit fails or is interrupted are as they were."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression as Plain

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.hypotheses import Thresholds


class Stopped(Plain):
    """A member whose fit ends with an error once it has been fitted `left` times, where `error` is set."""

    error: type[BaseException] | None = None
    left = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if Stopped.error is not None:
            if Stopped.left == 0:
                raise Stopped.error("enough")
            Stopped.left -= 1
        return super().fit(X, y, sample_weight)


class Halted(Thresholds):
    """A class whose search for the best member ends with an error where it is set."""

    def _best(self, data: Any) -> Any:
        if Stopped.error is not None:
            raise Stopped.error("enough")
        return super()._best(data)


GRID: dict[str, Any] = {"C": [0.1, 1.0]}  # of two folds each: four fits, and one on all rows
PLAN: dict[str, Any] = {"cv": 2, "repeats": 1, "error_score": "raise"}
selection = er.selection
# Those that fit what a user gives them.
MAKE: dict[str, Callable[[], Any]] = {
    "BaggingClassifier": lambda: er.BaggingClassifier(Stopped(), 3),
    "selection.CrossValidatedEnsemble": lambda: selection.CrossValidatedEnsemble(Stopped(), cv=2, repeats=1),
    "selection.DictionarySelector": lambda: selection.DictionarySelector({"lines": Halted()}),
    "selection.GridSearch": lambda: selection.GridSearch(Stopped(), GRID, **PLAN),
    "selection.RandomSearch": lambda: selection.RandomSearch(Stopped(), GRID, n_iter=2, **PLAN),
    "selection.StructuralRiskMinimizer": lambda: selection.StructuralRiskMinimizer([Halted()]),
    "StructuralRiskMinimizer by validation": lambda: selection.StructuralRiskMinimizer(
        [Halted()], method="validation", random_state=0
    ),
    "hypotheses.Thresholds": Halted,
}


def test_every_fit_of_fits_is_tried() -> None:
    inside = {f"selection.{n}": getattr(selection, n) for n in selection.__all__}
    new = {n for n, f in inside.items() if inspect.isclass(f) and hasattr(f, "predict") and hasattr(f, "fit")}
    assert new <= MAKE.keys() | {f"selection.{n}" for n in REGISTRY}


# Fits before the error: none, some of the folds, and all but the last, on all rows.
CASES = [(name, left) for name in MAKE for left in ((0, 3, 4) if name.endswith("Search") else (0,))]


@pytest.mark.filterwarnings("error")  # a search that is as it was has nothing to tell
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
@pytest.mark.parametrize(("name", "left"), CASES)
def test_a_second_fit_that_ends_early_leaves_the_first(
    name: str,
    left: int,
    error: type[BaseException],
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    est = MAKE[name]()
    X = rng.normal(size=(40, 1))
    up = X[:, 0] + 0.3 * rng.normal(size=40) > 0.0
    est.fit(X, np.where(up, "up", "down"))
    before, said = dict(vars(est)), est.predict(X)
    monkeypatch.setattr(Stopped, "error", error)
    monkeypatch.setattr(Stopped, "left", left)
    with pytest.raises(error):
        est.fit(pd.DataFrame({"x": rng.normal(size=40)}), np.where(up, "right", "left"))
    assert vars(est).keys() == before.keys()
    assert all(vars(est)[key] is before[key] for key in before)
    np.testing.assert_array_equal(est.predict(X), said)


@pytest.mark.parametrize("name", MAKE)
def test_a_second_fit_forgets_the_first(name: str, rng: np.random.Generator) -> None:
    x = rng.normal(size=40)
    y = np.where(x + 0.3 * rng.normal(size=40) > 0.0, "up", "down")
    est = MAKE[name]().fit(pd.DataFrame({"x": x}), y)
    assert list(est.feature_names_in_) == ["x"]
    assert vars(est.fit(x[:, None], y)).keys() == vars(MAKE[name]().fit(x[:, None], y)).keys()


def test_an_ensemble_of_classifiers_may_become_one_of_regressors(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 1))
    est = selection.CrossValidatedEnsemble(er.LogisticRegression(), cv=2).fit(X, X[:, 0] > 0.0)
    est.set_params(estimator=er.Ridge()).fit(X, X[:, 0])
    assert not hasattr(est, "classes_")
    assert est.predict(X).dtype == np.float64
