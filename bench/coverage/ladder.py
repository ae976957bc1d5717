"""How tight the rows of `er.risk_bounds` are, and how often they fail: `python -m bench.coverage.ladder`.

Points of the circle, a label for the right half, flipped with probability 0.15: every risk is known, up to
the grid on which the circle is looked at.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from bench.coverage.page import write

PAGE = Path(__file__).resolve().parents[2] / "docs" / "maths" / "ladder-coverage.md"
NOISE = 0.15
GRID = 0.003
TURNS = np.linspace(0.0, 2.0 * np.pi, 4001)[:-1]
CIRCLE = np.column_stack([np.cos(TURNS), np.sin(TURNS)])
ABOUT_THE_FIT = ("the fitted model", "every model of the class")

MODELS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: er.LogisticRegression(0.5, fit_intercept=False),
    "tuned pipeline": lambda: make_pipeline(StandardScaler(), er.LogisticRegression("cv", alphas=10, cv=3)),
    "overfitted tree": lambda: DecisionTreeClassifier(random_state=0),
    "small tree": lambda: DecisionTreeClassifier(max_leaf_nodes=3, random_state=0),
    "forest": lambda: RandomForestClassifier(15, random_state=0),
    "machine": lambda: SVC(gamma=0.5, C=10.0),
    "one neighbour": lambda: KNeighborsClassifier(1),
    "stump": lambda: er.hypotheses.DecisionStumps(),
    "one of 16 cuts": lambda: er.hypotheses.FiniteClass([cut(k / 16.0) for k in range(16)]),
    "our forest": lambda: er.RandomForestClassifier(15, random_state=0, n_jobs=1),
    "boosted stumps": lambda: er.AdaBoostClassifier(15),
}


def cut(turns: float) -> Callable[[NDArray[np.float64]], NDArray[np.bool_]]:
    """The half-plane ahead after so many turns."""
    ahead = np.array([np.cos(2.0 * np.pi * turns), np.sin(2.0 * np.pi * turns)])
    return lambda X: np.asarray(X @ ahead > 0.0)


def draw(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points of the circle; label 1 on the right half, flipped with probability 0.15."""
    turn = rng.uniform(0.0, 2.0 * np.pi, size=n)
    X = np.column_stack([np.cos(turn), np.sin(turn)])
    return X, ((X[:, 0] > 0) ^ (rng.random(n) < NOISE)).astype(np.int64)


def risk(model: Any) -> float:
    """Noise, and the share of the circle on which the model differs from the best rule, to within GRID."""
    wrong = float(np.mean(model.predict(CIRCLE) != (CIRCLE[:, 0] > 0)))
    return NOISE + (1.0 - 2.0 * NOISE) * wrong


def simulate(
    make: Callable[[], Any], reps: int, rng: np.random.Generator, n: int, n_test: int, delta: float
) -> tuple[list[float], dict[str, list[tuple[float, bool]]]]:
    """The true risks; and for each bound on the fitted model its values, and whether the risk was larger."""
    risks: list[float] = []
    found: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for _ in range(reps):
        X, y = draw(n, rng)
        model = make().fit(X, y)
        risks.append(risk(model))
        for row in er.risk_bounds(model, X, y, *draw(n_test, rng), delta=delta, radius=1.0 + 1e-9):
            if row.applies and row.delta is not None and row.kind in ABOUT_THE_FIT:
                found[row.bound].append((row.value, risks[-1] > row.value + GRID))
    return risks, found


HEAD = """# How tight the bounds on one model are, and how often they fail

Made by `python -m bench.coverage.ladder` with seed 0: {reps} samples of {n:,} training and {n_test} test
rows on a circle, labels of the right half flipped with probability 0.15 (the smallest possible risk); delta
= {delta}. "Mean bound" is to be held against the mean true risk of the model; "fails" is the share of
samples in which the risk was larger, at most {delta} by the theorem. Only the exact test-set bound comes
near its delta: all others pay for the worst case.

| model | true risk | bound | mean bound | fails |
|---|---|---|---|---|
"""


def main() -> None:
    """Simulate all cases and write the page with their table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=300)
    reps, n, n_test, delta = parser.parse_args().reps, 1000, 300, 0.05
    rng, lines = np.random.default_rng(0), []
    for name, make in MODELS.items():
        risks, found = simulate(make, reps, rng, n, n_test, delta)
        means = {bound: float(np.mean([v for v, _ in rows])) for bound, rows in found.items()}
        for bound in sorted(means, key=lambda b: means[b]):
            fails = float(np.mean([failed for _, failed in found[bound]]))
            lines.append(f"| {name} | {np.mean(risks):.3f} | {bound} | {means[bound]:.3f} | {fails:.3f} |")
            print(lines[-1], flush=True)
    write(HEAD.format(reps=reps, n=n, n_test=n_test, delta=delta) + "\n".join(lines) + "\n", PAGE)


if __name__ == "__main__":
    main()
