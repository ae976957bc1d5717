"""What is no number of threads or processes is refused in one sentence, by every public callable."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier

import empirisk as er
from empirisk.estimators import REGISTRY
from tests.conformance.test_seeds import X, Y, forest

BAD = [0, "x", 1.5, True, float("nan")]
LABELS = np.where(Y > 0.0, "up", "down")


@cache
def public() -> dict[str, Any]:
    """Every public callable with `n_jobs`, by its public name."""
    found: dict[Any, str] = {}
    for name in er.__all__:
        thing = getattr(er, name)
        inside = getattr(thing, "__all__", []) if inspect.ismodule(thing) else []
        for noun, f in [(name, thing), *((f"{name}.{n}", getattr(thing, n)) for n in inside)]:
            takes = inspect.isfunction(f) or (inspect.isclass(f) and not issubclass(f, BaseException))
            if takes and "n_jobs" in inspect.signature(f).parameters:
                found.setdefault(f, noun)
    return {noun: f for f, noun in found.items()}


GRID: dict[str, Any] = {"alpha": [0.1, 1.0]}
# How those that are no estimators are called.
CALLS: dict[str, Callable[[Any], Any]] = {
    "bootstrap": lambda n: er.bootstrap("mean", Y, n_jobs=n),
    "choose_k": lambda n: er.choose_k(er.KMeans(n_init=1), X, [2], n_jobs=n),
    "interaction_strength": lambda n: er.interaction_strength(forest(), X, max_rows=20, n_jobs=n),
    "partial_dependence": lambda n: er.partial_dependence(forest(), X, 0, n_jobs=n),
    "partitions.partition_stability": lambda n: er.partitions.partition_stability(er.KMeans(2), X, n_jobs=n),
    "selection.GridSearch": lambda n: er.selection.GridSearch(er.Ridge(), GRID, n_jobs=n).fit(X, Y),
    "selection.RandomSearch": lambda n: er.selection.RandomSearch(er.Ridge(), GRID, n_jobs=n).fit(X, Y),
    "selection.tune": lambda n: er.tune(er.Ridge(), X, Y, budget=4, n_jobs=n),
    "tree_shap": lambda n: er.tree_shap(forest(), X, n_jobs=n),
}


def call(name: str, n_jobs: Any) -> Any:
    if name in CALLS:
        return CALLS[name](n_jobs)
    est = public()[name](n_jobs=n_jobs)
    return est.fit(X, LABELS if is_classifier(est) else Y)


def test_every_callable_has_a_call() -> None:
    estimators = {noun for noun, f in public().items() if f in REGISTRY.values()}
    assert estimators | CALLS.keys() == public().keys()


@pytest.mark.parametrize("bad", BAD, ids=str)
@pytest.mark.parametrize("name", public())
def test_what_is_no_number_of_jobs_is_named(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0, got"):
        call(name, bad)
