"""Searches, ensembles and hypothesis classes whose second fit fails or is interrupted are as they were."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Plain

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.hypotheses import Thresholds


class Stopped(Plain):
    """A member whose fit ends with an error from the time on that `error` is set."""

    error: type[BaseException] | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if Stopped.error is not None and np.shape(X)[1] == 2:
            raise Stopped.error("enough")
        return super().fit(X, y, sample_weight)


class Halted(Thresholds):
    """A class whose search for the best member ends with an error from the time on that it is set."""

    def _best(self, data: Any) -> Any:
        if Stopped.error is not None:
            raise Stopped.error("enough")
        return super()._best(data)


GRID: dict[str, Any] = {"C": [0.1, 1.0]}
selection = er.selection
# Those that fit what a user gives them, with one column in the first fit.
MAKE: dict[str, Callable[[], Any]] = {
    "BaggingClassifier": lambda: er.BaggingClassifier(Stopped(), 3),
    "selection.CrossValidatedEnsemble": lambda: selection.CrossValidatedEnsemble(Stopped(), cv=2, repeats=1),
    "selection.DictionarySelector": lambda: selection.DictionarySelector({"lines": Halted()}),
    "selection.GridSearch": lambda: selection.GridSearch(Stopped(), GRID, cv=2, repeats=1),
    "selection.RandomSearch": lambda: selection.RandomSearch(Stopped(), GRID, n_iter=2, cv=2, repeats=1),
    "selection.StructuralRiskMinimizer": lambda: selection.StructuralRiskMinimizer([Halted()]),
    "StructuralRiskMinimizer by validation": lambda: selection.StructuralRiskMinimizer(
        [Halted()], method="validation", random_state=0
    ),
    "hypotheses.Thresholds": Halted,
}


def test_every_fit_of_fits_is_tried() -> None:
    inside = {f"selection.{n}": getattr(selection, n) for n in selection.__all__}
    new = {n for n, f in inside.items() if inspect.isclass(f) and hasattr(f, "predict")}
    assert new <= MAKE.keys() | {f"selection.{n}" for n in REGISTRY}


def second(width: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=(40, width))
    return x, np.where(x[:, 0] + 0.3 * rng.normal(size=40) > 0.0, "up", "down")


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
@pytest.mark.parametrize("name", MAKE)
def test_a_second_fit_that_ends_early_leaves_the_first(
    name: str, error: type[BaseException], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    est = MAKE[name]()
    X, y = second(1, rng)
    est.fit(X, y)
    before, said = dict(vars(est)), est.predict(X)
    other, labels = second(1 if "Structural" in name or "Dict" in name or "hyp" in name else 2, rng)
    monkeypatch.setattr(Stopped, "error", error)
    with pytest.raises(error):
        est.fit(other, np.where(labels == "up", "right", "left"))
    assert vars(est).keys() == before.keys()
    assert all(vars(est)[key] is before[key] for key in before)
    np.testing.assert_array_equal(est.predict(X), said)
