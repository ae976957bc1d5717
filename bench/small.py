"""Small fits: each estimator on some hundred rows, beside its counterpart in scikit-learn.

`python -m bench.small` prints a table.  Both fit the same arrays in turns in one process; a row holds medians
of wall and CPU milliseconds, the middle half of the runs, and how many times as long scikit-learn takes.
Strengths and counts of trees, epochs and neighbours are the same, all else are the defaults of each; peers
that minimise have the tolerance at which their objective is as good as ours where their default misses it.

`--only logistic` takes rows by name, `--runs 30` says how many turns, `--threads 1` holds all pools to one
thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

RUNS = 30
# Fits of more than so many seconds take fewer turns.
LONG = 0.05
Pair = tuple[str, str, Callable[[], Any], Callable[[], Any]]


def tables() -> dict[str, tuple[Any, Any]]:
    """Return rows and targets by name: numbers, positive numbers, two and three classes, counts of words."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
    from sklearn.preprocessing import StandardScaler

    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    flowers, kinds = load_iris(return_X_y=True)
    cells, ill = load_breast_cancer(return_X_y=True)
    cells = StandardScaler().fit_transform(cells)[:450]
    words = np.random.default_rng(0).poisson(1.0 + flowers.repeat(3, axis=1))
    return {
        "diabetes": (X, (y - y.mean()) / y.std()),
        "diabetes, y > 0": (X, y),
        "iris": (StandardScaler().fit_transform(flowers), kinds),
        "breast cancer": (cells, ill[:450]),
        "words": (words.astype(float), kinds),
    }


def regressions(n: int) -> Iterator[Pair]:
    """Yield the regressions on n rows: name, table, ours and the counterpart."""
    from sklearn import ensemble, gaussian_process, kernel_ridge, linear_model, neighbors, svm, tree

    import empirisk as er

    numbers, positive = "diabetes", "diabetes, y > 0"
    lm, strength = linear_model, 1.0 / n
    yield "LinearRegression", numbers, er.LinearRegression, lm.LinearRegression
    yield "Ridge", numbers, er.Ridge, lambda: lm.Ridge(1.0)
    strengths = [10.0**k for k in range(-3, 3)]
    scaled = [s / n for s in strengths]
    yield (
        "Ridge, strength chosen",
        numbers,
        lambda: er.Ridge("cv", alphas=scaled),
        lambda: lm.RidgeCV(strengths),
    )
    yield "Lasso", numbers, lambda: er.Lasso(0.02), lambda: lm.Lasso(0.02, tol=5e-7)
    yield "ElasticNet", numbers, lambda: er.ElasticNet(0.02), lambda: lm.ElasticNet(0.02, tol=5e-7)
    yield "HuberRegressor", numbers, er.HuberRegressor, lambda: lm.HuberRegressor(alpha=0.0, tol=1e-7)
    yield "QuantileRegressor", numbers, er.QuantileRegressor, lambda: lm.QuantileRegressor(alpha=0.0)
    glm: dict[str, Any] = {"alpha": strength, "tol": 1e-6, "max_iter": 1000}
    yield "PoissonRegressor", positive, er.PoissonRegressor, lambda: lm.PoissonRegressor(**glm)
    yield "GammaRegressor", positive, er.GammaRegressor, lambda: lm.GammaRegressor(**glm)
    yield "TweedieRegressor", positive, er.TweedieRegressor, lambda: lm.TweedieRegressor(power=1.5, **glm)
    yield (
        "SGDRegressor",
        numbers,
        lambda: er.SGDRegressor(n_epochs=20, random_state=0),
        lambda: lm.SGDRegressor(max_iter=20, tol=None, random_state=0),
    )
    yield "LinearSVR", numbers, er.LinearSVR, lambda: svm.LinearSVR(C=1.0, max_iter=100_000)
    yield "SVR", numbers, er.SVR, svm.SVR
    yield "KernelRidge", numbers, er.KernelRidge, lambda: kernel_ridge.KernelRidge(kernel="rbf")
    yield "BayesianLinearRegression", numbers, er.BayesianLinearRegression, lm.BayesianRidge
    yield (
        "GaussianProcessRegressor",
        numbers,
        lambda: er.GaussianProcessRegressor(method=None, noise=0.5),
        lambda: gaussian_process.GaussianProcessRegressor(alpha=0.5, optimizer=None),
    )
    yield "KNeighborsRegressor", numbers, er.KNeighborsRegressor, neighbors.KNeighborsRegressor
    yield (
        "DecisionTreeRegressor",
        numbers,
        lambda: er.DecisionTreeRegressor(alpha=0.0),
        tree.DecisionTreeRegressor,
    )
    trees = {"n_estimators": 50, "random_state": 0}
    for name in ("RandomForestRegressor", "ExtraTreesRegressor", "AdaBoostRegressor", "BaggingRegressor"):
        yield name, numbers, _made(getattr(er, name), trees), _made(getattr(ensemble, name), trees)
    yield (
        "GradientBoostingRegressor",
        numbers,
        lambda: er.GradientBoostingRegressor(n_estimators=50),
        lambda: ensemble.HistGradientBoostingRegressor(max_iter=50),
    )


def classifications(n: int) -> Iterator[Pair]:
    """Yield the classifiers on n rows (iris has 150): name, table, ours and the counterpart."""
    from sklearn import (
        discriminant_analysis,
        ensemble,
        linear_model,
        naive_bayes,
        neighbors,
        neural_network,
        svm,
        tree,
    )

    import empirisk as er

    lm = linear_model
    for table in ("iris", "breast cancer"):
        yield (
            "LogisticRegression",
            table,
            er.LogisticRegression,
            lambda: lm.LogisticRegression(solver="newton-cg", tol=1e-5),
        )
    yield (
        "LogisticRegression, L1",
        "breast cancer",
        lambda: er.LogisticRegression(1.0 / n, l1_ratio=1.0),
        lambda: lm.LogisticRegression(l1_ratio=1.0, solver="liblinear", tol=1e-6),
    )
    yield "LinearSVC", "breast cancer", er.LinearSVC, lambda: svm.LinearSVC(loss="hinge", max_iter=100_000)
    yield "SVC", "breast cancer", er.SVC, svm.SVC
    yield "SVC", "iris", er.SVC, svm.SVC
    epochs: dict[str, Any] = {"random_state": 0}
    yield (
        "SGDClassifier",
        "breast cancer",
        lambda: er.SGDClassifier(n_epochs=20, **epochs),
        lambda: lm.SGDClassifier(max_iter=20, tol=None, **epochs),
    )
    yield (
        "Perceptron",
        "breast cancer",
        lambda: er.Perceptron(n_epochs=20, **epochs),
        lambda: lm.Perceptron(max_iter=20, tol=None, **epochs),
    )
    yield "KNeighborsClassifier", "iris", er.KNeighborsClassifier, neighbors.KNeighborsClassifier
    for name in ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"):
        yield name, "iris", getattr(er, name), getattr(discriminant_analysis, name)
    for name in ("GaussianNB", "BernoulliNB", "MultinomialNB", "CategoricalNB"):
        yield name, "words", getattr(er, name), getattr(naive_bayes, name)
    yield (
        "DecisionTreeClassifier",
        "breast cancer",
        lambda: er.DecisionTreeClassifier(alpha=0.0),
        tree.DecisionTreeClassifier,
    )
    trees = {"n_estimators": 50, "random_state": 0}
    for name in ("RandomForestClassifier", "ExtraTreesClassifier", "AdaBoostClassifier", "BaggingClassifier"):
        yield name, "breast cancer", _made(getattr(er, name), trees), _made(getattr(ensemble, name), trees)
    for table in ("iris", "breast cancer"):
        yield (
            "GradientBoostingClassifier",
            table,
            lambda: er.GradientBoostingClassifier(n_estimators=50),
            lambda: ensemble.HistGradientBoostingClassifier(max_iter=50),
        )
    yield (
        "MLPClassifier",
        "iris",
        lambda: er.MLPClassifier(n_epochs=50, random_state=0),
        lambda: neural_network.MLPClassifier(max_iter=50, random_state=0, n_iter_no_change=1000),
    )


def _made(kind: Any, options: dict[str, Any]) -> Callable[[], Any]:
    """Return a function that makes an estimator with these options."""
    return lambda: kind(**options)


def measure(
    ours: Callable[[], Any], theirs: Callable[[], Any], X: Any, y: Any, runs: int
) -> list[dict[str, Any]]:
    """Return for both sides wall and CPU milliseconds of each turn; each is fitted once before."""
    took: list[dict[str, Any]] = [{"wall": [], "cpu": []} for _ in range(2)]
    made = (ours, theirs)
    start = time.perf_counter()
    for make in made:
        make().fit(X, y)
    many = runs if time.perf_counter() - start < 2.0 * LONG else max(3, runs // 6)
    for turn in range(2 * many):
        side = turn % 2
        model = made[side]()
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        model.fit(X, y)
        took[side]["wall"].append((time.perf_counter_ns() - wall) / 1e6)
        took[side]["cpu"].append((time.process_time_ns() - cpu) / 1e6)
    return took


def line(name: str, table: str, rows: int, took: list[dict[str, Any]]) -> str:
    """Return a row of the table: medians, the middle half, and the ratios of wall and of CPU time."""
    middle = [{clock: statistics.median(t[clock]) for clock in t} for t in took]
    spread = [statistics.quantiles(t["wall"], n=4) for t in took]
    told = [f"{m['wall']:.3g} ({s[0]:.3g} to {s[2]:.3g})" for m, s in zip(middle, spread, strict=True)]
    ratios = [middle[1][clock] / middle[0][clock] for clock in ("wall", "cpu")]
    return f"| {name} | {table} {rows} | {told[0]} | {told[1]} | {ratios[0]:.2f} | {ratios[1]:.2f} |"


def main(arguments: list[str] | None = None) -> None:
    """Print the table, a row as soon as both sides are measured."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--only", default="", help="rows whose name contains this")
    reader.add_argument("--runs", type=int, default=RUNS, help="turns of each side")
    reader.add_argument(
        "--threads", type=int, help="threads of all pools; as many as the machine gives, if left out"
    )
    given = reader.parse_args(arguments)
    if given.threads and "numpy" not in sys.modules:
        for pool in ("OMP", "OPENBLAS", "MKL"):
            os.environ[f"{pool}_NUM_THREADS"] = str(given.threads)
    warnings.simplefilter("ignore")
    data = tables()
    print("| estimator | rows | empirisk ms | scikit-learn ms | ratio | CPU ratio |")
    print("|---|---|---|---|---|---|")
    n = len(data["diabetes"][0])
    for name, table, ours, theirs in (*regressions(n), *classifications(len(data["breast cancer"][0]))):
        if given.only.lower() in name.lower():
            X, y = data[table]
            print(line(name, table, len(X), measure(ours, theirs, X, y, given.runs)), flush=True)


if __name__ == "__main__":
    main()
