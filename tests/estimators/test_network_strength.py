"""The strength of networks: scikit-learn's objective in its own convention, and quality at equal strength."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier, MLPRegressor

import empirisk as er

STRENGTH = 3.0


def objective_at(model: Any, theirs: Any, X: Any, y: Any, weight: Any, alpha: float) -> float:
    """Return our objective at the weights of scikit-learn's network, in the columns as they are."""
    problem = model.set_params(alpha=alpha, standardise=False).problem(X, y, weight)
    pairs = zip(theirs.coefs_, theirs.intercepts_, strict=True)
    w = np.concatenate([np.ravel(part) for pair in pairs for part in pair])
    return float(problem.objective(w, problem.evaluate(w)))


def peer(kind: Any, X: Any, y: Any, weight: Any, **more: Any) -> Any:
    """Return scikit-learn's network after a few steps of its solver."""
    theirs = kind(hidden_layer_sizes=(5, 4), activation="tanh", alpha=STRENGTH, random_state=0, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return theirs.fit(X, y, sample_weight=weight)


def table(task: str, rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
    """Return scikit-learn's class, our model, rows and targets of a task."""
    X = rng.normal(size=(100, 3))
    if task.startswith("classes"):
        return MLPClassifier, er.MLPClassifier, X, rng.integers(0, int(task[-1]), 100)
    y = rng.normal(size=(100, int(task[-1])))
    return MLPRegressor, er.MLPRegressor, X, y[:, 0] if task[-1] == "1" else y


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("task", ["classes 2", "classes 3", "columns 1", "columns 2"])
def test_on_all_rows_their_alpha_is_divided_by_the_rows(
    task: str, weighted: bool, rng: np.random.Generator
) -> None:
    kind, ours, X, y = table(task, rng)
    weight = rng.integers(1, 4, 100).astype(float) if weighted else None
    total = 100.0 if weight is None else weight.sum()
    theirs = peer(kind, X, y, weight, solver="lbfgs", max_iter=15)
    columns = int(task[-1]) if task.startswith("columns") else 1  # we sum over targets, they take the mean
    found = objective_at(ours((5, 4), "tanh"), theirs, X, y, weight, columns * STRENGTH / total)
    assert found == pytest.approx(columns * theirs.loss_, rel=1e-12)


def test_in_batches_their_alpha_is_divided_by_the_rows_of_a_batch(rng: np.random.Generator) -> None:
    kind, ours, X, y = table("classes 3", rng)
    # Steps too small to move a weight: the loss of an epoch is that at one point.
    theirs = peer(kind, X, y, None, solver="sgd", learning_rate_init=1e-300, batch_size=25, max_iter=1)
    found = objective_at(ours((5, 4), "tanh"), theirs, X, y, None, STRENGTH / 25)
    assert found == pytest.approx(theirs.loss_, rel=1e-12)


@pytest.mark.full  # three networks on 1347 rows
def test_digits_at_equal_settings_and_at_our_default() -> None:
    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X / 16.0, y, test_size=0.25, random_state=0, stratify=y)
    settings = {"alpha": 1e-4 / 200, "standardise": False, "n_epochs": 200, "batch_size": 200}
    equal = er.MLPClassifier(**settings).fit(train, y_train)
    default = er.MLPClassifier(standardise=False).fit(train, y_train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = MLPClassifier(max_iter=200, random_state=0, tol=0.0).fit(train, y_train)
    wrong = {name: m.predict(test) != y_test for name, m in (("equal", equal), ("theirs", theirs))}
    # Discordant rows are as likely to speak for one as for the other (McNemar), 4 standard deviations.
    only, other = (wrong["equal"] & ~wrong["theirs"]).sum(), (wrong["theirs"] & ~wrong["equal"]).sum()
    assert abs(int(only) - int(other)) <= 4.0 * np.sqrt(only + other)
    assert wrong["equal"].mean() < 0.04
    # Our default is the stronger one, and loses nothing by it.
    here = [log_loss(y_test, m.predict_proba(test)) for m in (default, equal)]
    assert here[0] < here[1]
