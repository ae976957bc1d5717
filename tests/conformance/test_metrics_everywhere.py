"""Every kind of metric is taken by all that scores models: names, objects, scorers, users' functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import empirisk as er
from empirisk.selection import metrics as ours

METRIC_KINDS: dict[str, dict[str, Any]] = {
    "regression": {
        "name": "mae",
        "object": ours.pinball(0.9),
        "named apart": {"mine": ours.pinball(0.9)},
        "under a name of ours": {"r2": ours.pinball(0.9)},
        "scorer of scikit-learn": "neg_median_absolute_error",
        "function of targets and predictions": lambda y, p: -float(np.mean(np.abs(y - p))),
        "function of model and rows": lambda est, X, y: float(est.score(X, y)),
    },
    "classification": {
        "name": "recall",
        "object": ours.f_beta(3),
        "lift": ours.lift(0.2),
        "scorer of scikit-learn": "jaccard_macro",
        "function of targets and predictions": lambda y, p: float(np.mean(y == p)),
        "function of model and rows": lambda est, X, y: float(est.score(X, y)),
    },
}


def model(task: str) -> Any:
    return er.Ridge(0.1) if task == "regression" else er.LogisticRegression(0.1)


def rows(task: str, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
    X = rng.normal(size=(150, 2))
    y = X[:, 0] + rng.normal(size=150)
    return X, (y if task == "regression" else np.where(y > 0, "yes", "no"))


def search(kind: Callable[..., Any], **more: Any) -> Callable[..., float]:
    """Return the score of what a search chooses by a metric."""

    def run(task: str, X: NDArray, y: NDArray, metric: Any) -> float:
        found = kind(model(task), {"alpha": [0.01, 1.0]}, metric=metric, cv=3, random_state=0, **more)
        return float(found.fit(X, y).result_.score.value)

    return run


def crossed(task: str, X: NDArray, y: NDArray, metric: Any) -> float:
    found = er.cross_evaluate(model(task), X, y, metrics=metric, cv=3, random_state=0)
    return next(iter(found.values())).value


def evaluated(task: str, X: NDArray, y: NDArray, metric: Any) -> float:
    return next(iter(er.evaluate(model(task).fit(X, y), X, y, metrics=metric).values())).value


def compared(task: str, X: NDArray, y: NDArray, metric: Any) -> float:
    other = model(task).set_params(alpha=10.0)
    found = er.compare([model(task), other], X, y, metric=metric, cv=3, random_state=0)
    return next(iter(found.contests)).scores[0].value


def nested(task: str, X: NDArray, y: NDArray, metric: Any) -> float:
    inner = er.selection.GridSearch(model(task), {"alpha": [0.01, 1.0]}, metric=metric, cv=3, random_state=0)
    found = er.selection.nested_cross_evaluate(inner, X, y, cv=3, metrics=metric, random_state=0)
    return next(iter(found.values())).value


ENTRIES: dict[str, Callable[..., float]] = {
    "evaluate": evaluated,
    "cross_evaluate": crossed,
    "compare": compared,
    "GridSearch": search(er.selection.GridSearch),
    "RandomSearch": search(er.selection.RandomSearch, n_iter=2),
    "nested_cross_evaluate": nested,
}
CASES = [(task, kind) for task, kinds in METRIC_KINDS.items() for kind in kinds]


@pytest.mark.full  # some hundred small searches
@pytest.mark.parametrize("entry", list(ENTRIES))
@pytest.mark.parametrize(("task", "kind"), CASES)
def test_every_kind_of_metric_is_taken(task: str, kind: str, entry: str, rng: np.random.Generator) -> None:
    assert np.isfinite(ENTRIES[entry](task, *rows(task, rng), METRIC_KINDS[task][kind]))


@pytest.mark.parametrize(("metric", "better"), [(ours.pinball(0.9), "smaller"), (ours.f_beta(3), "larger")])
def test_a_search_by_an_object_chooses_in_its_direction(
    metric: Any, better: str, rng: np.random.Generator
) -> None:
    task = "regression" if better == "smaller" else "classification"
    X, y = rows(task, rng)
    found = er.selection.GridSearch(
        model(task), {"alpha": [1e-3, 100.0]}, metric=metric, cv=3, random_state=0
    ).fit(X, y)
    scores = [e.value for e in found.result_.scores]
    best = int(np.argmin(scores) if better == "smaller" else np.argmax(scores))
    assert found.result_.best == best
    assert found.result_.greater_is_better == (better == "larger")
    assert (
        "union bound" not in found.result_.score.method
    )  # corrected by its row values, as named metrics are


@pytest.mark.parametrize("curve", [er.selection.learning_curve, er.selection.model_selection_curve])
def test_curves_take_a_loss_as_an_object(curve: Any, rng: np.random.Generator) -> None:
    X, y = rows("regression", rng)
    more = {"param": "alpha", "values": [0.01, 1.0]} if curve is er.selection.model_selection_curve else {}
    named, given = (
        curve(er.Ridge(0.1), X, y, loss=loss, cv=3, random_state=0, **more)
        for loss in ("pinball", ours.pinball(0.5))
    )
    assert [e.value for e in given.validation] == pytest.approx([e.value for e in named.validation])


def test_racing_takes_a_loss_as_an_object(rng: np.random.Generator) -> None:
    X, y = rows("regression", rng)
    found = er.selection.GridSearch(
        er.Ridge(), {"alpha": [0.01, 1.0, 1e4]}, metric=ours.pinball(0.9), racing=0.05, cv=5
    )
    assert found.fit(X, y).best_params_["alpha"] < 1e4
    with pytest.raises(ValueError, match=r"racing needs a metric that is a mean of row losses"):
        er.selection.GridSearch(er.Ridge(), {"alpha": [0.01, 1.0]}, metric="r2", racing=0.05).fit(X, y)
