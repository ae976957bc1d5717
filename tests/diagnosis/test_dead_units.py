"""ER221: counts against a count by hand, pipelines, networks of scikit-learn, and what is not looked at."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.diagnosis import Outcome, context
from empirisk.diagnosis.answer import Answer, NotRun
from empirisk.diagnosis.dead_units import _counts, dead_units


def asked(est: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return context(est, X, y, cv=2, random_state=0)


def ask(est: Any, X: Any, y: Any) -> Answer:
    return dead_units(asked(est, X, y))


def by_hand(coefs: Any, intercepts: Any, h: np.ndarray) -> list[tuple[int, int]]:
    """Count the units of each hidden layer whose sum is above 0 on no row."""
    found = []
    for W, b in list(zip(coefs, intercepts, strict=True))[:-1]:
        sums = np.array([[b[j] + sum(row * W[:, j]) for j in range(len(b))] for row in h])
        found.append((sum(all(s <= 0.0 for s in sums[:, j]) for j in range(len(b))), len(b)))
        h = np.where(sums > 0.0, sums, 0.0)
    return found


@pytest.mark.parametrize("steps", [False, True], ids=["alone", "in a pipeline"])
@pytest.mark.parametrize("ours", [True, False], ids=["ours", "peer"])
def test_counts_are_those_of_all_sums(ours: bool, steps: bool, rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 3)) + 2.0, rng.integers(0, 3, 60)
    est: Any = er.MLPClassifier((9, 7), step=0.5, n_epochs=30)
    if not ours:
        est = MLPClassifier((9, 7), learning_rate_init=0.5, max_iter=30, random_state=0)
    ctx = asked(make_pipeline(StandardScaler(), est) if steps else est, X, y)
    fitted = ctx.refit()
    inner = fitted.steps[-1][1] if steps else fitted
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    wanted = by_hand(inner.coefs_, inner.intercepts_, scaled if ours or steps else X)
    assert _counts(ctx) == wanted
    assert sum(dead for dead, _ in wanted) > 0


def test_it_fires_after_long_steps_and_is_clear_after_usual_ones(rng: np.random.Generator) -> None:
    X = rng.normal(size=(120, 4))
    y = X[:, 0] * X[:, 1]
    found = ask(er.MLPRegressor((20, 20), step=1.0, n_epochs=30), X, y)
    assert found.outcome is Outcome.FIRES
    assert "of 20 units of layer 2 are 0 on every training row, and learn nothing more" in found.sentence
    assert found.where == ("layer 2",)
    assert ask(er.MLPRegressor(20, n_epochs=30), X, y).outcome is Outcome.CLEAR
    assert er.diagnose(Ridge(), X[:40], y[:40], random_state=0).checks["ER221"].outcome is Outcome.NOT_RUN


def test_a_few_dead_units_are_a_fact(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    y = X[:, 0] * X[:, 1]
    ctx = asked(er.MLPRegressor(20, n_epochs=5, warm_start=True), X, y)
    ctx.refit().coefs_[0][:, :3] = 0.0
    ctx.refit().intercepts_[0][:3] = -1.0
    model = ctx.refit()
    parts = [np.ravel(p) for pair in zip(model.coefs_, model.intercepts_, strict=True) for p in pair]
    object.__setattr__(model.solution_, "w", np.concatenate(parts))
    found = dead_units(ctx)
    assert found.outcome is Outcome.FACT
    assert found.sentence.startswith("3 of 20 units of layer 1 are 0")


def test_constant_columns_kill_no_unit_by_themselves(rng: np.random.Generator) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ask(er.MLPRegressor(6, n_epochs=3), np.ones((40, 2)), rng.normal(size=40))
    assert found.outcome is not Outcome.NOT_RUN


@pytest.mark.parametrize(
    ("est", "why"),
    [
        (Ridge(), "no network of layers"),
        (er.MLPRegressor(()), "no hidden layer"),
        (er.MLPRegressor(3, "tanh", n_epochs=2), "no unit dies with the activation 'tanh'"),
        (er.MLPRegressor(3, "leaky_relu", n_epochs=2), "no unit dies with the activation 'leaky_relu'"),
    ],
)
def test_what_is_not_looked_at_says_why(est: Any, why: str, rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    with pytest.raises(NotRun, match=why):
        ask(est, X, y)
