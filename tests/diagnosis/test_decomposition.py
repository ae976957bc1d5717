"""The parts of the loss against what is known about samples with a known truth."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

import empirisk as er
from empirisk.diagnosis import context
from empirisk.diagnosis.decomposition import Decomposition, decompose

COLUMNS = 5


def sample(rng: np.random.Generator, n: int, curve: float) -> Decomposition:
    """Least squares without an intercept, noise of variance 1, approximation error curve^2."""
    X = rng.normal(size=(n, COLUMNS))
    y = X.sum(axis=1) + curve * (X[:, 0] ** 2 - 1.0) / np.sqrt(2.0) + rng.normal(size=n)
    return decompose(context(LinearRegression(fit_intercept=False), X, y, random_state=rng))


def coverage(rng: np.random.Generator, n: int, curve: float, runs: int) -> dict[str, float]:
    """How often each interval holds the truth."""
    trained = 0.8 * n
    truths = {"noise": 1.0, "noise + approximation": 1.0 + curve**2}
    if curve == 0.0:  # Gaussian columns: E risk = sigma^2 (1 + p/(r - p - 1)) for r training rows
        truths["estimation"] = COLUMNS / (trained - COLUMNS - 1)
    hits = dict.fromkeys(truths, 0)
    for _ in range(runs):
        made = sample(rng, n, curve)
        for name, truth in truths.items():
            part = made[name]
            hits[name] += part.low <= truth <= part.high
    return {name: h / runs for name, h in hits.items()}


@pytest.mark.parametrize("curve", [0.0, 0.7])
def test_intervals_hold_the_truth(rng: np.random.Generator, curve: float) -> None:
    assert min(coverage(rng, 100, curve, 40).values()) >= 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / 40)


@pytest.mark.slow
@pytest.mark.parametrize("curve", [0.0, 0.7])
@pytest.mark.parametrize("n", [100, 400])
def test_intervals_hold_the_truth_often(rng: np.random.Generator, n: int, curve: float) -> None:
    assert min(coverage(rng, n, curve, 400).values()) >= 0.93 - 3.0 * np.sqrt(0.93 * 0.07 / 400)


@pytest.mark.parametrize("steps", [1, 3])
def test_the_gap_bounds_what_an_early_stop_leaves(rng: np.random.Generator, steps: int) -> None:
    X = rng.normal(size=(120, 20)) + rng.normal(size=(120, 1))
    y = X[:, :3].sum(axis=1) + rng.normal(size=120)

    def objective(m: er.Lasso, rows: np.ndarray) -> float:
        return float(np.mean((y - m.predict(X))[rows] ** 2) / 2 + 0.05 * np.abs(m.coef_).sum())

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ctx = context(er.Lasso(0.05, max_iter=steps, tol=1e-14), X, y, random_state=0)
    part, left = decompose(ctx)["optimisation"], []
    for train, _ in ctx.plan.splits:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            early = er.Lasso(0.05, max_iter=steps, tol=1e-14).fit(X[train], y[train])
        best = er.Lasso(0.05, tol=1e-12).fit(X[train], y[train])
        left.append(objective(early, train) - objective(best, train))
    assert part.status == "bounded"
    assert 0.0 <= max(left) <= part.high + 1e-12
    assert ctx.n_fits == 10  # the halves of the rows; the certificates come from the folds


def test_repeated_rows_give_the_noise_a_lower_end(rng: np.random.Generator) -> None:
    X = np.repeat(rng.normal(size=(150, 2)), 2, axis=0)
    y = 3.0 * np.sin(3.0 * X[:, 0]) + rng.normal(size=300)
    made = decompose(context(er.Ridge(), X, y, replicates="equal", random_state=0))
    assert made["noise"].low > 0.5
    assert made["approximation"].status == "bounded"
    assert made["approximation"].low > 0.0
    assert made["approximation"].low <= 4.5 <= made["approximation"].high + 1.5


def test_classes_have_a_noise_in_the_log_loss(rng: np.random.Generator) -> None:
    X = np.repeat(rng.normal(size=(500, 1)), 2, axis=0)
    eta = 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))
    y = (rng.random(1000) < eta).astype(int)
    part = decompose(context(LogisticRegression(), X, y, replicates="equal", random_state=0))["noise"]
    entropy = -(eta * np.log(eta) + (1.0 - eta) * np.log1p(-eta)).mean()
    assert 0.1 < part.low <= entropy <= part.high


def test_what_cannot_be_said(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(40, 2)), rng.integers(2, size=40)
    few = decompose(context(LogisticRegression(), X, y, random_state=0))
    assert few["estimation"].status == few["noise"].status == "not identifiable"
    assert "40 rows are fewer than 50" in few["estimation"].why
    assert not decompose(context(LinearSVC(), X, y, random_state=0)).parts
    with pytest.raises(KeyError, match="there are optimisation"):
        few["variance"]
    assert json.loads(json.dumps(few.to_dict()))[0]["name"] == "optimisation"
    assert list(few.to_frame()["status"]) == [p.status for p in few.parts]
    assert "unknown" in repr(few)


def test_least_squares_has_no_error_of_optimisation(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    part = decompose(context(er.LinearRegression(), X, X @ np.ones(3) + rng.normal(size=80)))["optimisation"]
    assert (part.status, part.value) == ("known", 0.0)


def test_the_parts_are_drawn() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    ax = er.diagnose(er.Ridge(), X, X[:, 0] + rng.normal(size=120), random_state=0).decomposition.plot().axes
    assert ax.get_title(loc="left").startswith("Of a squared error of")
